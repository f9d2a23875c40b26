// Obstacles that come while a world runs. Costs are counted, never timed: a clock says as much of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "tests/reports/support.h"
#include "throng/world.h"

namespace throng::reports {
namespace {

// A street of walls, each 1 m long, of which no two meet, and agents that walk beside the first of them.
constexpr int kAgents = 2'000;

Vec2 WallAt(int i) { return {4.0f * static_cast<float>(i % 100), 200.0f + 4.0f * static_cast<float>(i / 100)}; }

std::unique_ptr<World> Street(int walls) {
  WorldSettings settings = ReportedSettings();
  settings.time_step = 1.0f / 30;
  auto world = Make(settings);
  for (int i = 0; i < walls; ++i) {
    const Vec2 at = WallAt(i);
    EXPECT_TRUE(world->AddObstacle({std::nullopt, ObstacleKind::kWall, {at, {at.x + 1, at.y}}}).ok());
  }
  for (int i = 0; i < kAgents; ++i) {
    const AgentId id = Add(*world, {2.0f * static_cast<float>(i % 50), 2.0f * static_cast<float>(i / 50)});
    Want(*world, id, {i % 2 == 0 ? 1.0f : -1.0f, 0});
  }
  return world;
}

// Slices of one block each that a step is made of: its work, as it is dealt out to a scheduler.
std::size_t SlicesOfStep(World& world) {
  EXPECT_TRUE(world.BeginStep().ok());
  std::size_t slices = 0;
  do {
    ++slices;
  } while (world.Advance(1) != Phase::kIdle);
  return slices;
}

struct Cost {
  std::size_t most_slices = 0;  // of a step after an edit
  std::size_t usual = 0;        // of one without
  std::size_t memory = 0;       // [bytes] that an obstacle takes at most
};

Cost CostOfAdding(int walls) {
  const auto world = Street(walls);
  for (int tick = 0; tick < 20; ++tick) SlicesOfStep(*world);
  Cost cost;
  for (int second = 0; second < 10; ++second) {
    for (int tick = 0; tick < 5; ++tick) cost.usual = std::max(cost.usual, SlicesOfStep(*world));
    const std::size_t before = world->memory_bytes();
    const Vec2 at{1.0f + 7.0f * static_cast<float>(second), 150};
    const std::vector<Vec2> block = {at, {at.x + 3, at.y}, {at.x + 3, at.y + 3}, {at.x, at.y + 3}};
    EXPECT_TRUE(world->AddObstacle({std::nullopt, ObstacleKind::kSolid, block}).ok());
    cost.memory = std::max(cost.memory, world->memory_bytes() - before);
    cost.most_slices = std::max(cost.most_slices, SlicesOfStep(*world));
  }
  return cost;
}

// A hundred times as many obstacles make neither the edit nor the step after it any larger, and that step is at most
// twice as long as others.
TEST(Reports, R013_AddingAnObstacleCostsNothingOfThoseThereAre) {
  const Cost few = CostOfAdding(50), many = CostOfAdding(5'000);
  EXPECT_GT(few.usual, 4u);
  EXPECT_EQ(many.most_slices, few.most_slices);
  EXPECT_LE(many.most_slices, 2 * many.usual);
  // Room for edges doubles now and then, which is what bulk adds are paid with.
  EXPECT_LE(few.memory, 64u * 1024);
  EXPECT_LE(many.memory, 2u * 1024 * 1024);
}

// Who walks far from an edit walks on as if there were none: the rest of the world is not made anew by it.
TEST(Reports, R013_OthersDoNotNotice) {
  const auto edited = Street(500), other = Street(500);
  for (int tick = 0; tick < 60; ++tick) {
    if (tick % 6 == 0) {
      const Vec2 at{10.0f * static_cast<float>(tick), 900};
      ASSERT_TRUE(edited->AddObstacle({std::nullopt, ObstacleKind::kWall, {at, {at.x + 5, at.y}}}).ok());
    }
    Step(*edited);
    Step(*other);
    ASSERT_EQ(edited->StateHash(), other->StateHash()) << tick;
  }
}

// The most slices of 60 steps.
std::size_t MostSlices(World& world) {
  std::size_t most = 0;
  for (int tick = 0; tick < 60; ++tick) most = std::max(most, SlicesOfStep(world));
  return most;
}

// An obstacle that moves is not an edit: nothing is looked for anew, and its version stays.
TEST(Reports, R013_WhatMovesByItselfIsNoEdit) {
  const auto world = Street(500), without = Street(500);
  ObstacleSpec lorry;
  lorry.kind = ObstacleKind::kCapsule;
  lorry.vertices = {{-20, 40}, {-14, 40}};
  lorry.radius = 1.2f;
  lorry.velocity = Vec2{5, 0};
  const ObstacleId id = world->AddObstacle(lorry).value();
  const std::uint64_t version = world->obstacle_version();
  EXPECT_EQ(MostSlices(*world), MostSlices(*without));
  EXPECT_EQ(world->obstacle_version(), version);
  EXPECT_GT(world->GetObstacle(id)->vertices[0].x, -11);
  ExpectSound(*world);
}

}  // namespace
}  // namespace throng::reports
