// Faults that users of such systems reported, each a test named by its number: those that show on the wire.
#include <algorithm>

#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST_F(ServerTest, R033_RemovalKeepsIdsApart) {
  CreateWorld("a", Paused());
  AddAgents("a", {{0, 0}, {5, 0}, {10, 0}, {15, 0}, {20, 0}, {25, 0}, {30, 0}});
  v1::RemoveAgentsRequest remove;
  remove.set_world("a");
  for (const std::uint32_t id : {3u, 3u, 999u}) remove.add_ids(id);
  v1::RemoveAgentsResponse removed;
  ASSERT_THAT(agents_->RemoveAgents(NewContext("a").get(), remove, &removed), IsOk());
  ASSERT_EQ(removed.result().results_size(), 3);
  EXPECT_FALSE(removed.result().results(0).has_error());
  EXPECT_EQ(removed.result().results(1).error().code(), grpc::NOT_FOUND);
  EXPECT_EQ(removed.result().results(2).error().code(), grpc::NOT_FOUND);
  v1::AddAgentsRequest add;
  add.set_world("a");
  add.add_agents()->mutable_position()->set_y(9.0f);
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  EXPECT_GE(added.result().results(0).id(), 1u << 31) << "made by the world, so that it is nobody's old id";
  const auto watch = Watch("a");
  const auto frame = watch->NextFrame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->ids.size(), 7u);
  EXPECT_THAT(frame->ids, Not(Contains(3u)));
  const auto seven = std::find(frame->ids.begin(), frame->ids.end(), 7u) - frame->ids.begin();
  EXPECT_EQ(frame->x[static_cast<std::size_t>(seven)], 30.0f);
  watch->Cancel();
}

v1::ConnectRequest HundredAddedFiftyRemoved() {
  v1::ConnectRequest request;
  v1::CommandBatch& batch = *request.mutable_commands();
  batch.set_request_id("spawn");
  for (std::uint32_t id = 1; id <= 100; ++id) {
    v1::AgentSpec* const spec = batch.add_commands()->mutable_add_agent();
    spec->set_id(id);
    spec->mutable_position()->set_x(3.0f * static_cast<float>(id));
  }
  for (std::uint32_t id = 1; id <= 50; ++id) batch.add_commands()->set_remove_agent(2 * id);
  for (std::uint32_t id = 1; id <= 99; id += 2) {
    v1::AgentUpdate* const update = batch.add_commands()->mutable_update_agent();
    update->set_id(id);
    update->mutable_params()->set_radius(0.25f);
  }
  return request;
}

TEST_F(ServerTest, R082_ABatchSpawnsAndRemovesAtOnceAndOnce) {
  CreateWorld("a");
  const auto stream = Connect(OpenSession("a"));
  ASSERT_TRUE(stream->NextFrame());
  std::string answers[2];
  for (std::string& answer : answers) {
    ASSERT_TRUE(stream->reader().Write(HundredAddedFiftyRemoved()));
    const auto event = stream->NextEvent(v1::ConnectResponse::kCommandResult);
    ASSERT_TRUE(event);
    const v1::CommandBatchResult& result = event->command_result();
    ASSERT_EQ(result.results_size(), 200);
    for (const v1::CommandResult& item : result.results()) EXPECT_FALSE(item.has_error()) << item.ShortDebugString();
    EXPECT_EQ(result.results(199).params().radius(), 0.25f);
    answer = result.SerializeAsString();
  }
  EXPECT_EQ(answers[0], answers[1]);
  // At one tick border: no frame ever showed a part of it.
  const auto whole = stream->NextFrame([](const WholeFrame& frame) { return frame.agents > 0; });
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->agents, 50u);
  const auto later = stream->NextFrame([&](const WholeFrame& frame) { return frame.tick > whole->tick; });
  ASSERT_TRUE(later);
  EXPECT_EQ(later->agents, 50u);
  EXPECT_EQ(later->membership_version, whole->membership_version);
  ASSERT_TRUE(stream->reader().WritesDone());
  EXPECT_THAT(stream->Finish(), IsOk());
}

TEST_F(ServerTest, R031_WhoWasNeverToldAnythingSaysSo) {
  CreateWorld("a");
  AddAgents("a", {{0, 0}, {50, 0}, {100, 0}});
  const auto stream = Connect(OpenSession("a"), [](v1::ConnectOpen& open) {
    for (const auto set :
         {&v1::Subscription::set_position, &v1::Subscription::set_velocity, &v1::Subscription::set_status}) {
      (open.mutable_subscription()->*set)(true);
    }
  });
  v1::ConnectRequest input = InputRequest(1, {1, 2, 99}, 1.5f, 0.0f);
  ASSERT_TRUE(stream->reader().Write(input));
  const auto event = stream->NextEvent(v1::ConnectResponse::kInputResult);
  ASSERT_TRUE(event);
  ASSERT_EQ(event->input_result().items_size(), 1);
  EXPECT_EQ(event->input_result().items(0).id(), 99u);
  EXPECT_EQ(event->input_result().items(0).error().code(), grpc::NOT_FOUND);
  const auto moved =
      stream->NextFrame([](const WholeFrame& frame) { return frame.last_input_applied == 1 && frame.x[0] > 0; });
  ASSERT_TRUE(moved);
  ASSERT_EQ(moved->status.size(), 3u);
  EXPECT_EQ(moved->status[0], v1::AGENT_STATUS_MOVING);
  EXPECT_EQ(moved->status[2], v1::AGENT_STATUS_NO_INPUT);
  EXPECT_EQ(moved->x[2], 100.0f);
  EXPECT_EQ(moved->vx[2], 0.0f);
  ASSERT_TRUE(stream->reader().WritesDone());
  EXPECT_THAT(stream->Finish(), IsOk());
}

}  // namespace
}  // namespace throng::server
