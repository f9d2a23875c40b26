// Goals and paths: agents arrive and stay, never run past, and pass waypoints in order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Random;

std::unique_ptr<World> MakeWorld(float time_step = 0.1f) {
  WorldSettings settings;
  settings.preset = Preset::kBase;
  settings.time_step = time_step;
  return *World::Create(settings);
}

AgentId Add(World& world, const AgentSpec& spec) {
  const auto id = world.AddAgent(spec);
  EXPECT_TRUE(id.ok()) << id.status();
  return id.value_or(kInvalidId);
}

AgentSpec At(Vec2 position) {
  AgentSpec spec;
  spec.position = position;
  return spec;
}

AgentSpec Towards(Vec2 position, Vec2 goal) {
  AgentSpec spec = At(position);
  spec.goal = goal;
  return spec;
}

void Step(World& world, int ticks = 1) {
  for (int i = 0; i < ticks; ++i) ASSERT_TRUE(world.Step().ok());
}

double Distance(Vec2 a, Vec2 b) { return std::hypot(double{a.x} - b.x, double{a.y} - b.y); }

double SpeedOf(const AgentState& agent) { return std::hypot(agent.velocity.x, agent.velocity.y); }

TEST(Goals, AnAgentGoesThereAndStays) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, Towards({0, 0}, {10, 0}));
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kMoving);
  EXPECT_EQ(std::get<Goal>(world->GetAgent(id)->steering), (Goal{{10, 0}}));
  std::uint64_t arrivals = 0;
  std::vector<AgentEvent> events;
  for (int tick = 0; tick < 300; ++tick) {
    Step(*world);
    arrivals += world->stats().arrived;
    world->ReadEvents(events);
    EXPECT_EQ(events.size(), world->stats().arrived);
  }
  const AgentState agent = *world->GetAgent(id);
  EXPECT_EQ(agent.status, AgentStatus::kArrived);
  EXPECT_EQ(agent.velocity, (Vec2{0, 0}));
  EXPECT_LE(Distance(agent.position, {10, 0}), 0.1);
  EXPECT_EQ(arrivals, 1u);
}

TEST(Goals, PreferredSpeedAboveTheMaximumCountsAsThat) {
  const auto world = MakeWorld();
  AgentSpec spec = Towards({0, 0}, {100, 0});
  spec.params.preferred_speed = 5.0f;
  spec.params.max_speed = 2.0f;
  const AgentId id = Add(*world, spec);
  Step(*world);
  EXPECT_EQ(world->GetAgent(id)->velocity, (Vec2{2, 0}));
  EXPECT_EQ(world->GetAgent(id)->preferred_velocity, (Vec2{2, 0}));
}

// Whatever speed, step, arrival radius and slowing down, and whatever edits of the parameters on the way.
TEST(Goals, NeverPastTheGoalAndSlowerTheNearer) {
  Random random(11);
  for (int round = 0; round < 400; ++round) {
    const float step = random.Chance(0.3f) ? 1.0f : random.Uniform(0.001f, 0.5f);
    const auto world = MakeWorld(step);
    const Vec2 start = random.InBox({-50, -50}, {50, 50});
    AgentSpec spec = Towards(start, random.InBox({-50, -50}, {50, 50}));
    spec.params.max_speed = random.Uniform(0.0f, 200.0f);
    spec.params.preferred_speed = random.Uniform(0.0f, 200.0f);
    spec.params.arrival_radius = random.Uniform(0.001f, 1.0f);
    spec.params.slow_down_distance = random.Chance(0.3f) ? 0.0f : random.Uniform(0.0f, 60.0f);
    spec.params.time_horizon = 1.0f;
    const AgentId id = Add(*world, spec);
    const Vec2 goal = *spec.goal;
    double left = Distance(start, goal);
    double speed = std::numeric_limits<double>::infinity();
    for (int tick = 0; tick < 200; ++tick) {
      Step(*world);
      const AgentState agent = *world->GetAgent(id);
      const double now = Distance(agent.position, goal);
      // On the straight way: what is left has become less by what was gone, and nothing lies beyond the goal.
      const double rounding = 2e-5 + 1e-5 * left;
      ASSERT_LE(now, left + rounding) << "round " << round << " tick " << tick;
      ASSERT_NEAR(now, left - SpeedOf(agent) * step, rounding);
      ASSERT_LE(SpeedOf(agent), speed * (1 + 1e-5) + 1e-9) << "faster though nearer";
      left = now;
      speed = SpeedOf(agent);
      if (agent.status == AgentStatus::kArrived) {
        ASSERT_EQ(speed, 0.0);
      }
    }
  }
}

TEST(Goals, WhoHasArrivedMayBePushedALittle) {
  const auto world = MakeWorld();
  AgentSpec spec = Towards({0, 0}, {0, 0});
  spec.params.arrival_radius = 0.2f;
  spec.params.radius = 0.5f;
  const AgentId id = Add(*world, spec);
  Step(*world);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kArrived);
  const auto teleport = [&](float x) {
    AgentUpdate update;
    update.position = Vec2{x, 0};
    ASSERT_TRUE(world->UpdateAgent(id, update).ok());
    Step(*world);
  };
  teleport(0.89f);  // 2 * 0.2 + 0.5
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kArrived);
  EXPECT_EQ(world->GetAgent(id)->velocity, (Vec2{0, 0}));
  teleport(0.91f);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kMoving);
  teleport(0.5f);  // not within arrival_radius again
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kMoving);
}

