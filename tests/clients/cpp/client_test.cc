// The library against a real throngd.
#include "throng/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <numeric>
#include <set>

#include "tests/clients/cpp/process.h"

namespace throng::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// One server for all; each test has worlds of its own.
class ClientTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new Throngd(); }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void TearDown() override {
    const auto worlds = client_.ListWorlds();
    ASSERT_TRUE(worlds.ok()) << worlds.status();
    for (const auto& world : *worlds) client_.DeleteWorld(world.name).IgnoreError();
  }
  World MakeWorld(const WorldSettings& settings = {}) { return client_.CreateWorld("w", settings).value(); }
  World MakeLockstep() { return MakeWorld({.time_step = 0.1f, .clock = Clock::kLockstep}); }

  // Too far from one another to matter: each moves as it is told.
  static std::vector<AgentSpec> Row(std::uint32_t count) {
    std::vector<AgentSpec> agents;
    for (AgentId id = 1; id <= count; ++id) {
      agents.push_back(
          {.id = id, .position = {kApart * static_cast<float>(id % 1000), kApart * static_cast<float>(id / 1000)}});
    }
    return agents;
  }
  static constexpr float kApart = 20.0f;

  static Throngd* server_;
  Client client_{server_->address()};
};
Throngd* ClientTest::server_ = nullptr;

