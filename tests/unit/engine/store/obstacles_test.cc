#include "store/obstacles.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

const std::vector<Vec2> kSquare = {{0, 0}, {2, 0}, {2, 1}, {0, 1}};  // counter-clockwise
const std::vector<Vec2> kTurned(kSquare.rbegin(), kSquare.rend());
const auto kIgnore = [](std::uint32_t, std::uint32_t) {};

TEST(Outline, SolidsRunCounterClockwiseAndEnclosuresClockwise) {
  EXPECT_EQ(MakeOutline(ObstacleKind::kSolid, kSquare), kSquare);
  EXPECT_EQ(MakeOutline(ObstacleKind::kSolid, kTurned), kSquare);
  EXPECT_EQ(MakeOutline(ObstacleKind::kEnclosure, kSquare), kTurned);
  EXPECT_EQ(MakeOutline(ObstacleKind::kEnclosure, kTurned), kTurned);
}

TEST(Outline, WallsGoThereAndBack) {
  const Vec2 a{0, 0}, b{1, 0}, c{1, 1}, d{2, 1};
  EXPECT_EQ(MakeOutline(ObstacleKind::kWall, {a, b}), (std::vector<Vec2>{a, b}));
  EXPECT_EQ(MakeOutline(ObstacleKind::kWall, {a, b, c, d}), (std::vector<Vec2>{a, b, c, d, c, b}));
}

TEST(Edges, KnowTheirNeighbours) {
  const auto edges = MakeEdges(9, kSquare);
  ASSERT_EQ(edges.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(edges[i].obstacle, 9u);
    EXPECT_EQ(edges[i].index, i);
    EXPECT_EQ(edges[i].start, kSquare[i]);
    EXPECT_EQ(edges[i].end, kSquare[(i + 1) % 4]);
    EXPECT_EQ(edges[i].next_direction, edges[(i + 1) % 4].direction);
    EXPECT_EQ(edges[i].previous_direction, edges[(i + 3) % 4].direction);
    EXPECT_TRUE(edges[i].start_convex);
    EXPECT_TRUE(edges[i].end_convex);
  }
  EXPECT_EQ(edges[0].direction, (Vec2{1, 0}));
  EXPECT_EQ(edges[1].direction, (Vec2{0, 1}));
}

TEST(Edges, TellReflexVertices) {
  // An L: the vertex at (1, 1) is reflex.
  const auto edges = MakeEdges(1, {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}});
  for (std::size_t i = 0; i < edges.size(); ++i) {
    EXPECT_EQ(edges[i].start_convex, i != 3);
    EXPECT_EQ(edges[i].end_convex, i != 2);
  }
  for (const ObstacleEdge& edge : MakeEdges(1, kTurned)) EXPECT_FALSE(edge.start_convex) << "a room's corners";
}

TEST(Edges, EndsOfAWallAreConvex) {
  const auto edges = MakeEdges(1, MakeOutline(ObstacleKind::kWall, {{0, 0}, {1, 0}, {1, 1}}));
  ASSERT_EQ(edges.size(), 4u);
  EXPECT_TRUE(edges[0].start_convex);
  EXPECT_TRUE(edges[1].end_convex);
  EXPECT_TRUE(edges[0].end_convex) << "a left turn on the way there";
  EXPECT_FALSE(edges[2].end_convex) << "the same corner from the other side";
}

TEST(Edges, FaceTheirRightAndMeasureTheSegment) {
  const ObstacleEdge edge = MakeEdges(1, kSquare)[0];
  EXPECT_TRUE(Faces(edge, {1, -1}));
  EXPECT_FALSE(Faces(edge, {1, 1}));
  EXPECT_FALSE(Faces(edge, {5, 0})) << "on its line";
  EXPECT_EQ(DistanceSquared(edge, {1, -2}), 4.0f);
  EXPECT_EQ(DistanceSquared(edge, {-3, -4}), 25.0f);
  EXPECT_EQ(DistanceSquared(edge, {5, -4}), 25.0f);
}

TEST(ObstacleStore, CountsVerticesAsGiven) {
  ObstacleStore store;
  store.Add(1, ObstacleKind::kSolid, kSquare);
  store.Add(2, ObstacleKind::kWall, {{0, 0}, {1, 0}, {2, 0}});
  EXPECT_EQ(store.vertices(), 7u);
  EXPECT_EQ(store.Find(2)->edges.size(), 4u);
  store.Remove(1, kIgnore);
  EXPECT_EQ(store.vertices(), 3u);
  EXPECT_EQ(store.Find(1), nullptr);
  EXPECT_GT(store.memory_bytes(), 0u);
  store.Remove(2, kIgnore);
  EXPECT_EQ(store.memory_bytes(), 0u);
}

