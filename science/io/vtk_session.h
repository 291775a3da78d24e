#pragma once
/// Internal to science/io: VTK's messages as text.

#include <mutex>
#include <string>

namespace eddy::io {

/// Collects what VTK would print on standard error. VTK has one output for the whole process, so that sessions take
/// turns.
class VtkSession {
 public:
  VtkSession();
  ~VtkSession();

  /// The errors and warnings since the session began, or empty.
  std::string messages() const;

 private:
  std::lock_guard<std::mutex> lock_;
};

}  // namespace eddy::io
