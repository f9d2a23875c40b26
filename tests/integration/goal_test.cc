// Goals and paths over the wire: by command, by input, and what frames tell of them.
#include "tests/integration/support.h"

namespace throng::server {
namespace {

constexpr char kMoving = v1::AGENT_STATUS_MOVING;
constexpr char kArrived = v1::AGENT_STATUS_ARRIVED;
constexpr char kNoInput = v1::AGENT_STATUS_NO_INPUT;

void WithStatus(v1::ConnectOpen& open) {
  open.mutable_subscription()->set_position(true);
  open.mutable_subscription()->set_status(true);
}

v1::ConnectRequest GoalRequest(std::uint64_t sequence, const std::vector<std::uint32_t>& ids, float x, float y) {
  v1::ConnectRequest request;
  request.mutable_input()->set_sequence(sequence);
  for (const std::uint32_t id : ids) {
    request.mutable_input()->add_ids(id);
    request.mutable_input()->add_goal_x(x);
    request.mutable_input()->add_goal_y(y);
  }
  return request;
}

TEST_F(ServerTest, AnAgentGoesToItsGoalAndArrives) {
  CreateWorld("a", Lockstep());
  AddAgents("a", {{0, 0}, {50, 0}});
  const auto session = OpenSession("a", true);
  const auto stream = Connect(session, WithStatus);
  auto frame = stream->NextFrame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->status, std::string({kNoInput, kNoInput}));
  ASSERT_TRUE(stream->reader().Write(GoalRequest(1, {1}, 3.0f, 0.0f)));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 1)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  frame = stream->NextFrame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->status, std::string({kMoving, kNoInput}));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(2, 1'000)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  frame = stream->NextFrame([](const WholeFrame& later) { return later.tick == 1'001; });
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->status, std::string({kArrived, kNoInput}));
  EXPECT_NEAR(frame->x[0], 3.0f, 0.1f);
  // By rank, back again.
  v1::ConnectRequest by_rank;
  by_rank.mutable_input()->set_sequence(2);
  by_rank.mutable_input()->set_membership_version(frame->membership_version);
  by_rank.mutable_input()->add_goal_x(0.0f);
  by_rank.mutable_input()->add_goal_y(0.0f);
  ASSERT_TRUE(stream->reader().Write(by_rank));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(3, 1'000)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  frame = stream->NextFrame([](const WholeFrame& later) { return later.tick == 2'001; });
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->status[0], kArrived);
  EXPECT_NEAR(frame->x[0], 0.0f, 0.1f);
}

TEST_F(ServerTest, BadGoalsAreAnsweredItemByItem) {
  CreateWorld("a");
  AddAgents("a", {{0, 0}});
  const auto stream = Connect(OpenSession("a"));
  v1::ConnectRequest mixed = GoalRequest(1, {1, 99, 1}, 1.0f, 0.0f);
  mixed.mutable_input()->set_goal_y(2, 3e6f);
  ASSERT_TRUE(stream->reader().Write(mixed));
  auto event = stream->NextEvent(v1::ConnectResponse::kInputResult);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->input_result().applied(), 1u);
  ASSERT_EQ(event->input_result().items_size(), 2);
  EXPECT_EQ(event->input_result().items(0).error().reason(), "AGENT_NOT_FOUND");
  ASSERT_EQ(event->input_result().items(1).error().violations_size(), 1);
  EXPECT_EQ(event->input_result().items(1).error().violations(0).field(), "goal.y");
  EXPECT_EQ(event->input_result().items(1).error().violations(0).value(), "3e+06");
  EXPECT_EQ(event->input_result().items(1).error().violations(0).range(), "[-1048576, 1048576]");
  // Both kinds in one input, and columns of two lengths.
  v1::ConnectRequest both = GoalRequest(2, {1}, 1.0f, 0.0f);
  both.mutable_input()->add_preferred_velocity_x(1.0f);
  both.mutable_input()->add_preferred_velocity_y(1.0f);
  ASSERT_TRUE(stream->reader().Write(both));
  event = stream->NextEvent(v1::ConnectResponse::kInputResult);
  ASSERT_TRUE(event);
  ASSERT_EQ(event->input_result().error().violations_size(), 1);
  EXPECT_EQ(event->input_result().error().violations(0).field(), "goal_x");
  v1::ConnectRequest uneven = GoalRequest(3, {1}, 1.0f, 0.0f);
  uneven.mutable_input()->clear_goal_y();
  ASSERT_TRUE(stream->reader().Write(uneven));
  event = stream->NextEvent(v1::ConnectResponse::kInputResult);
  ASSERT_TRUE(event);
  ASSERT_EQ(event->input_result().error().violations_size(), 1);
  EXPECT_EQ(event->input_result().error().violations(0).field(), "goal_y");
}

