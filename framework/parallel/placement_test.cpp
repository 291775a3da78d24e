#include "framework/parallel/placement.h"

#include <catch2/catch.hpp>

#include "framework/core/errors.h"

using namespace eddy;
using namespace eddy::parallel;

TEST_CASE("placements read back as printed") {
  const Placements all{Placement::replicate(),
                       Placement::shard(0),
                       Placement::shard(12),
                       Placement::partial(Reduction::sum),
                       Placement::partial(Reduction::mean),
                       Placement::partial(Reduction::max)};
  CHECK(str(all) == "[replicate, shard(0), shard(12), partial(sum), partial(mean), partial(max)]");
  CHECK(parse_placements(str(all)) == all);
  for (const Placement& placement : all) CHECK(Placement::parse(placement.str()) == placement);
  CHECK(parse_placements("[]").empty());
  CHECK(str(Placements{}) == "[]");
  CHECK(Placement::shard(0) != Placement::shard(1));
}

TEST_CASE("what is no placement is refused") {
  for (const char* text : {"", "Replicate", "shard", "shard()", "shard(-1)", "shard(1", "shard(1x)",
                           "shard(99999999999)", "partial", "partial(min)", "partial()", "replicate "}) {
    CHECK_THROWS_AS(Placement::parse(text), UserError);
  }
  for (const char* text : {"", "[", "replicate", "[replicate", "[replicate,]", "[,]"}) {
    CHECK_THROWS_AS(parse_placements(text), UserError);
  }
}
