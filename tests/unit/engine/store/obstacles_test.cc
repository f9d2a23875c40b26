#include "store/obstacles.h"

#include <gtest/gtest.h>

#include <vector>

namespace throng {
namespace {

const std::vector<Vec2> kSquare = {{0, 0}, {2, 0}, {2, 1}, {0, 1}};  // counter-clockwise
const std::vector<Vec2> kTurned(kSquare.rbegin(), kSquare.rend());

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
  store.Remove(1);
  EXPECT_EQ(store.vertices(), 3u);
  EXPECT_EQ(store.Find(1), nullptr);
  EXPECT_GT(store.memory_bytes(), 0u);
  store.Remove(2);
  EXPECT_EQ(store.memory_bytes(), 0u);
}

TEST(ObstacleStore, UsesPlacesAgain) {
  ObstacleStore store;
  store.Add(1, ObstacleKind::kSolid, kSquare);
  store.Add(2, ObstacleKind::kSolid, kSquare);
  const auto places = store.Find(1)->edges;
  store.Remove(1);
  store.Add(3, ObstacleKind::kSolid, kTurned);
  EXPECT_EQ(store.Find(3)->edges, places);
  EXPECT_EQ(store.edge(places[0]).obstacle, 3u);
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
