#include "world/parallel.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <cfenv>
#include <future>
#include <vector>

namespace throng {
namespace {

TEST(RunBlocks, RunsEachBlockOnce) {
  for (const bool threads : {false, true}) {
    std::vector<std::atomic<int>> runs(1000);
    RunBlocks(10, 990, threads, [&](std::size_t block, std::size_t worker) {
      EXPECT_LT(worker, threads ? MaxWorkers() : 1);
      ++runs[block];
    });
    for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs[i], i >= 10 && i < 990 ? 1 : 0);
    RunBlocks(5, 5, threads, [](std::size_t, std::size_t) { FAIL(); });
  }
}

TEST(RunBlocks, WorkersAreDistinctAtAnyTime) {
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  arena.execute([] {
    EXPECT_EQ(MaxWorkers(), 4u);
    std::vector<std::atomic<int>> busy(4);
    RunBlocks(0, 5000, true, [&](std::size_t, std::size_t worker) {
      EXPECT_EQ(busy[worker].fetch_add(1), 0);
      busy[worker].fetch_sub(1);
    });
  });
}

TEST(RunBlocks, AnArenaForOneThreadIsServedToo) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer does not see what enqueue of oneTBB's library orders";
#endif
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena arena(1, 0);
  for (int i = 0; i < 50; ++i) {
    std::promise<void> done;
    arena.enqueue([&] {
      RunBlocks(0, 10, true, [](std::size_t, std::size_t worker) { EXPECT_LT(worker, MaxWorkers()); });
      done.set_value();
    });
    done.get_future().wait();
  }
}

// Asked of the arithmetic itself: the mode that the library reports may be that of another unit.
bool RoundsUp() {
  volatile float one = 1.0f, tiny = 1e-10f;
  return one + tiny > 1.0f;
}

TEST(RunBlocks, SetsAndRestoresFloatingPointModes) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  for (const bool threads : {false, true}) {
    RunBlocks(0, 100, threads, [](std::size_t, std::size_t) { EXPECT_FALSE(RoundsUp()); });
    EXPECT_TRUE(RoundsUp());
  }
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace throng
