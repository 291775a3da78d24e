#include "science/io/mat_file.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <fmt/ranges.h>
#include <matio.h>
#include <memory>

#include "framework/core/dim.h"
#include "science/io/atomic_file.h"
#include "science/io/hdf5_file.h"
#include "science/io/hdf5_handle.h"

namespace eddy::io {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& message, const std::string& hint = {}) {
  throw UserError(SourceLocation{std::make_shared<const std::string>(path.string())}, message, hint);
}

/// What the library reported since the session began. Its only hook is one function for the whole process, so this is
/// guarded by the session's lock.
std::string library_messages;

void collect_message(int, char* text) {
  if (!library_messages.empty()) library_messages += "; ";
  library_messages += text;
  while (!library_messages.empty() && library_messages.back() == '\n') library_messages.pop_back();
}

/// A MATLAB file opened for reading, with the locks and message hooks of the libraries below.
class MatReader {
 public:
  explicit MatReader(const fs::path& path) : path_(path) {
    library_messages.clear();
    Mat_LogInitFunc("eddy", collect_message);
    check_structure();
    file_.reset(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
    if (!file_) fail(path, "this is no MATLAB file, or it is corrupt", reason());
  }

  std::vector<MatVariable> list() {
    std::vector<MatVariable> result;
    Mat_Rewind(file_.get());
    while (const Variable variable{Mat_VarReadNextInfo(file_.get())}) {
      if (!variable->name) fail(path_, "a variable without a name: the file is corrupt", reason());
      result.push_back({variable->name, shape_of(*variable), is_numeric(*variable)});
    }
    if (!library_messages.empty()) fail(path_, "the MATLAB file is truncated or corrupt", reason());
    return result;
  }

  Array read(const std::string& name) {
    // A damaged shape is found before memory is asked for. (The library looks a name up from the file's beginning.)
    if (const Variable info{Mat_VarReadInfo(file_.get(), name.c_str())}) check_size(*info);
    const Variable variable{Mat_VarRead(file_.get(), name.c_str())};
    if (!variable) {
      const std::vector<MatVariable> all = list();
      std::vector<std::string> names;
      for (const MatVariable& entry : all) names.push_back(entry.name);
      if (std::find(names.begin(), names.end(), name) != names.end()) fail_variable(name, "cannot be read");
      const std::string near = nearest_name(name, names);
      fail(path_, fmt::format("there is no variable '{}'", name),
           !near.empty() ? fmt::format("did you mean '{}'?", near)
                         : fmt::format("it holds: {}", fmt::join(names, ", ")));
    }
    if (!is_numeric(*variable)) fail(path_, fmt::format("variable '{}' is no dense numeric array", name));
    if (!library_messages.empty()) fail_variable(name, "cannot be read");
    return convert(*variable);
  }

 private:
  struct Close {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };
  struct Free {
    void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
  };
  using Variable = std::unique_ptr<matvar_t, Free>;

  std::string reason() const { return library_messages.empty() ? "" : "matio says: " + library_messages; }

  [[noreturn]] void fail_variable(const std::string& name, const std::string& what) const {
    fail(path_, fmt::format("variable '{}' {}: the file is truncated or corrupt", name, what), reason());
  }

  /// Version 5 files are a header of 128 bytes and a sequence of elements with their sizes in front. The library reads
  /// over missing bytes in places, so that the chain of sizes is checked against the file first.
  void check_structure() const {
    const std::string bytes = read_file(path_);
    constexpr std::size_t kHeader = 128;
    if (bytes.compare(0, 19, "MATLAB 7.3 MAT-file") == 0) {
      const Hdf5File opened(path_);  // the errors of a truncated one
      return;
    }
    if (bytes.size() < kHeader) fail(path_, "this is no MATLAB file, or it is truncated");
    const bool little = bytes[126] == 'I' && bytes[127] == 'M';
    const bool big = bytes[126] == 'M' && bytes[127] == 'I';
    if (!little && !big) return;  // version 4 has no mark; the library decides
    std::size_t at = kHeader;
    for (int element = 1; at < bytes.size(); ++element) {
      std::uint64_t size = 0;
      if (bytes.size() - at >= 8) {
        for (std::size_t i = 0; i < 4; ++i) {
          size |= std::uint64_t{static_cast<unsigned char>(bytes[at + 4 + i])} << 8 * (little ? i : 3 - i);
        }
      }
      if (bytes.size() - at < 8 || bytes.size() - at - 8 < size) {
        fail(path_,
             fmt::format("the MATLAB file is truncated: its element {} needs {} bytes at offset {}, the file ends "
                         "at {}",
                         element, size + 8, at, bytes.size()));
      }
      at += 8 + size;
    }
    if (at == kHeader) fail(path_, "the MATLAB file holds no variables, or it is truncated");
  }

  /// Deflate packs at most 1032 bytes into one (zlib's documentation), so that a file of n bytes holds no more than
  /// that.
  void check_size(const matvar_t& variable) const {
    constexpr std::int64_t kMostPacked = 1032;
    std::int64_t room = 0, bytes = 0;
    try {
      room = checked_multiply(static_cast<std::int64_t>(fs::file_size(path_)), kMostPacked);
      bytes = checked_multiply(n_elements(shape_of(variable)),
                               static_cast<std::int64_t>(Mat_SizeOfClass(variable.class_type)));
    } catch (const RuntimeError&) {  // more than 63 bits count
      bytes = room + 1;
    }
    if (bytes > room) {
      fail_variable(variable.name, fmt::format("asks for {} values", fmt::join(shape_of(variable), " x ")));
    }
  }

  static bool is_numeric(const matvar_t& variable) {
    switch (variable.class_type) {
      case MAT_C_DOUBLE:
      case MAT_C_SINGLE:
      case MAT_C_INT8:
      case MAT_C_UINT8:
      case MAT_C_INT16:
      case MAT_C_UINT16:
      case MAT_C_INT32:
      case MAT_C_UINT32:
      case MAT_C_INT64:
      case MAT_C_UINT64: return true;
      default: return false;
    }
  }

  static std::vector<std::int64_t> shape_of(const matvar_t& variable) {
    std::vector<std::int64_t> shape;
    for (int i = 0; i < variable.rank; ++i) shape.push_back(static_cast<std::int64_t>(variable.dims[i]));
    return shape;
  }

  /// Copies column-major values of the stored type into a row-major array.
  template <typename Stored, typename T>
  static void transpose(const Stored* source, Array& target, std::size_t stride, std::size_t offset) {
    const std::vector<std::int64_t>& shape = target.shape();
    auto* out = static_cast<T*>(target.raw());
    std::vector<std::int64_t> index(shape.size(), 0);
    for (std::int64_t i = 0; i < target.n_elements(); ++i) {
      std::int64_t row_major = 0;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) row_major = row_major * shape[axis] + index[axis];
      out[static_cast<std::size_t>(row_major) * stride + offset] = static_cast<T>(source[i]);
      for (std::size_t axis = 0; axis < shape.size() && ++index[axis] == shape[axis]; ++axis) index[axis] = 0;
    }
  }

