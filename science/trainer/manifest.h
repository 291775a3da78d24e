#pragma once
/// What a run was made from, so that it can be made again: manifest.yaml.

#include <filesystem>
#include <string>

#include "framework/runtime/engine.h"
#include "science/config/problem_file.h"

namespace eddy::trainer {

/// "0.1.0" and the revision of the sources, with "-dirty" where they were changed; "unknown" outside a repository.
const char* program_version();
const char* program_revision();

/// The file without the keys that do not change the course of training: outputs, validation, when to stop, how often to
/// write checkpoints.
config::Node trained_config(const config::ProblemFile& file);
/// SHA-256 of its text.
std::string config_hash(const config::ProblemFile& file);

/// The first key, as a path, in which two trees differ; empty when they are equal. With both values: "a.b: 1 there, 2
/// here".
std::string first_difference(const config::Node& there, const config::Node& here);

/// Writes the resolved problem file with everything else that a run depends on.
void write_manifest(const std::filesystem::path& path, const config::ProblemFile& file, const runtime::Engine& engine);
/// The problem file in a manifest. UserError when it is none.
config::ProblemFile read_manifest(const std::filesystem::path& path);

}  // namespace eddy::trainer
