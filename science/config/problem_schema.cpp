/// The declaration of the problem file: every key with its type, default and meaning. Its parts are in problem_*.cpp.
#include "science/config/problem_parts.h"

namespace eddy::config {

const Schema<ProblemFile>& problem_schema() {
  using namespace parts;
  using P = ProblemFile;
  static const Schema<P> schema =
      ObjectSchema<P>("problem", "The problem file: one YAML map.")
          .required("name", &P::name, text(), "names the run and its folder")
          .field("about", &P::about, text(), "one line for people")
          .field("seed", &P::seed, count(0), "seed of all random numbers")
          .field("precision", &P::precision, precision(), "of training and evaluation; a stage may set its own")
          .field("extends", &P::extends, path(), "another file whose keys this one overrides, relative to this file")
          .field("define", &P::define, map_of(definition(), "definition", true),
                 "named expressions, usable in all expressions")
          .required("equation", &P::equation, equation(), "what is solved")
          .required("geometry", &P::geometry, geometry(), "where it is solved")
          .required("networks", &P::networks, map_of(network(), "network"),
                    "networks by name; their outputs are the unknowns")
          .required("constraints", &P::constraints, map_of(constraint(), "constraint"), "terms of the loss by name")
          .required("training", &P::training, training(), "how it is solved")
          .field("outputs", &P::outputs, outputs(), "what is written")
          .field("data", &P::data, map_of(data_set(), "data set"), "data files by name")
          .field("validation", &P::validation, map_of(validation(), "validation"), "comparisons by name")
          .field("profiles", &P::profiles, map_of(any(), "profile"),
                 "named sets of overrides, path: value, chosen with --profile")
          .field("long", &P::long_running, boolean(), "`eddy validate` on a folder skips this file")
          .located(&P::where)
          .later({"equations"})
          .schema();
  return schema;
}

}  // namespace eddy::config
