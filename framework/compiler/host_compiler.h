#pragma once
/// The C compiler of the machine we run on, which turns printed programs into shared objects.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "framework/core/errors.h"

namespace eddy::compiler {

/// There is no C compiler, or none that runs. Whoever can interpret a program instead catches this and warns.
class NoCompiler : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Bytes of the widest vector this CPU computes with: 64 (AVX-512F), 32 (AVX2), else 16.
int native_vector_bytes();

/// What this CPU is, for keys of code that was compiled for it: maker, model and instruction sets.
const std::string& cpu_identity();

/// The flags of every printed program; c_math.h says what they promise.
std::vector<std::string> native_flags();

/// A C compiler (GCC or Clang) with its flags. Immutable; safe to use from several threads.
class HostCompiler {
 public:
  /// The program named by $EDDY_CC (a path or a name on PATH, without arguments); where that is unset, the first of cc,
  /// gcc and clang on PATH. Starts nothing. NoCompiler when there is none.
  static HostCompiler find();
  /// `program` is a path.
  explicit HostCompiler(std::filesystem::path program, std::vector<std::string> flags = native_flags());

  const std::filesystem::path& program() const { return program_; }
  const std::vector<std::string>& flags() const { return flags_; }

  /// Path, size and time of modification of the program's file: as long as they stay, so does identity(). Starts
  /// nothing. (Of a wrapper script they are the script's own, not those of the compiler behind it.)
  std::string stamp() const;
  /// Its version and target, in its own words. Starts it twice. NoCompiler when it does not run.
  std::string identity() const;
  /// Compiles each text as a translation unit, several side by side, and links them; gives the shared object's bytes.
  /// A text that the compiler refuses is a defect of the printer: InternalError with the compiler's first errors and
  /// the path where the text is kept. RuntimeError when a file cannot be written or the compiler was killed.
  std::string compile(std::span<const std::string> sources) const;

 private:
  std::filesystem::path program_;
  std::vector<std::string> flags_;
};

}  // namespace eddy::compiler