TEST_F(ClientTest, EventsTellWhoArrivedAndWhoIsGone) {
  World world = MakeLockstep();
  std::vector<AgentSpec> agents = Row(2);
  for (AgentSpec& agent : agents) agent.goal = Vector2{agent.position.x + 1, agent.position.y};
  ASSERT_TRUE(world.AddAgents(agents)->FirstError().ok());
  Session session = world.OpenSession({.stepper = true, .agent_events = true}).value();
  Watcher watcher = world.Watch({.agent_events = true}).value();
  ASSERT_TRUE(session.NextFrame().ok() && watcher.NextFrame().ok());
  std::promise<AgentEvents> watched;
  watcher.OnAgentEvents([&](const AgentEvents& events) { watched.set_value(events); });
  ASSERT_TRUE(session.Step(100).ok());
  const std::vector<AgentEvent> both = {{1, AgentEventKind::kArrived, StatusReason::kAtGoal},
                                        {2, AgentEventKind::kArrived, StatusReason::kAtGoal}};
  EXPECT_EQ(session.NextAgentEvents()->events, both);
  EXPECT_EQ(watched.get_future().get().events, both);
  watcher.Close();
  ASSERT_TRUE(world.RemoveAgents(std::array{AgentId{2}})->FirstError().ok());
  EXPECT_EQ(session.NextAgentEvents()->events, (std::vector<AgentEvent>{{2, AgentEventKind::kRemoved}}));
  EXPECT_EQ(session.NextAgentEvents(std::chrono::milliseconds(0)).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(ClientTest, WarningsHelpToTune) {
  World world = MakeWorld({.agent_defaults = {.max_neighbors = 3}});
  ASSERT_EQ(world.Get()->warnings.size(), 1u);
  EXPECT_EQ(world.Get()->warnings[0].code, WarningCode::kFewNeighbors);
  std::vector<AgentSpec> agents = Row(2);
  agents[1].params = {.neighbor_distance = 1.0f, .max_neighbors = 8};
  const auto added = world.AddAgents(agents);
  ASSERT_TRUE(added.ok());
  ASSERT_EQ(added->Warnings().size(), 2u);
  EXPECT_EQ(added->items[1].warnings[0].code, WarningCode::kNeighborDistanceShort);
  EXPECT_EQ(added->items[1].warnings[0].agent, 2u);
  EXPECT_THAT(added->items[1].warnings[0].message, HasSubstr("time_horizon"));
}

TEST_F(ClientTest, AKinematicAgentMovesAsItIsTold) {
  World world = MakeLockstep();
  ASSERT_TRUE(world.AddAgents(std::array{AgentSpec{.id = 1, .kinematic = true}})->FirstError().ok());
  AgentUpdate update{.id = 1, .move_to = MoveTo{{5, 0}, 10}};
  ASSERT_TRUE(world.UpdateAgents(std::span(&update, 1))->FirstError().ok());
  Session session = world.OpenSession({.stepper = true}).value();
  EXPECT_EQ(session.Step(10)->x()[0], 5.0f);
  const Agent agent = world.ListAgents()->front();
  EXPECT_TRUE(agent.kinematic);
  EXPECT_EQ(agent.move_to->ticks, 0u);
  update = {.id = 1, .kinematic = false};
  ASSERT_TRUE(world.UpdateAgents(std::span(&update, 1))->FirstError().ok());
  EXPECT_FALSE(world.ListAgents()->front().kinematic);
}

TEST_F(ClientTest, HeadingsAreTold) {
  World world = MakeLockstep();
  const AgentSpec spec{.id = 1, .params = {.max_turn_rate = 1.0f}, .heading = 1.25f};
  ASSERT_TRUE(world.AddAgents(std::span(&spec, 1))->FirstError().ok());
  Session session = world.OpenSession({.columns = {.heading = true}}).value();
  EXPECT_NEAR(session.NextFrame()->heading()[0], 1.25f, 1e-5f);
  EXPECT_NEAR(world.ListAgents()->front().heading, 1.25f, 1e-5f);
}

TEST_F(ClientTest, VelocitiesAreComputedWithoutAMove) {
  World world = MakeLockstep();
  const AgentSpec spec{.id = 1, .preferred_velocity = Vector2{1, 0}};
  ASSERT_TRUE(world.AddAgents(std::span(&spec, 1))->FirstError().ok());
  Session session = world.OpenSession({.stepper = true}).value();
  const Frame frame = session.ComputeVelocities().value();
  EXPECT_EQ(frame.tick(), 0u);
  EXPECT_EQ(frame.x()[0], 0.0f);
  EXPECT_EQ(frame.vx()[0], 1.0f);
  EXPECT_EQ(session.Step().value().tick(), 1u);
}

TEST_F(ClientTest, AgentsGoToGoalsAndAlongPaths) {
  World world = MakeLockstep();
  std::vector<AgentSpec> agents = Row(2);
  const float x = agents[1].position.x;
  agents[1].path = Path{.points = {{x, 5}, {x + 3, 5}}, .pass_radius = 0.5f};
  agents[0].params.preferred_speed = 1.0f;
  ASSERT_TRUE(world.AddAgents(agents)->FirstError().ok());
  const Columns columns{.position = true, .velocity = true, .status = true};
  Session session = world.OpenSession({.stepper = true, .columns = columns}).value();
  EXPECT_THAT(session.NextFrame()->status(), ElementsAre(AgentStatus::kNoInput, AgentStatus::kMoving));
  const AgentId first = 1;
  const float goal_x = agents[0].position.x, goal_y = 4.0f;
  ASSERT_TRUE(session.GoTo({&first, 1}, {&goal_x, 1}, {&goal_y, 1}).ok());
  Frame frame = session.Step().value();
  EXPECT_NEAR(frame.vy()[0], 1.0f, 1e-5f);
  const auto listed = world.ListAgents();
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_TRUE(listed->at(0).goal && listed->at(1).path);
  EXPECT_EQ(listed->at(0).goal->y, 4.0f);
  EXPECT_EQ(listed->at(0).params.preferred_speed, 1.0f);
  EXPECT_EQ(listed->at(0).status, AgentStatus::kMoving);
  EXPECT_EQ(listed->at(1).path->points.size(), 2u);
  frame = session.Step(300).value();
  EXPECT_THAT(frame.status(), ElementsAre(AgentStatus::kArrived, AgentStatus::kArrived));
  EXPECT_NEAR(frame.y()[0], 4.0f, 0.1f);
  EXPECT_NEAR(frame.x()[1], x + 3, 0.1f);
  // The latest told wins, agent by agent.
  const std::vector<float> far_x(2, 1000.0f), far_y(2, 0.0f), zero(1, 0.0f), one(1, 1.0f);
  ASSERT_TRUE(session.GoTo(frame, far_x, far_y).ok());
  ASSERT_TRUE(session.Steer({&first, 1}, zero, one).ok());
  frame = session.Step().value();
  EXPECT_NEAR(frame.vy()[0], 1.0f, 1e-5f);
  EXPECT_GT(frame.vx()[1], 1.4f);
}

TEST_F(ClientTest, TheSimplestUseMovesACrowd) {
  World world = MakeWorld();
  ASSERT_TRUE(world.AddAgents(Row(10))->FirstError().ok());
  Session session = world.OpenSession().value();
  Frame frame = session.NextFrame().value();
  const float start = frame.x()[0];
  ASSERT_TRUE(session.SteerAll(1.0f, 0.0f).ok());
  while (frame.x()[0] < start + 0.5f) frame = session.NextFrame().value();
  EXPECT_EQ(frame.size(), 10u);
  EXPECT_NEAR(frame.vx()[0], 1.0f, 1e-5f);
  EXPECT_EQ(frame.y()[0], 0.0f);
}

TEST_F(ClientTest, LockstepStepsGiveTheFrameOfTheirLastTick) {
  World world = MakeLockstep();
  ASSERT_TRUE(world.AddAgents(Row(3))->FirstError().ok());
  SessionOptions options{.stepper = true};
  options.columns.position = options.columns.state_hash = true;
  Session session = world.OpenSession(options).value();
  EXPECT_EQ(session.NextFrame()->tick(), 0u);
  const auto sequence = session.SteerAll(1.0f, 0.0f);
  ASSERT_TRUE(sequence.ok());
  const Frame one = session.Step().value();
  EXPECT_EQ(one.tick(), 1u);
  EXPECT_FLOAT_EQ(one.x()[0], kApart + 0.1f);
  EXPECT_EQ(one.last_input_applied(), *sequence);
  EXPECT_TRUE(one.vx().empty());
  ASSERT_TRUE(one.state_hash().has_value());
  const Frame ten = session.Step(9).value();
  EXPECT_EQ(ten.tick(), 10u);
  EXPECT_FLOAT_EQ(ten.x()[0], kApart + 1.0f);
  EXPECT_NE(ten.state_hash(), one.state_hash());
  EXPECT_NEAR(ten.time(), 1.0, 1e-6);
}

TEST_F(ClientTest, OnlyOneSessionMayStep) {
  World world = MakeLockstep();
  Session stepper = world.OpenSession({.stepper = true}).value();
  EXPECT_TRUE(absl::IsFailedPrecondition(world.OpenSession({.stepper = true}).status()));
  Session other = world.OpenSession().value();
  EXPECT_TRUE(absl::IsPermissionDenied(other.Step().status()));
  stepper.Close();
  EXPECT_TRUE(world.OpenSession({.stepper = true}).ok());
}

TEST_F(ClientTest, LargeFramesAndBatchesComeWhole) {
  constexpr std::uint32_t kAgents = 120'000;  // more than a batch and a part of a frame may hold
  World world = MakeLockstep();
  const auto added = world.AddAgents(Row(kAgents));
  ASSERT_TRUE(added.ok()) << added.status();
  ASSERT_EQ(added->items.size(), kAgents);
  ASSERT_TRUE(added->FirstError().ok());
  Session session = world.OpenSession({.stepper = true}).value();
  const Frame frame = session.NextFrame().value();
  ASSERT_EQ(frame.size(), kAgents);
  EXPECT_EQ(frame.ids().back(), kAgents);
  EXPECT_EQ(frame.vy().size(), kAgents);
  std::vector<float> vx(kAgents), vy(kAgents);
  std::iota(vx.begin(), vx.end(), 0.0f);
  for (float& v : vx) v /= kAgents;
  ASSERT_TRUE(session.Steer(vx, vy).ok());
  const Frame next = session.Step().value();
  for (const std::size_t i : {std::size_t{0}, std::size_t{kAgents / 2}, std::size_t{kAgents - 1}}) {
    EXPECT_NEAR(next.vx()[i], vx[i], 1e-5f) << i;
  }
}

TEST_F(ClientTest, MembershipFollowsAddsAndRemoves) {
  World world = MakeLockstep();
  Session session = world.OpenSession({.stepper = true}).value();
  EXPECT_EQ(session.NextFrame()->size(), 0u);
  Commands commands;
  commands.Add(AgentSpec{.id = 5, .position = {0, 0}}).Add(AgentSpec{.id = 2, .position = {5, 0}});
  const auto added = session.Apply(commands);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_THAT(added->Ids(), ElementsAre(5, 2));
  EXPECT_EQ(added->items[0].params.radius, 0.5f);
  EXPECT_THAT(session.Step()->ids(), ElementsAre(2, 5));
  const Frame old = session.LatestFrame();
  ASSERT_TRUE(world.RemoveAgents(std::vector<AgentId>{2})->FirstError().ok());
  EXPECT_THAT(session.Step()->ids(), ElementsAre(5));
  // Velocities for a frame of before still find their agents.
  ASSERT_TRUE(session.Steer(old, std::vector<float>{1, 1}, std::vector<float>{0, 0}).ok());
  EXPECT_FLOAT_EQ(session.Step()->vx()[0], 1.0f);
}

TEST_F(ClientTest, ObstaclesComeBackNormalised) {
  World world = MakeWorld();
  const std::vector<ObstacleSpec> obstacles = {
      {.kind = ObstacleKind::kSolid, .vertices = {{0, 0}, {0, 2}, {2, 2}, {2, 0}}},
      {.kind = ObstacleKind::kWall, .vertices = {{-5, -5}, {5, -5}}}};
  ASSERT_TRUE(world.AddObstacles(obstacles)->FirstError().ok());
  const auto listed = world.ListObstacles();
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_FLOAT_EQ((*listed)[0].area, 4.0f);
  EXPECT_EQ((*listed)[1].kind, ObstacleKind::kWall);
  EXPECT_EQ(world.Get()->obstacles, 2u);
  ASSERT_TRUE(world.RemoveObstacles(std::vector<ObstacleId>{(*listed)[0].id})->FirstError().ok());
  EXPECT_EQ(world.ListObstacles()->size(), 1u);
}

TEST_F(ClientTest, ErrorsNameFieldValueAndRange) {
  const auto refused = client_.CreateWorld("w", {.time_step = 7.0f});
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status()));
  ASSERT_EQ(Violations(refused.status()).size(), 1u);
  EXPECT_THAT(Violations(refused.status())[0].field, HasSubstr("time_step"));
  EXPECT_EQ(Violations(refused.status())[0].value, "7");
  EXPECT_THAT(Violations(refused.status())[0].range, HasSubstr("1]"));

  World world = MakeWorld();
  EXPECT_EQ(Reason(client_.CreateWorld("w").status()), "WORLD_EXISTS");
  EXPECT_TRUE(absl::IsNotFound(client_.GetWorld("none").Get().status()));
  EXPECT_TRUE(absl::IsNotFound(client_.GetWorld("none").OpenSession().status()));
  EXPECT_TRUE(absl::IsNotFound(client_.GetWorld("none").Watch()->NextFrame().status()));
  std::vector<AgentSpec> agents = Row(2);
  agents[1].params.radius = -1.0f;
  const auto result = world.AddAgents(agents);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->items[0].status.ok());
  ASSERT_EQ(Violations(result->items[1].status).size(), 1u);
  EXPECT_EQ(Violations(result->items[1].status)[0].value, "-1");
  EXPECT_EQ(world.Get()->agents, 1u);
  const auto nothing = world.AddAgents(agents, /*all_or_nothing=*/true);
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->applied);
  for (AgentSpec& agent : agents) agent.id = 0;
  const absl::Status cause = world.AddAgents(agents, /*all_or_nothing=*/true)->FirstError();
  EXPECT_THAT(std::string(cause.message()), StartsWith("item 1: agents[1].params.radius"));
}