TEST(Goals, AGoalThatMovesALittleDoesNotWake) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, Towards({0, 0}, {0, 0}));
  Step(*world);
  std::vector<InputRejection> rejected;
  for (int tick = 0; tick < 20; ++tick) {
    const float x = 0.03f * static_cast<float>(tick);
    ASSERT_EQ(*world->SetGoals({{id}}, {{x}}, {{0.0f}}, rejected), 1u);
    Step(*world);
    EXPECT_EQ(world->stats().arrived, 0u);
    EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kArrived);
  }
  ASSERT_EQ(*world->SetGoals({{id}}, {{5.0f}}, {{0.0f}}, rejected), 1u);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kMoving);
}

TEST(Goals, TheLatestToldWins) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, At({0, 0}));
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kNoInput);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(world->GetAgent(id)->steering));
  AgentUpdate update;
  update.path = Path{{{5, 0}, {5, 5}}};
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  const Path path = std::get<Path>(world->GetAgent(id)->steering);
  EXPECT_EQ(path.pass_radius, 0.5f);  // the larger of radius and arrival_radius
  EXPECT_EQ(path.points.size(), 2u);
  std::vector<InputRejection> rejected;
  ASSERT_EQ(*world->SetGoalsByRank(0, {{0.0f}}, {{-5.0f}}, rejected), 1u);
  Step(*world);
  EXPECT_LT(world->GetAgent(id)->velocity.y, -1.0f);
  ASSERT_EQ(*world->SetPreferredVelocities({{id}}, {{1.0f}}, {{0.0f}}, rejected), 1u);
  Step(*world);
  EXPECT_EQ(world->GetAgent(id)->velocity, (Vec2{1, 0}));
  EXPECT_EQ(std::get<Vec2>(world->GetAgent(id)->steering), (Vec2{1, 0}));
  EXPECT_TRUE(rejected.empty());
}

TEST(Goals, ColumnsRejectItemByItem) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, At({0, 0}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<AgentId> ids{id, 999, id, id};
  const std::vector<float> x{1.0f, 1.0f, nan, 3e6f}, y{2.0f, 2.0f, 0.0f, 0.0f};
  std::vector<InputRejection> rejected;
  EXPECT_EQ(*world->SetGoals(ids, x, y, rejected), 1u);
  ASSERT_EQ(rejected.size(), 3u);
  EXPECT_TRUE(absl::IsNotFound(rejected[0].status));
  EXPECT_EQ(GetViolation(rejected[1].status)->field, "goal.x");
  EXPECT_EQ(GetViolation(rejected[2].status)->field, "goal.x");
  EXPECT_EQ(GetViolation(rejected[2].status)->range, "[-1048576, 1048576]");
  EXPECT_FALSE(world->SetGoals(ids, x, {}, rejected).ok());
  EXPECT_TRUE(absl::IsOutOfRange(world->SetGoalsByRank(1, {{1.0f}}, {{1.0f}}, rejected).status()));
  ASSERT_TRUE(world->BeginStep().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(world->SetGoals(ids, x, y, rejected).status()));
}

TEST(Paths, WaypointsArePassedInOrder) {
  const auto world = MakeWorld();
  const std::vector<Vec2> points{{5, 0}, {5, 5}, {0, 5}, {0, 0}};
  AgentSpec spec = At({0, 0});
  spec.path = Path{points, 0.3f};
  const AgentId id = Add(*world, spec);
  std::vector<double> nearest(points.size(), 1e9);
  std::uint32_t next = 0;
  for (int tick = 0; tick < 300; ++tick) {
    const AgentState before = *world->GetAgent(id);
    Step(*world);
    const Path path = std::get<Path>(world->GetAgent(id)->steering);
    ASSERT_GE(path.next, next);
    ASSERT_LE(path.next, next + 1);
    if (path.next > next) {
      EXPECT_LE(Distance(before.position, points[next]), 0.3);
    }
    next = path.next;
    // At full speed through waypoints.
    if (path.next < 3) {
      ASSERT_NEAR(SpeedOf(*world->GetAgent(id)), 1.5, 1e-4);
    }
  }
  EXPECT_EQ(next, 3u);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kArrived);
  EXPECT_LE(Distance(world->GetAgent(id)->position, points.back()), 0.1);
}

