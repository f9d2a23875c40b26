// Obstacles that some agents see and others do not, as a user sees it: layers and height bands against masks and bands
// of agents, in avoidance, containment, recovery, queries and explanations.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

constexpr std::uint32_t kFence = 2;  // a layer

std::unique_ptr<World> MakeWorld() {
  WorldSettings settings;
  settings.preset = Preset::kBase;
  settings.motion.containment = true;
  return World::Create(settings).value();
}

ObstacleId Add(World& world, ObstacleKind kind, const std::vector<Vec2>& vertices, std::uint32_t layer,
               std::optional<HeightBand> band = std::nullopt) {
  ObstacleSpec spec;
  spec.kind = kind;
  spec.vertices = vertices;
  spec.layer = layer;
  spec.band = band;
  return world.AddObstacle(spec).value();
}

AgentId Walk(World& world, Vec2 position, Vec2 velocity, std::uint32_t avoids, float z = 0.0f) {
  AgentSpec spec;
  spec.position = position;
  spec.velocity = velocity;
  spec.preferred_velocity = velocity;
  spec.params.avoids = avoids;
  spec.params.z = z;
  spec.params.height = 1.8f;
  return world.AddAgent(spec).value();
}

Vec2 PlaceOf(const World& world, AgentId id) { return world.GetAgent(id)->position; }

void Step(World& world, int ticks = 1) {
  for (int i = 0; i < ticks; ++i) ASSERT_TRUE(world.Step().ok());
}

const std::vector<Vec2> kAcross = {{3, -50}, {3, 50}};
const std::vector<Vec2> kBlock = {{-2, -2}, {2, -2}, {2, 2}, {-2, 2}};

TEST(ObstacleSight, OnlyWhoSeesAWallStopsAtIt) {
  const auto world = MakeWorld();
  Add(*world, ObstacleKind::kWall, kAcross, kFence);
  const AgentId sees = Walk(*world, {0, 0}, {2, 0}, 3), blind = Walk(*world, {0, 10}, {2, 0}, 1);
  Step(*world, 150);
  EXPECT_LT(PlaceOf(*world, sees).x, 2.6f);
  EXPECT_EQ(PlaceOf(*world, blind).y, 10.0f);
  EXPECT_GT(PlaceOf(*world, blind).x, 9.9f);
}

TEST(ObstacleSight, NobodySeesLayerZero) {
  const auto world = MakeWorld();
  Add(*world, ObstacleKind::kWall, kAcross, 0);
  const AgentId id = Walk(*world, {0, 0}, {2, 0}, 0xffffffff);
  Step(*world, 150);
  EXPECT_GT(PlaceOf(*world, id).x, 9.9f);
  EXPECT_EQ(world->stats().obstacle_edges, 0u);
}

TEST(ObstacleSight, BandsMeetAtTheirEndsToo) {
  const auto stops = [](float z, std::optional<HeightBand> band) {
    const auto world = MakeWorld();
    Add(*world, ObstacleKind::kWall, kAcross, 1, band);
    const AgentId id = Walk(*world, {0, 0}, {2, 0}, 1, z);
    Step(*world, 150);
    return PlaceOf(*world, id).x < 3.0f;
  };
  EXPECT_TRUE(stops(0, HeightBand{0, 1}));
  EXPECT_TRUE(stops(1, HeightBand{0, 1}));
  EXPECT_FALSE(stops(1.01f, HeightBand{0, 1}));
  EXPECT_FALSE(stops(0, HeightBand{2, 1})) << "a lamp over its head";
  EXPECT_TRUE(stops(-kMaxCoordinate, std::nullopt));
  EXPECT_TRUE(stops(kMaxCoordinate, std::nullopt));
}

// Edges that nobody of a group sees are not near it, so that a step has no look at them.
TEST(ObstacleSight, WhatNobodySeesIsNotLookedAt) {
  const auto world = MakeWorld();
  Add(*world, ObstacleKind::kSolid, {{1, -1}, {3, -1}, {3, 1}, {1, 1}}, kFence);
  const AgentId id = Walk(*world, {0, 0}, {1, 0}, 1);
  Step(*world);
  EXPECT_EQ(world->stats().obstacle_edges, 0u);
  EXPECT_TRUE(world->Explain(id)->half_planes.empty());
  AgentUpdate update;
  update.params.avoids = 3;
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  Step(*world);
  EXPECT_GT(world->stats().obstacle_edges, 0u);
  EXPECT_FALSE(world->Explain(id)->half_planes.empty());
}