TEST_F(ClientTest, RefusedInputsAreTold) {
  World world = MakeWorld();
  ASSERT_TRUE(world.AddAgents(Row(1))->FirstError().ok());
  Session session = world.OpenSession().value();
  std::promise<absl::Status> told;
  session.OnInputError([&, first = true](const absl::Status& status) mutable {
    if (std::exchange(first, false)) told.set_value(status);
  });
  ASSERT_TRUE(session.Steer(std::vector<AgentId>{77}, std::vector<float>{1}, std::vector<float>{0}).ok());
  EXPECT_TRUE(absl::IsNotFound(told.get_future().get()));
  EXPECT_TRUE(absl::IsInvalidArgument(session.Steer(std::vector<float>{1, 2}, std::vector<float>{0}).status()));
}

TEST_F(ClientTest, WatchersSeeAPausedWorldAndItsChanges) {
  World world = MakeWorld();
  ASSERT_TRUE(world.AddAgents(Row(4))->FirstError().ok());
  ASSERT_EQ(world.Pause()->state, WorldState::kPaused);
  Watcher watcher = world.Watch().value();
  const Frame frame = watcher.NextFrame().value();
  EXPECT_EQ(frame.size(), 4u);
  EXPECT_EQ(watcher.world().state, WorldState::kPaused);
  ASSERT_EQ(world.Resume()->state, WorldState::kRunning);
  EXPECT_GT(watcher.NextFrame()->tick(), frame.tick());
}

