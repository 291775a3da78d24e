#include "science/io/hdf5_types.h"

#include <complex>
#include <hdf5.h>
#include <string>

#include "framework/core/errors.h"

namespace eddy::io {

namespace {

Hdf5Handle boolean_type() {
  Hdf5Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  const std::int8_t no = 0, yes = 1;
  H5Tenum_insert(type, "FALSE", &no);
  H5Tenum_insert(type, "TRUE", &yes);
  return type;
}

Hdf5Handle complex_type(hid_t part, std::size_t part_size) {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, 2 * part_size), H5Tclose);
  H5Tinsert(type, "r", 0, part);
  H5Tinsert(type, "i", part_size, part);
  return type;
}

std::string member_name(hid_t type, unsigned index) {
  char* text = H5Tget_member_name(type, index);
  if (!text) return {};
  const std::string result = text;
  H5free_memory(text);
  return result;
}

bool is_boolean_enum(hid_t type) {
  return H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 && member_name(type, 0) == "FALSE" &&
         member_name(type, 1) == "TRUE";
}

}  // namespace

Hdf5Handle hdf5_type(DType dtype) {
  switch (dtype) {
    case DType::boolean: return boolean_type();
    case DType::i64: return Hdf5Handle(H5Tcopy(H5T_NATIVE_INT64), H5Tclose);
    case DType::f32: return Hdf5Handle(H5Tcopy(H5T_NATIVE_FLOAT), H5Tclose);
    case DType::f64: return Hdf5Handle(H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose);
    case DType::c64: return complex_type(H5T_NATIVE_FLOAT, sizeof(float));
    case DType::c128: return complex_type(H5T_NATIVE_DOUBLE, sizeof(double));
  }
  throw InternalError("unknown dtype");
}

std::optional<DType> dtype_of_hdf5(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER: return DType::i64;
    case H5T_FLOAT: return H5Tget_size(type) <= sizeof(float) ? DType::f32 : DType::f64;
    case H5T_ENUM:
      if (is_boolean_enum(type)) return DType::boolean;
      return std::nullopt;
    case H5T_COMPOUND: {
      // Only members with our names convert: HDF5 matches the members of compounds by name.
      if (H5Tget_nmembers(type) != 2 || member_name(type, 0) != "r" || member_name(type, 1) != "i") return std::nullopt;
      const Hdf5Handle part(H5Tget_member_type(type, 0), H5Tclose);
      if (H5Tget_class(part) != H5T_FLOAT) return std::nullopt;
      return H5Tget_size(part) <= sizeof(float) ? DType::c64 : DType::c128;
    }
    default: return std::nullopt;
  }
}

}  // namespace eddy::io
