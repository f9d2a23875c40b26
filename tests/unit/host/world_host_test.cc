#include "server/host/world_host.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/base/reason.h"
#include "server/host/limit_error.h"
#include "tests/support/serving.h"
#include "throng/limits.h"
#include "throng/v1/session_service.pb.h"

namespace throng::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Keeps what it is told.
class Listener final : public Subscriber {
 public:
  void OnFrame(FrameOffer offer) override { offers.push_back(std::move(offer)); }
  void OnAgentEvents(const std::shared_ptr<const AgentEvents>& happened) override { events.push_back(happened); }
  void OnWorldChanged(const WorldInfo& info) override { changes.push_back(info.state); }
  void OnWorldDeleted() override { deleted = true; }

  std::vector<FrameOffer> offers;
  std::vector<std::shared_ptr<const AgentEvents>> events;
  std::vector<WorldState> changes;
  bool deleted = false;
};

constexpr FrameColumns kPositions{.position = true};

CommandBatch Batch(std::vector<Command> commands, bool all_or_nothing = false) {
  CommandBatch batch;
  batch.all_or_nothing = all_or_nothing;
  batch.commands = std::move(commands);
  return batch;
}

AddAgent Add(AgentId id, float x = 0.0f) {
  AgentSpec spec;
  spec.id = id;
  spec.position = Vec2{x, 0.0f};
  return {spec};
}

ObstacleSpec Square(float size) {
  ObstacleSpec spec;
  spec.vertices = {{0, 0}, {size, 0}, {size, size}, {0, size}};
  return spec;
}

WorldInfo PauseNow(ManualServing& serving, WorldHost& world) {
  WorldInfo info;
  world.Pause([&](auto result) { info = result.value(); });
  serving.Pump();
  return info;
}

TEST(WorldHostTest, ARealtimeWorldTicksAtItsRate) {
  ManualServing serving;
  const auto world = serving.Create("plaza");
  serving.Advance(seconds(10));
  const WorldInfo info = world->Info();
  EXPECT_NEAR(static_cast<double>(info.tick), 300.0, 1.0);
  EXPECT_NEAR(info.load.tick_rate, 30.0, 1.0);
  EXPECT_EQ(info.load.missed_deadlines, 0u);
  EXPECT_EQ(serving.metrics.ticks.value(), info.tick);
}

TEST(WorldHostTest, TimeScaleChangesTheNumberOfTicks) {
  ManualServing serving;
  const auto world = serving.Create("plaza");
  HostSettingsPatch patch;
  patch.time_scale = 4.0;
  world->Update(patch, [](auto result) { EXPECT_EQ(result.value().settings.time_scale, 4.0); });
  serving.Advance(seconds(10));
  EXPECT_NEAR(static_cast<double>(world->Info().tick), 1200.0, 2.0);
  patch.time_scale = 1e9;
  absl::Status status;
  world->Update(patch, [&](auto result) { status = result.status(); });
  EXPECT_EQ(GetViolation(status)->field, "time_scale");
}

TEST(WorldHostTest, PauseStopsTicksAndResumeDoesNotCatchUp) {
  ManualServing serving;
  const auto world = serving.Create("plaza");
  serving.Advance(seconds(1));
  const WorldInfo paused = PauseNow(serving, *world);
  EXPECT_EQ(paused.state, WorldState::kPaused);
  serving.Advance(seconds(60));
  EXPECT_EQ(world->Info().tick, paused.tick);
  EXPECT_EQ(world->Info().load.tick_rate, 0.0);
  EXPECT_EQ(serving.scheduler.NextTimer(), kNever);
  world->Resume([](auto result) { EXPECT_EQ(result.value().state, WorldState::kRunning); });
  serving.Advance(seconds(1));
  EXPECT_NEAR(static_cast<double>(world->Info().tick - paused.tick), 30.0, 1.0);
}

TEST(WorldHostTest, AFreeWorldTicksWheneverItIsRun) {
  ManualServing serving;
  HostSettings settings;
  settings.clock = WorldClock::kFree;
  ASSERT_TRUE(serving.worlds.Create("free", settings).ok());
  const auto world = *serving.worlds.Find("free");
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(serving.scheduler.RunOne());
  EXPECT_EQ(world->Info().tick, 50u);
  world->Pause([](auto) {});
  serving.Pump();
  EXPECT_EQ(world->Info().tick, 50u);
}

