#include "science/io/hdf5_file.h"

#include <algorithm>
#include <complex>
#include <fmt/ranges.h>
#include <hdf5.h>
#include <limits>
#include <unistd.h>

#include "framework/core/dim.h"
#include "science/io/atomic_file.h"
#include "science/io/file_handle.h"
#include "science/io/hdf5_types.h"

namespace eddy::io {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& message, const std::string& hint = {}) {
  throw UserError(SourceLocation{std::make_shared<const std::string>(path)}, message, hint);
}

std::string about(const std::string& data_set) { return fmt::format("data set '{}': ", data_set); }

// ---- writing ----

/// Writing goes to memory: what can fail there is memory or a defect of ours.
void check_built(bool ok, const std::string& what) {
  if (!ok) throw RuntimeError(fmt::format("cannot build the HDF5 image of {}: {}", what, hdf5_error_text()));
}

void write_array(hid_t file, const std::string& name, const Array& array) {
  EDDY_CHECK(!name.empty() && name.front() != '/' && name.back() != '/', "data set name '{}'", name);
  const std::vector<hsize_t> sizes(array.shape().begin(), array.shape().end());
  const Hdf5Handle space(
      sizes.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
      H5Sclose);
  const Hdf5Handle type = hdf5_type(array.dtype());
  const Hdf5Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check_built(H5Pset_create_intermediate_group(link, 1) >= 0, name);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check_built(H5Pset_obj_track_times(creation, false) >= 0, name);  // equal content gives equal files
  const Hdf5Handle data_set(H5Dcreate2(file, name.c_str(), type, space, link, creation, H5P_DEFAULT), H5Dclose);
  check_built(bool(data_set), name);
  if (array.n_elements() == 0) return;
  check_built(H5Dwrite(data_set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.raw()) >= 0, name);
}

