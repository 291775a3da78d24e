#include "science/trainer/checkpoint.h"

#include "framework/core/errors.h"
#include "science/io/hdf5_file.h"

namespace eddy::trainer {

namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::string_view kState = "state/", kOptimizer = "optimizer/";

template <typename T>
T attribute(const std::map<std::string, io::Hdf5Attribute>& attributes, const std::string& name,
            const std::filesystem::path& path) {
  const auto found = attributes.find(name);
  const T* value = found == attributes.end() ? nullptr : std::get_if<T>(&found->second);
  if (value == nullptr) {
    throw UserError(fmt::format("'{}' is no checkpoint: the attribute '{}' is missing", path.string(), name));
  }
  return *value;
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  io::Hdf5Content content;
  content.attributes = {{"format", kFormat},
                        {"stage", checkpoint.stage},
                        {"stage_step", checkpoint.stage_step},
                        {"step", checkpoint.step},
                        {"seconds", checkpoint.seconds},
                        {"loss", checkpoint.loss},
                        {"finished", std::int64_t{checkpoint.finished}},
                        {"config", checkpoint.config}};
  for (const auto& array : checkpoint.state) content.arrays.emplace(std::string(kState) + array.name, array.values);
  for (const auto& array : checkpoint.optimizer) {
    content.arrays.emplace(std::string(kOptimizer) + array.name, array.values);
  }
  io::write_hdf5(path, content);
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const io::Hdf5File file(path);
  const auto attributes = file.attributes();
  const std::int64_t format = attribute<std::int64_t>(attributes, "format", path);
  if (format != kFormat) {
    throw UserError(fmt::format("'{}' has format {}, this program reads format {}", path.string(), format, kFormat),
                    "use the version of the program that wrote it");
  }
  Checkpoint checkpoint;
  checkpoint.stage = attribute<std::string>(attributes, "stage", path);
  checkpoint.stage_step = attribute<std::int64_t>(attributes, "stage_step", path);
  checkpoint.step = attribute<std::int64_t>(attributes, "step", path);
  checkpoint.seconds = attribute<double>(attributes, "seconds", path);
  checkpoint.loss = attribute<double>(attributes, "loss", path);
  checkpoint.finished = attribute<std::int64_t>(attributes, "finished", path) != 0;
  checkpoint.config = attribute<std::string>(attributes, "config", path);
  for (const std::string& name : file.names()) {
    if (name.rfind(kState, 0) == 0) {
      checkpoint.state.push_back({name.substr(kState.size()), file.read(name)});
    } else if (name.rfind(kOptimizer, 0) == 0) {
      checkpoint.optimizer.push_back({name.substr(kOptimizer.size()), file.read(name)});
    }
  }
  return checkpoint;
}

}  // namespace eddy::trainer
