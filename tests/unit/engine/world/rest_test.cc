// Rest and status, by what users of such systems reported. Numbers are those of the reports; worlds are as they come
// (Preset::kDefault) with a time step of 0.1 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "throng/world.h"

namespace throng {
namespace {

std::unique_ptr<World> MakeWorld() {
  WorldSettings settings;
  settings.time_step = 0.1f;
  return *World::Create(settings);
}

AgentSpec At(Vec2 position, std::optional<Vec2> preferred_velocity = std::nullopt) {
  AgentSpec spec;
  spec.position = position;
  spec.preferred_velocity = preferred_velocity;
  return spec;
}

AgentId Add(World& world, const AgentSpec& spec) { return *world.AddAgent(spec); }

void Step(World& world, int ticks = 1) {
  for (int i = 0; i < ticks; ++i) ASSERT_TRUE(world.Step().ok());
}

void Steer(World& world, AgentId id, Vec2 preferred_velocity) {
  AgentUpdate update;
  update.preferred_velocity = preferred_velocity;
  ASSERT_TRUE(world.UpdateAgent(id, update).ok());
}

void AddWall(World& world, std::vector<Vec2> points) {
  ASSERT_TRUE(world.AddObstacle({std::nullopt, ObstacleKind::kWall, std::move(points)}).ok());
}

Vec2 PlaceOf(const World& world, AgentId id) { return world.GetAgent(id)->position; }

double Distance(Vec2 a, Vec2 b) { return std::hypot(double{a.x} - double{b.x}, double{a.y} - double{b.y}); }

double SpeedOf(const World& world, AgentId id) { return Distance(world.GetAgent(id)->velocity, {}); }

double NearestPair(const World& world) {
  const std::vector<AgentId>& ids = world.membership()->ids;
  double nearest = 1e9;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t k = i + 1; k < ids.size(); ++k) {
      nearest = std::min(nearest, Distance(PlaceOf(world, ids[i]), PlaceOf(world, ids[k])));
    }
  }
  return nearest;
}

double FastestOf(const World& world) {
  double fastest = 0.0;
  for (const AgentId id : world.membership()->ids) fastest = std::max(fastest, SpeedOf(world, id));
  return fastest;
}

TEST(Rest, R020AgentsOnOnePointPart) {
  for (const std::optional<Vec2> wish :
       {std::optional<Vec2>(), std::optional(Vec2{}), std::optional(Vec2{1.0f, 0.0f})}) {
    for (const float apart : {0.0f, 1e-7f}) {
      std::vector<Vec2> first_run;
      for (int run = 0; run < 2; ++run) {
        const auto world = MakeWorld();
        const AgentId a = Add(*world, At({5.0f, 5.0f}, wish));
        const AgentId b = Add(*world, At({5.0f + apart, 5.0f}, wish));
        Step(*world, 20);
        EXPECT_GE(NearestPair(*world), 0.99);
        Step(*world, 30);
        const std::vector<Vec2> places{PlaceOf(*world, a), PlaceOf(*world, b)};
        EXPECT_TRUE(std::isfinite(places[0].x + places[0].y + places[1].x + places[1].y));
        if (run == 0) first_run = places;
        EXPECT_EQ(places, first_run);
        if (!wish || *wish == Vec2{}) {
          EXPECT_EQ(FastestOf(*world), 0.0);
        }
      }
    }
  }
}

TEST(Rest, R021APileWithoutWishesSpreadsAndLiesStill) {
  const auto world = MakeWorld();
  for (int i = 0; i < 40; ++i) Add(*world, At({}));
  double fastest = 0.0;
  for (int tick = 0; tick < 300; ++tick) {
    Step(*world);
    fastest = std::max(fastest, FastestOf(*world));
    if (tick == 0) {
      EXPECT_EQ(world->stats().truncated, 40u) << "each sees but a part of the pile, which is told";
    }
    if (tick == 49) {
      EXPECT_GE(NearestPair(*world), 0.98) << "after five seconds";
    }
  }
  EXPECT_LE(fastest, 2.0 * (1.0 + 1e-6));
  EXPECT_GE(NearestPair(*world), 0.98);
  EXPECT_EQ(FastestOf(*world), 0.0);
}