TEST_F(ClientTest, DeletionEndsStreamsWithNotFound) {
  World world = MakeWorld();
  Session session = world.OpenSession().value();
  Watcher watcher = world.Watch().value();
  ASSERT_TRUE(watcher.NextFrame().ok());
  ASSERT_TRUE(world.Delete().ok());
  absl::Status status;
  while (status.ok()) status = session.NextFrame().status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  while (watcher.NextFrame().ok()) {
  }
  EXPECT_TRUE(absl::IsNotFound(watcher.status()));
  EXPECT_TRUE(absl::IsNotFound(session.SteerAll(1, 0).status()));
}

TEST_F(ClientTest, ABrokenWireIsTakenUpAgain) {
  BreakableWire wire(server_->address());
  const Client far(wire.address());
  World world = MakeLockstep();
  ASSERT_TRUE(world.AddAgents(Row(2))->FirstError().ok());
  Session session = far.GetWorld("w").OpenSession({.stepper = true}).value();
  Watcher watcher = far.GetWorld("w").Watch().value();
  ASSERT_TRUE(session.NextFrame().ok());
  ASSERT_TRUE(watcher.NextFrame().ok());
  ASSERT_TRUE(session.SteerAll(1.0f, 0.0f).ok());
  for (std::uint64_t tick = 1; tick <= 5; ++tick) {
    wire.Break();
    const auto frame = session.Step();
    ASSERT_TRUE(frame.ok()) << frame.status();
    EXPECT_EQ(frame->tick(), tick);
  }
  EXPECT_GE(session.resumptions(), 1u);
  EXPECT_FLOAT_EQ(session.LatestFrame().x()[0], kApart + 0.5f);
  while (watcher.LatestFrame().tick() < 5) ASSERT_TRUE(watcher.NextFrame().ok());
}

