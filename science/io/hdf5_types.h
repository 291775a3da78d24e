#pragma once
/// Internal to science/io: dtypes as HDF5 types.

#include <optional>

#include "framework/core/dtype.h"
#include "science/io/hdf5_handle.h"

namespace eddy::io {

/// The type of an element in memory and, in our own files, on disk.
Hdf5Handle hdf5_type(DType dtype);
/// The dtype that values of a file's type are read into, if there is one.
std::optional<DType> dtype_of_hdf5(Hdf5Id type);

}  // namespace eddy::io
