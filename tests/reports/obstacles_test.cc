// Obstacles and bounds mean what was drawn, and hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/reports/support.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng::reports {
namespace {

ObstacleId Add(World& world, ObstacleKind kind, const std::vector<Vec2>& vertices) {
  return world.AddObstacle({std::nullopt, kind, vertices}).value();
}

// With its sides in it.
bool IsInBox(Vec2 place, Vec2 low, Vec2 high) {
  return place.x >= low.x && place.x <= high.x && place.y >= low.y && place.y <= high.y;
}

const std::vector<Vec2> kClockwise = {{-1, 1}, {1, 1}, {1, -1}, {-1, -1}};

std::vector<Vec2> WayPast(ObstacleKind kind, std::vector<Vec2> square, Vec2 from, Vec2 to) {
  const auto world = Make();
  Add(*world, kind, square);
  const AgentId id = reports::Add(*world, from);
  std::vector<Vec2> way;
  for (int tick = 0; tick < 200; ++tick) {
    Head(*world, id, to);
    Step(*world);
    way.push_back(PositionOf(*world, id));
  }
  return way;
}

TEST(Reports, R010_TheOrderOfVerticesDoesNotMatter) {
  std::vector<Vec2> counter_clockwise = kClockwise;
  std::reverse(counter_clockwise.begin(), counter_clockwise.end());
  const auto one = WayPast(ObstacleKind::kSolid, kClockwise, {-5, 0.1f}, {5, 0.1f});
  const auto other = WayPast(ObstacleKind::kSolid, counter_clockwise, {-5, 0.1f}, {5, 0.1f});
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_LE(Distance(one[i], other[i]), 1e-4f) << "tick " << i;
    ASSERT_FALSE(IsInBox(one[i], {-1, -1}, {1, 1})) << "tick " << i;
  }
  for (const auto& square : {kClockwise, counter_clockwise}) {
    for (const Vec2 place : WayPast(ObstacleKind::kEnclosure, square, {-0.2f, 0.1f}, {5, 0.1f})) {
      ASSERT_TRUE(std::abs(place.x) < 1.0f && std::abs(place.y) < 1.0f);
    }
  }
}

TEST(Reports, R011_AWallHoldsFromTheVeryNextTick) {
  const auto world = Make();
  std::vector<AgentId> ids;
  for (int i = 0; i < 20; ++i) {
    ids.push_back(reports::Add(*world, {-4.0f - static_cast<float>(i % 4), 1.5f * static_cast<float>(i / 4)}));
  }
  const auto walk = [&] {
    for (const AgentId id : ids) Want(*world, id, {1.5f, 0});
    Step(*world);
  };
  for (int tick = 0; tick < 10; ++tick) walk();
  float farthest = -100.0f;
  for (const AgentId id : ids) farthest = std::max(farthest, PositionOf(*world, id).x);
  // Within a tick's way of the foremost, so that it would be across at once.
  const float wall = farthest + 0.05f;
  Add(*world, ObstacleKind::kWall, {{wall, -500}, {wall, 500}});
  for (int tick = 0; tick < 100; ++tick) {
    walk();
    for (const AgentId id : ids) ASSERT_LT(PositionOf(*world, id).x, wall) << "tick " << tick;
  }
}

