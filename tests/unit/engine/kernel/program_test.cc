#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/twin_program.h"
#include "tests/unit/engine/kernel/probes.h"

namespace throng {
namespace {

using testing::Program;
using testing::Random;
using testing::Solution;

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

class KernelProgram : public ::testing::TestWithParam<SimdLevel> {
 protected:
  const testing::KernelProbes& probes_ = testing::ProbesOf(GetParam());

  // In one lane, beside others in which nothing is asked.
  Solution Solve(const std::vector<HalfPlane>& lines, std::size_t hard, float max_speed, Vec2 preferred) {
    std::vector<Program> programs(lane_ + 1);
    programs[lane_] = {lines, max_speed, preferred};
    const Solution solution = probes_.solve(programs, hard).back();
    lane_ = (lane_ + 1) % probes_.lanes;
    return solution;
  }

 private:
  std::size_t lane_ = 0;
};

TEST_P(KernelProgram, BeatsEverySampleWhereFeasible) {
  Random random(1);
  const std::vector<Vec2> samples = Samples(2.0f);
  int feasible = 0;
  for (int round = 0; round < 400; ++round) {
    const auto lines = RandomLines(random, random.Below(9), 1.5f);
    const Vec2 preferred = random.InBox({-3, -3}, {3, 3});
    const Solution result = Solve(lines, 0, 2.0f, preferred);
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

TEST_P(KernelProgram, ViolatesLeastWhereInfeasible) {
  Random random(2);
  const std::vector<Vec2> samples = Samples(2.0f);
  int infeasible = 0;
  for (int round = 0; round < 400; ++round) {
    auto lines = RandomLines(random, 4 + random.Below(9), 1.0f);
    // Points on the right of the origin's side, so that lines contradict each other.
    for (HalfPlane& line : lines) line.point = random.Uniform(0.0f, 1.0f) * TurnedLeft(line.direction);
    const Solution result = Solve(lines, 0, 2.0f, random.InBox({-3, -3}, {3, 3}));
    if (!result.infeasible) continue;
    ++infeasible;
    const float worst = Worst(lines, result.velocity);
    for (const Vec2 sample : samples) EXPECT_GE(Worst(lines, sample), worst - 1e-3f);
  }
  EXPECT_GT(infeasible, 100);
}

TEST_P(KernelProgram, NeverRelaxesHardLines) {
  Random random(3);
  int infeasible = 0;
  for (int round = 0; round < 2000; ++round) {
    // Hard lines that leave the origin; soft ones that contradict each other.
    std::vector<HalfPlane> lines = RandomLines(random, 3, 1.0f);
    for (HalfPlane& line : lines) {
      if (Outside(line, {}) > 0) line.direction = -line.direction;
    }
    for (const HalfPlane& soft : RandomLines(random, 8, 1.5f)) lines.push_back(soft);
    const Solution result = Solve(lines, 3, 2.0f, random.InBox({-3, -3}, {3, 3}));
    infeasible += result.infeasible;
    EXPECT_LE(Worst(std::span(lines).first(3), result.velocity), 1e-3f);
  }
  EXPECT_GT(infeasible, 500);
}

TEST_P(KernelProgram, WithoutLinesIsThePreferredVelocityWithinTheSpeed) {
  EXPECT_EQ(Solve({}, 0, 2.0f, {1, 1}).velocity, (Vec2{1, 1}));
  const Vec2 fast = Solve({}, 0, 2.0f, {30, 40}).velocity;
  EXPECT_NEAR(fast.x, 1.2f, 1e-6);
  EXPECT_NEAR(fast.y, 1.6f, 1e-6);
  EXPECT_EQ(Solve({}, 0, 0.0f, {3, 4}).velocity, (Vec2{0, 0}));
}

TEST_P(KernelProgram, ParallelLines) {
  // Between y = -1 and y = 1, then one that leaves nothing.
  std::vector<HalfPlane> lines = {{{0, -1}, {1, 0}}, {{0, 1}, {-1, 0}}};
  Solution result = Solve(lines, 0, 5.0f, {0, 3});
  EXPECT_FALSE(result.infeasible);
  EXPECT_NEAR(result.velocity.y, 1.0f, 1e-6);
  lines.push_back({{0, 2}, {1, 0}});
  result = Solve(lines, 0, 5.0f, {0, 3});
  EXPECT_TRUE(result.infeasible);
  EXPECT_NEAR(result.velocity.y, 1.5f, 1e-5) << "half way between what contradicts";
}

TEST_P(KernelProgram, StaysFiniteAtTheEndsOfTheRange) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    auto lines = RandomLines(random, 10, std::exp2(random.Uniform(-30, 30)));
    if (round % 3 == 0) lines[4].direction = lines[2].direction;
    const float max_speed = std::exp2(random.Uniform(-60, 9.9f));
    const Vec2 preferred = std::exp2(random.Uniform(-30, 20)) * random.UnitVector();
    const Vec2 velocity = Solve(lines, random.Below(4), max_speed, preferred).velocity;
    EXPECT_TRUE(std::isfinite(velocity.x) && std::isfinite(velocity.y));
    EXPECT_LE(Length(velocity), max_speed * (1 + 1e-6f));
  }
}

// Programs of different lengths side by side, some of them infeasible.
TEST_P(KernelProgram, GivesTheBitsOfTheTwin) {
  Random random(6);
  int infeasible = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t hard = random.Below(4);
    std::vector<Program> programs(1 + random.Below(static_cast<std::uint32_t>(probes_.lanes)));
    for (Program& program : programs) {
      program = {RandomLines(random, hard + random.Below(11), 1.5f), random.Uniform(0.0f, 2.5f),
                 random.InBox({-3, -3}, {3, 3})};
      if (random.Chance(0.2f) && program.lines.size() > 2) program.lines[1].direction = program.lines[0].direction;
    }
    const std::vector<Solution> solutions = probes_.solve(programs, hard);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      std::vector<twin::HalfPlane> lines;
      for (const HalfPlane& line : programs[i].lines) lines.push_back({line.point, line.direction});
      twin::Program twin;
      const Vec2 expected = twin.Solve(lines, hard, programs[i].max_speed, programs[i].preferred);
      ASSERT_EQ(solutions[i].infeasible, twin.infeasible());
      ASSERT_EQ(std::bit_cast<std::uint64_t>(solutions[i].velocity), std::bit_cast<std::uint64_t>(expected));
      infeasible += twin.infeasible();
    }
  }
  EXPECT_GT(infeasible, 100);
}

INSTANTIATE_TEST_SUITE_P(Levels, KernelProgram, ::testing::ValuesIn(AvailableSimdLevels()),
                         [](const auto& level) { return std::string(Name(level.param)); });

}  // namespace
}  // namespace throng