TEST(WorldHostTest, AnswersNameTickVersionsAndEffectiveValues) {
  ManualServing serving;
  const auto world = serving.Create("plaza", Paused());
  const std::uint64_t before = world->Info().membership_version;
  AddAgent add = Add(4);
  add.spec.params.radius = 0.75f;
  AgentUpdate update;
  update.params.max_speed = 3.0f;
  const CommandBatchResult result =
      serving.Apply(*world, Batch({add, UpdateAgent{4, update}, AddObstacle{Square(2)}, RemoveAgent{77}}));
  EXPECT_TRUE(result.applied);
  EXPECT_EQ(result.tick, 0u);
  EXPECT_NE(result.membership_version, before);
  EXPECT_EQ(result.membership_version, world->Info().membership_version);
  EXPECT_EQ(result.obstacle_version, world->Info().obstacle_version);
  EXPECT_EQ(result.results[0].id, 4u);
  EXPECT_EQ(result.results[0].params->radius, 0.75f);
  EXPECT_EQ(result.results[1].params->max_speed, 3.0f);
  EXPECT_EQ(result.results[1].params->radius, 0.75f);
  EXPECT_GE(result.results[2].id, kFirstWorldMadeId);
  EXPECT_EQ(result.results[3].status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(serving.metrics.commands_applied.value(), 3u);
  EXPECT_EQ(serving.metrics.commands_rejected.value(), 1u);
  EXPECT_EQ(serving.metrics.agents.value(), 1);
}

TEST(WorldHostTest, AllOrNothingAppliesNothingOfABadBatch) {
  ManualServing serving;
  Limits limits;
  const auto world = serving.Create("plaza", Paused());
  serving.Apply(*world, Batch({Add(1), Add(2)}));
  const WorldInfo before = world->Info();
  const CommandBatchResult refused =
      serving.Apply(*world, Batch({RemoveAgent{1}, Add(3), AddObstacle{Square(1)}, RemoveAgent{1}}, true));
  EXPECT_FALSE(refused.applied);
  EXPECT_EQ(refused.results[0].status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(refused.results[1].status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(refused.results[3].status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world->Info().membership_version, before.membership_version);
  EXPECT_EQ(world->Info().agents, 2u);
  EXPECT_EQ(world->Info().obstacles, 0u);

  // What the batch itself makes and removes counts.
  const CommandBatchResult applied =
      serving.Apply(*world, Batch({RemoveAgent{1}, Add(1), RemoveAllAgents{}, Add(2), Add(1), RemoveAgent{2}}, true));
  EXPECT_TRUE(applied.applied);
  for (const CommandResult& item : applied.results) EXPECT_TRUE(item.status.ok()) << item.status;
  EXPECT_EQ(world->Info().agents, 1u);
  EXPECT_FALSE(serving.Apply(*world, Batch({Add(5), Add(5)}, true)).applied);
}

TEST(WorldHostTest, AllOrNothingForeseesTheCapacity) {
  ManualServing serving;
  HostSettings settings = Paused();
  settings.max_agents = 3;
  const auto world = serving.Create("plaza", settings);
  EXPECT_FALSE(serving.Apply(*world, Batch({Add(1), Add(2), Add(3), Add(4)}, true)).applied);
  EXPECT_TRUE(serving.Apply(*world, Batch({Add(1), Add(2), RemoveAgent{1}, Add(3), Add(4)}, true)).applied);
  const CommandBatchResult full = serving.Apply(*world, Batch({RemoveAgent{4}, Add(5), Add(6)}));
  ASSERT_TRUE(GetExceededLimit(full.results[2].status).has_value());
  EXPECT_EQ(GetExceededLimit(full.results[2].status)->limit, "max_agents_per_world");
  EXPECT_EQ(GetExceededLimit(full.results[2].status)->value, "3");
}

TEST(WorldHostTest, ARepeatedRequestGetsTheFirstAnswer) {
  ManualServing serving;
  const auto world = serving.Create("plaza");
  CommandBatch batch = Batch({AddAgent{Add(1).spec}, Add(1)});
  batch.request_id = "once";
  const CommandBatchResult first = serving.Apply(*world, batch);
  serving.Advance(seconds(1));
  const CommandBatchResult second = serving.Apply(*world, batch);
  EXPECT_EQ(second.tick, first.tick);
  EXPECT_EQ(second.membership_version, first.membership_version);
  EXPECT_EQ(second.results[1].status, first.results[1].status);
  EXPECT_EQ(world->Info().agents, 1u);

  // Ids of a session are its own; another content under the same id is refused.
  batch.session = std::make_shared<SessionMemory>();
  EXPECT_EQ(serving.Apply(*world, batch).results[0].status.code(), absl::StatusCode::kAlreadyExists);
  batch.session = nullptr;
  batch.commands.pop_back();
  absl::Status status;
  world->ApplyCommands(batch, [&](auto result) { status = result.status(); });
  serving.Pump();
  EXPECT_EQ(GetReason(status), "REQUEST_ID_REUSED");
}

TEST(WorldHostTest, RequestsAreForgottenInOrder) {
  RequestCache cache;
  for (std::size_t i = 0; i <= RequestCache::kMaxBatches; ++i) {
    auto result = std::make_shared<CommandBatchResult>();
    result->request_id = std::to_string(i);
    cache.Remember(i, result);
  }
  EXPECT_EQ(cache.Find("0"), nullptr);
  EXPECT_NE(cache.Find("1"), nullptr);
  auto big = std::make_shared<CommandBatchResult>();
  big->request_id = "big";
  big->results.resize(RequestCache::kMaxBytes / sizeof(CommandResult) + 1);
  cache.Remember(7, big);
  EXPECT_EQ(cache.Find("1024"), nullptr);
  EXPECT_EQ(cache.Find("big")->fingerprint, 7u);
}

// Nothing wakes the dispatcher for worlds that are paused or wait for an order, with agents or without.
TEST(WorldHostTest, WorldsThatWaitAreNeverDue) {
  ManualServing serving;
  std::vector<std::shared_ptr<WorldHost>> worlds;
  for (int i = 0; i < 60; ++i) {
    HostSettings settings = i % 2 == 0 ? HostSettings{} : Lockstep();
    settings.start_paused = i % 2 == 0;
    worlds.push_back(serving.Create(absl::StrCat("w", i), settings));
    if (i % 3 == 0) serving.AddAgents(*worlds.back(), 10);
  }
  serving.Pump();
  for (int second = 0; second < 5; ++second) {
    EXPECT_EQ(serving.scheduler.NextTimer(), kNever);
    EXPECT_FALSE(serving.scheduler.RunOne());
    serving.clock.Advance(seconds(1));
  }
  for (const auto& world : worlds) EXPECT_EQ(world->Info().tick, 0u);
}

TEST(WorldHostTest, FramesAreSharedByEqualSubscriptions) {
  ManualServing serving;
  const auto world = serving.Create("plaza", Lockstep());
  serving.AddAgents(*world, 10);
  const auto a = std::make_shared<Listener>(), b = std::make_shared<Listener>(), c = std::make_shared<Listener>();
  world->Subscribe({a, kPositions, nullptr, 1});
  world->Subscribe({b, kPositions, nullptr, 2});
  world->Subscribe({c, FrameColumns{.velocity = true}, nullptr, 0});
  serving.Pump();
  ASSERT_EQ(a->offers.size(), 1u);
  EXPECT_EQ(a->offers[0].frame, b->offers[0].frame);
  EXPECT_EQ(a->offers[0].subscription, 1u);
  EXPECT_EQ(b->offers[0].subscription, 2u);
  EXPECT_NE(a->offers[0].frame, c->offers[0].frame);
  // As many bytes an agent: the membership's slices are shared too.
  EXPECT_EQ(a->offers[0].frame->membership, c->offers[0].frame->membership);
  world->Unsubscribe(b);
  serving.Apply(*world, Batch({RemoveAgent{1}}));
  EXPECT_EQ(a->offers.size(), 2u);
  EXPECT_EQ(b->offers.size(), 1u);
}

TEST(WorldHostTest, AStepOrderMarksItsFrames) {
  ManualServing serving;
  const auto world = serving.Create("arena", Lockstep());
  const auto session = std::make_shared<SessionMemory>();
  const auto stepper = std::make_shared<Listener>(), watcher = std::make_shared<Listener>();
  world->Subscribe({stepper, kPositions, session, 0});
  world->Subscribe({watcher, kPositions, nullptr, 0});
  serving.Pump();
  std::size_t frames_before_answer = 0;
  StepOutcome outcome;
  world->Step({session, 3}, [&](auto result) {
    outcome = result.value();
    frames_before_answer = stepper->offers.size();
  });
  serving.Pump();
  EXPECT_EQ(outcome.tick, 3u);
  EXPECT_EQ(frames_before_answer, 4u);
  EXPECT_TRUE(stepper->offers[1].in_between);
  EXPECT_FALSE(stepper->offers[1].must_send);
  EXPECT_TRUE(stepper->offers[3].must_send);
  EXPECT_FALSE(stepper->offers[3].in_between);
  EXPECT_FALSE(watcher->offers[3].must_send);
  EXPECT_FALSE(watcher->offers[1].in_between);
}

TEST(WorldHostTest, APauseInTheMidstOfAnOrderHoldsIt) {
  ManualServing serving;
  const auto world = serving.Create("arena", Lockstep());
  const auto session = std::make_shared<SessionMemory>();
  std::uint64_t done = 0;
  world->Step({session, 100}, [&](auto result) { done = result.value().tick; });
  for (int i = 0; i < 10; ++i) serving.scheduler.RunOne();
  const WorldInfo paused = PauseNow(serving, *world);
  EXPECT_GT(paused.tick, 0u);
  EXPECT_LT(paused.tick, 100u);
  EXPECT_TRUE(serving.Apply(*world, Batch({Add(1)})).applied);  // it waits, so at once
  absl::Status second;
  world->Step({session, 1}, [&](auto result) { second = result.status(); });
  serving.Pump();
  EXPECT_EQ(GetReason(second), "STEP_OUTSTANDING");
  EXPECT_EQ(done, 0u);
  world->Resume([](auto) {});
  serving.Pump();
  EXPECT_EQ(done, 100u);
  PauseNow(serving, *world);
  world->Step({session, 1}, [&](auto result) { second = result.status(); });
  serving.Pump();
  EXPECT_EQ(GetReason(second), "WORLD_PAUSED");
}

TEST(WorldHostTest, ReadsSeeAFinishedTick) {
  ManualServing serving;
  const auto world = serving.Create("plaza");
  serving.AddAgents(*world, 5);
  std::size_t agents = 0;
  world->Read([&](auto result) { agents = result.value()->agent_count(); });
  serving.Pump();
  EXPECT_EQ(agents, 5u);
}

TEST(WorldHostTest, DeletingAnswersAllThatWaits) {
  ManualServing serving;
  const auto world = serving.Create("arena", Lockstep());
  const auto session = std::make_shared<SessionMemory>();
  const auto listener = std::make_shared<Listener>();
  world->Subscribe({listener, kPositions, nullptr, 0});
  serving.Pump();
  std::vector<absl::StatusCode> codes;
  world->Step({session, 5}, [&](auto result) { codes.push_back(result.status().code()); });
  world->ApplyCommands(Batch({Add(1)}), [&](auto result) { codes.push_back(result.status().code()); });
  world->ApplyInput({.session = session, .sequence = 1}, [&](auto outcome) { codes.push_back(outcome.status.code()); });
  world->Read([&](auto result) { codes.push_back(result.status().code()); });
  std::uint64_t tick = 99;
  world->Delete([&](auto result) { tick = result.value(); });
  world->Pause([&](auto result) { codes.push_back(result.status().code()); });
  serving.Pump();
  EXPECT_EQ(codes, std::vector<absl::StatusCode>(5, absl::StatusCode::kNotFound));
  EXPECT_EQ(tick, 0u);
  EXPECT_TRUE(listener->deleted);
  EXPECT_EQ(listener.use_count(), 1);
  world->Delete([&](auto result) { EXPECT_TRUE(absl::IsNotFound(result.status())); });
  const auto late = std::make_shared<Listener>();
  world->Subscribe({late, kPositions, nullptr, 0});
  EXPECT_TRUE(late->deleted);
}

TEST(WorldHostTest, StreamsAreToldOfPauseAndResume) {
  ManualServing serving;
  const auto world = serving.Create("plaza");
  const auto listener = std::make_shared<Listener>(), silent = std::make_shared<Listener>();
  world->Subscribe({listener, kPositions, nullptr, 0});
  world->Subscribe({silent, std::nullopt, nullptr, 0});
  serving.Pump();
  PauseNow(serving, *world);
  PauseNow(serving, *world);
  world->Resume([](auto) {});
  serving.Pump();
  EXPECT_EQ(listener->changes, (std::vector{WorldState::kPaused, WorldState::kRunning}));
  EXPECT_EQ(silent->changes, listener->changes);
  EXPECT_TRUE(silent->offers.empty());
}

TEST(WorldHostTest, AWorldThatOverrunsSlowsDownAndIsCounted) {
  ManualServing serving;
  const auto world = serving.Create("plaza");
  // The runner is kept away for 20 ticks' time: four are caught up, the others are given up.
  serving.clock.Advance(milliseconds(667));
  const std::uint64_t before = world->Info().tick;
  serving.Pump();
  EXPECT_LE(world->Info().tick - before, static_cast<std::uint64_t>(Pacer::kMaxCatchUp) + 1);
  EXPECT_GE(world->Info().load.missed_deadlines, 1u);
  EXPECT_GT(world->Info().load.lateness_max, 0.5);
}

}  // namespace
}  // namespace throng::server
