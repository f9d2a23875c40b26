#include "tests/support/twin_orca.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "tests/support/twin_math.h"
#include "tests/support/twin_program.h"

namespace throng::twin {
namespace {

using ::testing::ElementsAre;

std::vector<Vec2> Starts(const std::vector<Edge>& edges) {
  std::vector<Vec2> starts;
  for (const Edge& edge : edges) starts.push_back(edge.start);
  return starts;
}

TEST(MakeEdgesTest, TurnsASolidCounterClockwiseAndAnEnclosureClockwise) {
  const std::vector<Vec2> counter_clockwise = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const std::vector<Vec2> clockwise = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (const auto& given : {counter_clockwise, clockwise}) {
    EXPECT_EQ(Starts(MakeEdges(1, ObstacleKind::kSolid, given)), counter_clockwise);
    EXPECT_EQ(Starts(MakeEdges(1, ObstacleKind::kEnclosure, given)), clockwise);
  }
}

TEST(MakeEdgesTest, RunsAWallThereAndBackWithConvexEnds) {
  const std::vector<Edge> edges = MakeEdges(1, ObstacleKind::kWall, {{0, 0}, {1, 0.3f}, {2, 0}});
  EXPECT_THAT(Starts(edges), ElementsAre(Vec2{0, 0}, Vec2{1, 0.3f}, Vec2{2, 0}, Vec2{1, 0.3f}));
  EXPECT_TRUE(edges[0].start_convex);
  EXPECT_FALSE(edges[0].end_convex);
  EXPECT_TRUE(edges[1].end_convex);
  EXPECT_TRUE(edges[2].end_convex);
  EXPECT_TRUE(edges[3].end_convex);
}

TEST(MakeEdgesTest, SeesAWallFromBothSidesAndASolidFromOutside) {
  const std::vector<Edge> wall = MakeEdges(1, ObstacleKind::kWall, {{0, 0}, {2, 0}});
  EXPECT_NE(SeesEdge(wall[0], {1, 1}), SeesEdge(wall[1], {1, 1}));
  EXPECT_NE(SeesEdge(wall[0], {1, -1}), SeesEdge(wall[1], {1, -1}));
  for (const Edge& edge : MakeEdges(1, ObstacleKind::kSolid, {{0, 0}, {2, 0}, {2, 2}})) {
    EXPECT_FALSE(SeesEdge(edge, {1.5f, 0.5f}));
  }
}

TEST(PartingDirectionTest, IsOppositeForTheOtherAndOfUnitLength) {
  testing::Random random(1);
  Vec2 sum;
  for (int i = 0; i < 10'000; ++i) {
    const auto a = static_cast<AgentId>(random.Next());
    const auto b = static_cast<AgentId>(random.Next());
    if (a == b) continue;
    const Vec2 direction = PartingDirection(a, b);
    EXPECT_EQ(direction, -PartingDirection(b, a));
    EXPECT_NEAR(LengthSquared(direction), 1.0f, 1e-6f);
    sum = sum + direction;
  }
  EXPECT_LT(std::sqrt(LengthSquared(sum)) / 10'000, 0.05f) << "directions favour a side";
}

TEST(PairHalfPlaneTest, ForbidsNothingToAgentsThatPart) {
  const Body self{{0, 0}, {-1, 0}, 0.5f, 1, 0};
  const Body other{{3, 0}, {1, 0}, 0.5f, 2, 1};
  const HalfPlane line = PairHalfPlane(self, other, 1.0f / 2.0f, 10.0f);
  EXPECT_GE(Det(line.direction, self.velocity - line.point), 0.0f);
  EXPECT_NEAR(LengthSquared(line.direction), 1.0f, 1e-5f);
}

TEST(PairHalfPlaneTest, SharesTheChangeEvenly) {
  testing::Random random(2);
  for (int i = 0; i < 1'000; ++i) {
    const Body a{random.InBox({-3, -3}, {3, 3}), random.InBox({-1, -1}, {1, 1}), 0.5f, 1, 0};
    const Body b{random.InBox({-3, -3}, {3, 3}), random.InBox({-1, -1}, {1, 1}), 0.4f, 2, 1};
    const HalfPlane of_a = PairHalfPlane(a, b, 0.5f, 10.0f);
    const HalfPlane of_b = PairHalfPlane(b, a, 0.5f, 10.0f);
    EXPECT_NEAR(of_a.point.x - a.velocity.x, -(of_b.point.x - b.velocity.x), 1e-4f);
    EXPECT_NEAR(of_a.point.y - a.velocity.y, -(of_b.point.y - b.velocity.y), 1e-4f);
    EXPECT_NEAR(Dot(of_a.direction, of_b.direction), -1.0f, 1e-4f);
  }
}

// The optimum among all crossings of two boundaries, all touching points and the target itself.
double BestByBruteForce(const std::vector<HalfPlane>& lines, float max_speed, Vec2 target) {
  constexpr double kSlack = 1e-5;
  double best = std::numeric_limits<double>::infinity();
  const auto consider = [&](double x, double y) {
    if (x * x + y * y > double{max_speed} * max_speed * (1 + kSlack)) return;
    for (const HalfPlane& line : lines) {
      if (double{line.direction.x} * (y - line.point.y) - double{line.direction.y} * (x - line.point.x) < -kSlack)
        return;
    }
    best = std::min(best, std::hypot(x - target.x, y - target.y));
  };
  constexpr int kSteps = 20'000;
  consider(target.x, target.y);
  for (int i = 0; i < kSteps; ++i) {
    const double angle = 2.0 * 3.14159265358979 * i / kSteps;
    consider(max_speed * std::cos(angle), max_speed * std::sin(angle));
  }
  for (const HalfPlane& line : lines) {
    const double along = Dot(target - line.point, line.direction);
    consider(line.point.x + along * line.direction.x, line.point.y + along * line.direction.y);
    for (const HalfPlane& other : lines) {
      const double determinant = Det(line.direction, other.direction);
      if (std::abs(determinant) < 1e-4) continue;
      const double t = Det(other.direction, line.point - other.point) / determinant;
      consider(line.point.x + t * line.direction.x, line.point.y + t * line.direction.y);
    }
  }
  return best;
}

TEST(ProgramTest, FindsTheNearestVelocityThatAllLinesPermit) {
  testing::Random random(3);
  int feasible = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<HalfPlane> lines(1 + random.Below(6));
    for (HalfPlane& line : lines) {
      line.direction = random.UnitVector();
      line.point = random.InBox({-1, -1}, {1, 1});
    }
    const Vec2 target = random.InBox({-2, -2}, {2, 2});
    Program program;
    const Vec2 result = program.Solve(lines, 0, 1.5f, target);
    const double best = BestByBruteForce(lines, 1.5f, target);
    if (program.infeasible()) continue;
    ++feasible;
    EXPECT_NEAR(std::hypot(result.x - target.x, result.y - target.y), best, 2e-3) << "case " << i;
    for (const HalfPlane& line : lines) EXPECT_GE(Det(line.direction, result - line.point), -1e-4f) << "case " << i;
  }
  EXPECT_GT(feasible, 100);
}

TEST(ProgramTest, RelaxesAgentsEvenlyAndObstaclesNever) {
  // Two agents' lines want y >= 1 and y <= -1; the obstacle's wants x <= 0.
  const std::vector<HalfPlane> lines = {{{0, 0}, {0, 1}}, {{0, 1}, {1, 0}}, {{0, -1}, {-1, 0}}};
  Program program;
  const Vec2 result = program.Solve(lines, 1, 2.0f, {1.0f, 0.5f});
  EXPECT_TRUE(program.infeasible());
  EXPECT_LE(result.x, 1e-5f);
  EXPECT_NEAR(result.y, 0.0f, 1e-5f);
}

TEST(ClampSpeedTest, HoldsTheSpeedUnderItsMaximum) {
  testing::Random random(4);
  for (const float max_speed : {0.0f, 1e-40f, 1e-20f, 1e-10f, 0.7f, 1000.0f}) {
    for (const float scale : {1e-44f, 1e-25f, 1e-8f, 1.0f, 1e6f}) {
      for (int i = 0; i < 100; ++i) {
        const Vec2 v = ClampSpeed(scale * random.UnitVector(), max_speed);
        EXPECT_LE(std::hypot(double{v.x}, double{v.y}), max_speed * (1 + 1e-6));
      }
    }
  }
}

}  // namespace
}  // namespace throng::twin
