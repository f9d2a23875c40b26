#include "throng/simd.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/kernels.h"
#include "tests/unit/engine/kernel/probes.h"

namespace throng {
namespace {

TEST(SimdLevel, NamesGoBothWays) {
  for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
    EXPECT_EQ(SimdLevelOf(Name(level)), level);
  }
  for (const char* const name : {"", "auto", "AVX2", "avx", "sse4"}) EXPECT_EQ(SimdLevelOf(name), std::nullopt);
}

TEST(SimdLevel, EveryMachineHasTheScalarOneAndTheBestIsTheLast) {
  const std::vector<SimdLevel> levels = AvailableSimdLevels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.front(), SimdLevel::kScalar);
  EXPECT_EQ(levels.back(), BestSimdLevel());
  EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end()));
  for (const SimdLevel level : levels) EXPECT_TRUE(IsAvailable(level));
}

// A level that is forced is the one that runs: each has its own code, for so many agents side by side.
TEST(SimdLevel, EachHasItsOwnKernels) {
  std::size_t lanes = 0;
  std::vector<decltype(Kernels::solve)> seen;
  for (const SimdLevel level : AvailableSimdLevels()) {
    EXPECT_GT(testing::ProbesOf(level).lanes, lanes);
    lanes = testing::ProbesOf(level).lanes;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), KernelsOf(level).solve), 0);
    seen.push_back(KernelsOf(level).solve);
  }
  EXPECT_EQ(testing::ProbesOf(SimdLevel::kScalar).lanes, 1u);
  EXPECT_LE(lanes, kGroup);
}

}  // namespace
}  // namespace throng