TEST(ObstacleSight, OnlyWhoSeesASolidIsPutOutOfIt) {
  const auto world = MakeWorld();
  const ObstacleId block = Add(*world, ObstacleKind::kSolid, kBlock, kFence);
  const AgentId sees = Walk(*world, {0, 1}, {}, 2), blind = Walk(*world, {0, -1}, {}, 1);
  Step(*world);
  EXPECT_EQ(world->stats().recovered, 1u);
  EXPECT_EQ(world->GetAgent(sees)->status, AgentStatus::kRecovered);
  EXPECT_GT(PlaceOf(*world, sees).y, 2.0f);
  EXPECT_EQ(PlaceOf(*world, blind), (Vec2{0, -1}));
  // Who comes to see it, and who is in what becomes seen.
  AgentUpdate update;
  update.params.avoids = 3;
  ASSERT_TRUE(world->UpdateAgent(blind, update).ok());
  Step(*world);
  EXPECT_EQ(world->stats().recovered, 1u);
  EXPECT_LT(PlaceOf(*world, blind).y, -2.0f);

  const AgentId third = Walk(*world, {1, 0}, {}, 4);
  Step(*world);
  EXPECT_EQ(world->stats().recovered, 0u);
  ObstacleSpec spec;
  spec.vertices = kBlock;
  spec.layer = 4;
  ASSERT_TRUE(world->UpdateObstacle(block, spec).ok());
  Step(*world);
  EXPECT_EQ(world->stats().recovered, 1u);
  EXPECT_GT(PlaceOf(*world, third).x, 2.0f);
}

// The nearest way out of one solid leads into another, which this agent does not see.
TEST(ObstacleSight, GroundIsFreeOfWhatIsSeen) {
  const auto world = MakeWorld();
  Add(*world, ObstacleKind::kSolid, kBlock, 1);
  Add(*world, ObstacleKind::kSolid, {{1.5f, -9}, {9, -9}, {9, 9}, {1.5f, 9}}, kFence);
  const AgentId sees = Walk(*world, {1, 0.5f}, {}, 3), blind = Walk(*world, {1, -0.5f}, {}, 1);
  Step(*world);
  EXPECT_EQ(world->stats().recovered, 2u);
  EXPECT_GT(PlaceOf(*world, sees).y, 2.0f);
  EXPECT_LT(PlaceOf(*world, sees).x, 1.5f);
  EXPECT_NEAR(PlaceOf(*world, blind).x, 2.0f, 1e-4f);
}

TEST(ObstacleSight, IsTold) {
  const auto world = MakeWorld();
  const ObstacleId plain = Add(*world, ObstacleKind::kSolid, kBlock, 1);
  const ObstacleId lamp = Add(*world, ObstacleKind::kWall, kAcross, 12, HeightBand{2, 0.5f});
  EXPECT_EQ(world->GetObstacle(plain)->layer, 1u);
  EXPECT_FALSE(world->GetObstacle(plain)->band.has_value());
  EXPECT_EQ(world->GetObstacle(lamp)->layer, 12u);
  EXPECT_EQ(world->GetObstacle(lamp)->band, (HeightBand{2, 0.5f}));
  const std::uint64_t version = world->obstacle_version();
  ObstacleSpec spec;
  spec.vertices = kBlock;
  spec.band = HeightBand{0, -1};
  EXPECT_EQ(GetViolation(world->UpdateObstacle(lamp, spec))->field, "band.height");
  spec.band = HeightBand{std::numeric_limits<float>::quiet_NaN(), 1};
  EXPECT_EQ(GetViolation(world->AddObstacle(spec).status())->field, "band.z");
  EXPECT_EQ(world->obstacle_version(), version);
  EXPECT_EQ(world->GetObstacle(lamp)->layer, 12u);
}

TEST(ObstacleSight, QueriesLookAtWhatPassesTheirFilter) {
  const auto world = MakeWorld();
  const ObstacleId block = Add(*world, ObstacleKind::kSolid, kBlock, kFence, HeightBand{0, 1});
  const ObstacleId wall = Add(*world, ObstacleKind::kWall, kAcross, 1);
  const auto blocked_by = [&](Vec2 from, const SightFilter& filter) {
    return world->TestVisibility(from, {20, 0}, 0.1f, filter)->obstacle;
  };
  const auto hit = [&](Vec2 from, const SightFilter& filter) {
    RayQuery query;
    query.filter = filter;
    return world->CastRay(from, {20, 0}, query)->obstacle;
  };
  for (const Vec2 from : {Vec2{-5, 0}, Vec2{0, 0}}) {  // before the block, and in it
    EXPECT_EQ(blocked_by(from, {}), block);
    EXPECT_EQ(blocked_by(from, {.avoids = 2, .band = {}}), block);
    EXPECT_EQ(blocked_by(from, {.avoids = 1, .band = {}}), wall);
    EXPECT_EQ(blocked_by(from, {.avoids = {}, .band = HeightBand{1, 1}}), block);
    EXPECT_EQ(blocked_by(from, {.avoids = {}, .band = HeightBand{1.5f, 1}}), wall);
    EXPECT_EQ(blocked_by(from, {.avoids = 4, .band = {}}), kInvalidId);
    EXPECT_EQ(hit(from, {}), block);
    EXPECT_EQ(hit(from, {.avoids = 1, .band = {}}), wall);
    EXPECT_EQ(hit(from, {.avoids = {}, .band = HeightBand{1.5f, 1}}), wall);
    EXPECT_EQ(hit(from, {.avoids = 4, .band = {}}), kInvalidId);
  }
  EXPECT_EQ(GetViolation(world->TestVisibility({}, {}, 0, {.avoids = {}, .band = HeightBand{0, -1}}).status())->field,
            "filter.height");
}

}  // namespace
}  // namespace throng
