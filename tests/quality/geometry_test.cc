#include "tests/quality/geometry.h"

#include <gtest/gtest.h>

#include <cmath>

namespace throng::quality {
namespace {

TEST(OrientationTest, TellsSides) {
  EXPECT_EQ(Orientation({0, 0}, {1, 0}, {0.5f, 1}), 1);
  EXPECT_EQ(Orientation({0, 0}, {1, 0}, {0.5f, -1}), -1);
  EXPECT_EQ(Orientation({0, 0}, {1, 0}, {5, 0}), 0);
  EXPECT_EQ(Orientation({3, 3}, {3, 3}, {5, 1}), 0);
}

// Rounded arithmetic calls these points collinear.
TEST(OrientationTest, IsExactWhereDoubleRounds) {
  const float big = 1048576.0f;
  const float tiny = 1e-30f;
  EXPECT_EQ(Orientation({-big, -big}, {big, big}, {0.0f, tiny}), 1);
  EXPECT_EQ(Orientation({-big, -big}, {big, big}, {tiny, 0.0f}), -1);
  EXPECT_EQ(Orientation({-big, -big}, {big, big}, {tiny, tiny}), 0);
  EXPECT_EQ(Orientation({0.1f, 0.1f}, {0.3f, 0.3f}, {0.7f, 0.7f}), 0);
  EXPECT_EQ(Orientation({0.1f, 0.1f}, {0.3f, 0.3f}, {0.7f, std::nextafter(0.7f, 1.0f)}), 1);
}

TEST(OrientationTest, TurnsWithTheOrderOfPoints) {
  const Vec2 a{0.1f, 0.7f};
  const Vec2 b{1e6f, 3e-5f};
  const Vec2 c{-2e-3f, 5e5f};
  EXPECT_EQ(Orientation(a, b, c), Orientation(b, c, a));
  EXPECT_EQ(Orientation(a, b, c), -Orientation(b, a, c));
}

TEST(CrossesTest, FromOneSideToTheOther) {
  const Edge edge{{0, -1}, {0, 1}};
  EXPECT_TRUE(Crosses({-1, 0}, {1, 0}, edge));
  EXPECT_TRUE(Crosses({1, 0.5f}, {-1, -0.5f}, edge));
  EXPECT_FALSE(Crosses({-1, 0}, {-0.1f, 0}, edge));
  EXPECT_FALSE(Crosses({-1, 2}, {1, 2}, edge));
  EXPECT_FALSE(Crosses({-1, 0.9f}, {1, 1.2f}, edge));
  EXPECT_TRUE(Crosses({-1e-30f, 0}, {1e-30f, 0}, edge));
}

TEST(CrossesTest, ATouchIsNoCrossing) {
  const Edge edge{{0, -1}, {0, 1}};
  EXPECT_FALSE(Crosses({-1, 0}, {0, 0}, edge));
  EXPECT_FALSE(Crosses({0, 0}, {1, 0}, edge));
  EXPECT_FALSE(Crosses({0, -0.5f}, {0, 0.5f}, edge));
}

TEST(CrossesTest, AWayThroughAVertexCrossesOneEdge) {
  const Edge lower{{0, -1}, {0, 0}};
  const Edge upper{{0, 0}, {0, 1}};
  EXPECT_EQ(int{Crosses({-1, 0}, {1, 0}, lower)} + int{Crosses({-1, 0}, {1, 0}, upper)}, 1);
}

TEST(DistanceTest, ToAnEdge) {
  const Edge edge{{0, 0}, {2, 0}};
  EXPECT_DOUBLE_EQ(Distance({1, 3}, edge), 3.0);
  EXPECT_DOUBLE_EQ(Distance({-3, 4}, edge), 5.0);
  EXPECT_DOUBLE_EQ(Distance({4, 0}, edge), 2.0);
  EXPECT_DOUBLE_EQ(Distance({3, 4}, Edge{{0, 0}, {0, 0}}), 5.0);
}

TEST(EdgesOfTest, PolygonsCloseAndWallsDoNot) {
  ObstacleSpec obstacle;
  obstacle.vertices = {{0, 0}, {1, 0}, {0, 1}};
  EXPECT_EQ(EdgesOf(obstacle).size(), 3u);
  obstacle.kind = ObstacleKind::kWall;
  EXPECT_EQ(EdgesOf(obstacle).size(), 2u);
}

}  // namespace
}  // namespace throng::quality
