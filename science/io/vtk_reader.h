#pragma once
/// Grids and meshes from VTK's files. Every error is a UserError that names the file.

#include <filesystem>
#include <variant>
#include <vector>

#include "science/io/vtk_data.h"
#include "science/io/vtk_writer.h"

namespace eddy::io {

/// Reads `.vti` (ImageData), `.vtu` (Mesh) and legacy `.vtk` files (structured points give ImageData, unstructured
/// grids and polygonal data a Mesh). Integers of all widths become i64. Trailing axes of one point are dropped from an
/// image.
std::variant<ImageData, Mesh> read_vtk(const std::filesystem::path& path);

/// The entries of a `.pvd` index.
std::vector<PvdEntry> read_pvd(const std::filesystem::path& path);

}  // namespace eddy::io
