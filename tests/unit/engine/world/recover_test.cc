// Recovery as a user sees it, and the nearest ground against a search that knows nothing of edges.
#include "world/recover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/room.h"
#include "base/vec2.h"
#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "throng/world.h"

namespace throng {
namespace {

std::unique_ptr<World> MakeWorld() {
  WorldSettings settings;
  settings.motion.containment = true;
  return World::Create(settings).value();
}

AgentId Put(World& world, Vec2 position) {
  AgentSpec spec;
  spec.position = position;
  return world.AddAgent(spec).value();
}

ObstacleId Add(World& world, ObstacleKind kind, const std::vector<Vec2>& vertices) {
  return world.AddObstacle({std::nullopt, kind, vertices}).value();
}

const std::vector<Vec2> kBlock = {{0, 0}, {10, 0}, {10, 4}, {0, 4}};

// R017, second case.
TEST(Recovery, LeavesASolidByTheShortestWay) {
  const auto world = MakeWorld();
  Add(*world, ObstacleKind::kSolid, kBlock);
  const AgentId id = Put(*world, {5, 3.9f});
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->stats().recovered, 1u);
  EXPECT_EQ(world->recoveries(), 1u);
  EXPECT_NEAR(world->GetAgent(id)->position.x, 5, 1e-4f);
  EXPECT_NEAR(world->GetAgent(id)->position.y, 4, 1e-4f);
  EXPECT_GT(world->GetAgent(id)->position.y, 4);
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->stats().recovered, 0u);
  EXPECT_EQ(world->recoveries(), 1u);
}

TEST(Recovery, FollowsTeleportsAndEditsOfObstacles) {
  const auto world = MakeWorld();
  const AgentId id = Put(*world, {20, 3});
  const ObstacleId block = Add(*world, ObstacleKind::kSolid, kBlock);
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->recoveries(), 0u);
  AgentUpdate teleport;
  teleport.position = Vec2{9, 2};
  ASSERT_TRUE(world->UpdateAgent(id, teleport).ok());
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->recoveries(), 1u);
  EXPECT_NEAR(world->GetAgent(id)->position.x, 10, 1e-4f);
  ASSERT_TRUE(
      world->UpdateObstacle(block, {std::nullopt, ObstacleKind::kSolid, {{5, 0}, {12, 0}, {12, 4}, {5, 4}}}).ok());
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->recoveries(), 2u);
  EXPECT_GT(world->GetAgent(id)->position.x, 12);
  Add(*world, ObstacleKind::kEnclosure, {{100, 100}, {110, 100}, {110, 110}, {100, 110}});
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->recoveries(), 3u);
  EXPECT_NEAR(world->GetAgent(id)->position.x, 100, 1e-3f);
  EXPECT_GT(world->GetAgent(id)->position.x, 100);
}

TEST(Recovery, StaysAtRestWhereThereIsNoGroundUntilThereIs) {
  const auto world = MakeWorld();
  Add(*world, ObstacleKind::kEnclosure, {{0, 0}, {10, 0}, {10, 10}, {0, 10}});
  const ObstacleId lid = Add(*world, ObstacleKind::kSolid, {{-1, -1}, {11, -1}, {11, 11}, {-1, 11}});
  AgentSpec spec;
  spec.position = Vec2{5, 5};
  spec.preferred_velocity = Vec2{1, 0};
  const AgentId id = world->AddAgent(spec).value();
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(world->Step().ok());
    EXPECT_EQ(world->stats().stranded, 1u);
    EXPECT_EQ(world->GetAgent(id)->position, (Vec2{5, 5}));
    EXPECT_EQ(world->GetAgent(id)->velocity, (Vec2{0, 0}));
  }
  ASSERT_TRUE(world->RemoveObstacle(lid).ok());
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->stats().stranded, 0u);
  EXPECT_EQ(world->recoveries(), 0u);
  EXPECT_GT(world->GetAgent(id)->position.x, 5);
}