TEST_F(ClientTest, SessionsCloseFromAnyThreadWhileAllIsBusy) {
  World world = MakeWorld({.time_step = 0.001f});
  ASSERT_TRUE(world.AddAgents(Row(100))->FirstError().ok());
  for (int round = 0; round < 10; ++round) {
    Session session = world.OpenSession().value();
    ASSERT_TRUE(session.NextFrame().ok());
    auto steer = std::async(std::launch::async, [&] {
      while (session.SteerAll(0.1f, 0.0f).ok()) {
      }
    });
    auto read = std::async(std::launch::async, [&] {
      while (session.NextFrame().ok()) {
      }
      return session.status();
    });
    session.Close();
    EXPECT_TRUE(absl::IsCancelled(read.get()));
  }
  EXPECT_EQ(world.Get()->sessions, 0u);
}

TEST_F(ClientTest, ServerInfoAndHealth) {
  EXPECT_TRUE(client_.CheckHealth().ok());
  EXPECT_TRUE(client_.CheckHealth("throng.v1.SessionService").ok());
  EXPECT_TRUE(absl::IsNotFound(client_.CheckHealth("nonsense")));
  const auto info = client_.GetServerInfo();
  ASSERT_TRUE(info.ok());
  EXPECT_GE(info->workers, 1u);
  EXPECT_EQ(info->max_message_bytes, 4u << 20);
}

TEST(Client, LimitsAreNamedWithTheirFlag) {
  const Throngd server({"--max-worlds=1"});
  const Client client(server.address());
  ASSERT_TRUE(client.CreateWorld("a").ok());
  const auto limit = ReachedLimit(client.CreateWorld("b").status());
  ASSERT_TRUE(limit.has_value());
  EXPECT_EQ(limit->limit, "max_worlds");
  EXPECT_EQ(limit->value, "1");
}

TEST(Client, ADrainingServerEndsSessionsAfterTheLease) {
  Throngd server;
  const Client client(server.address());
  Session session = client.CreateWorld("a")->OpenSession({.lease = 1.0}).value();
  ASSERT_TRUE(session.NextFrame().ok());
  server.Stop();
  absl::Status status;
  while (status.ok()) status = session.NextFrame(std::chrono::seconds(60)).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
}

}  // namespace
}  // namespace throng::client