// Each obstacle's places hold its edges, and there are no other places.
void ExpectDense(const ObstacleStore& store) {
  std::set<std::uint32_t> places;
  for (const auto& [id, obstacle] : store.all()) {
    for (std::size_t i = 0; i < obstacle.edges.size(); ++i) {
      EXPECT_EQ(store.edge(obstacle.edges[i]).obstacle, id);
      EXPECT_EQ(store.edge(obstacle.edges[i]).index, i);
      EXPECT_TRUE(places.insert(obstacle.edges[i]).second);
      EXPECT_EQ(store.sight(obstacle.edges[i]), obstacle.sight);
    }
  }
  if (!places.empty()) {
    EXPECT_EQ(*places.rbegin() + 1, places.size());
  }
}

TEST(ObstacleStore, LeavesNoGapsAndTellsWhoMoves) {
  testing::Random random(8);
  ObstacleStore store;
  std::vector<ObstacleId> ids;
  std::map<std::uint32_t, std::pair<ObstacleId, std::uint32_t>> told;  // whose edge is where
  ObstacleId next = 1;
  for (int round = 0; round < 300; ++round) {
    if (ids.size() < 3 || random.Chance(round < 150 ? 0.7f : 0.3f)) {
      const ObstacleKind kind = random.Chance(0.5f) ? ObstacleKind::kSolid : ObstacleKind::kWall;
      ids.push_back(next++);
      Sight sight = kPlainObstacle;
      if (round % 60 > 40) sight.layer = static_cast<std::uint32_t>(random.Below(3));
      for (const std::uint32_t place : store.Add(ids.back(), kind, kSquare, sight).edges) {
        told[place] = {store.edge(place).obstacle, store.edge(place).index};
      }
    } else {
      std::swap(ids[random.Below(ids.size())], ids.back());
      for (const std::uint32_t place : store.Find(ids.back())->edges) told.erase(place);
      store.Remove(ids.back(), [&](std::uint32_t from, std::uint32_t to) {
        EXPECT_FALSE(told.contains(to));
        told[to] = told.at(from);
        told.erase(from);
      });
      ids.pop_back();
    }
    ExpectDense(store);
    for (const auto& [place, edge] : told) {
      EXPECT_EQ(std::pair(store.edge(place).obstacle, store.edge(place).index), edge);
    }
  }
}

TEST(ObstacleStore, KeepsWhoSeesThemOnlyWhereThatDiffers) {
  ObstacleStore store;
  store.Add(1, ObstacleKind::kSolid, kSquare);
  const std::size_t plain = store.memory_bytes();
  EXPECT_FALSE(store.keeps_sights());
  store.Add(2, ObstacleKind::kSolid, kSquare, ObstacleSight(4, std::nullopt));
  EXPECT_TRUE(store.keeps_sights());
  ExpectDense(store);
  store.Remove(2, kIgnore);
  EXPECT_FALSE(store.keeps_sights());
  EXPECT_EQ(store.sight(0), kPlainObstacle);
  EXPECT_LE(store.memory_bytes(), plain + 8 * sizeof(ObstacleEdge));
}

TEST(ObstacleStore, GivesMemoryBackAfterAPeak) {
  ObstacleStore few, many;
  for (ObstacleId id = 1; id <= 10; ++id) few.Add(id, ObstacleKind::kSolid, kSquare);
  for (ObstacleId id = 1; id <= 10000; ++id) many.Add(id, ObstacleKind::kSolid, kSquare);
  const std::size_t peak = many.memory_bytes();
  for (ObstacleId id = 1; id <= 9990; ++id) many.Remove(id, kIgnore);
  EXPECT_LT(many.memory_bytes(), few.memory_bytes() + 256 * sizeof(ObstacleEdge));
  EXPECT_LT(many.memory_bytes(), peak / 50);
  ExpectDense(many);
}

TEST(ObstacleStore, DescribesWhatIsInForce) {
  ObstacleStore store;
  store.Add(1, ObstacleKind::kSolid, kTurned);
  const ObstacleState solid = store.Describe(1, *store.Find(1));
  EXPECT_EQ(solid.id, 1u);
  EXPECT_EQ(solid.vertices, kSquare);
  EXPECT_EQ(solid.area, 2.0f);
  EXPECT_EQ(solid.bounds_min, (Vec2{0, 0}));
  EXPECT_EQ(solid.bounds_max, (Vec2{2, 1}));
  const std::vector<Vec2> line = {{0, 3}, {1, -1}, {2, 0}};
  store.Add(2, ObstacleKind::kWall, line);
  const ObstacleState wall = store.Describe(2, *store.Find(2));
  EXPECT_EQ(wall.vertices, line);
  EXPECT_EQ(wall.area, 0.0f);
  EXPECT_EQ(wall.bounds_max, (Vec2{2, 3}));
}

}  // namespace
}  // namespace throng
