// Differential drives: they go where they face, follow what they chose within their tracking error, and keep clear.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::AtTurns;
using testing::Random;

constexpr double kPi = 3.14159265358979;

std::unique_ptr<World> MakeWorld(float time_step, Preset preset = Preset::kDefault) {
  WorldSettings settings;
  settings.preset = preset;
  settings.time_step = time_step;
  return *World::Create(settings);
}

AgentSpec Robot(Vec2 position, float turn_rate = 2.0f) {
  AgentSpec spec;
  spec.position = position;
  spec.params.drive = Drive::kDifferential;
  spec.params.max_turn_rate = turn_rate;
  spec.params.tracking_error = 0.15f;
  return spec;
}

AgentId Add(World& world, const AgentSpec& spec) {
  const auto id = world.AddAgent(spec);
  EXPECT_TRUE(id.ok()) << id.status();
  return id.value_or(kInvalidId);
}

double Distance(Vec2 a, Vec2 b) { return std::hypot(double{a.x} - b.x, double{a.y} - b.y); }
double AngleBetween(double a, double b) { return std::abs(std::remainder(a - b, 2.0 * kPi)); }

std::vector<AgentState> Agents(const World& world) {
  std::vector<AgentState> agents;
  for (const AgentId id : world.membership()->ids) agents.push_back(*world.GetAgent(id));
  return agents;
}

// A tick in which every drive goes forward along its heading, which turns no faster than it may.
void StepAndCheck(World& world) {
  const std::vector<AgentState> before = Agents(world);
  ASSERT_TRUE(world.Step().ok());
  const std::vector<AgentState> after = Agents(world);
  const double time_step = double{world.settings().time_step};
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].params.drive != Drive::kDifferential) continue;
    const double x = double{after[i].position.x} - before[i].position.x;
    const double y = double{after[i].position.y} - before[i].position.y;
    const double heading = after[i].heading;
    EXPECT_NEAR(-std::sin(heading) * x + std::cos(heading) * y, 0.0, 1e-5) << "agent " << after[i].id;
    EXPECT_GE(std::cos(heading) * x + std::sin(heading) * y, -1e-5) << "agent " << after[i].id;
    if (before[i].heading == 0.0f && before[i].velocity == Vec2{}) continue;  // may not face anywhere yet
    EXPECT_LE(AngleBetween(before[i].heading, heading), double{after[i].params.max_turn_rate} * time_step + 1e-5);
  }
}

// Of true discs: how deep any two overlap, at most.
double Overlap(const World& world) {
  const std::vector<AgentState> agents = Agents(world);
  double deepest = 0.0;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double room = double{agents[i].params.radius} + double{agents[j].params.radius};
      deepest = std::max(deepest, room - Distance(agents[i].position, agents[j].position));
    }
  }
  return deepest;
}

TEST(Drive, NeedsATurnRate) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Robot({0, 0}, 0.0f);
  const auto violation = GetViolation(world->AddAgent(spec).status());
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->field, "params.max_turn_rate");
  spec = Robot({0, 0});
  const AgentId id = Add(*world, spec);
  AgentUpdate update;
  update.params.max_turn_rate = 0.0f;
  EXPECT_EQ(world->UpdateAgent(id, update).code(), absl::StatusCode::kInvalidArgument);
  update.params.drive = Drive::kOmni;
  EXPECT_TRUE(world->UpdateAgent(id, update).ok());
}

TEST(Drive, ItsRadiusIsReadAsItWasTold) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Robot({0, 0});
  spec.params.radius = 0.3f;
  const AgentId id = Add(*world, spec);
  EXPECT_EQ(world->GetAgent(id)->params.radius, 0.3f);
  EXPECT_EQ(EffectiveRadius(world->GetAgent(id)->params), 0.3f + 0.15f);
  std::vector<float> radius(1);
  world->Read(Column::kRadius, 0, radius);
  EXPECT_EQ(radius[0], 0.3f);
  AgentUpdate update;
  update.params.max_speed = 1.0f;  // another parameter
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  EXPECT_EQ(world->GetAgent(id)->params.radius, 0.3f);
}

