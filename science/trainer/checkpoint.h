#pragma once
/// Where a training stands, on disk.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "science/io/named_array.h"

namespace eddy::trainer {

/// Everything a training needs to go on with the same bits. Points have no state but the step.
struct Checkpoint {
  std::string stage;                      ///< the one to go on with
  std::int64_t stage_step = 0;            ///< steps done in it
  std::int64_t step = 0;                  ///< steps done in all stages
  double seconds = 0;                     ///< of training so far
  double loss = 0;                        ///< as the last step found it
  bool finished = false;                  ///< whether training came to its end
  std::string config;                     ///< hash of what the course of training depends on, see trained_config()
  std::vector<io::NamedArray> state;      ///< by the names of Model::state()
  std::vector<io::NamedArray> optimizer;  ///< of the stage; empty where it begins anew
};

/// Replaces the file at once, see io::write_file().
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// UserError when the file is missing, damaged, or of a later version.
Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace eddy::trainer
