// Limits of motion: smoothing, acceleration and turn rate do what they say of one agent, and hold in every tick of any
// crowd, whatever is edited.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/differential/edits.h"
#include "tests/support/random.h"
#include "tests/support/scenes.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Random;
using testing::Scene;
using testing::Shape;

constexpr double kPi = 3.14159265358979;

std::unique_ptr<World> MakeWorld(float time_step, Preset preset = Preset::kBase) {
  WorldSettings settings;
  settings.preset = preset;
  settings.time_step = time_step;
  return *World::Create(settings);
}

AgentId Add(World& world, const AgentSpec& spec) {
  const auto id = world.AddAgent(spec);
  EXPECT_TRUE(id.ok()) << id.status();
  return id.value_or(kInvalidId);
}

AgentSpec Walker(Vec2 preferred, Vec2 velocity = {}) {
  AgentSpec spec;
  spec.position = Vec2{};
  spec.velocity = velocity;
  spec.preferred_velocity = preferred;
  return spec;
}

AgentState Stepped(World& world, AgentId id) {
  EXPECT_TRUE(world.Step().ok());
  return *world.GetAgent(id);
}

double Length(Vec2 v) { return std::hypot(double{v.x}, double{v.y}); }
double AngleBetween(double a, double b) { return std::abs(std::remainder(a - b, 2.0 * kPi)); }

// Smoothing -----------------------------------------------------------------------------------------------------------

TEST(Smoothing, IsAFirstOrderLag) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Walker({1.5f, 0.0f});
  spec.params.smoothing_time = 0.5f;
  const AgentId id = Add(*world, spec);
  double left = 1.0;
  for (int tick = 1; tick <= 40; ++tick) {
    const AgentState agent = Stepped(*world, id);
    left *= 0.5 / 0.6;
    EXPECT_NEAR(agent.velocity.x, 1.5 * (1.0 - left), 1e-5) << tick;
    EXPECT_EQ(*agent.preferred_velocity, (Vec2{1.5f, 0.0f}));  // what it was told stays
  }
}

TEST(Smoothing, EndsAtRestOfWhoWantsNothing) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Walker({}, {1.5f, -1.0f});
  spec.params.smoothing_time = 1.0f;
  const AgentId id = Add(*world, spec);
  EXPECT_GT(Length(Stepped(*world, id).velocity), 1.0);
  for (int tick = 0; tick < 100; ++tick) Stepped(*world, id);
  EXPECT_EQ(world->GetAgent(id)->velocity, (Vec2{}));
}

TEST(Smoothing, AgesStaleInputsAsTheyWereTold) {
  WorldSettings settings;
  settings.preset = Preset::kBase;
  settings.time_step = 0.1f;
  settings.stale_input = {StaleInputPolicy::kDecay, 0, 0.3f};
  const auto world = *World::Create(settings);
  AgentSpec spec = Walker({1.0f, 0.0f});
  spec.params.smoothing_time = 10.0f;
  const AgentId id = Add(*world, spec);
  EXPECT_NEAR(Stepped(*world, id).preferred_velocity->x, 0.75, 1e-6);
  EXPECT_NEAR(Stepped(*world, id).preferred_velocity->x, 0.75 * 0.75, 1e-6);
}

// Acceleration --------------------------------------------------------------------------------------------------------

TEST(Acceleration, SpeedsUpAndBrakesEvenlyToAnExactStop) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Walker({1.5f, 0.0f});
  spec.params.max_acceleration = 1.0f;
  const AgentId id = Add(*world, spec);
  for (int tick = 1; tick <= 15; ++tick) EXPECT_NEAR(Stepped(*world, id).velocity.x, 0.1 * tick, 1e-5);
  EXPECT_EQ(Stepped(*world, id).velocity, (Vec2{1.5f, 0.0f}));
  AgentUpdate stop;
  stop.preferred_velocity = Vec2{};
  ASSERT_TRUE(world->UpdateAgent(id, stop).ok());
  for (int tick = 1; tick <= 14; ++tick) EXPECT_NEAR(Stepped(*world, id).velocity.x, 1.5 - 0.1 * tick, 1e-5);
  Stepped(*world, id);
  EXPECT_EQ(Stepped(*world, id).velocity, (Vec2{}));
}

TEST(Acceleration, YieldsToAMaximumSpeedThatWasLowered) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Walker({1.5f, 0.0f}, {1.5f, 0.0f});
  spec.params.max_acceleration = 0.1f;
  const AgentId id = Add(*world, spec);
  AgentUpdate slower;
  slower.params.max_speed = 0.5f;
  ASSERT_TRUE(world->UpdateAgent(id, slower).ok());
  EXPECT_LE(Length(Stepped(*world, id).velocity), 0.5 * (1.0 + 1e-6));
}

