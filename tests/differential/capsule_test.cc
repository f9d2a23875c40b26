// Capsules, and polygons that are moved, engine against twin: the same bits for every shape of crowd, through edits, on
// every SIMD level, in any threads and slices; and whatever they do, nobody is hurt by it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/differential/compare.h"
#include "tests/differential/edits.h"
#include "tests/differential/follow.h"
#include "tests/support/scenes.h"

namespace throng::testing {
namespace {

MotionSettings Everything() {
  MotionSettings motion;
  motion.symmetry_breaking = motion.rest = motion.containment = motion.stall_detection = motion.jam_relief = true;
  return motion;
}

// A crowd with this many capsules in and around it.
Scene Crowd(Shape shape, std::size_t agents, std::size_t capsules, std::uint64_t seed,
            const MotionSettings& motion = {}) {
  Scene scene = RandomCrowd(shape, agents, seed);
  scene.settings.motion = motion;
  scene.settings.seed = seed;
  scene.settings.parallel_grain = 1;
  Random random(seed);
  Vec2 low = *scene.agents[0].position, high = low;
  for (const AgentSpec& agent : scene.agents) {
    low = {std::min(low.x, agent.position->x), std::min(low.y, agent.position->y)};
    high = {std::max(high.x, agent.position->x), std::max(high.y, agent.position->y)};
  }
  const Vec2 center{0.5f * (low.x + high.x), 0.5f * (low.y + high.y)};
  const float extent = std::min(0.5f * std::max(high.x - low.x, high.y - low.y) + 1.0f, 100.0f);
  ObstacleId next = 13;  // edits have those before it
  for (const ObstacleSpec& obstacle : scene.obstacles) next = std::max(next, *obstacle.id + 1);
  for (const std::size_t last = scene.obstacles.size() + capsules; scene.obstacles.size() < last; ++next) {
    ObstacleSpec capsule = RandomCapsule(random, center, extent);
    for (Vec2& vertex : capsule.vertices) {
      vertex = {std::clamp(vertex.x, -1048576.0f, 1048576.0f), std::clamp(vertex.y, -1048576.0f, 1048576.0f)};
    }
    capsule.id = next;
    scene.obstacles.push_back(capsule);
  }
  return scene;
}

class CapsuleTest : public ::testing::TestWithParam<Shape> {};

TEST_P(CapsuleTest, GiveTheSameBits) {
  Follow(Crowd(GetParam(), 400, 5, 201), 201, 80, 0.0f);
  Follow(Crowd(GetParam(), 200, 30, 202, Everything()), 202, 60, 0.0f, {}, 3);
}

TEST_P(CapsuleTest, GiveTheSameBitsThroughEdits) {
  Follow(Crowd(GetParam(), 150, 3, 203), 203, 120, 0.4f, {.moves = true});
  Follow(Crowd(GetParam(), 150, 3, 204, Everything()), 204, 120, 0.4f,
         {.weights = true, .kinematics = true, .sights = true, .moves = true, .limits = true}, 3);
}

// As many as there may be, of all sights.
TEST_P(CapsuleTest, ManyGiveTheSameBits) {
  Scene scene = Crowd(GetParam(), 120, 256, 205);
  Random random(205);
  for (ObstacleSpec& obstacle : scene.obstacles) DrawSight(random, obstacle);
  for (AgentSpec& agent : scene.agents) DrawSight(random, agent.params);
  Follow(scene, 205, 20, 0.0f);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CapsuleTest, ::testing::ValuesIn(kAllShapes),
                         [](const auto& shape) { return ToString(shape.param); });

// Whatever capsules do, agents have places and velocities that are numbers, and none is faster than it may be.
TEST(CapsuleProperties, NobodyIsHurt) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Scene scene = Crowd(kAllShapes[seed % kAllShapes.size()], 100, 1 + random.Below(20), seed,
                        seed % 2 == 0 ? Everything() : MotionSettings{});
    scene.settings.time_step = random.Chance(0.5f) ? 0.001f : 1.0f;
    for (AgentSpec& agent : scene.agents) {
      for (std::optional<float>* const horizon : {&agent.params.time_horizon, &agent.params.time_horizon_obstacles}) {
        if (*horizon) *horizon = std::max(**horizon, scene.settings.time_step);
      }
    }
    for (ObstacleSpec& obstacle : scene.obstacles) {
      if (obstacle.kind != ObstacleKind::kCapsule) continue;
      if (random.Chance(0.3f)) obstacle.velocity = random.InBox({-1e6f, -1e6f}, {1e6f, 1e6f});
      if (random.Chance(0.3f)) obstacle.radius = random.Chance(0.5f) ? 1000.0f : 1e-30f;
      if (random.Chance(0.3f)) obstacle.vertices[0] = *scene.agents[random.Below(100)].position;  // upon one of them
      if (random.Chance(0.1f)) obstacle.vertices[1] = {1048576.0f, -1048576.0f};
    }
    const auto world = MakeWorld(scene);
    for (int step = 0; step < 60; ++step) {
      ASSERT_TRUE(world->Step().ok());
      for (const AgentId id : world->membership()->ids) {
        const AgentState agent = *world->GetAgent(id);
        ASSERT_LE(std::abs(agent.position.x), 1048576.0f) << id;
        ASSERT_LE(std::abs(agent.position.y), 1048576.0f) << id;
        ASSERT_LE(std::hypot(double{agent.velocity.x}, double{agent.velocity.y}),
                  double{agent.params.max_speed} * (1.0 + 1e-6))
            << id;
      }
      for (const ObstacleId id : world->obstacle_ids()) {
        const ObstacleState obstacle = world->GetObstacle(id).value();
        for (const Vec2 vertex : obstacle.vertices) {
          ASSERT_LE(std::abs(vertex.x), 1048576.0f) << id;
          ASSERT_LE(std::abs(vertex.y), 1048576.0f) << id;
        }
      }
    }
  }
}

}  // namespace
}  // namespace throng::testing
