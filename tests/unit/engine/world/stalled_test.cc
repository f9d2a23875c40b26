// Who is stalled, by a history of doubles that knows nothing of how the engine keeps its own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tests/support/random.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Random;

std::unique_ptr<World> MakeWorld(float time_step, Preset preset = Preset::kDefault) {
  WorldSettings settings;
  settings.time_step = time_step;
  settings.preset = preset;
  return *World::Create(settings);
}

AgentId Add(World& world, Vec2 position, Vec2 preferred_velocity) {
  AgentSpec spec;
  spec.position = position;
  spec.preferred_velocity = preferred_velocity;
  return *world.AddAgent(spec);
}

void Steer(World& world, AgentId id, Vec2 preferred_velocity) {
  AgentUpdate update;
  update.preferred_velocity = preferred_velocity;
  ASSERT_TRUE(world.UpdateAgent(id, update).ok());
}

AgentStatus StatusOf(const World& world, AgentId id) { return world.GetAgent(id)->status; }

void AddWall(World& world, Vec2 from, Vec2 to) {
  ASSERT_TRUE(world.AddObstacle({std::nullopt, ObstacleKind::kWall, {from, to}}).ok());
}

// The last second of one agent.
class History {
 public:
  explicit History(double time_step)
      : time_step_(time_step), ticks_(static_cast<std::size_t>(std::ceil(1.0 / time_step - 1e-3))) {}

  void Note(Vec2 way, Vec2 wanted, double max_speed) {
    const double speed = std::hypot(double{wanted.x}, double{wanted.y});
    unit_ = max_speed * time_step_;
    if (speed > 0.1 * max_speed) {
      const double made = (double{way.x} * double{wanted.x} + double{way.y} * double{wanted.y}) / speed;
      surplus_.push_back(made - 0.1 * std::min(speed, max_speed) * time_step_);
    } else {
      surplus_.clear();
    }
    if (surplus_.size() > ticks_) surplus_.pop_front();
  }

  // `slack` in ways of a tick at max_speed.
  bool IsStalled(double slack) const {
    double sum = 0.0;
    for (const double surplus : surplus_) sum += surplus;
    return surplus_.size() == ticks_ && sum < slack * unit_;
  }

 private:
  double time_step_;
  std::size_t ticks_;
  double unit_ = 0.0;
  std::deque<double> surplus_;
};

class StalledTest : public ::testing::TestWithParam<float> {};

// A crowd in a yard with walls through it; each agent wants something else from time to time, some of it little.
TEST_P(StalledTest, IsAsTheSumOfASecondSaysWithinATick) {
  const float time_step = GetParam();
  Random random(7);
  const auto world = MakeWorld(time_step);
  AddWall(*world, {-8.0f, 0.0f}, {8.0f, 0.0f});
  AddWall(*world, {0.0f, -8.0f}, {0.0f, 8.0f});
  constexpr std::size_t kAgents = 60;
  std::vector<AgentId> ids;
  for (std::size_t i = 0; i < kAgents; ++i) {
    ids.push_back(Add(*world, {random.Uniform(-8.0f, 8.0f), random.Uniform(-8.0f, 8.0f)}, {1.0f, 0.0f}));
  }
  std::vector<History> histories(kAgents, History(double{time_step}));
  std::vector<std::vector<bool>> surely(kAgents), perhaps(kAgents), told(kAgents);
  const int ticks = static_cast<int>(14.0f / time_step);
  const float change = 0.4f * time_step;
  std::uint64_t stalled_ticks = 0, told_changes = 0;
  for (int tick = 0; tick < ticks; ++tick) {
    for (const AgentId id : ids) {
      if (!random.Chance(change)) continue;
      const float speed = random.Chance(0.2f) ? 0.15f : random.Uniform(0.0f, 2.5f);
      const float angle = random.Uniform(0.0f, 6.28f);
      Steer(*world, id, {speed * std::cos(angle), speed * std::sin(angle)});
    }
    std::vector<Vec2> from;
    for (const AgentId id : ids) from.push_back(world->GetAgent(id)->position);
    ASSERT_TRUE(world->Step().ok());
    std::uint64_t stalled = 0;
    for (std::size_t i = 0; i < kAgents; ++i) {
      const AgentState state = *world->GetAgent(ids[i]);
      histories[i].Note({state.position.x - from[i].x, state.position.y - from[i].y}, *state.preferred_velocity,
                        double{state.params.max_speed});
      surely[i].push_back(histories[i].IsStalled(-0.011));
      perhaps[i].push_back(histories[i].IsStalled(0.011));
      told[i].push_back(state.status == AgentStatus::kStalled);
      stalled += told[i].back();
    }
    EXPECT_EQ(world->stats().stalled, stalled);
    stalled_ticks += stalled;
    told_changes += world->stats().stall_changes;
  }
  // Hundredths of a tick's way are what the engine counts in.
  for (std::size_t i = 0; i < kAgents; ++i) {
    for (std::size_t tick = 0; tick < told[i].size(); ++tick) {
      EXPECT_TRUE(told[i][tick] ? perhaps[i][tick] : !surely[i][tick]) << "agent " << i << ", tick " << tick;
    }
  }
  EXPECT_GT(stalled_ticks, 20u * static_cast<std::uint64_t>(1.0f / time_step));
  EXPECT_GT(told_changes, 40u);
}