TEST(Drive, StartsInTheOppositeDirectionByTurningAlmostOnTheSpot) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Robot({0, 0});
  spec.heading = 0.0f;
  spec.goal = Vec2{-5, 0};
  const AgentId id = Add(*world, spec);
  for (int tick = 1; tick <= 7; ++tick) {
    ASSERT_NO_FATAL_FAILURE(StepAndCheck(*world));
    EXPECT_LT(Distance(world->GetAgent(id)->position, {0, 0}), 0.02);  // it chooses what it can follow
    EXPECT_NEAR(world->GetAgent(id)->heading, 0.2 * tick, 1e-5);       // to the left
  }
  for (int tick = 0; tick < 200; ++tick) ASSERT_NO_FATAL_FAILURE(StepAndCheck(*world));
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kArrived);
  EXPECT_EQ(world->GetAgent(id)->velocity, (Vec2{}));
}

// Chosen velocities are permitted ones, and who is told one of those follows it within the tracking error, for ever.
TEST(Drive, FollowsWhatItChoseWithinItsTrackingError) {
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    const auto world = MakeWorld(random.Chance(0.5f) ? 0.1f : 0.02f, Preset::kBase);
    AgentSpec spec = Robot({0, 0}, random.Uniform(0.5f, 6.0f));
    spec.params.tracking_error = random.Uniform(0.05f, 0.5f);
    spec.heading = random.Uniform(-3.0f, 3.0f);
    const double slip = double{*spec.params.tracking_error} * double{*spec.params.max_turn_rate};
    // In the heading's frame.
    const double along = random.Chance(0.3f) ? -0.05 * slip : double{random.Uniform(0.0f, 2.0f)};
    const double across = double{random.Uniform(-0.6f, 0.6f)} * slip;
    const double c = std::cos(double{*spec.heading}), s = std::sin(double{*spec.heading});
    const Vec2 wanted{static_cast<float>(c * along - s * across), static_cast<float>(s * along + c * across)};
    if (std::hypot(wanted.x, wanted.y) > 2.0) continue;
    spec.preferred_velocity = wanted;
    const AgentId id = Add(*world, spec);
    double worst = 0.0;
    while (world->simulation_time() < 8.0) {
      ASSERT_TRUE(world->Step().ok());
      const double time = world->simulation_time();
      const Vec2 at = world->GetAgent(id)->position;
      worst = std::max(worst, std::hypot(at.x - wanted.x * time, at.y - wanted.y * time));
    }
    EXPECT_LE(worst, double{*spec.params.tracking_error} + 1e-3) << along << ' ' << across;
  }
}

TEST(Drive, HeadOnPairsPass) {
  for (const float offset : {0.0f, 0.01f, -0.3f, 0.7f}) {
    const auto world = MakeWorld(1.0f / 30.0f);
    AgentSpec left = Robot({-6, 0}), right = Robot({6, offset});
    left.goal = Vec2{6, 0};
    right.goal = Vec2{-6, offset};
    left.heading = 0.0f;
    right.heading = static_cast<float>(kPi);
    const AgentId a = Add(*world, left), b = Add(*world, right);
    double deepest = 0.0;
    for (int tick = 0; tick < 900; ++tick) {
      ASSERT_NO_FATAL_FAILURE(StepAndCheck(*world));
      deepest = std::max(deepest, Overlap(*world));
    }
    EXPECT_EQ(deepest, 0.0) << offset;
    EXPECT_EQ(world->GetAgent(a)->status, AgentStatus::kArrived) << offset;
    EXPECT_EQ(world->GetAgent(b)->status, AgentStatus::kArrived) << offset;
  }
}

// Rings of drives, and of drives and walkers in turn.
TEST(Drive, DiscsKeepClearOfEachOther) {
  for (const int count : {3, 6, 10}) {
    for (const bool mixed : {false, true}) {
      const auto world = MakeWorld(1.0f / 30.0f);
      const float radius = 3.0f + 0.6f * static_cast<float>(count);
      for (int i = 0; i < count; ++i) {
        const Vec2 outward = AtTurns((i + 0.13) / count);
        AgentSpec spec = Robot({radius * outward.x, radius * outward.y}, 3.0f);
        if (mixed && i % 2 == 0) spec.params.drive = Drive::kOmni, spec.params.max_turn_rate.reset();
        spec.goal = Vec2{-radius * outward.x, -radius * outward.y};
        Add(*world, spec);
      }
      double deepest = 0.0;
      for (int tick = 0; tick < 900; ++tick) {
        ASSERT_NO_FATAL_FAILURE(StepAndCheck(*world));
        deepest = std::max(deepest, Overlap(*world));
      }
      EXPECT_LE(deepest, 0.0) << count << (mixed ? " mixed" : "");
    }
  }
}

}  // namespace
}  // namespace throng