TEST(Reports, R015_UselessOutlinesAreRefusedAndNamed) {
  const auto world = Make();
  Add(*world, ObstacleKind::kSolid, kClockwise);
  const std::uint64_t version = world->obstacle_version();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  struct Bad {
    std::vector<Vec2> vertices;
    std::string field;
  };
  const std::vector<Bad> outlines = {
      {{{3, 3}}, "vertices"},                                           // one vertex
      {{{3, 3}, {3, 3}, {4, 4}}, "vertices[1]"},                        // two equal ones
      {{{0, 0}, {2, 2}, {2, 0}, {0, 2}}, "vertices[2]"},                // a bow tie
      {{{100, 100}, {100.00001f, 100}, {100, 100.0001f}}, "vertices"},  // area 1e-9 or so
      {{{3, 3}, {kNaN, 4}, {4, 4}}, "vertices[1].x"},
      {std::vector<Vec2>(100'001), "vertices"},
  };
  for (const Bad& bad : outlines) {
    const absl::Status status = world->AddObstacle({std::nullopt, ObstacleKind::kSolid, bad.vertices}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad.field;
    ASSERT_TRUE(GetViolation(status).has_value()) << status;
    EXPECT_EQ(GetViolation(status)->field, bad.field) << status;
    EXPECT_FALSE(GetViolation(status)->range.empty()) << "the reason";
  }
  EXPECT_EQ(world->obstacle_version(), version);
  EXPECT_EQ(world->obstacle_count(), 1u);
  // Very small, but valid: with advice.
  const ObstacleId tiny = Add(*world, ObstacleKind::kSolid, {{3, 3}, {3.01f, 3}, {3, 3.01f}});
  EXPECT_FALSE(world->AdviseObstacle(tiny, 10).empty());
}

// The door is the gap between two walls of 0.3 m, in a room of 20 by 10 m.
TEST(Reports, R017_AJamPressesNobodyIntoAWall) {
  const auto world = Make();
  Add(*world, ObstacleKind::kEnclosure, {{0, 0}, {40, 0}, {40, 10}, {0, 10}});
  const Vec2 low[] = {{20, -1}, {20, 5.6f}}, high[] = {{20.3f, 4.4f}, {20.3f, 11}};
  for (int i = 0; i < 2; ++i) {
    Add(*world, ObstacleKind::kSolid, {low[i], {high[i].x, low[i].y}, high[i], {low[i].x, high[i].y}});
  }
  AgentParamsPatch params;
  params.radius = 0.25f;
  std::vector<AgentId> ids;
  for (int i = 0; i < 200; ++i) {
    const Vec2 place{1.0f + 0.9f * static_cast<float>(i / 10), 0.6f + 0.9f * static_cast<float>(i % 10)};
    ids.push_back(reports::Add(*world, place, std::nullopt, params));
  }
  std::size_t through = 0;
  for (int tick = 0; tick < 2'000; ++tick) {
    for (const AgentId id : ids) {
      const bool left = PositionOf(*world, id).x < 20.3f;
      Head(*world, id, left ? Vec2{20.6f, 5} : Vec2{38, 5});
    }
    Step(*world);
    through = 0;
    for (const AgentId id : ids) {
      const Vec2 at = PositionOf(*world, id);
      ASSERT_FALSE(IsInBox(at, low[0], high[0]) || IsInBox(at, low[1], high[1])) << "tick " << tick << ": " << id;
      ASSERT_TRUE(IsInBox(at, {0, 0}, {40, 10})) << "tick " << tick << ": " << id;
      through += at.x > 20.3f ? 1 : 0;
    }
  }
  EXPECT_EQ(world->recoveries(), 0u);
  EXPECT_GT(through, 100u) << "they do press through the door";
}

TEST(Reports, R017_WhoStartsInAWallIsOutByTheShortestSide) {
  const auto world = Make();
  Add(*world, ObstacleKind::kSolid, {{20, 0}, {20.3f, 0}, {20.3f, 4.4f}, {20, 4.4f}});
  const AgentId id = reports::Add(*world, {20.1f, 2});
  Step(*world);
  EXPECT_LT(PositionOf(*world, id).x, 20.0f);
  EXPECT_NEAR(PositionOf(*world, id).x, 20.0f, 1e-3f);
  EXPECT_NEAR(PositionOf(*world, id).y, 2.0f, 1e-3f);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kRecovered);
  EXPECT_EQ(world->GetAgent(id)->reason, StatusReason::kInSolid);
  EXPECT_EQ(world->recoveries(), 1u);
}

TEST(Reports, R019_APileAtTheMapsEdgeStaysInside) {
  WorldSettings settings = ReportedSettings();
  settings.bounds = Rectangle{{0, 0}, {50, 50}};
  const auto world = Make(settings);
  std::vector<AgentId> ids;
  for (int i = 0; i < 50; ++i) {
    const Vec2 place{30.0f + 2.0f * static_cast<float>(i % 10), 17.0f + 4.0f * static_cast<float>(i / 10)};
    ids.push_back(reports::Add(*world, place));
  }
  for (int tick = 0; tick < 1'000; ++tick) {
    for (const AgentId id : ids) Head(*world, id, {49.8f, 25});
    Step(*world);
    for (const AgentId id : ids) {
      const Vec2 at = PositionOf(*world, id);
      ASSERT_TRUE(IsInBox(at, {0.5f, 0.5f}, {49.5f, 49.5f}))
          << "tick " << tick << ": agent " << id << " at " << at.x << " " << at.y;
    }
  }
  EXPECT_EQ(world->recoveries(), 0u);
  float nearest = 50.0f;
  for (const AgentId id : ids) nearest = std::min(nearest, Distance(PositionOf(*world, id), {49.8f, 25}));
  EXPECT_LT(nearest, 1.0f) << "they do pile up there";
}

}  // namespace
}  // namespace throng::reports
