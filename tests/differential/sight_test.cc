// Who sees whom, and kinematic agents, engine against twin: the same bits for every shape of crowd, through edits, on
// every SIMD level, in any threads and slices.
#include <gtest/gtest.h>

#include "tests/differential/edits.h"
#include "tests/differential/follow.h"
#include "tests/support/scenes.h"

namespace throng::testing {
namespace {

MotionSettings Everything() {
  MotionSettings motion;
  motion.symmetry_breaking = motion.rest = motion.containment = true;
  return motion;
}

Scene Crowd(Shape shape, std::size_t agents, std::uint64_t seed, const MotionSettings& motion = {}) {
  Scene scene = RandomCrowd(shape, agents, seed);
  scene.settings.motion = motion;
  scene.settings.seed = seed;
  scene.settings.parallel_grain = 1;
  return scene;
}

Scene WithKinematics(Scene scene, float share, std::uint64_t seed) {
  Random random(seed);
  for (AgentSpec& agent : scene.agents) {
    agent.kinematic = random.Chance(share);
    if (agent.kinematic && random.Chance(0.1f)) agent.preferred_velocity = random.InBox({-1e6f, -1e6f}, {1e6f, 1e6f});
  }
  return scene;
}

class SightTest : public ::testing::TestWithParam<Shape> {};

TEST_P(SightTest, KinematicAgentsGiveTheSameBits) {
  Follow(WithKinematics(Crowd(GetParam(), 400, 81), 0.1f, 81), 81, 100, 0.0f);
  Follow(WithKinematics(Crowd(GetParam(), 200, 82, Everything()), 0.8f, 82), 82, 60, 0.0f);
}

TEST_P(SightTest, KinematicAgentsGiveTheSameBitsThroughEdits) {
  Follow(Crowd(GetParam(), 150, 83), 83, 120, 0.3f, {.kinematics = true});
  Follow(WithKinematics(Crowd(GetParam(), 120, 84, Everything()), 0.3f, 84), 84, 120, 0.3f,
         {.weights = true, .kinematics = true});
}

INSTANTIATE_TEST_SUITE_P(Shapes, SightTest, ::testing::ValuesIn(kAllShapes),
                         [](const auto& shape) { return ToString(shape.param); });

}  // namespace
}  // namespace throng::testing
