// Events of agents over the wire.
#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr int kArrived = v1::AGENT_EVENT_KIND_ARRIVED;
constexpr int kRemoved = v1::AGENT_EVENT_KIND_REMOVED;

template <class Open>
void WithEvents(Open& open) {
  open.mutable_subscription()->set_position(true);
  open.mutable_subscription()->set_agent_events(true);
}

void AddGoer(v1::AgentService::Stub& agents, std::uint32_t id, float x, float goal_x) {
  v1::AddAgentsRequest add;
  add.set_world("a");
  v1::AgentSpec* const goer = add.add_agents();
  goer->set_id(id);
  goer->mutable_position()->set_x(x);
  goer->mutable_goal()->set_x(goal_x);
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents.AddAgents(NewContext("a").get(), add, &added), IsOk());
}

TEST_F(ServerTest, ArrivalsAreTold) {
  CreateWorld("a", Lockstep());
  AddGoer(*agents_, 1, 0, 1);
  AddGoer(*agents_, 2, 50, 51);
  const auto stream = Connect(OpenSession("a", true), WithEvents<v1::ConnectOpen>);
  const auto silent = Watch("a");
  const auto watcher = Watch("a", WithEvents<v1::WatchRequest>);
  ASSERT_TRUE(stream->NextFrame() && silent->NextFrame() && watcher->NextFrame());
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 200)));
  const auto events = stream->NextEvent(v1::ConnectResponse::kAgentEvents);
  ASSERT_TRUE(events);
  EXPECT_THAT(events->agent_events().ids(), ElementsAre(1u, 2u));
  EXPECT_THAT(events->agent_events().kinds(), ElementsAre(kArrived, kArrived));
  EXPECT_THAT(events->agent_events().reasons(),
              ElementsAre(v1::AGENT_STATUS_REASON_AT_GOAL, v1::AGENT_STATUS_REASON_AT_GOAL));
  EXPECT_GT(events->agent_events().tick(), 5u);
  EXPECT_FALSE(events->agent_events().truncated());
  // The frame of that tick, or where it was skipped a later one, follows.
  for (const WholeFrame& frame : stream->frames()) EXPECT_LT(frame.tick, events->agent_events().tick());
  const auto watched = watcher->NextEvent(v1::WatchResponse::kAgentEvents);
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->agent_events().SerializeAsString(), events->agent_events().SerializeAsString());
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  silent->Cancel();
  EXPECT_FALSE(silent->NextEvent(v1::WatchResponse::kAgentEvents)) << "it did not ask for them";
}

TEST_F(ServerTest, RemovalsAreToldAlsoByAWorldThatWaits) {
  CreateWorld("a", Paused());
  AddAgents("a", {{0, 0}, {50, 0}, {100, 0}});
  const auto watcher = Watch("a", WithEvents<v1::WatchRequest>);
  ASSERT_TRUE(watcher->NextFrame());
  v1::RemoveAgentsRequest remove;
  remove.set_world("a");
  remove.add_ids(2);
  remove.add_ids(77);
  v1::RemoveAgentsResponse removed;
  ASSERT_THAT(agents_->RemoveAgents(NewContext("a").get(), remove, &removed), IsOk());
  auto events = watcher->NextEvent(v1::WatchResponse::kAgentEvents);
  ASSERT_TRUE(events);
  EXPECT_THAT(events->agent_events().ids(), ElementsAre(2u));
  EXPECT_THAT(events->agent_events().kinds(), ElementsAre(kRemoved));
  remove.clear_ids();
  remove.set_all(true);
  ASSERT_THAT(agents_->RemoveAgents(NewContext("a").get(), remove, &removed), IsOk());
  events = watcher->NextEvent(v1::WatchResponse::kAgentEvents);
  ASSERT_TRUE(events);
  EXPECT_THAT(events->agent_events().ids(), ElementsAre(1u, 3u));
}

TEST_F(ServerTest, ASessionWithoutFramesMayHaveEvents) {
  CreateWorld("a", Lockstep());
  AddGoer(*agents_, 1, 0, 1);
  const auto stream = Connect(OpenSession("a", true), [](v1::ConnectOpen& open) {
    open.set_without_frames(true);
    open.mutable_subscription()->set_agent_events(true);
  });
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 200)));
  const auto events = stream->NextEvent(v1::ConnectResponse::kAgentEvents);
  ASSERT_TRUE(events);
  EXPECT_THAT(events->agent_events().ids(), ElementsAre(1u));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  EXPECT_TRUE(stream->frames().empty());
}

TEST_F(ServerTest, EventsGoOnUnderAnotherSubscription) {
  CreateWorld("a", Lockstep());
  const auto stream = Connect(OpenSession("a", true));
  ASSERT_TRUE(stream->NextFrame());
  v1::ConnectRequest subscribe;
  subscribe.mutable_subscribe()->set_agent_events(true);
  ASSERT_TRUE(stream->reader().Write(subscribe));
  ASSERT_TRUE(stream->NextFrame([](const WholeFrame& frame) { return frame.subscription == 1; }));
  AddGoer(*agents_, 1, 0, 1);
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 200)));
  EXPECT_TRUE(stream->NextEvent(v1::ConnectResponse::kAgentEvents));
}