// No faster than at separation_speed, and never closer again.
TEST(Rest, OverlapsOfIdleAgentsAreUndoneSlowlyAndWithoutShaking) {
  const auto world = MakeWorld();
  const AgentId a = Add(*world, At({}));
  const AgentId b = Add(*world, At({0.2f, 0.0f}));
  double last = 0.2;
  for (int tick = 0; tick < 30; ++tick) {
    Step(*world);
    const double now = Distance(PlaceOf(*world, a), PlaceOf(*world, b));
    EXPECT_GE(now, last - 1e-6);
    EXPECT_LE(now, last + 0.5 * 2.0 * 0.1 + 1e-5) << "more than separation_speed allows";
    last = now;
  }
  EXPECT_GE(last, 0.99);
  EXPECT_EQ(FastestOf(*world), 0.0);
}

TEST(Rest, AnIdleAgentThatWasPushedStopsExactly) {
  const auto world = MakeWorld();
  const AgentId idle = Add(*world, At({}));
  AgentSpec spec = At({-5.0f, 0.1f}, Vec2{1.5f, 0.0f});
  spec.params.responsibility = 0.0f;  // it does not go round
  const AgentId walker = Add(*world, spec);
  double fastest = 0.0;
  for (int tick = 0; tick < 150; ++tick) {
    Step(*world);
    fastest = std::max(fastest, SpeedOf(*world, idle));
  }
  EXPECT_GT(fastest, 0.0);
  EXPECT_GT(PlaceOf(*world, walker).x, 5.0f);
  EXPECT_EQ(SpeedOf(*world, idle), 0.0);
}

// P stands at its goal while walkers pass, one every two seconds.
void PassBy(float responsibility, double most) {
  const auto world = MakeWorld();
  AgentSpec parked = At({});
  parked.goal = Vec2{};
  parked.params.responsibility = responsibility;
  const AgentId p = Add(*world, parked);
  std::vector<AgentId> walkers;
  for (int tick = 0; tick < 50 * 20 + 400; ++tick) {
    if (tick % 20 == 0 && walkers.size() < 50) {
      const float y = walkers.size() % 2 == 0 ? 0.2f : -0.2f;
      AgentSpec walker = At({-10.0f, y});
      walker.goal = Vec2{10.0f, y};
      walkers.push_back(Add(*world, walker));
    }
    Step(*world);
    for (const AgentId walker : walkers) {
      if (!world->GetAgent(walker).ok() || PlaceOf(*world, walker).x < 8.0f) continue;
      ASSERT_TRUE(world->RemoveAgent(walker).ok());
    }
  }
  EXPECT_EQ(world->agent_count(), 1u) << "all walkers pass";
  EXPECT_LT(Distance(PlaceOf(*world, p), {}), most);
  EXPECT_EQ(SpeedOf(*world, p), 0.0);
}

TEST(Rest, R029AParkedAgentOfSmallResponsibilityIsNotCarriedOff) { PassBy(0.1f, 1.0); }
TEST(Rest, R029AParkedAgentWithoutResponsibilityStays) { PassBy(0.0f, 0.01); }

TEST(Rest, R030StopsInTheTickAfterAWishOfZero) {
  const auto world = MakeWorld();
  const AgentId id = Add(*world, At({}, Vec2{1.5f, 0.0f}));
  Step(*world, 50);
  Steer(*world, id, {});
  Step(*world);
  EXPECT_EQ(SpeedOf(*world, id), 0.0);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kMoving);
}

TEST(Rest, R030StopsWhenItsInputIsStale) {
  WorldSettings settings;
  settings.time_step = 0.1f;
  settings.stale_input = {.policy = StaleInputPolicy::kStop, .timeout_ticks = 10};
  const auto world = *World::Create(settings);
  const AgentId id = Add(*world, At({}, Vec2{1.5f, 0.0f}));
  Step(*world, 10);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kMoving);
  Step(*world);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kStaleInput);
  EXPECT_EQ(SpeedOf(*world, id), 0.0);
}