TEST(Recovery, RemembersEditsOfAWaitingWorldInBoundedRoom) {
  const auto world = MakeWorld();
  const ObstacleId block = Add(*world, ObstacleKind::kSolid, kBlock);
  const AgentId inside = Put(*world, {-50, 0}), outside = Put(*world, {50, 0});
  const std::size_t before = world->memory_bytes();
  AgentUpdate teleport;
  for (int edit = 0; edit < 200'000; ++edit) {
    teleport.position = Vec2{50, static_cast<float>(edit % 2)};
    ASSERT_TRUE(world->UpdateAgent(outside, teleport).ok());
  }
  EXPECT_LT(world->memory_bytes(), before + 1'000'000);
  for (int edit = 0; edit < 70'000; ++edit) {
    ASSERT_TRUE(world->UpdateObstacle(block, {std::nullopt, ObstacleKind::kSolid, kBlock}).ok());
  }
  EXPECT_LT(world->memory_bytes(), before + 1'000'000);
  teleport.position = Vec2{5, 3.9f};
  ASSERT_TRUE(world->UpdateAgent(inside, teleport).ok());
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->recoveries(), 1u);
  EXPECT_GT(world->GetAgent(inside)->position.y, 3.9f);
  EXPECT_EQ(world->GetAgent(outside)->position.x, 50);
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->recoveries(), 1u);
}

TEST(Recovery, DoesNothingWhereTheWorldDoesNotContain) {
  WorldSettings settings;
  settings.preset = Preset::kBase;
  const auto world = World::Create(settings).value();
  Add(*world, ObstacleKind::kSolid, kBlock);
  const AgentId id = Put(*world, {5, 3.9f});
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(world->recoveries(), 0u);
  EXPECT_EQ(world->GetAgent(id)->position, (Vec2{5, 3.9f}));
}

// In the whole plane, and in a room.
class FindGroundTest : public ::testing::TestWithParam<bool> {};

TEST_P(FindGroundTest, FindsNoneNearerThanASearchOfThePlane) {
  const Bounds room{-6, -3, 5, 4};
  const Bounds* const in = GetParam() ? &room : nullptr;
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::Random random(seed);
    ObstacleStore obstacles;
    ObstacleIndex index;
    Ground ground;
    for (ObstacleId id = 1; id <= 2 + random.Below(12); ++id) {
      const ObstacleSpec spec = testing::RandomObstacle(random, {}, 10);
      const ObstacleStore::Obstacle& obstacle = obstacles.Add(id, spec.kind, spec.vertices);
      for (const std::uint32_t edge : obstacle.edges) {
        index.Insert(edge, obstacles.edge(edge).start, obstacles.edge(edge).end);
      }
      ground.Add(id, obstacle);
    }
    for (int attempt = 0; attempt < 20; ++attempt) {
      const Vec2 place = random.InBox({-10, -10}, {10, 10});
      const auto is_free = [&](Vec2 at) { return (!in || Holds(room, at)) && ground.Contains(obstacles, at); };
      if (is_free(place)) continue;
      const std::optional<Vec2> nearest = FindGround(place, 0.5f, obstacles, index, ground, nullptr, in);
      const float distance = nearest ? std::sqrt(AbsSq(*nearest - place)) : 50.0f;
      if (nearest) {
        ++found;
        EXPECT_TRUE(is_free(*nearest));
      }
      for (int sample = 0; sample < 2'000; ++sample) {
        const Vec2 other =
            place + (std::sqrt(random.Uniform(0, 1)) * std::max(0.0f, distance - 0.01f)) * random.UnitVector();
        ASSERT_FALSE(is_free(other)) << "seed " << seed << ": from " << place.x << " " << place.y << " not at "
                                     << distance << " but at " << other.x << " " << other.y;
      }
    }
  }
  EXPECT_GT(found, 300);
}

INSTANTIATE_TEST_SUITE_P(Rooms, FindGroundTest, ::testing::Bool());

}  // namespace
}  // namespace throng
