// Half-planes of capsules against the definition of their velocity obstacle, by sampling in double.
#include "solve/capsule_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/random.h"

namespace throng {
namespace {

using testing::Random;

struct Place {
  double x, y;
};

double DistanceToSegment(Place p, Place a, Place b) {
  const double x = b.x - a.x, y = b.y - a.y, squared = x * x + y * y;
  const double s = squared > 0 ? std::clamp(((p.x - a.x) * x + (p.y - a.y) * y) / squared, 0.0, 1.0) : 0.0;
  return std::hypot(p.x - a.x - s * x, p.y - a.y - s * y);
}

double DistanceOfSegments(Place a, Place b, Place c, Place d) {
  const auto turn = [](Place p, Place q, Place r) { return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x); };
  const bool cross = turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
  if (cross) return 0;
  return std::min(
      {DistanceToSegment(a, c, d), DistanceToSegment(b, c, d), DistanceToSegment(c, a, b), DistanceToSegment(d, a, b)});
}

struct Case {
  Disc self;
  Capsule capsule;
  float horizon = 2.0f;
  float time_step = 0.1f;

  double radius() const { return double{self.radius} + capsule.radius; }
  Place a() const { return {double{capsule.start.x} - self.position.x, double{capsule.start.y} - self.position.y}; }
  Place b() const { return {double{capsule.end.x} - self.position.x, double{capsule.end.y} - self.position.y}; }
  bool overlaps() const { return DistanceToSegment({0, 0}, a(), b()) <= radius(); }
  // Whether a relative velocity brings both into contact within the horizon; where they overlap, whether it leaves them
  // in contact after a time step.
  bool Forbids(Place v) const {
    if (overlaps()) return DistanceToSegment({v.x * time_step, v.y * time_step}, a(), b()) < radius();
    return DistanceOfSegments({0, 0}, {v.x * horizon, v.y * horizon}, a(), b()) < radius();
  }
  HalfPlane Line() const { return CapsuleHalfPlane(self, capsule, 1.0f / horizon, 1.0f / time_step); }
};

Case RandomCase(Random& random) {
  Case c;
  c.self = {7, random.InBox({-5, -5}, {5, 5}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)};
  c.capsule.id = 3;
  c.capsule.start = random.InBox({-6, -6}, {6, 6});
  const float length = random.Uniform(0.1f, 5.0f);
  const Vec2 way = random.UnitVector();
  c.capsule.end = {c.capsule.start.x + length * way.x, c.capsule.start.y + length * way.y};
  c.capsule.radius = random.Uniform(0.05f, 1.0f);
  c.capsule.velocity = random.InBox({-2, -2}, {2, 2});
  c.horizon = random.Uniform(0.5f, 4.0f);
  return c;
}

TEST(CapsuleHalfPlane, TouchesTheVelocityObstacleAtItsNearestPoint) {
  Random random(31);
  int inside = 0, outside = 0, overlapping = 0;
  for (int i = 0; i < 4000; ++i) {
    SCOPED_TRACE(i);
    const Case c = RandomCase(random);
    // On the brink of contact the velocity obstacle is another by a rounding.
    if (std::abs(DistanceToSegment({0, 0}, c.a(), c.b()) - c.radius()) < 1e-3) continue;
    const HalfPlane line = c.Line();
    const Place n{-double{line.direction.y}, double{line.direction.x}};
    ASSERT_NEAR(std::hypot(n.x, n.y), 1, 1e-5);
    const Place v{double{c.self.velocity.x} - c.capsule.velocity.x, double{c.self.velocity.y} - c.capsule.velocity.y};
    const Place touch{double{line.point.x} - c.capsule.velocity.x, double{line.point.y} - c.capsule.velocity.y};
    const double way = std::hypot(touch.x - v.x, touch.y - v.y);
    const double slack = 1e-4 * (1 + way);
    EXPECT_FALSE(c.Forbids({touch.x + slack * n.x, touch.y + slack * n.y}));
    EXPECT_TRUE(c.Forbids({touch.x - slack * n.x, touch.y - slack * n.y}));
    const bool forbidden = c.Forbids(v);
    for (int k = 0; k < 64; ++k) {
      const double reach = (way - slack) * (k % 4 + 1) / 4;
      if (reach <= 0) continue;
      const double angle = 2 * 3.14159265358979 * k / 64;
      EXPECT_EQ(c.Forbids({v.x + reach * std::cos(angle), v.y + reach * std::sin(angle)}), forbidden) << k;
    }
    ++(c.overlaps() ? overlapping : forbidden ? inside : outside);
  }
  EXPECT_GT(inside, 200);
  EXPECT_GT(outside, 200);
  EXPECT_GT(overlapping, 200);
}

// It is convex, so that nothing that is permitted brings both into contact.
TEST(CapsuleHalfPlane, PermitsNoContact) {
  Random random(32);
  for (int i = 0; i < 1000; ++i) {
    const Case c = RandomCase(random);
    if (std::abs(DistanceToSegment({0, 0}, c.a(), c.b()) - c.radius()) < 1e-3) continue;
    const HalfPlane line = c.Line();
    for (int k = 0; k < 30; ++k) {
      const Vec2 w = random.InBox({-6, -6}, {6, 6});
      if (Outside(line, w) > -1e-4f) continue;
      EXPECT_FALSE(c.Forbids({double{w.x} - c.capsule.velocity.x, double{w.y} - c.capsule.velocity.y})) << i;
    }
  }
}

// An agent without responsibility, standing there.
HalfPlane OfDisc(const Case& c, Vec2 place) {
  bool overlapping = false;
  return AgentHalfPlane(c.self, {c.capsule.id, place, c.capsule.velocity, c.capsule.radius, 0.0f}, 1.0f / c.horizon,
                        1.0f / c.time_step, overlapping);
}

void ExpectSame(const HalfPlane& a, const HalfPlane& b) {
  EXPECT_EQ(a.point, b.point);
  EXPECT_EQ(a.direction, b.direction);
}

TEST(CapsuleHalfPlane, OfADiscIsThatOfAnAgent) {
  Random random(33);
  for (int i = 0; i < 1000; ++i) {
    Case c = RandomCase(random);
    c.capsule.end = c.capsule.start;
    ExpectSame(c.Line(), OfDisc(c, c.capsule.start));
  }
  Case together;  // nothing but the ids tells them apart
  together.self.id = 5;
  together.capsule.id = 6;
  together.self.radius = together.capsule.radius = 0.5f;
  ExpectSame(together.Line(), OfDisc(together, {}));
}

TEST(CapsuleHalfPlane, OfOneSeenFromItsEndIsThatOfTheNearEnd) {
  Case c;
  c.self = {1, {0, 0}, {1, 0.1f}, 0.5f};
  c.capsule.radius = 0.5f;
  for (const bool turned : {false, true}) {
    c.capsule.start = {turned ? 9.0f : 4.0f, 0};
    c.capsule.end = {turned ? 4.0f : 9.0f, 0};
    ExpectSame(c.Line(), OfDisc(c, {4, 0}));
  }
}

// Walking straight at its middle: nothing faster towards it than what comes to its rim within the horizon.
TEST(CapsuleHalfPlane, OfABroadsideIsItsCutOff) {
  Case c;
  c.self = {1, {0, 0}, {1.5f, 0}, 0.5f};
  c.capsule.start = {4, -3};
  c.capsule.end = {4, 3};
  c.capsule.radius = 0.5f;
  const HalfPlane line = c.Line();
  EXPECT_NEAR(line.point.x, 1.5f, 1e-6f);  // (4 - 1) / 2
  EXPECT_EQ(TurnedLeft(line.direction), (Vec2{-1, 0}));
  c.capsule.velocity = {-1, 0};  // it comes nearer by itself
  EXPECT_NEAR(c.Line().point.x, 0.5f, 1e-6f);
}

TEST(CapsuleHalfPlane, LeadsOutWhereBothOverlap) {
  Case c;
  c.self = {1, {0.2f, 0}, {0, 0}, 0.5f};
  c.capsule.start = {0, -3};
  c.capsule.end = {0, 3};
  c.capsule.radius = 0.5f;
  const HalfPlane line = c.Line();
  EXPECT_EQ(TurnedLeft(line.direction), (Vec2{1, 0}));
  EXPECT_NEAR(line.point.x, 8.0f, 1e-5f);  // (1 - 0.2) / 0.1
  c.self.position.x = 0;                   // on its middle line: to one of its sides
  EXPECT_NEAR(std::abs(c.Line().point.x), 10.0f, 1e-5f);
}

TEST(SurfaceDistance, IsThatToTheRim) {
  Capsule capsule;
  capsule.start = {0, 0};
  capsule.end = {4, 0};
  capsule.radius = 1;
  EXPECT_EQ(SurfaceDistance(capsule, {2, 3}), 2.0f);
  EXPECT_EQ(SurfaceDistance(capsule, {-3, 4}), 4.0f);
  EXPECT_EQ(SurfaceDistance(capsule, {7, -4}), 4.0f);
  EXPECT_EQ(SurfaceDistance(capsule, {1, 0}), -1.0f);
  capsule.end = capsule.start;
  EXPECT_EQ(SurfaceDistance(capsule, {3, 4}), 4.0f);
}

}  // namespace
}  // namespace throng
