#pragma once
/// Named arrays and attributes in HDF5 files: checkpoints, fields, data sets.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/array.h"

namespace eddy::io {

using Hdf5Attribute = std::variant<std::int64_t, double, std::string>;

/// What a file of ours holds. A name may be a path, for instance "params/net/w0": its folders become groups. Attributes
/// stand at the root; their text is UTF-8 without zero bytes.
struct Hdf5Content {
  std::map<std::string, Array> arrays;
  std::map<std::string, Hdf5Attribute> attributes;
};

/// Writes the whole file at once, see write_file(): it is assembled in memory, so the old file survives every failure.
/// Values keep their bits. bool is stored as the enumeration and complex as the compound that h5py uses.
void write_hdf5(const std::filesystem::path& path, const Hdf5Content& content);

/// An HDF5 file opened for reading, ours or anybody's. Every error is a UserError that names the file, and the data set
/// where there is one: missing file, not HDF5, truncated, corrupt, missing data set (with the nearest name), a type
/// that has no counterpart here.
class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path);
  Hdf5File(Hdf5File&&) noexcept;
  Hdf5File& operator=(Hdf5File&&) noexcept;
  ~Hdf5File();

  /// Full names of all data sets, sorted.
  const std::vector<std::string>& names() const;
  bool has(const std::string& name) const;

  /// Integers become i64, floats of at most 32 bits f32 and wider ones f64, enumerations FALSE/TRUE bool, compounds of
  /// two floats (real, imaginary) complex. The shape is the file's.
  Array read(const std::string& name) const;
  /// As read(), but the data set must have this type and this shape.
  Array read(const std::string& name, DType dtype, const std::vector<std::int64_t>& shape) const;

  /// The attributes of the root that are numbers or text.
  std::map<std::string, Hdf5Attribute> attributes() const;
  /// All of it.
  Hdf5Content read_all() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eddy::io
