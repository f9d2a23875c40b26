#include "solve/agent_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/random.h"

namespace throng {
namespace {

using testing::Random;

double Length(Vec2 v) { return std::hypot(double{v.x}, double{v.y}); }

// Least distance between two points within `time`, of which one moves at `velocity` relative to the other.
double LeastDistance(Vec2 apart, Vec2 velocity, double time) {
  const double speed_squared = double{velocity.x} * velocity.x + double{velocity.y} * velocity.y;
  double t = 0;
  if (speed_squared > 0) t = (double{apart.x} * velocity.x + double{apart.y} * velocity.y) / speed_squared;
  t = std::clamp(t, 0.0, time);
  return std::hypot(apart.x - t * velocity.x, apart.y - t * velocity.y);
}

TEST(PartingDirection, IsOppositeForTheTwoAndOfUnitLength) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const AgentId a = static_cast<AgentId>(random.Next() >> 32), b = a + 1 + static_cast<AgentId>(random.Below(1000));
    const Vec2 direction = PartingDirection(a, b);
    EXPECT_EQ(direction, -PartingDirection(b, a));
    EXPECT_NEAR(Length(direction), 1.0, 1e-6);
  }
}

TEST(PartingDirection, GoesEverywhere) {
  int quadrants[4] = {};
  for (AgentId id = 2; id < 400; ++id) {
    const Vec2 direction = PartingDirection(1, id);
    ++quadrants[(direction.x > 0 ? 1 : 0) + (direction.y > 0 ? 2 : 0)];
  }
  for (const int count : quadrants) EXPECT_GT(count, 60);
}

// Twice the change that one of the two makes brings the relative velocity to where both just touch within the horizon.
TEST(AgentHalfPlane, FullChangeBringsBothToTouch) {
  Random random(2);
  int inside = 0;
  for (int i = 0; i < 20000; ++i) {
    const Disc self{1, random.InBox({-5, -5}, {5, 5}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)};
    const Disc other{2, random.InBox({-5, -5}, {5, 5}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)};
    const float horizon = random.Uniform(0.5f, 5.0f);
    bool overlapping = false;
    const HalfPlane line = AgentHalfPlane(self, other, 1.0f / horizon, 30.0f, overlapping);
    EXPECT_NEAR(Length(line.direction), 1.0, 1e-5);
    const double radius = double{self.radius} + other.radius;
    EXPECT_EQ(overlapping, Length(other.position - self.position) <= radius);
    if (overlapping) continue;
    const Vec2 u = 2.0f * (line.point - self.velocity);
    const Vec2 relative = self.velocity - other.velocity + u;
    const bool collides =
        LeastDistance(other.position - self.position, self.velocity - other.velocity, horizon) < radius;
    inside += collides;
    EXPECT_NEAR(LeastDistance(other.position - self.position, relative, horizon), radius, 1e-3);
    // Who is on a collision course has to change; who is not may even come nearer.
    if (Length(u) > 1e-3) {
      EXPECT_EQ(Outside(line, self.velocity) > 0.0f, collides);
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST(AgentHalfPlane, OverlapIsResolvedWithinTheTimeStep) {
  const Disc self{1, {0, 0}, {0, 0}, 0.5f};
  const Disc other{2, {0.6f, 0}, {0, 0}, 0.5f};
  bool overlapping = false;
  const HalfPlane line = AgentHalfPlane(self, other, 0.5f, 10.0f, overlapping);
  EXPECT_TRUE(overlapping);
  // 0.4 m deep, to be gone in 0.1 s, one half by each.
  EXPECT_NEAR(line.point.x, -2.0f, 1e-5);
  EXPECT_NEAR(line.direction.y, 1.0f, 1e-6);
}

TEST(AgentHalfPlane, CoincidentAgentsPart) {
  for (AgentId id = 2; id < 50; ++id) {
    const Disc self{1, {3, 4}, {1, 0}, 0.5f};
    const Disc other{id, {3, 4}, {1, 0}, 0.5f};
    bool overlapping = false;
    const HalfPlane mine = AgentHalfPlane(self, other, 0.5f, 10.0f, overlapping);
    const HalfPlane theirs = AgentHalfPlane(other, self, 0.5f, 10.0f, overlapping);
    EXPECT_EQ(mine.direction, -theirs.direction);
    EXPECT_NEAR(Outside(mine, self.velocity), 5.0f, 1e-4);
  }
}

// What has to be gained is shared by weight and gained in full; of room to spare nobody gets less than half.
TEST(AgentHalfPlane, SharesByResponsibility) {
  Random random(3);
  int burdens = 0;
  for (int i = 0; i < 20000; ++i) {
    Disc self{1, random.InBox({-3, -3}, {3, 3}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)};
    Disc other{2, random.InBox({-3, -3}, {3, 3}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)};
    bool overlapping = false;
    const HalfPlane even = AgentHalfPlane(self, other, 0.5f, 30.0f, overlapping);
    self.responsibility = random.Uniform(0.01f, 2.0f);
    other.responsibility = random.Chance(0.1f) ? 0.0f : random.Uniform(0.01f, 2.0f);
    const HalfPlane line = AgentHalfPlane(self, other, 0.5f, 30.0f, overlapping);
    EXPECT_EQ(line.direction, even.direction);
    const Vec2 u = 2.0f * (even.point - self.velocity);
    const double length = Length(u);
    if (length < 0.01) continue;
    const double share = Length(line.point - self.velocity) / length;
    const double part = double{self.responsibility} / (double{self.responsibility} + other.responsibility);
    const bool burden = Det(even.direction, u) > 0.0f;
    burdens += burden ? 1 : 0;
    const double slack = other.responsibility == 0.0f ? 1.0 : std::max(1.0 - part, 0.5);
    EXPECT_NEAR(share, burden ? part : slack, 1e-3);
    if (!burden || other.responsibility == 0.0f) continue;
    const HalfPlane reverse = AgentHalfPlane(other, self, 0.5f, 30.0f, overlapping);
    EXPECT_NEAR(share + Length(reverse.point - other.velocity) / length, 1.0, 1e-3);
  }
  EXPECT_GT(burdens, 1000);
}

TEST(AgentHalfPlane, EqualResponsibilitiesOfOneChangeNoBit) {
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    const float weight = random.Chance(0.5f) ? 1.0f : random.Uniform(0.01f, 1000.0f);
    Disc self{1, random.InBox({-3, -3}, {3, 3}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)};
    Disc other{2, random.InBox({-3, -3}, {3, 3}), random.InBox({-2, -2}, {2, 2}), random.Uniform(0.1f, 1.0f)};
    bool overlapping = false;
    const HalfPlane even = AgentHalfPlane(self, other, 0.5f, 30.0f, overlapping);
    self.responsibility = other.responsibility = weight;
    EXPECT_EQ(AgentHalfPlane(self, other, 0.5f, 30.0f, overlapping).point, even.point);
  }
}

}  // namespace
}  // namespace throng