void write_attribute(hid_t file, const std::string& name, const Hdf5Attribute& value) {
  const auto put = [&](hid_t type, const void* data) {
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle attribute(H5Acreate2(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check_built(bool(attribute) && H5Awrite(attribute, type, data) >= 0, name);
  };
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    put(H5T_NATIVE_INT64, integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    put(H5T_NATIVE_DOUBLE, real);
  } else {
    const std::string& text = std::get<std::string>(value);
    EDDY_CHECK(text.find('\0') == std::string::npos, "attribute '{}' holds a zero byte", name);
    // Of variable length, because a fixed one may take no more than the 64 KiB of an object header.
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const char* pointer = text.c_str();
    put(type, &pointer);
  }
}

// ---- reading ----

herr_t collect_data_set(hid_t, const char* name, const H5O_info_t* info, void* data) {
  if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(data)->emplace_back(name);
  return 0;
}

std::vector<std::int64_t> shape_of(hid_t data_set, const std::string& path, const std::string& name) {
  const Hdf5Handle space(H5Dget_space(data_set), H5Sclose);
  const int rank = space ? H5Sget_simple_extent_ndims(space) : -1;
  if (rank < 0) fail(path, about(name) + "the shape cannot be read: " + hdf5_error_text());
  if (H5Sget_simple_extent_type(space) == H5S_NULL) return {0};
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  std::vector<std::int64_t> shape;
  for (const hsize_t size : sizes) {
    if (size > static_cast<hsize_t>(std::numeric_limits<std::int64_t>::max())) fail(path, about(name) + "too large");
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return shape;
}

/// A contiguous data set cannot be larger than the file that holds it: a damaged shape is found before memory is asked
/// for.
void check_size(hid_t data_set, std::int64_t n_elements, std::size_t stored_size, const std::string& path,
                const std::string& name) {
  const Hdf5Handle creation(H5Dget_create_plist(data_set), H5Pclose);
  if (!creation || H5Pget_layout(creation) != H5D_CONTIGUOUS || H5Pget_external_count(creation) > 0) return;
  std::error_code error;
  const std::uintmax_t file_size = fs::file_size(path, error);
  if (!error && static_cast<std::uintmax_t>(n_elements) > file_size / std::max<std::size_t>(stored_size, 1)) {
    fail(path, about(name) + "the shape asks for more bytes than the file has; the file is corrupt");
  }
}

}  // namespace

void write_hdf5(const fs::path& path, const Hdf5Content& content) {
  std::string image;
  {
    const Hdf5Session session;
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    constexpr std::size_t kIncrement = std::size_t{1} << 20;
    check_built(H5Pset_fapl_core(access, kIncrement, /*backing_store=*/0) >= 0, path.string());
    check_built(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0, path.string());
    const Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    check_built(bool(file), path.string());
    for (const auto& [name, array] : content.arrays) write_array(file, name, array);
    for (const auto& [name, value] : content.attributes) write_attribute(file, name, value);
    check_built(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, path.string());
    const ssize_t size = H5Fget_file_image(file, nullptr, 0);
    check_built(size > 0, path.string());
    image.resize(static_cast<std::size_t>(size));
    check_built(H5Fget_file_image(file, image.data(), image.size()) == size, path.string());
  }
  write_file(path, image);
}

struct Hdf5File::State {
  std::string path;
  Hdf5Handle file{H5I_INVALID_HID, H5Fclose};
  std::vector<std::string> names;

  State(std::string name, hid_t id) : path(std::move(name)), file(id, H5Fclose) {}
};

Hdf5File::Hdf5File(const fs::path& path) {
  if (::access(path.c_str(), R_OK) != 0) fail(path.string(), "cannot read: " + system_message(errno));
  const Hdf5Session session;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_file_locking(access, 0, 1);  // files are replaced whole, and some file systems know no locks
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (id < 0) {
    const std::string reason = hdf5_error_text();
    const bool signature = H5Fis_hdf5(path.c_str()) > 0;
    H5Eclear2(H5E_DEFAULT);
    if (!signature)
      fail(path.string(), "this is not an HDF5 file, or its beginning is damaged", "HDF5 says: " + reason);
    fail(path.string(), "the HDF5 file is truncated or corrupt", "HDF5 says: " + reason);
  }
  state_ = std::make_unique<State>(path.string(), id);
  if (H5Ovisit(state_->file, H5_INDEX_NAME, H5_ITER_INC, collect_data_set, &state_->names) < 0) {
    fail(path.string(), "the HDF5 file is corrupt: its objects cannot be listed", "HDF5 says: " + hdf5_error_text());
  }
  std::sort(state_->names.begin(), state_->names.end());
}

Hdf5File::Hdf5File(Hdf5File&&) noexcept = default;
Hdf5File& Hdf5File::operator=(Hdf5File&& other) noexcept {
  const Hdf5Session session;
  state_ = std::move(other.state_);
  return *this;
}
Hdf5File::~Hdf5File() {
  const Hdf5Session session;
  state_.reset();
}

const std::vector<std::string>& Hdf5File::names() const { return state_->names; }

bool Hdf5File::has(const std::string& name) const {
  return std::binary_search(state_->names.begin(), state_->names.end(), name);
}

Array Hdf5File::read(const std::string& name) const {
  const std::string& path = state_->path;
  if (!has(name)) {
    const std::string near = nearest_name(name, names());
    fail(path, fmt::format("there is no data set '{}'", name),
         !near.empty() ? fmt::format("did you mean '{}'?", near)
                       : fmt::format("it holds: {}", fmt::join(names(), ", ")));
  }
  const Hdf5Session session;
  const Hdf5Handle data_set(H5Dopen2(state_->file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data_set) fail(path, about(name) + "cannot be opened: " + hdf5_error_text());
  const Hdf5Handle stored(H5Dget_type(data_set), H5Tclose);
  const std::optional<DType> dtype = dtype_of_hdf5(stored);
  if (!dtype) fail(path, about(name) + "its type is no number, boolean or complex number");
  const std::vector<std::int64_t> shape = shape_of(data_set, path, name);
  const std::int64_t count = n_elements(shape);
  check_size(data_set, count, H5Tget_size(stored), path, name);

  Array result(*dtype, shape);
  if (count == 0) return result;
  if (H5Dread(data_set, hdf5_type(*dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT, result.raw()) < 0) {
    fail(path, about(name) + "the values cannot be read: the file is truncated or corrupt",
         "HDF5 says: " + hdf5_error_text());
  }
  if (*dtype == DType::i64 && H5Tget_size(stored) == 8 && H5Tget_sign(stored) == H5T_SGN_NONE) {
    const auto values = result.data<std::int64_t>();  // HDF5 gives the largest number for what does not fit
    if (std::find(values.begin(), values.end(), INT64_MAX) != values.end()) {
      fail(path, about(name) + "holds unsigned integers of 2^63 and more");
    }
  }
  return result;
}

Array Hdf5File::read(const std::string& name, DType dtype, const std::vector<std::int64_t>& shape) const {
  Array result = read(name);
  if (result.dtype() != dtype || result.shape() != shape) {
    fail(state_->path,
         fmt::format("{}expected {}[{}], found {}[{}]", about(name), eddy::name(dtype), fmt::join(shape, ", "),
                     eddy::name(result.dtype()), fmt::join(result.shape(), ", ")));
  }
  return result;
}

namespace {

std::string read_text(hid_t attribute, hid_t type) {
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute, type, &text) < 0 || !text) return {};
    const std::string result = text;
    H5free_memory(text);
    return result;
  }
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  return text.substr(0, text.find('\0'));
}

herr_t collect_attribute(hid_t object, const char* name, const H5A_info_t*, void* data) {
  auto& result = *static_cast<std::map<std::string, Hdf5Attribute>*>(data);
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute) return -1;
  const Hdf5Handle space(H5Aget_space(attribute), H5Sclose);
  const Hdf5Handle type(H5Aget_type(attribute), H5Tclose);
  if (H5Sget_simple_extent_npoints(space) != 1) return 0;
  switch (H5Tget_class(type)) {
    case H5T_INTEGER: {
      std::int64_t value = 0;
      if (H5Aread(attribute, H5T_NATIVE_INT64, &value) < 0) return -1;
      result[name] = value;
      break;
    }
    case H5T_FLOAT: {
      double value = 0;
      if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) return -1;
      result[name] = value;
      break;
    }
    case H5T_STRING: result[name] = read_text(attribute, type); break;
    default: break;
  }
  return 0;
}

}  // namespace

std::map<std::string, Hdf5Attribute> Hdf5File::attributes() const {
  const Hdf5Session session;
  std::map<std::string, Hdf5Attribute> result;
  if (H5Aiterate2(state_->file, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_attribute, &result) < 0) {
    fail(state_->path, "the attributes cannot be read: the file is corrupt", "HDF5 says: " + hdf5_error_text());
  }
  return result;
}

Hdf5Content Hdf5File::read_all() const {
  Hdf5Content content;
  for (const std::string& name : names()) content.arrays.emplace(name, read(name));
  content.attributes = attributes();
  return content;
}

}  // namespace eddy::io
