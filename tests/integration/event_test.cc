// Events of agents over the wire.
#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::ElementsAre;

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

}  // namespace
}  // namespace throng::server
