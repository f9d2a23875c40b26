// Steps of no time, engine against twin, between steps and edits: the same bits, and the same ones afterwards.
#include <gtest/gtest.h>

#include "tests/differential/compare.h"
#include "tests/differential/edits.h"

namespace throng::testing {
namespace {

class ZeroStepTest : public ::testing::TestWithParam<Shape> {};

TEST_P(ZeroStepTest, GivesTheSameBitsThroughEdits) {
  for (std::uint64_t seed = 91; seed <= 93; ++seed) {
    Random random(seed);
    Scene scene = RandomCrowd(GetParam(), 120, seed);
    scene.settings.preset = seed % 2 == 0 ? Preset::kBase : Preset::kDefault;
    scene.settings.parallel_grain = 1;
    for (AgentSpec& agent : scene.agents) {
      if (random.Chance(0.3f)) DrawLimits(random, agent.params);
    }
    const auto worlds = MakeWorldsOfEachLevel(scene);
    twin::Twin twin = MakeTwin(scene);
    Editor editor(scene, seed, {.weights = true, .kinematics = true, .sights = true, .limits = true});
    for (int step = 1; step <= 80; ++step) {
      if (random.Chance(0.3f)) {
        for (const Edit& edit : editor.Next()) {
          for (const auto& world : worlds) Apply(edit, *world);
          Apply(edit, twin);
        }
      }
      const bool zero = random.Chance(0.4f);
      zero ? twin.ComputeVelocities() : twin.Step();
      for (const auto& world : worlds) {
        if (zero) {
          ASSERT_TRUE(world->ComputeVelocities().ok());
        } else {
          StepIn(*world, {});
        }
        const auto difference = FirstDifference(*world, twin);
        ASSERT_FALSE(difference.has_value()) << LevelOf(*world) << ", seed " << seed << ", step " << step
                                             << (zero ? " of no time: " : ": ") << *difference;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ZeroStepTest, ::testing::ValuesIn(kAllShapes),
                         [](const auto& shape) { return ToString(shape.param); });

}  // namespace
}  // namespace throng::testing