TEST(Rest, R031TellsWhoHasNoInputFromWhoIsBlocked) {
  const auto world = MakeWorld();
  AddWall(*world, {{0.6f, -5.0f}, {0.6f, 5.0f}});
  const AgentId blocked = Add(*world, At({0.0f, 0.0f}, Vec2{1.0f, 0.0f}));
  const AgentId walker = Add(*world, At({0.0f, 20.0f}, Vec2{1.0f, 0.0f}));
  const AgentId silent = Add(*world, At({0.0f, 40.0f}));
  Step(*world, 20);
  EXPECT_EQ(world->GetAgent(blocked)->status, AgentStatus::kStalled);
  EXPECT_EQ(world->GetAgent(blocked)->reason, StatusReason::kObstacles);
  EXPECT_EQ(world->GetAgent(walker)->status, AgentStatus::kMoving);
  EXPECT_EQ(world->GetAgent(silent)->status, AgentStatus::kNoInput);
  EXPECT_EQ(SpeedOf(*world, silent), 0.0);
}

TEST(Rest, R007IsStalledInACupAndFreedByAWaypoint) {
  const auto world = MakeWorld();
  AddWall(*world, {{-5.0f, 5.0f}, {5.0f, 5.0f}, {5.0f, -5.0f}, {-5.0f, -5.0f}});
  AgentSpec spec = At({});
  spec.goal = Vec2{12.0f, 0.0f};
  const AgentId id = Add(*world, spec);
  // The way to the wall takes three seconds, and another before the last tenth of the speed is gone; then comes the
  // second over which progress is taken. The report has three seconds in all.
  int tick = 0;
  for (; tick < 100 && world->GetAgent(id)->status != AgentStatus::kStalled; ++tick) Step(*world);
  EXPECT_LE(tick, 70);
  EXPECT_EQ(world->GetAgent(id)->reason, StatusReason::kObstacles);
  Step(*world, 100 - tick);
  double way = 0.0;
  Vec2 before = PlaceOf(*world, id);
  for (tick = 100; tick < 300; ++tick) {
    Step(*world);
    way += Distance(before, PlaceOf(*world, id));
    before = PlaceOf(*world, id);
  }
  EXPECT_LT(way, 0.2) << "jitters";
  EXPECT_LE(PlaceOf(*world, id).x, 5.0f);
  AgentUpdate update;
  update.path = Path{{{-7.0f, 0.0f}, {-7.0f, 7.0f}, {7.0f, 7.0f}, {12.0f, 0.0f}}};
  ASSERT_TRUE(world->UpdateAgent(id, update).ok());
  Step(*world, 400);
  EXPECT_EQ(world->GetAgent(id)->status, AgentStatus::kArrived);
  EXPECT_EQ(world->GetAgent(id)->reason, StatusReason::kAtGoal);
  EXPECT_EQ(SpeedOf(*world, id), 0.0);
}

// Six parked agents fill a corridor of six metres, and one walks towards them.
struct BlockedCorridor {
  std::unique_ptr<World> world = MakeWorld();
  AgentId walker = kInvalidId;
  std::vector<AgentId> parked;

  explicit BlockedCorridor(float responsibility, std::optional<float> time_horizon = {}, float y = 0.0f) {
    AddWall(*world, {{-20.0f, 3.0f}, {20.0f, 3.0f}});
    AddWall(*world, {{-20.0f, -3.0f}, {20.0f, -3.0f}});
    for (int i = 0; i < 6; ++i) {
      AgentSpec spec = At({0.0f, -2.5f + static_cast<float>(i)}, Vec2{});
      spec.params.responsibility = responsibility;
      parked.push_back(Add(*world, spec));
    }
    AgentSpec spec = At({-5.0f, y}, Vec2{1.5f, 0.0f});
    spec.params.time_horizon = time_horizon;
    walker = Add(*world, spec);
  }
};