// One that a wall keeps from its goal is told as stalled, and as freed once it may go around.
TEST_F(ServerTest, StallsAreToldAndCounted) {
  CreateWorld("a", Lockstep());
  AddGoer(*agents_, 1, 0, 10);
  v1::AddObstaclesRequest add;
  add.set_world("a");
  v1::ObstacleSpec* const wall = add.add_obstacles();
  wall->set_id(1);
  wall->set_kind(v1::OBSTACLE_KIND_WALL);
  for (const float y : {-20.0f, 20.0f}) {
    wall->add_x(2);
    wall->add_y(y);
  }
  v1::AddObstaclesResponse added;
  ASSERT_THAT(obstacles_->AddObstacles(NewContext("a").get(), add, &added), IsOk());
  const auto stream = Connect(OpenSession("a", true), [](v1::ConnectOpen& open) {
    open.mutable_subscription()->set_status(true);
    open.mutable_subscription()->set_agent_events(true);
  });
  ASSERT_TRUE(stream->NextFrame());
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 300)));
  auto events = stream->NextEvent(v1::ConnectResponse::kAgentEvents);
  ASSERT_TRUE(events);
  EXPECT_THAT(events->agent_events().kinds(), ElementsAre(v1::AGENT_EVENT_KIND_STALLED));
  EXPECT_THAT(events->agent_events().reasons(), ElementsAre(v1::AGENT_STATUS_REASON_OBSTACLES));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  const auto frame = stream->NextFrame([](const WholeFrame& later) { return later.tick == 300; });
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->status[0], v1::AGENT_STATUS_STALLED);
  EXPECT_EQ(GetWorld("a").stalled_agents(), 1u);
  EXPECT_NE(HttpGet(server_->http_port(), "/metrics").find("\nthrong_stalled_agents 1\n"), std::string::npos);
  v1::RemoveObstaclesRequest remove;
  remove.set_world("a");
  remove.add_ids(1);
  v1::RemoveObstaclesResponse removed;
  ASSERT_THAT(obstacles_->RemoveObstacles(NewContext("a").get(), remove, &removed), IsOk());
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(2, 60)));
  events = stream->NextEvent(v1::ConnectResponse::kAgentEvents);
  ASSERT_TRUE(events);
  EXPECT_THAT(events->agent_events().kinds(), ElementsAre(v1::AGENT_EVENT_KIND_FREED));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  EXPECT_EQ(GetWorld("a").stalled_agents(), 0u);
}

// R007: in a cup that is open to the left, with the goal straight behind its bottom. The agent settles and is told as
// stalled within three seconds; a way round, sent then, brings it to its goal, and no wall is crossed.
TEST_F(ServerTest, R007AWaypointFreesWhoIsStalled) {
  CreateWorld("a", Lockstep());
  AddGoer(*agents_, 1, 0, 10);
  v1::AddObstaclesRequest add;
  add.set_world("a");
  v1::ObstacleSpec* const cup = add.add_obstacles();
  cup->set_kind(v1::OBSTACLE_KIND_WALL);
  for (const auto& [x, y] : {std::pair{-5.0f, 5.0f}, {5.0f, 5.0f}, {5.0f, -5.0f}, {-5.0f, -5.0f}}) {
    cup->add_x(x);
    cup->add_y(y);
  }
  v1::AddObstaclesResponse added;
  ASSERT_THAT(obstacles_->AddObstacles(NewContext("a").get(), add, &added), IsOk());
  const auto stream = Connect(OpenSession("a", true), [](v1::ConnectOpen& open) {
    open.mutable_subscription()->set_position(true);
    open.mutable_subscription()->set_agent_events(true);
  });
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 300)));
  auto events = stream->NextEvent(v1::ConnectResponse::kAgentEvents);
  ASSERT_TRUE(events);
  EXPECT_THAT(events->agent_events().kinds(), ElementsAre(v1::AGENT_EVENT_KIND_STALLED));
  // 4.5 m to the bottom at 1.5 m/s are 90 ticks; for about 60 more it comes nearer, ever slower.
  EXPECT_LE(events->agent_events().tick(), 150u + 90u);
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  const auto stuck = stream->NextFrame([](const WholeFrame& frame) { return frame.tick == 300; });
  ASSERT_TRUE(stuck);
  EXPECT_LT(stuck->x[0], 5.0f);

  v1::UpdateAgentsRequest update;
  update.set_world("a");
  update.add_agents()->set_id(1);
  v1::Path& way = *update.mutable_agents(0)->mutable_path();
  for (const auto& [x, y] : {std::pair{-7.0f, 0.0f}, {-7.0f, 7.0f}, {7.0f, 7.0f}, {10.0f, 0.0f}}) {
    way.add_x(x);
    way.add_y(y);
  }
  v1::UpdateAgentsResponse updated;
  ASSERT_THAT(agents_->UpdateAgents(NewContext("a").get(), update, &updated), IsOk());
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(2, 1'200)));
  // Events that wait are put together, so these come as one or as two.
  std::vector<int> kinds;
  while (kinds.size() < 2) {
    events = stream->NextEvent(v1::ConnectResponse::kAgentEvents);
    ASSERT_TRUE(events);
    kinds.insert(kinds.end(), events->agent_events().kinds().begin(), events->agent_events().kinds().end());
  }
  EXPECT_THAT(kinds, UnorderedElementsAre(kArrived, v1::AGENT_EVENT_KIND_FREED));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  const auto there = stream->NextFrame([](const WholeFrame& frame) { return frame.tick == 1'500; });
  ASSERT_TRUE(there);
  EXPECT_NEAR(there->x[0], 10.0f, 0.1f);
}

}  // namespace
}  // namespace throng::server
