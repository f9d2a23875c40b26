// The extensions of the motion model, engine against twin: the same bits for every shape of crowd, through edits, on
// every SIMD level, in any threads and slices; and none but plain ORCA's where they have nothing to do.
#include <gtest/gtest.h>

#include <vector>

#include "tests/differential/compare.h"
#include "tests/differential/edits.h"
#include "tests/differential/follow.h"

namespace throng::testing {
namespace {

MotionSettings SymmetryAlone() {
  MotionSettings motion;
  motion.symmetry_breaking = true;
  return motion;
}

MotionSettings RestAlone() {
  MotionSettings motion;
  motion.rest = true;
  motion.rest_speed = 0.3f;
  return motion;
}

MotionSettings StallsAlone() {
  MotionSettings motion;
  motion.stall_detection = true;
  return motion;
}

MotionSettings ReliefAlone() {
  MotionSettings motion;
  motion.jam_relief = true;
  return motion;
}

MotionSettings Everything(Random& random) {
  MotionSettings motion = SymmetryAlone();
  motion.rest = true;
  motion.stall_detection = true;
  motion.jam_relief = random.Below(2) == 0;
  motion.symmetry_bias = random.Uniform(0.0f, 0.5f);
  motion.rest_speed = random.Uniform(0.0f, 0.5f);
  motion.separation_speed = random.Uniform(0.01f, 1.0f);
  return motion;
}

// A third of the agents want nothing, so that some may rest.
Scene ExtendedCrowd(Shape shape, std::size_t agents, std::uint64_t seed, const MotionSettings& motion) {
  Scene scene = RandomCrowd(shape, agents, seed);
  scene.settings.motion = motion;
  scene.settings.seed = seed;
  scene.settings.parallel_grain = 1;
  for (std::size_t i = 0; i < scene.agents.size(); i += 3) scene.agents[i].preferred_velocity = Vec2{};
  return scene;
}

class ExtensionsTest : public ::testing::TestWithParam<Shape> {};

TEST_P(ExtensionsTest, SymmetryBreakingGivesTheSameBits) {
  Follow(ExtendedCrowd(GetParam(), 400, 61, SymmetryAlone()), 61, 150, 0.0f);
}

TEST_P(ExtensionsTest, RestGivesTheSameBits) { Follow(ExtendedCrowd(GetParam(), 400, 62, RestAlone()), 62, 150, 0.0f); }

TEST_P(ExtensionsTest, JamReliefGivesTheSameBits) {
  for (const float time_step : {0.1f, 1.0f / 64.0f}) {
    Scene scene = ExtendedCrowd(GetParam(), 400, 67, ReliefAlone());
    scene.settings.time_step = time_step;
    Follow(scene, 67, 200, 0.1f);
  }
}

// Stalls move nobody, so that hashes tell nothing.
TEST_P(ExtensionsTest, StallDetectionGivesTheSameStatus) {
  for (const float time_step : {0.1f, 1.0f / 64.0f}) {
    Scene scene = ExtendedCrowd(GetParam(), 300, 64, StallsAlone());
    scene.settings.time_step = time_step;
    Follow(scene, 64, 150, 0.2f, {}, 3);
  }
}

TEST_P(ExtensionsTest, AllTogetherGiveTheSameBitsThroughEdits) {
  for (std::uint64_t seed = 63; seed <= 66; ++seed) {
    Random random(seed);
    const std::size_t agents = seed == 66 ? 900 : 120;
    Follow(ExtendedCrowd(GetParam(), agents, seed, Everything(random)), seed, 120, 0.3f);
  }
}

TEST_P(ExtensionsTest, ResponsibilitiesGiveTheSameBits) {
  Random random(71);
  Scene scene = ExtendedCrowd(GetParam(), 400, 71, {});
  for (AgentSpec& agent : scene.agents) agent.params.responsibility = RandomResponsibility(random);
  Follow(scene, 71, 100, 0.0f);
}

// Their columns come and go with edits.
TEST_P(ExtensionsTest, ResponsibilitiesGiveTheSameBitsThroughEdits) {
  Random random(72);
  Follow(ExtendedCrowd(GetParam(), 120, 72, {}), 72, 120, 0.3f, {.weights = true});
  Follow(ExtendedCrowd(GetParam(), 120, 73, Everything(random)), 73, 120, 0.3f, {.weights = true});
}

Scene LimitedCrowd(Shape shape, std::size_t agents, std::uint64_t seed, const MotionSettings& motion) {
  Random random(seed);
  Scene scene = ExtendedCrowd(shape, agents, seed, motion);
  for (AgentSpec& agent : scene.agents) {
    if (random.Chance(0.8f)) DrawLimits(random, agent.params);
    if (random.Chance(0.3f)) agent.heading = random.Uniform(-4.0f, 4.0f);
  }
  return scene;
}

TEST_P(ExtensionsTest, LimitsOfMotionGiveTheSameBits) {
  Follow(LimitedCrowd(GetParam(), 400, 81, {}), 81, 150, 0.0f);
  Random random(82);
  Follow(LimitedCrowd(GetParam(), 120, 82, Everything(random)), 82, 150, 0.0f);
}

// What an agent remembers comes and goes with edits, and moves when others leave.
TEST_P(ExtensionsTest, LimitsOfMotionGiveTheSameBitsThroughEdits) {
  Random random(83);
  Follow(LimitedCrowd(GetParam(), 120, 83, {}), 83, 120, 0.3f, {.limits = true});
  Follow(ExtendedCrowd(GetParam(), 120, 84, Everything(random)), 84, 120, 0.3f,
         {.weights = true, .kinematics = true, .limits = true});
  MotionSettings contained = Everything(random);
  contained.containment = true;
  Follow(LimitedCrowd(GetParam(), 120, 85, contained), 85, 120, 0.3f, {.limits = true});
}

INSTANTIATE_TEST_SUITE_P(Shapes, ExtensionsTest, ::testing::ValuesIn(kAllShapes),
                         [](const auto& shape) { return ToString(shape.param); });

// What the preset switches on is what the twin takes it to be.
TEST(ExtensionsSceneTest, DefaultPresetGivesTheSameBits) {
  for (Scene scene : {Town(300, 5, 1), Ring(60), Crossing({.agents = 1'500, .cover = 0.6f})}) {
    scene.settings.preset = Preset::kDefault;
    const auto worlds = MakeWorldsOfEachLevel(scene);
    twin::Twin twin = MakeTwin(scene);
    for (int step = 1; step <= 200; ++step) {
      twin.Step();
      for (const auto& world : worlds) {
        StepIn(*world, {});
        if (world->StateHash() == twin.StateHash()) continue;
        FAIL() << LevelOf(*world) << ", step " << step << ": " << FirstDifference(*world, twin).value_or("hashes");
      }
    }
  }
}

}  // namespace
}  // namespace throng::testing
