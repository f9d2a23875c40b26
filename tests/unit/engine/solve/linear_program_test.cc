#include "solve/linear_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

using testing::Random;

float Length(Vec2 v) { return std::sqrt(AbsSq(v)); }

float Worst(std::span<const HalfPlane> lines, Vec2 v) {
  float worst = -1e30f;
  for (const HalfPlane& line : lines) worst = std::max(worst, Outside(line, v));
  return worst;
}

// Velocities all over the disc, its rim included.
std::vector<Vec2> Samples(float max_speed) {
  std::vector<Vec2> samples;
  for (int ring = 0; ring <= 60; ++ring) {
    const float speed = max_speed * static_cast<float>(ring) / 60.0f;
    for (int turn = 0; turn < 240; ++turn) samples.push_back(speed * testing::AtTurns(turn / 240.0));
  }
  return samples;
}

std::vector<HalfPlane> RandomLines(Random& random, std::size_t count, float spread) {
  std::vector<HalfPlane> lines;
  for (std::size_t i = 0; i < count; ++i) {
    lines.push_back({random.InBox({-spread, -spread}, {spread, spread}), random.UnitVector()});
  }
  return lines;
}

TEST(SolveVelocity, BeatsEverySampleWhereFeasible) {
  Random random(1);
  const std::vector<Vec2> samples = Samples(2.0f);
  std::vector<HalfPlane> scratch;
  int feasible = 0;
  for (int round = 0; round < 400; ++round) {
    const auto lines = RandomLines(random, random.Below(9), 1.5f);
    const Vec2 preferred = random.InBox({-3, -3}, {3, 3});
    const ProgramResult result = SolveVelocity(lines, 0, 2.0f, preferred, scratch);
    ASSERT_LE(Length(result.velocity), 2.0f * (1 + 1e-6f));
    const bool any = std::any_of(samples.begin(), samples.end(), [&](Vec2 v) { return Worst(lines, v) < 0; });
    if (any) {
      EXPECT_FALSE(result.infeasible);
    }
    if (result.infeasible) continue;
    ++feasible;
    EXPECT_LE(Worst(lines, result.velocity), 1e-4f);
    const float distance = Length(result.velocity - preferred);
    for (const Vec2 sample : samples) {
      if (Worst(lines, sample) <= 0) {
        EXPECT_GE(Length(sample - preferred), distance - 1e-3f);
      }
    }
  }
  EXPECT_GT(feasible, 100);
}

TEST(SolveVelocity, ViolatesLeastWhereInfeasible) {
  Random random(2);
  const std::vector<Vec2> samples = Samples(2.0f);
  std::vector<HalfPlane> scratch;
  int infeasible = 0;
  for (int round = 0; round < 400; ++round) {
    auto lines = RandomLines(random, 4 + random.Below(9), 1.0f);
    // Points on the right of the origin's side, so that lines contradict each other.
    for (HalfPlane& line : lines) line.point = random.Uniform(0.0f, 1.0f) * TurnedLeft(line.direction);
    const ProgramResult result = SolveVelocity(lines, 0, 2.0f, random.InBox({-3, -3}, {3, 3}), scratch);
    if (!result.infeasible) continue;
    ++infeasible;
    const float worst = Worst(lines, result.velocity);
    for (const Vec2 sample : samples) EXPECT_GE(Worst(lines, sample), worst - 1e-3f);
  }
  EXPECT_GT(infeasible, 100);
}

TEST(SolveVelocity, NeverRelaxesHardLines) {
  Random random(3);
  std::vector<HalfPlane> scratch;
  int infeasible = 0;
  for (int round = 0; round < 2000; ++round) {
    // Hard lines that leave the origin; soft ones that contradict each other.
    std::vector<HalfPlane> lines = RandomLines(random, 3, 1.0f);
    for (HalfPlane& line : lines) {
      if (Outside(line, {}) > 0) line.direction = -line.direction;
    }
    for (const HalfPlane& soft : RandomLines(random, 8, 1.5f)) lines.push_back(soft);
    const ProgramResult result = SolveVelocity(lines, 3, 2.0f, random.InBox({-3, -3}, {3, 3}), scratch);
    infeasible += result.infeasible;
    EXPECT_LE(Worst(std::span(lines).first(3), result.velocity), 1e-3f);
  }
  EXPECT_GT(infeasible, 500);
}

TEST(SolveVelocity, WithoutLinesIsThePreferredVelocityWithinTheSpeed) {
  std::vector<HalfPlane> scratch;
  EXPECT_EQ(SolveVelocity({}, 0, 2.0f, {1, 1}, scratch).velocity, (Vec2{1, 1}));
  const Vec2 fast = SolveVelocity({}, 0, 2.0f, {30, 40}, scratch).velocity;
  EXPECT_NEAR(fast.x, 1.2f, 1e-6);
  EXPECT_NEAR(fast.y, 1.6f, 1e-6);
  EXPECT_EQ(SolveVelocity({}, 0, 0.0f, {3, 4}, scratch).velocity, (Vec2{0, 0}));
}

TEST(SolveVelocity, ParallelLines) {
  std::vector<HalfPlane> scratch;
  // Between y = -1 and y = 1, then one that leaves nothing.
  std::vector<HalfPlane> lines = {{{0, -1}, {1, 0}}, {{0, 1}, {-1, 0}}};
  ProgramResult result = SolveVelocity(lines, 0, 5.0f, {0, 3}, scratch);
  EXPECT_FALSE(result.infeasible);
  EXPECT_NEAR(result.velocity.y, 1.0f, 1e-6);
  lines.push_back({{0, 2}, {1, 0}});
  result = SolveVelocity(lines, 0, 5.0f, {0, 3}, scratch);
  EXPECT_TRUE(result.infeasible);
  EXPECT_NEAR(result.velocity.y, 1.5f, 1e-5) << "half way between what contradicts";
}

TEST(SolveVelocity, StaysFiniteAtTheEndsOfTheRange) {
  Random random(5);
  std::vector<HalfPlane> scratch;
  for (int round = 0; round < 2000; ++round) {
    auto lines = RandomLines(random, 10, std::exp2(random.Uniform(-30, 30)));
    if (round % 3 == 0) lines[4].direction = lines[2].direction;
    const float max_speed = std::exp2(random.Uniform(-60, 9.9f));
    const Vec2 preferred = std::exp2(random.Uniform(-30, 20)) * random.UnitVector();
    const Vec2 velocity = SolveVelocity(lines, random.Below(4), max_speed, preferred, scratch).velocity;
    EXPECT_TRUE(std::isfinite(velocity.x) && std::isfinite(velocity.y));
    EXPECT_LE(Length(velocity), max_speed * (1 + 1e-6f));
  }
}

}  // namespace
}  // namespace throng
