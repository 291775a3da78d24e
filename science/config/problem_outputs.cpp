/// outputs, data, validation.
#include "science/config/problem_parts.h"

namespace eddy::config::parts {

Schema<OutputSpec> outputs() {
  using F = FieldOutput;
  const Schema<F> field =
      ObjectSchema<F>("field output", "Values on a grid or on points, written for ParaView at the end of training.")
          .required("at", &F::at, at(), "region by name, or points")
          .field("grid", &F::grid, one_or_list(count(2)), "points along each axis; one number holds for every axis")
          .field("times", &F::times, count(), "moments, evenly spaced, both ends of time included; 1: the end alone")
          .required("values", &F::values, map_of(expression(), "value"),
                    "what is written: name: expression (residuals by their names)")
          .field("format", &F::format,
                 choice<FieldFormat>({{"vti", FieldFormat::vti},
                                      {"vtu", FieldFormat::vtu},
                                      {"csv", FieldFormat::csv},
                                      {"hdf5", FieldFormat::hdf5}}),
                 "none: vti for grids, vtu for points")
          .located(&F::where)
          .later({"mesh", "plane", "points"})
          .check([](const F& f, const Node& node) {
            if (f.values.empty())
              throw UserError(node.find("values")->where, "there are no values to write", "values: {u: u}");
            if (f.at.regions.empty() && f.grid) {
              throw UserError(node.find("grid")->where, "listed points have no grid", "leave 'grid' out");
            }
            if (!f.at.regions.empty() && !f.grid) {
              throw UserError(node.where, "the key 'grid' is missing in this field output", "grid: 101");
            }
          })
          .schema();
  return ObjectSchema<OutputSpec>("outputs", "What a run writes besides its history.")
      .field("fields", &OutputSpec::fields, map_of(field, "output"), "fields by name")
      .later({"monitors", "pictures"})
      .schema();
}

Schema<DataSpec> data_set() {
  using D = DataSpec;
  return ObjectSchema<D>("data set", "A data file, described once. Maps go from the problem's names to the file's.")
      .required("file", &D::file, path(), "MAT, HDF5, CSV or VTK file, relative to the working directory")
      .field("axes", &D::axes, map_of(text(), "coordinate", true), "of gridded data: coordinate: array in the file")
      .field("fields", &D::fields, map_of(text(), "field", true), "of gridded data: field: array in the file")
      .field("columns", &D::columns, map_of(text(), "name", true), "of a table: coordinate or field: column")
      .field("fixed", &D::fixed, map_of(constant(), "coordinate", true), "coordinates with one value in the whole file")
      .located(&D::where)
      .later({"samples", "scale", "unit"})
      .check([](const D& d, const Node& node) {
        if (!d.columns.empty() && !(d.axes.empty() && d.fields.empty())) {
          throw UserError(node.where, "a data set is a grid ('axes' and 'fields') or a table ('columns'), not both");
        }
        if (d.columns.empty() && (d.axes.empty() || d.fields.empty())) {
          throw UserError(node.where, "this data set needs 'axes' and 'fields', or 'columns'",
                          "axes: {x: x, t: t}, fields: {u: u}");
        }
      })
      .schema();
}

Schema<ValidationSpec> validation() {
  using V = ValidationSpec;
  return ObjectSchema<V>("validation", "A comparison of the solution with a reference.")
      .field("data", &V::data, text(), "data set")
      .field("exact", &V::exact, map_of(expression(), "unknown", true),
             "exact solution, expressions of the coordinates")
      .field("fields", &V::fields, list(text()), "what is compared; empty: all that the reference has")
      .field("metric", &V::metric, choice<Metric>({{"rel_l2", Metric::rel_l2}, {"linf", Metric::linf}}),
             "`rel_l2`: |u - ref|/|ref| in the Euclidean norm; `linf`: largest |u - ref|")
      .field("tolerance", &V::tolerance, number({.above = 0}), "`eddy validate` fails above it; none: only reported")
      .field("grid", &V::grid, one_or_list(count(2)), "with `exact`: points along each axis of the domain")
      .field("times", &V::times, count(2), "with `exact`: moments, both ends of time included")
      .exactly_one({"data", "exact"})
      .located(&V::where)
      .schema();
}

}  // namespace eddy::config::parts
