#pragma once
/// Internal to science/io: HDF5 identifiers that close themselves, and the library's messages as text.

#include <cstdint>
#include <mutex>
#include <string>

namespace eddy::io {

/// Holds the lock around every use of the HDF5 library, which is not thread-safe as Debian builds it (libmatio uses it,
/// too), and keeps the library from printing its error stack.
class Hdf5Session {
 public:
  Hdf5Session();

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

/// The most telling line of HDF5's error stack, for instance with the system's error text; the stack is cleared.
std::string hdf5_error_text();

/// HDF5's hid_t.
using Hdf5Id = std::int64_t;

/// An identifier and the function that closes it.
class Hdf5Handle {
 public:
  Hdf5Handle(Hdf5Id id, int (*closer)(Hdf5Id)) : id_(id), closer_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), closer_(other.closer_) { other.id_ = -1; }
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) closer_(id_);
  }

  explicit operator bool() const { return id_ >= 0; }
  operator Hdf5Id() const { return id_; }

 private:
  Hdf5Id id_;
  int (*closer_)(Hdf5Id);
};

}  // namespace eddy::io