// State it: avoidance yields to the limit. Two that cannot brake in time run into each other, within the limit.
TEST(Acceleration, HoldsWhereAvoidanceAsksForMore) {
  const auto world = MakeWorld(0.1f);
  AgentSpec left = Walker({2.0f, 0.0f}, {2.0f, 0.0f}), right = Walker({-2.0f, 0.0f}, {-2.0f, 0.0f});
  left.position = Vec2{-1.5f, 0.0f};
  right.position = Vec2{1.5f, 0.01f};
  left.params.max_acceleration = right.params.max_acceleration = 0.5f;
  const AgentId a = Add(*world, left), b = Add(*world, right);
  double nearest = 3.0;
  for (int tick = 0; tick < 30; ++tick) {
    const Vec2 before = world->GetAgent(a)->velocity;
    const AgentState after = Stepped(*world, a);
    EXPECT_LE(Length({after.velocity.x - before.x, after.velocity.y - before.y}), 0.05 * (1.0 + 1e-5));
    const Vec2 other = world->GetAgent(b)->position;
    nearest = std::min(nearest, Length({after.position.x - other.x, after.position.y - other.y}));
  }
  EXPECT_LT(nearest, 1.0);
}

// Turning -------------------------------------------------------------------------------------------------------------

TEST(TurnRate, GoesRoundInAnArc) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Walker({0.0f, 1.5f}, {1.5f, 0.0f});
  spec.params.max_turn_rate = 1.0f;
  const AgentId id = Add(*world, spec);
  for (int tick = 1; tick <= 15; ++tick) {
    const AgentState agent = Stepped(*world, id);
    EXPECT_NEAR(agent.heading, 0.1 * tick, 1e-5);
    EXPECT_NEAR(std::atan2(agent.velocity.y, agent.velocity.x), agent.heading, 1e-6);
    EXPECT_NEAR(Length(agent.velocity), 1.5 * std::sin(0.1 * tick), 1e-5);  // its part along the heading
  }
  EXPECT_NEAR(Stepped(*world, id).heading, kPi / 2.0, 1e-6);
}

TEST(TurnRate, TurnsBackOnTheSpot) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Walker({-1.5f, 0.0f}, {1.5f, 0.0f});
  spec.params.max_turn_rate = 2.0f;
  const AgentId id = Add(*world, spec);
  int standing = 0;
  for (int tick = 1; tick <= 16; ++tick) {
    const AgentState agent = Stepped(*world, id);
    EXPECT_NEAR(AngleBetween(agent.heading, 0.0), std::min(kPi, 0.2 * tick), 1e-5) << tick;
    standing += agent.velocity == Vec2{} ? 1 : 0;
  }
  EXPECT_EQ(standing, 7);  // until it faces less than a quarter turn away
  EXPECT_NEAR(world->GetAgent(id)->velocity.x, -1.5, 1e-5);
}

TEST(TurnRate, WhoNeverMovedSetsOffInAnyDirection) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Walker({-1.5f, 0.0f});
  spec.params.max_turn_rate = 0.1f;
  const AgentId free = Add(*world, spec);
  spec.position = Vec2{100, 0};
  spec.heading = 0.0f;
  const AgentId told = Add(*world, spec);
  EXPECT_EQ(Stepped(*world, free).velocity, (Vec2{-1.5f, 0.0f}));
  EXPECT_EQ(world->GetAgent(told)->velocity, (Vec2{}));
  EXPECT_NEAR(AngleBetween(world->GetAgent(told)->heading, 0.0), 0.01, 1e-6);
}

TEST(TurnRate, SmallAnglesArePrecise) {
  const auto world = MakeWorld(0.01f);
  AgentSpec spec = Walker({0.0f, 1.5f}, {1.5f, 0.0f});
  spec.params.max_turn_rate = 0.01f;  // 1e-4 a tick, whose cosine is 1 in float
  const AgentId id = Add(*world, spec);
  for (int tick = 1; tick <= 50; ++tick) EXPECT_NEAR(Stepped(*world, id).heading, 1e-4 * tick, 1e-6);
}

