// Every named scene reaches its golden hash, in the twin and in the engine on any SIMD level, with any number of
// threads and any slicing.
#include "tests/determinism/golden.h"

#include <absl/strings/str_format.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/differential/compare.h"

namespace throng::testing {
namespace {

class GoldenTest : public ::testing::TestWithParam<Golden> {
 protected:
  // With the line for the table, for a change that is meant.
  static void Expect(std::uint64_t hash, const std::string& who) {
    EXPECT_EQ(hash, GetParam().hash) << absl::StrFormat("%s reached 0x%016x, golden is 0x%016x", who, hash,
                                                        GetParam().hash);
  }
};

TEST_P(GoldenTest, TwinReachesIt) {
  twin::Twin twin = MakeTwin(GetParam().make());
  for (int i = 0; i < GetParam().ticks; ++i) twin.Step();
  Expect(twin.StateHash(), "the twin");
}

TEST_P(GoldenTest, EngineReachesItForAnyLevelThreadsAndSlices) {
  Scene scene = GetParam().make();
  scene.settings.parallel_grain = 1;
  for (const StepMode& mode : std::vector<StepMode>{{1, 0}, {2, 0}, {3, 0}, {8, 0}, {1, 1}, {3, 97}, {2, 4096}}) {
    for (const auto& world : MakeWorldsOfEachLevel(scene)) {
      for (int i = 0; i < GetParam().ticks; ++i) StepIn(*world, mode);
      Expect(world->StateHash(), "the engine, " + LevelOf(*world) + ", with " + ToString(mode));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, GoldenTest, ::testing::ValuesIn(GoldenTable().begin(), GoldenTable().end()),
                         [](const auto& golden) { return golden.param.scene; });

}  // namespace
}  // namespace throng::testing
