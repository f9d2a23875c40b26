#include "tests/support/speed_scenes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "throng/limits.h"
#include "throng/world.h"

namespace throng::testing {
namespace {

std::unique_ptr<World> WorldOf(const Scene& scene) {
  auto world = World::Create(scene.settings);
  EXPECT_TRUE(world.ok()) << world.status();
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    const auto id = (*world)->AddObstacle(obstacle);
    EXPECT_TRUE(id.ok()) << id.status();
  }
  for (const AgentSpec& agent : scene.agents) {
    const auto id = (*world)->AddAgent(agent);
    EXPECT_TRUE(id.ok()) << id.status();
  }
  return *std::move(world);
}

float Distance(Vec2 a, Vec2 b) { return std::hypot(a.x - b.x, a.y - b.y); }

float DistanceToSegment(Vec2 point, Vec2 a, Vec2 b) {
  const Vec2 way{b.x - a.x, b.y - a.y};
  const float along = ((point.x - a.x) * way.x + (point.y - a.y) * way.y) / (way.x * way.x + way.y * way.y);
  const float part = std::clamp(along, 0.0f, 1.0f);
  return Distance(point, {a.x + part * way.x, a.y + part * way.y});
}

// Of a polygon with counter-clockwise vertices that is convex.
bool Contains(const std::vector<Vec2>& polygon, Vec2 point) {
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 a = polygon[i];
    const Vec2 b = polygon[(i + 1) % polygon.size()];
    if ((b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) < 0.0f) return false;
  }
  return true;
}

std::size_t EdgeCount(const Scene& scene) {
  std::size_t edges = 0;
  for (const ObstacleSpec& obstacle : scene.obstacles) edges += obstacle.vertices.size();
  return edges;
}

TEST(StreetTownTest, HasTwoToThreeEdgesInRangeOfAnAgent) {
  const Scene scene = StreetTown(10'000);
  EXPECT_EQ(scene.agents.size(), 10'000u);
  EXPECT_NEAR(static_cast<double>(EdgeCount(scene)), 4'000.0, 100.0);
  const auto world = WorldOf(scene);
  for (int step = 0; step < 60; ++step) {
    ASSERT_TRUE(world->Step().ok());
    const double edges = static_cast<double>(world->stats().obstacle_edges) / 10'000.0;
    EXPECT_GE(edges, 2.0) << "step " << step;
    EXPECT_LE(edges, 3.0) << "step " << step;
  }
}

TEST(StreetTownTest, NobodyStartsInABlockOrInAnother) {
  const Scene scene = StreetTown(400);
  const float radius = scene.settings.agent_defaults.radius;
  for (std::size_t i = 0; i < scene.agents.size(); ++i) {
    const Vec2 position = *scene.agents[i].position;
    for (std::size_t j = 0; j < i; ++j) EXPECT_GE(Distance(position, *scene.agents[j].position), 2.0f * radius);
    for (const ObstacleSpec& obstacle : scene.obstacles) {
      EXPECT_EQ(Contains(obstacle.vertices, position), obstacle.kind == ObstacleKind::kEnclosure);
      for (std::size_t k = 0; k < obstacle.vertices.size(); ++k) {
        const Vec2 next = obstacle.vertices[(k + 1) % obstacle.vertices.size()];
        EXPECT_GE(DistanceToSegment(position, obstacle.vertices[k], next), radius);
      }
    }
  }
}

TEST(StreetTownTest, CoversAQuarterOfTheStreets) {
  const Scene scene = StreetTown(10'000);
  double ground = 0.0;
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    double area = 0.0;
    for (std::size_t k = 0; k < obstacle.vertices.size(); ++k) {
      const Vec2 a = obstacle.vertices[k];
      const Vec2 b = obstacle.vertices[(k + 1) % obstacle.vertices.size()];
      area += 0.5 * (static_cast<double>(a.x) * b.y - static_cast<double>(b.x) * a.y);
    }
    ground += obstacle.kind == ObstacleKind::kEnclosure ? area : -area;
  }
  EXPECT_NEAR(10'000 * 3.14159 * 0.25 / ground, 0.25, 0.05);
}

TEST(CrossingBesideEdgesTest, HasTheEdgesAndNoneInRange) {
  for (const std::size_t edges : {std::size_t{4'000}, std::size_t{40'000}}) {
    const Scene scene = CrossingBesideEdges(1'000, edges);
    EXPECT_EQ(EdgeCount(scene), edges);
    const auto world = WorldOf(scene);
    std::uint64_t seen = 0;
    for (int step = 0; step < 220; ++step) {
      ASSERT_TRUE(world->Step().ok());
      seen += world->stats().obstacle_edges;
    }
    EXPECT_EQ(seen, 0u);
  }
}

TEST(SpeedScenesTest, AreValidWithIdsFromOne) {
  for (const Scene& scene : {StreetTown(500), CrossingBesideEdges(500, 400), OnePoint(500), Line(500),
                             TightClusters(500, 10), FarPair(2), FarPair(500)}) {
    EXPECT_TRUE(Validate(scene.settings).ok());
    std::set<AgentId> ids;
    for (const AgentSpec& agent : scene.agents) {
      ASSERT_TRUE(Validate(agent).ok()) << Validate(agent);
      ids.insert(agent.id.value());
    }
    EXPECT_EQ(ids.size(), scene.agents.size());
    EXPECT_EQ(*ids.begin(), 1u);
    EXPECT_EQ(*ids.rbegin(), scene.agents.size());
    for (const ObstacleSpec& obstacle : scene.obstacles) ASSERT_TRUE(Validate(obstacle).ok()) << Validate(obstacle);
  }
}

TEST(SpeedScenesTest, PathologiesAreWhatTheyAreCalled) {
  const Scene line = Line(100'000);
  for (std::size_t i = 1; i < line.agents.size(); ++i) {
    ASSERT_EQ(line.agents[i].position->y, 0.0f);
    ASSERT_GT(line.agents[i].position->x - line.agents[i - 1].position->x, 1.4f);
  }
  for (const AgentSpec& agent : OnePoint(100).agents) EXPECT_EQ(*agent.position, Vec2{});
  const Scene pair = FarPair(100);
  EXPECT_NEAR(Distance(*pair.agents.front().position, *pair.agents.back().position), 1.0e6f, 1.0f);
  const Scene clusters = TightClusters(1'000, 20);
  for (std::size_t i = 20; i < clusters.agents.size(); ++i) {
    EXPECT_LE(Distance(*clusters.agents[i].position, *clusters.agents[i - 20].position), 4.01f);
  }
}

}  // namespace
}  // namespace throng::testing