TEST(Heading, TurnsTheVelocityAndIsKeptAtRest) {
  const auto world = MakeWorld(0.1f);
  AgentSpec spec = Walker({}, {2.0f, 0.0f});
  spec.heading = static_cast<float>(kPi / 2.0);
  const AgentId id = Add(*world, spec);
  AgentState agent = *world->GetAgent(id);
  EXPECT_NEAR(agent.velocity.x, 0.0, 1e-6);
  EXPECT_NEAR(agent.velocity.y, 2.0, 1e-6);
  agent = Stepped(*world, id);
  EXPECT_EQ(agent.velocity, (Vec2{}));
  EXPECT_NEAR(agent.heading, kPi / 2.0, 1e-6);
  std::vector<float> headings(1);
  world->Read(Column::kHeading, 0, headings);
  EXPECT_EQ(headings[0], agent.heading);
  AgentUpdate update;
  update.heading = 1.0f;
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  EXPECT_NEAR(world->GetAgent(id)->heading, 1.0, 1e-6);
}

TEST(Heading, OfOthersIsThatOfTheirVelocity) {
  const auto world = MakeWorld(0.1f);
  const AgentId id = Add(*world, Walker({-1.0f, 1.0f}));
  EXPECT_EQ(world->GetAgent(id)->heading, 0.0f);
  EXPECT_NEAR(Stepped(*world, id).heading, 0.75 * kPi, 1e-6);
}

// All together --------------------------------------------------------------------------------------------------------

// With every mix of limits an agent comes to its goal and to an exact stop.
TEST(LimitsOfMotion, AgentsArriveAndStop) {
  for (int mix = 0; mix < 8; ++mix) {
    const auto world = MakeWorld(1.0f / 30.0f, Preset::kDefault);
    AgentSpec spec = Walker({}, {0.0f, 1.0f});
    spec.preferred_velocity.reset();
    spec.goal = Vec2{-6.0f, -3.0f};
    spec.params.slow_down_distance = 2.0f;
    if ((mix & 1) != 0) spec.params.smoothing_time = 0.3f;
    if ((mix & 2) != 0) spec.params.max_acceleration = 1.5f;
    if ((mix & 4) != 0) spec.params.max_turn_rate = 2.0f;
    const AgentId id = Add(*world, spec);
    for (int tick = 0; tick < 900; ++tick) Stepped(*world, id);
    const AgentState agent = *world->GetAgent(id);
    EXPECT_EQ(agent.status, AgentStatus::kArrived) << mix;
    EXPECT_EQ(agent.velocity, (Vec2{})) << mix;
  }
}

// Follows a world tick by tick and holds what each agent does against what it may.
class Watch {
 public:
  explicit Watch(const World& world) : world_(world), time_step_(double{world.settings().time_step}) {}

  // Between edits and the step.
  void Begin() {
    before_.clear();
    for (const AgentId id : world_.membership()->ids) before_[id] = *world_.GetAgent(id);
  }
  // After it. Returns how many agents passed a limit; failures say by how much.
  std::size_t End(std::size_t allowed) {
    std::size_t passed = 0;
    for (const auto& [id, before] : before_) {
      const AgentState after = *world_.GetAgent(id);
      if (after.kinematic) continue;
      EXPECT_TRUE(std::isfinite(after.position.x) && std::isfinite(after.velocity.y));
      EXPECT_LE(Length(after.velocity), double{after.params.max_speed} * (1.0 + 1e-5) + 1e-30) << id;
      const std::string fault = Fault(before, after);
      if (fault.empty()) continue;
      ++passed;
      EXPECT_LE(passed, allowed) << "agent " << id << ": " << fault;
    }
    return passed;
  }

 private:
  std::string Fault(const AgentState& before, const AgentState& after) const {
    const AgentParams& params = after.params;
    const double speed_before = Length(before.velocity);
    const double change = Length({after.velocity.x - before.velocity.x, after.velocity.y - before.velocity.y});
    // A velocity can only be as near to another as floats are.
    const double rounding = 2e-7 * (speed_before + Length(after.velocity)) + 1e-12;
    const double most = double{params.max_acceleration} * time_step_ * (1.0 + 1e-5) + rounding;
    // Who is too fast for its maximum brakes at once.
    const bool too_fast = speed_before > double{params.max_speed};
    if (params.max_acceleration > 0.0f && !too_fast && change > most) return "changed by " + std::to_string(change);
    const double turn = AngleBetween(before.heading, after.heading);
    const bool known = speed_before > 1e-14 || before.heading != 0.0f;
    const double most_turn = double{params.max_turn_rate} * time_step_ * (1.0 + 1e-5) + 2e-6;
    if (params.max_turn_rate > 0.0f && known && turn > most_turn) return "turned by " + std::to_string(turn);
    return "";
  }

  const World& world_;
  double time_step_;
  std::map<AgentId, AgentState> before_;
};

void AddLimits(Scene& scene, Random& random) {
  for (AgentSpec& agent : scene.agents) {
    if (random.Chance(0.9f)) testing::DrawLimits(random, agent.params);
    if (random.Chance(0.3f)) agent.heading = random.Uniform(-4.0f, 4.0f);
  }
}

