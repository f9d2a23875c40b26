#include "tests/support/twin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/random.h"
#include "tests/support/scenes.h"

namespace throng::twin {
namespace {

using testing::RandomCrowd;
using testing::Scene;
using testing::Shape;

Twin MakeTwin(const Scene& scene) {
  Twin twin(scene.settings);
  for (const ObstacleSpec& obstacle : scene.obstacles) twin.SetObstacle(*obstacle.id, obstacle);
  for (const AgentSpec& agent : scene.agents) twin.AddAgent(agent);
  return twin;
}

class TwinShapeTest : public ::testing::TestWithParam<Shape> {};

TEST_P(TwinShapeTest, StaysFiniteAndWithinSpeed) {
  Twin twin = MakeTwin(RandomCrowd(GetParam(), 200, 1));
  for (int step = 0; step < 100; ++step) {
    twin.Step();
    for (const Agent& agent : twin.agents()) {
      ASSERT_LE(std::hypot(double{agent.velocity.x}, double{agent.velocity.y}), agent.params.max_speed * (1 + 1e-6));
      ASSERT_LE(std::abs(agent.position.x), 1048576.0f);
      ASSERT_LE(std::abs(agent.position.y), 1048576.0f);
    }
  }
}

TEST_P(TwinShapeTest, DoesNotDependOnTheOrderOfStorage) {
  Scene scene = RandomCrowd(GetParam(), 150, 2);
  Twin first = MakeTwin(scene);
  testing::Random random(3);
  random.Shuffle(scene.agents);
  Twin second = MakeTwin(scene);
  for (int step = 0; step < 50; ++step) {
    first.Step();
    second.Step();
    ASSERT_EQ(first.StateHash(), second.StateHash()) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, TwinShapeTest, ::testing::ValuesIn(testing::kAllShapes),
                         [](const auto& shape) { return testing::ToString(shape.param); });

TEST(TwinTest, CoincidentAgentsPart) {
  WorldSettings settings;
  Twin twin(settings);
  for (AgentId id = 1; id <= 2; ++id) {
    AgentSpec spec;
    spec.id = id;
    spec.position = Vec2{3.0f, 4.0f};
    twin.AddAgent(spec);
  }
  for (int step = 0; step < 60; ++step) twin.Step();
  const Vec2 a = twin.agent(1).position;
  const Vec2 b = twin.agent(2).position;
  EXPECT_GE(std::hypot(a.x - b.x, a.y - b.y), 0.99f) << "two radii of 0.5";
}

class StaleInputTest : public ::testing::Test {
 protected:
  // Preferred speed in force in each of `steps` steps, of an agent alone whose input comes before the first.
  static std::vector<float> Speeds(StaleInput stale, int steps) {
    WorldSettings settings;
    settings.time_step = 0.5f;
    settings.stale_input = stale;
    Twin twin(settings);
    AgentSpec spec;
    spec.id = 1;
    spec.position = Vec2{};
    spec.preferred_velocity = Vec2{1.0f, 0.0f};
    twin.AddAgent(spec);
    std::vector<float> speeds;
    for (int i = 0; i < steps; ++i) {
      twin.Step();
      speeds.push_back(twin.agent(1).velocity.x);
    }
    return speeds;
  }
};

TEST_F(StaleInputTest, HoldKeeps) {
  EXPECT_EQ(Speeds({StaleInputPolicy::kHold, 1, 0.5f}, 3), (std::vector<float>{1, 1, 1}));
}

TEST_F(StaleInputTest, DecayShrinksTickByTickOnceStale) {
  EXPECT_EQ(Speeds({StaleInputPolicy::kDecay, 2, 0.5f}, 5), (std::vector<float>{1, 1, 0.5f, 0.25f, 0.125f}));
}

TEST_F(StaleInputTest, StopEndsAtOnceOnceStale) {
  EXPECT_EQ(Speeds({StaleInputPolicy::kStop, 3, 0.5f}, 5), (std::vector<float>{1, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace throng::twin