TEST_F(ServerTest, CommandsTellGoalsAndPathsAndListsTellThemBack) {
  CreateWorld("a", Paused());
  v1::AddAgentsRequest add;
  add.set_world("a");
  v1::AgentSpec* const goer = add.add_agents();
  goer->set_id(1);
  goer->mutable_position();
  goer->mutable_goal()->set_x(7);
  goer->mutable_params()->set_preferred_speed(0.5f);
  v1::AgentSpec* const walker = add.add_agents();
  walker->set_id(2);
  walker->mutable_position()->set_x(50);
  walker->mutable_path()->add_x(60);
  walker->mutable_path()->add_y(0);
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  EXPECT_EQ(added.result().results(0).params().preferred_speed(), 0.5f);
  EXPECT_EQ(added.result().results(1).params().arrival_radius(), 0.1f);
  EXPECT_EQ(added.result().results(1).params().slow_down_distance(), 0.5f);
  v1::UpdateAgentsRequest update;
  update.set_world("a");
  v1::AgentUpdate* const turn = update.add_agents();
  turn->set_id(2);
  for (const float x : {55.0f, 50.0f}) {
    turn->mutable_path()->add_x(x);
    turn->mutable_path()->add_y(1);
  }
  turn->mutable_path()->set_pass_radius(0.25f);
  v1::UpdateAgentsResponse updated;
  ASSERT_THAT(agents_->UpdateAgents(NewContext("a").get(), update, &updated), IsOk());
  ASSERT_FALSE(updated.result().results(0).has_error()) << updated.result().results(0).error().ShortDebugString();
  v1::ListAgentsRequest list;
  list.set_world("a");
  v1::ListAgentsResponse listed;
  ASSERT_THAT(agents_->ListAgents(NewContext("a").get(), list, &listed), IsOk());
  ASSERT_EQ(listed.agents_size(), 2);
  EXPECT_EQ(listed.agents(0).goal().x(), 7.0f);
  EXPECT_EQ(listed.agents(0).status(), v1::AGENT_STATUS_MOVING);
  EXPECT_EQ(listed.agents(1).path().x_size(), 2);
  EXPECT_EQ(listed.agents(1).path().pass_radius(), 0.25f);
  EXPECT_EQ(listed.agents(1).path().next(), 0u);
}

TEST_F(ServerTest, BadPathsAreNamedByFieldValueAndRange) {
  CreateWorld("a", Paused());
  AddAgents("a", {{0, 0}});
  v1::UpdateAgentsRequest update;
  update.set_world("a");
  const auto add = [&] {
    v1::AgentUpdate* const item = update.add_agents();
    item->set_id(1);
    return item;
  };
  add()->mutable_path();
  v1::Path* const beyond = add()->mutable_path();
  beyond->add_x(0);
  beyond->add_y(0);
  beyond->set_next(1);
  v1::Path* const far = add()->mutable_path();
  far->add_x(0);
  far->add_y(-2e6f);
  add()->mutable_path()->add_x(1);
  add()->mutable_params()->set_arrival_radius(0.0f);
  v1::UpdateAgentsResponse updated;
  ASSERT_THAT(agents_->UpdateAgents(NewContext("a").get(), update, &updated), IsOk());
  const auto expect = [&](int item, const std::string& field, const std::string& value, const std::string& range) {
    ASSERT_EQ(updated.result().results(item).error().violations_size(), 1);
    const v1::Violation& violation = updated.result().results(item).error().violations(0);
    EXPECT_EQ(violation.field(), "agents[" + std::to_string(item) + "]." + field);
    EXPECT_EQ(violation.value(), value);
    EXPECT_EQ(violation.range(), range);
  };
  expect(0, "path.points", "0", "[1, 1024]");
  expect(1, "path.next", "1", "[0, 0]");
  expect(2, "path.points[0].y", "-2e+06", "[-1048576, 1048576]");
  expect(3, "path.y", "0 values", "1, as many as x");
  expect(4, "params.arrival_radius", "0", "(0, 1000]");
}

}  // namespace
}  // namespace throng::server
