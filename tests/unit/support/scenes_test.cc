#include "tests/support/scenes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/random.h"
#include "throng/limits.h"

namespace throng::testing {
namespace {

void ExpectValid(const Scene& scene) {
  EXPECT_TRUE(Validate(scene.settings).ok()) << Validate(scene.settings);
  std::set<AgentId> ids;
  for (const AgentSpec& agent : scene.agents) {
    ASSERT_TRUE(Validate(agent).ok()) << Validate(agent);
    ids.insert(agent.id.value());
  }
  EXPECT_EQ(ids.size(), scene.agents.size());
  EXPECT_EQ(*ids.begin(), 1u);
  EXPECT_EQ(*ids.rbegin(), scene.agents.size());
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    ASSERT_TRUE(obstacle.id.has_value());
    ASSERT_TRUE(Validate(obstacle).ok()) << Validate(obstacle);
  }
}

TEST(ScenesTest, AreValid) {
  ExpectValid(Crossing({.agents = 500}));
  ExpectValid(Crossing({.agents = 500, .cover = 0.6f, .shuffle_ids = true}));
  ExpectValid(Ring(30));
  ExpectValid(Town(300, 4, 1));
  for (const Shape shape : kAllShapes) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(ToString(shape));
      ExpectValid(RandomCrowd(shape, 200, seed));
    }
  }
}

TEST(ScenesTest, RandomPartsAreValid) {
  Random random(1);
  for (int i = 0; i < 2'000; ++i) {
    const ObstacleSpec obstacle = RandomObstacle(random, {5.0f, -3.0f}, 20.0f);
    EXPECT_TRUE(Validate(obstacle).ok()) << Validate(obstacle);
    const AgentParamsPatch params = RandomParams(random, 0.05f);
    EXPECT_TRUE(Validate(params).ok()) << Validate(params);
  }
}

TEST(ScenesTest, CrossingCoversWhatIsAskedFor) {
  const Scene scene = Crossing({.agents = 10'000, .cover = 0.25f});
  float most = 0.0f;
  for (const AgentSpec& agent : scene.agents) most = std::max({most, agent.position->x, agent.position->y});
  EXPECT_NEAR(10'000 * 3.14159 * 0.25 / (most * most), 0.25, 0.01);
}

TEST(AtTurnsTest, FollowsTheCircle) {
  for (int i = -200; i <= 200; ++i) {
    const double turns = i / 100.0;
    EXPECT_NEAR(AtTurns(turns).x, std::cos(turns * 2.0 * 3.14159265358979), 1e-6);
    EXPECT_NEAR(AtTurns(turns).y, std::sin(turns * 2.0 * 3.14159265358979), 1e-6);
  }
}

}  // namespace
}  // namespace throng::testing