  template <typename Stored>
  Array convert_as(const matvar_t& variable, DType dtype) const {
    Array result(dtype, shape_of(variable));
    const auto count = static_cast<std::size_t>(result.n_elements());
    const auto fill = [&](const void* source, std::size_t stride, std::size_t offset) {
      if (!source) fail_variable(variable.name, "holds no data");
      const auto* values = static_cast<const Stored*>(source);
      switch (dtype) {
        case DType::boolean: return transpose<Stored, bool>(values, result, stride, offset);
        case DType::i64: return transpose<Stored, std::int64_t>(values, result, stride, offset);
        case DType::f32:
        case DType::c64: return transpose<Stored, float>(values, result, stride, offset);
        case DType::f64:
        case DType::c128: return transpose<Stored, double>(values, result, stride, offset);
      }
    };
    if (count == 0) return result;
    if (variable.nbytes != count * sizeof(Stored)) {
      fail_variable(variable.name,
                    fmt::format("holds {} bytes instead of {}", variable.nbytes, count * sizeof(Stored)));
    }
    if (variable.isComplex) {
      const auto& parts = *static_cast<const mat_complex_split_t*>(variable.data);
      fill(parts.Re, 2, 0);
      fill(parts.Im, 2, 1);
    } else {
      fill(variable.data, 1, 0);
    }
    return result;
  }

  Array convert(const matvar_t& variable) const {
    if (!variable.data && n_elements(shape_of(variable)) != 0) fail_variable(variable.name, "holds no data");
    const bool complex = variable.isComplex != 0;
    const DType integer = variable.isLogical ? DType::boolean : complex ? DType::c128 : DType::i64;
    switch (variable.class_type) {
      case MAT_C_DOUBLE: return convert_as<double>(variable, complex ? DType::c128 : DType::f64);
      case MAT_C_SINGLE: return convert_as<float>(variable, complex ? DType::c64 : DType::f32);
      case MAT_C_INT8: return convert_as<std::int8_t>(variable, integer);
      case MAT_C_UINT8: return convert_as<std::uint8_t>(variable, integer);
      case MAT_C_INT16: return convert_as<std::int16_t>(variable, integer);
      case MAT_C_UINT16: return convert_as<std::uint16_t>(variable, integer);
      case MAT_C_INT32: return convert_as<std::int32_t>(variable, integer);
      case MAT_C_UINT32: return convert_as<std::uint32_t>(variable, integer);
      case MAT_C_INT64: return convert_as<std::int64_t>(variable, integer);
      case MAT_C_UINT64: return convert_as<std::uint64_t>(variable, integer);
      default: throw InternalError("a MATLAB class that is not numeric");
    }
  }

  fs::path path_;
  Hdf5Session session_;
  std::unique_ptr<mat_t, Close> file_;
};

}  // namespace

std::vector<MatVariable> list_mat(const fs::path& path) { return MatReader(path).list(); }

Array read_mat(const fs::path& path, const std::string& name) { return MatReader(path).read(name); }

std::map<std::string, Array> read_mat(const fs::path& path) {
  MatReader reader(path);
  std::map<std::string, Array> result;
  for (const MatVariable& variable : reader.list()) {
    if (variable.numeric) result.emplace(variable.name, reader.read(variable.name));
  }
  return result;
}

}  // namespace eddy::io