std::unique_ptr<World> Make(const Scene& scene) {
  auto world = World::Create(scene.settings);
  EXPECT_TRUE(world.ok()) << world.status();
  for (const ObstacleSpec& obstacle : scene.obstacles) EXPECT_TRUE((*world)->AddObstacle(obstacle).ok());
  for (const AgentSpec& agent : scene.agents) EXPECT_TRUE((*world)->AddAgent(agent).ok());
  return *std::move(world);
}

class LimitsHold : public ::testing::TestWithParam<Shape> {};

// Parameters, velocities, places, obstacles and inputs change at any tick border; agents come and go. Only a move that
// was cut at an obstacle may pass a limit.
TEST_P(LimitsHold, InEveryTickThroughAnyEdits) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    Scene scene = testing::RandomCrowd(GetParam(), 150, seed);
    if (seed % 2 == 0) scene.settings.preset = Preset::kDefault;
    if (seed % 3 == 0) scene.settings.time_step = random.Uniform(0.02f, 0.1f);
    scene.settings.seed = seed;
    AddLimits(scene, random);
    const auto world = Make(scene);
    testing::Editor editor(scene, seed, {.kinematics = true, .limits = true});
    Watch watch(*world);
    for (int tick = 0; tick < 100; ++tick) {
      if (random.Chance(0.3f)) {
        for (const testing::Edit& edit : editor.Next()) testing::Apply(edit, *world);
      }
      watch.Begin();
      ASSERT_TRUE(world->Step().ok());
      watch.End(world->stats().cut + world->stats().stranded);
      if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << ", tick " << tick;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LimitsHold, ::testing::ValuesIn(testing::kAllShapes),
                         [](const auto& shape) { return testing::ToString(shape.param); });

// R026: where the program has no solution, limits and maximum speed hold all the same; far from others an agent gets
// what it wants.
TEST(LimitsOfMotion, R026HoldInAPackThatCannotMove) {
  const auto world = MakeWorld(0.1f, Preset::kDefault);
  const float spacing = 0.9f;
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const Vec2 place{spacing * (static_cast<float>(column) + 0.5f * static_cast<float>(row % 2)),
                       spacing * 0.866f * static_cast<float>(row)};
      AgentSpec spec = Walker({3.4f - place.x, 2.7f - place.y});
      spec.position = place;
      spec.params.max_acceleration = 0.3f;
      spec.params.max_turn_rate = 1.0f;
      if (row == 0) spec.params.max_speed = 0.0f;
      Add(*world, spec);
    }
  }
  AgentSpec far = Walker({0.5f, 0.5f}, {0.5f, 0.5f});
  far.position = Vec2{200, 200};
  far.params.max_acceleration = 0.3f;
  const AgentId free = Add(*world, far);
  Watch watch(*world);
  std::uint64_t infeasible = 0;
  for (int tick = 0; tick < 200; ++tick) {
    watch.Begin();
    EXPECT_EQ(Stepped(*world, free).velocity, (Vec2{0.5f, 0.5f}));
    watch.End(0);
    infeasible += world->stats().infeasible;
  }
  EXPECT_GT(infeasible, 0u);
}

// A relative of R023: inputs as large as they may be leave nothing that is not finite.
TEST(LimitsOfMotion, R023StayFiniteAtTheEndsOfAllRanges) {
  Random random(5);
  const auto world = MakeWorld(0.001f);
  const float ends[] = {0.0f, 1e-45f, 1e-30f, 1.0f, 1e6f};
  for (int i = 0; i < 200; ++i) {
    AgentSpec spec = Walker({random.Chance(0.5f) ? 1048576.0f : 0.0f, random.Uniform(-1e6f, 1e6f)},
                            {random.Chance(0.5f) ? -1048576.0f : 1e-20f, random.Uniform(-1.0f, 1.0f)});
    spec.position = random.InBox({-5, -5}, {5, 5});
    spec.params.smoothing_time = std::min(ends[random.Below(5)], 100.0f);
    spec.params.max_acceleration = ends[random.Below(5)];
    spec.params.max_turn_rate = std::min(ends[random.Below(5)], 1000.0f);
    spec.params.max_speed = std::min(ends[random.Below(5)], 1000.0f);
    Add(*world, spec);
  }
  Watch watch(*world);
  for (int tick = 0; tick < 200; ++tick) {
    watch.Begin();
    ASSERT_TRUE(world->Step().ok());
    watch.End(0);
  }
}

}  // namespace
}  // namespace throng
