#pragma once
/// Fields for ParaView. All files are replaced whole, see write_file(); values keep their bits.

#include <filesystem>
#include <string>
#include <vector>

#include "science/io/vtk_data.h"

namespace eddy::io {

struct VtkOptions {
  /// zlib. Smooth fields in f64 shrink little; constant regions and integers do.
  bool compress = false;
};

/// Writes a `.vti` file, binary inside the XML. Vectors of two components get a third, zero, for which VTK's filters
/// ask. Characters that XML cannot hold in a name, and quotes and brackets, become `_`.
void write_vti(const std::filesystem::path& path, const ImageData& image, const VtkOptions& options = {});

/// Writes a `.vtu` file, likewise. Missing coordinates are zero. A mesh without cells gets a vertex at each point,
/// since ParaView shows no bare points.
void write_vtu(const std::filesystem::path& path, const Mesh& mesh, const VtkOptions& options = {});

struct PvdEntry {
  double time = 0;
  /// Relative to the folder of the index.
  std::string file;
};

/// Writes the index of a time series.
void write_pvd(const std::filesystem::path& path, const std::vector<PvdEntry>& entries);

}  // namespace eddy::io