TEST(Paths, WhoIsPushedPastAWaypointDoesNotTurnBack) {
  const auto next_of = [](Vec2 position) {
    const auto world = MakeWorld();
    AgentSpec spec = At(position);
    spec.path = Path{{{0, 0}, {10, 0}}, 0.5f};
    const AgentId id = Add(*world, spec);
    Step(*world);
    return std::get<Path>(world->GetAgent(id)->steering).next;
  };
  EXPECT_EQ(next_of({0.4f, 0.0f}), 1u);  // within the radius
  EXPECT_EQ(next_of({-0.4f, 0.0f}), 1u);
  EXPECT_EQ(next_of({0.5f, 1.5f}), 1u);   // beyond it, within four radii
  EXPECT_EQ(next_of({-0.5f, 1.5f}), 0u);  // before it
  EXPECT_EQ(next_of({0.5f, 2.5f}), 0u);   // too far off
}

TEST(Paths, ATurnIsNotCut) {
  const auto next_of = [](Vec2 position) {
    const auto world = MakeWorld();
    AgentSpec spec = At(position);
    spec.path = Path{{{-10, 0}, {0, 0}, {0, 10}}, 0.5f, 1};
    const AgentId id = Add(*world, spec);
    Step(*world);
    return std::get<Path>(world->GetAgent(id)->steering).next;
  };
  EXPECT_EQ(next_of({-1.5f, 0.1f}), 1u);  // on the inner side, but not there yet
  EXPECT_EQ(next_of({0.1f, 1.5f}), 2u);
  EXPECT_EQ(next_of({1.5f, 0.1f}), 2u);
  EXPECT_EQ(next_of({1.5f, -0.1f}), 1u);
}

TEST(Paths, ManyWaypointsMayBePassedAtOnce) {
  const auto world = MakeWorld();
  AgentSpec spec = At({0, 0});
  spec.path = Path{{{0, 0}, {0.1f, 0}, {0.1f, 0}, {0.2f, 0}}, 1.0f};
  const AgentId id = Add(*world, spec);
  Step(*world);
  EXPECT_EQ(std::get<Path>(world->GetAgent(id)->steering).next, 3u);
}

TEST(Goals, StatusTellsStaleInput) {
  const auto world = MakeWorld();
  AgentSpec spec = At({0, 0});
  spec.preferred_velocity = Vec2{1, 0};
  const AgentId id = Add(*world, spec);
  const AgentId going = Add(*world, Towards({0, 9}, {9, 9}));
  ASSERT_TRUE(world->SetStaleInput({StaleInputPolicy::kStop, 2, 0.5f}).ok());
  Step(*world, 2);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kMoving);
  Step(*world);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kStaleInput);
  EXPECT_EQ(world->GetAgent(id)->velocity, (Vec2{0, 0}));
  Step(*world, 5);
  EXPECT_EQ(world->GetAgent(going)->status, AgentStatus::kMoving);
  std::vector<std::uint8_t> status(2);
  world->ReadStatus(0, status);
  EXPECT_EQ(status, (std::vector<std::uint8_t>{5, 1}));
}

TEST(Goals, EventsComeInAscendingIds) {
  const auto world = MakeWorld();
  for (const AgentId id : {9u, 3u, 5u, 7u}) {
    AgentSpec spec = Towards({static_cast<float>(10 * id), 0}, {static_cast<float>(10 * id), 0});
    spec.id = id;
    Add(*world, spec);
  }
  Step(*world);
  EXPECT_EQ(world->stats().arrived, 4u);
  ASSERT_TRUE(world->RemoveAgent(5).ok());
  const auto arrived = [](AgentId id) { return AgentEvent{id, AgentEventKind::kArrived, StatusReason::kAtGoal}; };
  std::vector<AgentEvent> events{{1, AgentEventKind::kArrived}};
  world->ReadEvents(events);
  EXPECT_THAT(events, ::testing::ElementsAre(arrived(3), arrived(7), arrived(9)));
  Step(*world);
  world->ReadEvents(events);
  EXPECT_TRUE(events.empty());
}

TEST(Goals, LeaveWithTheirAgents) {
  const auto world = MakeWorld();
  Random random(3);
  for (int i = 0; i < 5'000; ++i) {
    AgentSpec spec = At(random.InBox({-500, -500}, {500, 500}));
    spec.path = Path{std::vector<Vec2>(8, Vec2{1, 1})};
    spec.params.preferred_speed = 1.0f;
    Add(*world, spec);
  }
  Step(*world);
  const auto empty = MakeWorld();
  const auto membership = world->membership();
  const AgentId last = membership->ids.back();
  for (const AgentId id : membership->ids) {
    if (id != last) {
      ASSERT_TRUE(world->RemoveAgent(id).ok());
    }
  }
  // The slots of those that are left were made anew.
  EXPECT_EQ(std::get<Path>(world->GetAgent(last)->steering).points.size(), 8u);
  EXPECT_EQ(world->GetAgent(last)->params.preferred_speed, 1.0f);
  ASSERT_TRUE(world->RemoveAllAgents().ok());
  Step(*world);
  EXPECT_LT(world->memory_bytes(), empty->memory_bytes() + 64 * 1024);
  const AgentId id = Add(*world, At({0, 0}));
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kNoInput);
  EXPECT_EQ(world->GetAgent(id)->params.preferred_speed, 1.5f);
}

}  // namespace
}  // namespace throng
