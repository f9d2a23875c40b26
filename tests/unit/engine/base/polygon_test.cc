#include "base/polygon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

// A star with a vertex at every 1/count of a turn, at the radii given in turn.
std::vector<Vec2> Star(std::size_t count, std::vector<float> radii, Vec2 center = {}) {
  std::vector<Vec2> vertices;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2 unit = testing::AtTurns(static_cast<double>(i) / static_cast<double>(count));
    const float radius = radii[i % radii.size()];
    vertices.push_back({center.x + radius * unit.x, center.y + radius * unit.y});
  }
  return vertices;
}

TEST(Polygon, AreaIsSignedByOrientation) {
  const std::vector<Vec2> square = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
  EXPECT_EQ(SignedArea(square), 4.0);
  EXPECT_EQ(SignedArea(std::vector<Vec2>(square.rbegin(), square.rend())), -4.0);
}

TEST(Polygon, AcceptsWhatIsSmallThinOrFar) {
  EXPECT_FALSE(FindPolygonFault(std::vector<Vec2>{{0, 0}, {1e-3f, 0}, {0, 1e-3f}}));
  EXPECT_FALSE(FindPolygonFault(std::vector<Vec2>{{0, 0}, {100, 0}, {100, 0.01f}, {0, 0.01f}}));
  EXPECT_FALSE(FindPolygonFault(std::vector<Vec2>{{0, 0}, {1e6f, 0}, {1e6f, 1}, {0, 1}}));
  const float far = 1048570.0f;
  EXPECT_FALSE(FindPolygonFault(std::vector<Vec2>{{far, far}, {far + 2, far}, {far + 2, far + 2}}));
  EXPECT_FALSE(FindPolygonFault(std::vector<Vec2>{{0, 0}, {1, 0}, {2, 0}, {2, 1}})) << "straight on";
}

TEST(Polygon, AcceptsManyVertices) {
  EXPECT_FALSE(FindPolygonFault(Star(4096, {100.0f})));
  EXPECT_FALSE(FindPolygonFault(Star(4096, {100.0f, 90.0f})));
  EXPECT_FALSE(FindPolygonFault(Star(4096, {100.0f, 1.0f})));
}

TEST(Polygon, RefusesWhatEnclosesNothing) {
  const float far = 1048000.0f;
  const auto fault = FindPolygonFault(std::vector<Vec2>{{far, 0}, {far + 100, 0.0f}, {far + 50, 0.001f}});
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->whole);
}

TEST(Polygon, NamesTheVertexOfARepeat) {
  std::vector<Vec2> vertices = Star(12, {5.0f});
  vertices.insert(vertices.begin() + 7, vertices[6]);
  const auto fault = FindPolygonFault(vertices);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->vertex, 7u);
}

TEST(Polygon, NamesTheVertexOfASpike) {
  const auto fault = FindPolygonFault(std::vector<Vec2>{{0, 0}, {4, 0}, {4, 4}, {2, 4}, {3, 4}, {0, 5}});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->vertex, 3u);
}

TEST(Polygon, RefusesTouchingItself) {
  // Two triangles that share a vertex, and a vertex on an edge.
  EXPECT_TRUE(FindPolygonFault(std::vector<Vec2>{{0, 0}, {2, 2}, {4, 0}, {4, 4}, {2, 2}, {0, 4}}));
  EXPECT_TRUE(FindPolygonFault(std::vector<Vec2>{{0, 0}, {4, 0}, {4, 4}, {2, 0}, {0, 4}}));
}

TEST(Polygon, FindsAnyCrossing) {
  testing::Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Vec2> vertices = Star(40, {10.0f, 8.0f}, random.InBox({-1000, -1000}, {1000, 1000}));
    ASSERT_FALSE(FindPolygonFault(vertices));
    // Two vertices that are not next to each other change places: their edges now cross others.
    const std::size_t i = random.Below(40);
    const std::size_t j = (i + 3 + random.Below(34)) % 40;
    std::swap(vertices[i], vertices[j]);
    EXPECT_TRUE(FindPolygonFault(vertices)) << i << " " << j;
  }
}

TEST(Polyline, RefusesRepeatsOnly) {
  EXPECT_FALSE(FindPolylineFault(std::vector<Vec2>{{0, 0}, {1, 0}, {0, 0}}));
  const auto fault = FindPolylineFault(std::vector<Vec2>{{0, 0}, {1, 0}, {1, 0}});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->vertex, 2u);
}

}  // namespace
}  // namespace throng