// Wherever it comes. Its horizon is 2 s: who looks five seconds ahead, as the report has it, slows down so early that
// it comes to them at a crawl, and who wants nothing makes way only for who comes with speed.
TEST(Rest, R008PassesThroughWhoMayYield) {
  for (const float y : {-2.0f, -0.5f, 0.0f, 0.1f, 1.0f}) {
    const BlockedCorridor corridor(1.0f, 2.0f, y);
    double nearest = 1e9;
    for (int tick = 0; tick < 300; ++tick) {
      Step(*corridor.world);
      nearest = std::min(nearest, NearestPair(*corridor.world));
    }
    EXPECT_GT(PlaceOf(*corridor.world, corridor.walker).x, 5.0f) << y;
    EXPECT_EQ(corridor.world->GetAgent(corridor.walker)->status, AgentStatus::kMoving);
    EXPECT_GE(nearest, 0.98) << "it wades through them";
    for (const AgentId id : corridor.parked) EXPECT_EQ(SpeedOf(*corridor.world, id), 0.0) << "they do not rest again";
  }
}

// At five seconds it passes or is told that agents hold it; it does not shuffle about untold.
TEST(Rest, R008IsToldWhereItDoesNotPass) {
  for (const float y : {-2.0f, -0.5f, 0.0f, 0.1f, 1.0f}) {
    const BlockedCorridor corridor(1.0f, 5.0f, y);
    Step(*corridor.world, 300);
    const AgentState walker = *corridor.world->GetAgent(corridor.walker);
    if (walker.position.x > 5.0f) continue;
    EXPECT_EQ(walker.status, AgentStatus::kStalled) << y;
    EXPECT_EQ(walker.reason, StatusReason::kAgents) << y;
    EXPECT_LT(SpeedOf(*corridor.world, corridor.walker), 0.05) << y;
  }
}

TEST(Rest, R008StandsStillBeforeWhoMayNotYield) {
  const BlockedCorridor corridor(0.0f);
  World& world = *corridor.world;
  Step(world, 200);
  double way = 0.0;
  for (int tick = 0; tick < 100; ++tick) {
    const Vec2 before = PlaceOf(world, corridor.walker);
    Step(world);
    way += Distance(before, PlaceOf(world, corridor.walker));
  }
  EXPECT_LT(way, 0.2) << "shuffles";
  EXPECT_EQ(world.GetAgent(corridor.walker)->status, AgentStatus::kStalled);
  EXPECT_EQ(world.GetAgent(corridor.walker)->reason, StatusReason::kAgents);
}

// In the tick in which it is put on free ground.
TEST(Rest, SaysWhoWasRecoveredAndWhy) {
  const auto world = MakeWorld();
  ASSERT_TRUE(world->AddObstacle({std::nullopt, ObstacleKind::kSolid, {{0, 0}, {4, 0}, {4, 4}, {0, 4}}}).ok());
  ASSERT_TRUE(world->AddObstacle({std::nullopt, ObstacleKind::kEnclosure, {{-9, -9}, {9, -9}, {9, 9}, {-9, 9}}}).ok());
  const AgentId outside = Add(*world, At({10.0f, 0.0f}));
  const AgentId inside = Add(*world, At({1.0f, 2.0f}));
  const AgentId free = Add(*world, At({-5.0f, 0.0f}));
  Step(*world);
  EXPECT_EQ(world->GetAgent(outside)->status, AgentStatus::kRecovered);
  EXPECT_EQ(world->GetAgent(outside)->reason, StatusReason::kOutOfEnclosure);
  EXPECT_EQ(world->GetAgent(inside)->reason, StatusReason::kInSolid);
  EXPECT_EQ(world->GetAgent(free)->status, AgentStatus::kNoInput);
  std::vector<AgentEvent> events;
  world->ReadEvents(events);
  EXPECT_EQ(events, (std::vector<AgentEvent>{{outside, AgentEventKind::kRecovered, StatusReason::kOutOfEnclosure},
                                             {inside, AgentEventKind::kRecovered, StatusReason::kInSolid}}));
  ASSERT_TRUE(world->RemoveAgent(inside).ok());
  world->ReadEvents(events);
  EXPECT_EQ(events.size(), 1u);
  Step(*world);
  EXPECT_EQ(world->GetAgent(outside)->status, AgentStatus::kNoInput);
  world->ReadEvents(events);
  EXPECT_TRUE(events.empty());
}

}  // namespace
}  // namespace throng
