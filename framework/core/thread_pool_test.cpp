#include "framework/core/thread_pool.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

using namespace eddy;

TEST_CASE("every index runs once on any number of threads") {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (const std::int64_t n : {0, 1, 2, 3, 1000}) {
      std::vector<std::atomic<int>> hits(n);
      pool.parallel_for(n, [&](std::int64_t i, int thread) {
        CHECK_NOFAIL(thread < threads);
        ++hits[i];
      });
      for (const auto& hit : hits) REQUIRE(hit == 1);
    }
  }
}

TEST_CASE("a nested loop runs on the thread that asks for it") {
  ThreadPool pool(2);
  std::atomic<int> count = 0;
  pool.parallel_for(4, [&](std::int64_t, int) { pool.parallel_for(5, [&](std::int64_t, int) { ++count; }); });
  CHECK(count == 20);
}

TEST_CASE("many short loops in a row") {
  ThreadPool pool(2);
  std::atomic<std::int64_t> sum = 0;
  for (int round = 0; round < 2000; ++round) pool.parallel_for(3, [&](std::int64_t i, int) { sum += i; });
  CHECK(sum == 2000 * 3);
}
