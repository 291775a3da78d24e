/// geometry, and where things are.
#include "science/config/problem_parts.h"

namespace eddy::config::parts {

namespace {

Schema<PointList> points() { return list(list(constant(), 1), 1); }

Schema<BoxShape> box(const std::string& name, const std::string& doc, std::size_t min_dims,
                     std::optional<std::size_t> max_dims) {
  return ObjectSchema<BoxShape>(name, doc)
      .required("min", &BoxShape::min, list(constant(), min_dims, max_dims), "lowest corner")
      .required("max", &BoxShape::max, list(constant(), min_dims, max_dims), "highest corner")
      .check([](const BoxShape& b, const Node& node) {
        if (b.min.size() != b.max.size()) throw UserError(node.where, "'min' and 'max' differ in size");
        for (std::size_t i = 0; i < b.min.size(); ++i) {
          if (b.min[i] >= b.max[i]) throw UserError(node.find("max")->items[i].where, "'min' must be below 'max'");
        }
      })
      .schema();
}

Schema<ShapeSpec> shape() {
  const Schema<IntervalShape> interval =
      ObjectSchema<IntervalShape>("interval", "A part of the line. Faces: left, right.")
          .required("min", &IntervalShape::min, constant(), "left end")
          .required("max", &IntervalShape::max, constant(), "right end")
          .check([](const IntervalShape& s, const Node& node) {
            if (s.min >= s.max) throw UserError(node.find("max")->where, "'min' must be below 'max'");
          })
          .schema();
  Schema<ShapeSpec> schema =
      ObjectSchema<ShapeSpec>("shape", "A primitive shape. `NAME.boundary` is its boundary, `NAME.left` a face of it.")
          .field("interval", &ShapeSpec::interval, interval, "1-D")
          .field("rectangle", &ShapeSpec::rectangle,
                 box("rectangle", "An axis-parallel rectangle. Faces: left, right, bottom, top.", 2, 2), "2-D")
          .field("box", &ShapeSpec::box,
                 box("box",
                     "An axis-parallel box in any number of dimensions. Faces in 3-D: left, right, bottom, top, "
                     "back, front; in every dimension x_min, x_max and so on.",
                     1, {}),
                 "n-D")
          .field("points", &ShapeSpec::points, points(), "a list of points")
          .exactly_one({"interval", "rectangle", "box", "points"})
          .located(&ShapeSpec::where)
          .later({"line", "circle", "disk", "ellipse", "triangle", "polygon", "channel", "sphere", "ellipsoid",
                  "cylinder", "cone", "torus", "extrude", "stl", "cloud"})
          .schema();
  const auto read = schema.read;
  schema.read = [read](const Node& node) {
    if (node.is_scalar()) {
      throw UserError(node.where, "expressions over shapes are not there yet",
                      "give one primitive: {interval: {min: 0, max: 1}}");
    }
    return read(node);
  };
  return schema;
}

Schema<TimeSpec> time_range() {
  const auto from_list = [](std::vector<double> v) { return TimeSpec{v[0], v[1]}; };
  const auto to_list = [](const TimeSpec& t) { return std::vector<double>{t.begin, t.end}; };
  const Schema<TimeSpec> range = convert<TimeSpec, std::vector<double>>(list(constant(), 2, 2), from_list, to_list);
  struct Holder {
    TimeSpec range;
  };
  const Schema<Holder> holder = ObjectSchema<Holder>("time", "The range of time.")
                                    .required("range", &Holder::range, range, "begin and end")
                                    .later({"windows"})
                                    .schema();
  const Schema<TimeSpec> object = convert<TimeSpec, Holder>(
      holder, [](Holder h) { return h.range; }, [](const TimeSpec& t) { return Holder{t}; });
  Schema<TimeSpec> schema = with_shorthand<TimeSpec, std::vector<double>>(
      object, list(constant(), 2, 2), from_list, [to_list](const TimeSpec& t) { return std::optional(to_list(t)); });
  const auto read = schema.read;
  schema.read = [read](const Node& node) {
    const TimeSpec value = read(node);
    if (value.begin >= value.end) throw UserError(node.where, "the range of time must end after it begins");
    return value;
  };
  return schema;
}

}  // namespace

Schema<GeometrySpec> geometry() {
  return ObjectSchema<GeometrySpec>("geometry", "Where the problem is posed.")
      .required("shapes", &GeometrySpec::shapes, map_of(shape(), "shape", true), "shapes by name")
      .required("domain", &GeometrySpec::domain, text(), "the shape the equation holds in")
      .field("time", &GeometrySpec::time, time_range(), "begin and end of time; none for a steady problem")
      .located(&GeometrySpec::where)
      .later({"domains", "parameters"})
      .schema();
}

Schema<At> at() {
  struct Holder {
    PointList points;
  };
  static const Schema<At> schema = [] {
    const Schema<Holder> holder = ObjectSchema<Holder>("place", "Points instead of a region.")
                                      .required("points", &Holder::points, points(), "coordinates of each")
                                      .schema();
    const Schema<At> object = convert<At, Holder>(
        holder,
        [](Holder h) {
          return At{{}, std::move(h.points), {}};
        },
        [](const At& a) { return Holder{a.points}; });
    Schema<At> either = with_shorthand<At, std::vector<Text>>(
        object, one_or_list(text()),
        [](std::vector<Text> regions) {
          return At{std::move(regions), {}, {}};
        },
        [](const At& a) { return a.regions.empty() ? std::nullopt : std::optional(a.regions); });
    const auto read = either.read;
    either.read = [read](const Node& node) {
      At value = read(node);
      value.where = node.where;
      return value;
    };
    return either;
  }();
  return schema;
}

}  // namespace eddy::config::parts
