// Who sees whom, and kinematic agents, engine against twin: the same bits for every shape of crowd, through edits, on
// every SIMD level, in any threads and slices.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/differential/edits.h"
#include "tests/differential/follow.h"
#include "tests/support/scenes.h"
#include "throng/limits.h"

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

Scene WithSights(Scene scene, std::uint64_t seed) {
  Random random(seed);
  for (AgentSpec& agent : scene.agents) DrawSight(random, agent.params);
  return scene;
}

// Among obstacles that few of the agents see, and some nobody.
Scene WithUnseenObstacles(Scene scene, std::uint64_t seed) {
  Random random(seed);
  Vec2 low = *scene.agents[0].position, high = low;
  for (const AgentSpec& agent : scene.agents) {
    low = {std::min(low.x, agent.position->x), std::min(low.y, agent.position->y)};
    high = {std::max(high.x, agent.position->x), std::max(high.y, agent.position->y)};
  }
  const Vec2 center{0.5f * (low.x + high.x), 0.5f * (low.y + high.y)};
  const float extent = std::min(0.5f * std::max(high.x - low.x, high.y - low.y) + 1.0f, 100.0f);
  while (scene.obstacles.size() < 12) {
    ObstacleSpec obstacle = RandomObstacle(random, center, extent);
    obstacle.id = static_cast<ObstacleId>(scene.obstacles.size() + 1);
    if (Validate(obstacle).ok()) scene.obstacles.push_back(obstacle);
  }
  for (ObstacleSpec& obstacle : scene.obstacles) DrawSight(random, obstacle);
  return scene;
}

// Two floors, one above the other.
Scene WithFloors(Scene scene) {
  for (std::size_t i = 0; i < scene.agents.size(); ++i) {
    scene.agents[i].params.z = i % 2 == 0 ? 0.0f : 3.0f;
    scene.agents[i].params.height = 1.8f;
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

TEST_P(SightTest, MasksAndBandsGiveTheSameBits) {
  Follow(WithSights(Crowd(GetParam(), 400, 91), 91), 91, 100, 0.0f);
  Follow(WithFloors(Crowd(GetParam(), 400, 92, Everything())), 92, 100, 0.0f);
}

TEST_P(SightTest, MasksAndBandsGiveTheSameBitsThroughEdits) {
  Follow(Crowd(GetParam(), 150, 93), 93, 120, 0.3f, {.sights = true});
  Follow(WithSights(WithKinematics(Crowd(GetParam(), 150, 94, Everything()), 0.1f, 94), 94), 94, 120, 0.3f,
         {.weights = true, .kinematics = true, .sights = true});
}

TEST_P(SightTest, UnseenObstaclesGiveTheSameBits) {
  Follow(WithUnseenObstacles(Crowd(GetParam(), 300, 101), 101), 101, 80, 0.0f);  // all agents alike
  Follow(WithSights(WithUnseenObstacles(Crowd(GetParam(), 300, 102), 102), 102), 102, 80, 0.0f);
  Follow(WithSights(WithUnseenObstacles(Crowd(GetParam(), 200, 103, Everything()), 103), 103), 103, 80, 0.0f);
}

TEST_P(SightTest, UnseenObstaclesGiveTheSameBitsThroughEdits) {
  Follow(WithUnseenObstacles(Crowd(GetParam(), 150, 104), 104), 104, 120, 0.3f, {.sights = true});
  Follow(WithSights(WithKinematics(Crowd(GetParam(), 150, 105, Everything()), 0.1f, 105), 105), 105, 120, 0.3f,
         {.kinematics = true, .sights = true});
}

// Lists, and searches where these do not serve, in a crowd that is large enough for both.
TEST_P(SightTest, MasksAndBandsGiveTheSameBitsInALargeCrowd) {
  Follow(WithSights(Crowd(GetParam(), 2'000, 95), 95), 95, 40, 0.1f, {.sights = true});
  Scene many = WithSights(Crowd(GetParam(), 900, 96), 96);
  for (AgentSpec& agent : many.agents) agent.params.max_neighbors = *agent.id % 3 == 0 ? 64 : 17;
  Follow(many, 96, 20, 0.0f);
}

INSTANTIATE_TEST_SUITE_P(Shapes, SightTest, ::testing::ValuesIn(kAllShapes),
                         [](const auto& shape) { return ToString(shape.param); });

}  // namespace
}  // namespace throng::testing
