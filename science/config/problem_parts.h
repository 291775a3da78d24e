#pragma once
/// Parts of the problem file's declaration; internal to problem_*.cpp.

#include "science/config/problem_file.h"

namespace eddy::config::parts {

/// An integer >= min.
Schema<std::int64_t> count(double min = 1);
Schema<DType> precision();
/// Names for expressions, each once.
Schema<std::vector<Text>> identifiers(std::size_t min_size);
Schema<Resample> resample();
Schema<Reduction> reduction();
Schema<At> at();

Schema<Definition> definition();
Schema<EquationSpec> equation();
Schema<GeometrySpec> geometry();
Schema<NetworkSpec> network();
Schema<ConstraintSpec> constraint();
Schema<TrainingSpec> training();
Schema<OutputSpec> outputs();
Schema<DataSpec> data_set();
Schema<ValidationSpec> validation();

}  // namespace eddy::config::parts