INSTANTIATE_TEST_SUITE_P(Steps, StalledTest, ::testing::Values(0.5f, 0.1f, 1.0f / 30.0f, 1.0f / 64.0f, 0.005f));

// Against a wall: after a second of wanting, not a tick before; freed by being told another way.
TEST(Stalled, ComesWithTheSecondAndGoesWithTheWay) {
  const auto world = MakeWorld(0.1f);
  AddWall(*world, {0.5f, -30.0f}, {0.5f, 30.0f});
  const AgentId id = Add(*world, {0.0f, 0.0f}, {1.0f, 0.0f});
  std::vector<AgentEvent> events;
  for (int tick = 1; tick <= 9; ++tick) {
    ASSERT_TRUE(world->Step().ok());
    EXPECT_EQ(StatusOf(*world, id), AgentStatus::kMoving) << tick;
  }
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(StatusOf(*world, id), AgentStatus::kStalled);
  world->ReadEvents(events);
  EXPECT_EQ(events, (std::vector<AgentEvent>{{id, AgentEventKind::kStalled, StatusReason::kObstacles}}));
  ASSERT_TRUE(world->Step().ok());
  world->ReadEvents(events);
  EXPECT_TRUE(events.empty());

  Steer(*world, id, {0.0f, 1.0f});
  for (int tick = 1; StatusOf(*world, id) == AgentStatus::kStalled; ++tick) {
    ASSERT_LE(tick, 2);  // 0.9 of a tick's way against a second without any
    ASSERT_TRUE(world->Step().ok());
  }
  world->ReadEvents(events);
  EXPECT_EQ(events, (std::vector<AgentEvent>{{id, AgentEventKind::kFreed}}));
}

TEST(Stalled, EndsWithTheWish) {
  const auto world = MakeWorld(0.1f);
  AddWall(*world, {0.5f, -30.0f}, {0.5f, 30.0f});
  const AgentId id = Add(*world, {0.0f, 0.0f}, {1.0f, 0.0f});
  for (int tick = 0; tick < 20; ++tick) ASSERT_TRUE(world->Step().ok());
  ASSERT_EQ(StatusOf(*world, id), AgentStatus::kStalled);
  Steer(*world, id, {0.2f, 0.0f});  // a tenth of max_speed, not more
  ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(StatusOf(*world, id), AgentStatus::kMoving);
}

TEST(Stalled, IsNotWhoMovesOrMayNot) {
  const auto world = MakeWorld(0.1f);
  const AgentId walker = Add(*world, {0.0f, 0.0f}, {1.0f, 0.0f});
  const AgentId slow = Add(*world, {0.0f, 50.0f}, {0.21f, 0.0f});
  AgentSpec spec;
  spec.position = Vec2{0.0f, 100.0f};
  spec.preferred_velocity = Vec2{1.0f, 0.0f};
  spec.params.max_speed = 0.0f;
  const AgentId fixed = *world->AddAgent(spec);
  for (int tick = 0; tick < 30; ++tick) {
    ASSERT_TRUE(world->Step().ok());
    for (const AgentId id : {walker, slow, fixed}) EXPECT_EQ(StatusOf(*world, id), AgentStatus::kMoving);
  }
}

TEST(Stalled, IsNotTakenNoteOfInBase) {
  const auto world = MakeWorld(0.1f, Preset::kBase);
  AddWall(*world, {0.5f, -30.0f}, {0.5f, 30.0f});
  const AgentId id = Add(*world, {0.0f, 0.0f}, {1.0f, 0.0f});
  for (int tick = 0; tick < 20; ++tick) ASSERT_TRUE(world->Step().ok());
  EXPECT_EQ(StatusOf(*world, id), AgentStatus::kMoving);
  EXPECT_EQ(world->stats().stalled, 0u);
}

// Events come in ascending order of ids, whatever the order of places.
TEST(Stalled, EventsComeInOrderOfIds) {
  const auto world = MakeWorld(0.1f);
  AddWall(*world, {0.5f, -300.0f}, {0.5f, 300.0f});
  std::vector<AgentEvent> expected;
  for (AgentId id = 1; id <= 40; ++id) {
    AgentSpec spec;
    spec.id = id;
    spec.position = Vec2{0.0f, static_cast<float>(id * 17 % 40) * 10.0f - 200.0f};
    spec.preferred_velocity = Vec2{1.0f, 0.0f};
    ASSERT_TRUE(world->AddAgent(spec).ok());
    expected.push_back({id, AgentEventKind::kStalled, StatusReason::kObstacles});
  }
  std::vector<AgentEvent> events;
  for (int tick = 0; tick < 10; ++tick) {
    world->ReadEvents(events);
    EXPECT_TRUE(events.empty());
    ASSERT_TRUE(world->Step().ok());
  }
  world->ReadEvents(events);
  EXPECT_EQ(events, expected);
}

}  // namespace
}  // namespace throng
