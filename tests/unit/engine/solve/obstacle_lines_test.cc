#include "solve/obstacle_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

using testing::Random;

// Half-planes of all edges that face the agent, nearest first, as a step builds them.
std::vector<HalfPlane> LinesOf(const Disc& agent, const std::vector<ObstacleEdge>& edges, float horizon) {
  std::vector<const ObstacleEdge*> facing;
  for (const ObstacleEdge& edge : edges) {
    if (Faces(edge, agent.position)) facing.push_back(&edge);
  }
  std::stable_sort(facing.begin(), facing.end(), [&](const ObstacleEdge* a, const ObstacleEdge* b) {
    return DistanceSquared(*a, agent.position) < DistanceSquared(*b, agent.position);
  });
  std::vector<HalfPlane> lines;
  for (const ObstacleEdge* edge : facing) AddObstacleHalfPlane(agent, *edge, 1.0f / horizon, lines);
  return lines;
}

float Clearance(Vec2 point, const std::vector<ObstacleEdge>& edges) {
  float least = 1e30f;
  for (const ObstacleEdge& edge : edges) least = std::min(least, DistanceSquared(edge, point));
  return std::sqrt(least);
}

bool Allowed(const std::vector<HalfPlane>& lines, Vec2 velocity) {
  return std::all_of(lines.begin(), lines.end(),
                     [&](const HalfPlane& line) { return Outside(line, velocity) <= 0.0f; });
}

// The promise of a half-plane: whoever keeps to all of them does not touch the obstacle within the horizon.
void ExpectSafe(const std::vector<ObstacleEdge>& edges, Random& random, bool outside_only) {
  Disc agent{1, random.InBox({-8, -8}, {8, 8}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 0.8f)};
  if (Clearance(agent.position, edges) <= agent.radius * 1.001f) return;
  if (outside_only &&
      std::none_of(edges.begin(), edges.end(), [&](const ObstacleEdge& e) { return Faces(e, agent.position); })) {
    return;
  }
  const float horizon = random.Uniform(0.5f, 4.0f);
  const std::vector<HalfPlane> lines = LinesOf(agent, edges, horizon);
  for (int sample = 0; sample < 40; ++sample) {
    const Vec2 velocity = random.InBox({-3, -3}, {3, 3});
    if (!Allowed(lines, velocity)) continue;
    for (int i = 1; i <= 16; ++i) {
      const float time = horizon * static_cast<float>(i) / 16.0f;
      const Vec2 there = agent.position + time * velocity;
      EXPECT_GE(Clearance(there, edges), agent.radius * 0.99f - 1e-3f);
    }
  }
}

TEST(ObstacleHalfPlane, KeepsClearOfConvexSolids) {
  Random random(4);
  for (int i = 0; i < 3000; ++i) {
    std::vector<Vec2> corners;
    const std::size_t count = 3 + random.Below(5);
    const float radius = random.Uniform(0.5f, 3.0f);
    for (std::size_t k = 0; k < count; ++k) {
      corners.push_back(radius * testing::AtTurns(static_cast<double>(k) / static_cast<double>(count)));
    }
    ExpectSafe(MakeEdges(1, corners), random, true);
  }
}

TEST(ObstacleHalfPlane, KeepsClearOfAWallFromBothSides) {
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    const Vec2 end = random.InBox({0.5f, -3}, {4, 3});
    ExpectSafe(MakeEdges(1, MakeOutline(ObstacleKind::kWall, {{0, 0}, end})), random, false);
  }
}

TEST(ObstacleHalfPlane, ContactForbidsTowardsTheEdgeOnly) {
  const auto edges = MakeEdges(1, {{-2, 0}, {2, 0}, {2, 2}, {-2, 2}});
  const Disc agent{1, {0, -0.4f}, {0, 1}, 0.5f};
  const auto lines = LinesOf(agent, edges, 2.0f);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0].point, (Vec2{0, 0}));
  EXPECT_TRUE(Allowed(lines, {0, -1}));
  EXPECT_FALSE(Allowed(lines, {0, 0.1f}));
  EXPECT_TRUE(Allowed(lines, {1, 0}));
}

TEST(ObstacleHalfPlane, ContactWithAConvexVertex) {
  const auto edges = MakeEdges(1, {{0, 0}, {2, 0}, {2, 2}, {0, 2}});
  const Disc agent{1, {-0.3f, -0.3f}, {0.5f, 0.5f}, 0.5f};
  const auto lines = LinesOf(agent, edges, 2.0f);
  EXPECT_TRUE(Allowed(lines, {-1, -1}));
  EXPECT_FALSE(Allowed(lines, {0.1f, 0.1f}));
}

TEST(ObstacleHalfPlane, CoveredEdgesAddNothing) {
  const auto edges = MakeEdges(1, {{0, 0}, {4, 0}, {4, 4}, {0, 4}});
  const Disc agent{1, {2, -1}, {0, 0}, 0.5f};
  std::vector<HalfPlane> lines;
  AddObstacleHalfPlane(agent, edges[0], 0.5f, lines);
  ASSERT_EQ(lines.size(), 1u);
  AddObstacleHalfPlane(agent, edges[0], 0.5f, lines);
  EXPECT_EQ(lines.size(), 1u);
}

TEST(ObstacleHalfPlane, ReflexVerticesHaveNoLegs) {
  // A room: at its corners the edges meet in reflex vertices, and the cut-off lines alone hold the agent inside.
  const auto edges = MakeEdges(1, MakeOutline(ObstacleKind::kEnclosure, {{-3, -3}, {3, -3}, {3, 3}, {-3, 3}}));
  Random random(6);
  for (int i = 0; i < 500; ++i) {
    const Disc agent{1, random.InBox({-2.4f, -2.4f}, {2.4f, 2.4f}), random.InBox({-1, -1}, {1, 1}), 0.5f};
    const auto lines = LinesOf(agent, edges, 2.0f);
    for (int sample = 0; sample < 20; ++sample) {
      const Vec2 velocity = random.InBox({-3, -3}, {3, 3});
      if (!Allowed(lines, velocity)) continue;
      const Vec2 there = agent.position + 2.0f * velocity;
      EXPECT_LE(std::max(std::abs(there.x), std::abs(there.y)), 2.5f + 1e-3f);
    }
  }
}

}  // namespace
}  // namespace throng
