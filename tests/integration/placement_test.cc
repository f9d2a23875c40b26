// New agents whose place is taken, over the wire.
#include <cmath>
#include <functional>

#include "tests/integration/support.h"

namespace throng::server {
namespace {

using Fill = std::function<void(v1::AgentSpec&)>;

class PlacementTest : public ServerTest {
 protected:
  static v1::AgentSpec Agent(float x, float y, v1::Placement placement) {
    v1::AgentSpec spec;
    spec.mutable_position()->set_x(x);
    spec.mutable_position()->set_y(y);
    spec.set_placement(placement);
    return spec;
  }
  v1::CommandBatchResult Add(const std::vector<v1::AgentSpec>& agents, bool all_or_nothing = false) {
    v1::AddAgentsRequest request;
    request.set_world("a");
    request.set_all_or_nothing(all_or_nothing);
    for (const v1::AgentSpec& agent : agents) *request.add_agents() = agent;
    v1::AddAgentsResponse response;
    EXPECT_THAT(agents_->AddAgents(NewContext("a").get(), request, &response), IsOk());
    return response.result();
  }
  v1::Error ErrorOfAdding(const v1::AgentSpec& agent) { return Add({agent}).results(0).error(); }
  v1::ListAgentsResponse List() {
    v1::ListAgentsRequest request;
    request.set_world("a");
    v1::ListAgentsResponse response;
    EXPECT_THAT(agents_->ListAgents(NewContext("a").get(), request, &response), IsOk());
    return response;
  }
};

TEST_F(PlacementTest, WhatIsInTheWayIsNamed) {
  v1::WorldSettings settings = Paused();
  settings.mutable_bounds()->mutable_min()->set_x(-20);
  settings.mutable_bounds()->mutable_min()->set_y(-20);
  settings.mutable_bounds()->mutable_max()->set_x(20);
  settings.mutable_bounds()->mutable_max()->set_y(20);
  CreateWorld("a", settings);
  AddAgents("a", {{0, 0}});
  v1::AddObstaclesRequest add;
  add.set_world("a");
  v1::ObstacleSpec* const block = add.add_obstacles();
  block->set_id(9);
  block->set_kind(v1::OBSTACLE_KIND_SOLID);
  for (const auto& [x, y] : {std::pair{5.0f, 0.0f}, {9.0f, 0.0f}, {9.0f, 4.0f}, {5.0f, 4.0f}}) {
    block->add_x(x);
    block->add_y(y);
  }
  v1::AddObstaclesResponse added;
  ASSERT_THAT(obstacles_->AddObstacles(NewContext("a").get(), add, &added), IsOk());
  const auto refused = [&](float x, float y, const std::string& what) {
    const v1::Error error = ErrorOfAdding(Agent(x, y, v1::PLACEMENT_REJECT));
    EXPECT_EQ(error.code(), grpc::FAILED_PRECONDITION) << what;
    EXPECT_EQ(error.reason(), "OCCUPIED");
    EXPECT_THAT(error.message(), ::testing::HasSubstr(what));
  };
  refused(0.5f, 0, "agent 1");
  refused(7, 2, "obstacle 9");
  refused(19.75f, 0, "bounds");
  EXPECT_EQ(List().agents_size(), 1);
  EXPECT_FALSE(Add({Agent(1.25f, 0, v1::PLACEMENT_REJECT)}).results(0).has_error());
  EXPECT_FALSE(Add({Agent(0.5f, 0, v1::PLACEMENT_ALLOW)}).results(0).has_error());
}

TEST_F(PlacementTest, ANudgedAgentTellsWhereItStands) {
  CreateWorld("a", Paused());
  AddAgents("a", {{0, 0}});
  const v1::CommandBatchResult result = Add({Agent(0.25f, 0, v1::PLACEMENT_NUDGE), Agent(0.25f, 0, v1::PLACEMENT_NUDGE),
                                             Agent(9, 0, v1::PLACEMENT_NUDGE), Agent(20, 0, v1::PLACEMENT_ALLOW)});
  const v1::ListAgentsResponse listed = List();
  ASSERT_EQ(listed.agents_size(), 5);
  for (int i = 0; i < 3; ++i) {
    const v1::CommandResult& item = result.results(i);
    ASSERT_TRUE(item.has_position()) << i;
    EXPECT_EQ(item.position().x(), listed.agents(i + 1).position().x());
    EXPECT_EQ(item.position().y(), listed.agents(i + 1).position().y());
    for (int j = 0; j <= i; ++j) {
      const v1::Vector2& other = listed.agents(j).position();
      EXPECT_GT(std::hypot(item.position().x() - other.x(), item.position().y() - other.y()), 0.999f);
    }
  }
  EXPECT_EQ(result.results(2).position().x(), 9.0f) << "there was room";
  EXPECT_FALSE(result.results(3).has_position());
  v1::AgentSpec near = Agent(0, 0, v1::PLACEMENT_NUDGE);
  near.set_nudge_distance(0.25f);
  const v1::Error error = ErrorOfAdding(near);
  EXPECT_EQ(error.reason(), "OCCUPIED");
  EXPECT_THAT(error.message(), ::testing::HasSubstr("0.25"));
}

TEST_F(PlacementTest, BadPlacementsAreNamed) {
  CreateWorld("a", Paused());
  v1::AgentSpec spec = Agent(0, 0, static_cast<v1::Placement>(4));
  EXPECT_EQ(ErrorOfAdding(spec).violations(0).field(), "agents[0].placement");
  spec = Agent(0, 0, v1::PLACEMENT_NUDGE);
  spec.set_nudge_distance(0);
  const v1::Error error = ErrorOfAdding(spec);
  EXPECT_EQ(error.violations(0).field(), "agents[0].nudge_distance");
  EXPECT_EQ(error.violations(0).range(), "(0, 1000]");
  EXPECT_EQ(List().agents_size(), 0);
}

// The places that a batch takes itself count, and what it comes to is the same as one by one; a refused one leaves
// nothing, not even an id that is used up.
TEST_F(PlacementTest, AllOrNothingCountsTheBatchsOwnAgents) {
  CreateWorld("a", Paused());
  const std::uint64_t version = GetWorld("a").membership_version();
  v1::CommandBatchResult result =
      Add({Agent(0, 0, v1::PLACEMENT_REJECT), Agent(5, 0, v1::PLACEMENT_ALLOW), Agent(0.5f, 0, v1::PLACEMENT_REJECT)},
          true);
  EXPECT_FALSE(result.applied());
  EXPECT_EQ(result.results(0).error().reason(), "BATCH_REFUSED");
  EXPECT_EQ(result.results(2).error().reason(), "OCCUPIED");
  EXPECT_EQ(GetWorld("a").membership_version(), version);
  EXPECT_EQ(List().agents_size(), 0);

  const std::vector<v1::AgentSpec> crowd(12, Agent(0, 0, v1::PLACEMENT_NUDGE));
  const v1::CommandBatchResult at_once = Add(crowd, true);
  EXPECT_TRUE(at_once.applied());
  EXPECT_EQ(at_once.results(0).id(), std::uint32_t{1} << 31);
  v1::RemoveAgentsRequest remove;
  remove.set_world("a");
  remove.set_all(true);
  v1::RemoveAgentsResponse removed;
  ASSERT_THAT(agents_->RemoveAgents(NewContext("a").get(), remove, &removed), IsOk());
  const v1::CommandBatchResult one_by_one = Add(crowd);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(at_once.results(i).position().x(), one_by_one.results(i).position().x());
    EXPECT_EQ(at_once.results(i).position().y(), one_by_one.results(i).position().y());
  }
}

TEST_F(PlacementTest, AllOrNothingForeseesNoOtherEdits) {
  CreateWorld("a", Paused());
  AddAgents("a", {{0, 0}});
  const v1::OpenSessionResponse session = OpenSession("a");
  v1::ApplyCommandsRequest request;
  request.set_world("a");
  request.set_session_id(session.session_id());
  request.set_resume_token(session.resume_token());
  request.mutable_commands()->set_all_or_nothing(true);
  request.mutable_commands()->add_commands()->set_remove_agent(1);
  *request.mutable_commands()->add_commands()->mutable_add_agent() = Agent(0, 0, v1::PLACEMENT_REJECT);
  v1::ApplyCommandsResponse response;
  ASSERT_THAT(sessions_->ApplyCommands(NewContext("a").get(), request, &response), IsOk());
  EXPECT_FALSE(response.result().applied());
  const v1::Error& error = response.result().results(1).error();
  EXPECT_EQ(error.code(), grpc::INVALID_ARGUMENT);
  ASSERT_EQ(error.violations_size(), 1);
  EXPECT_EQ(error.violations(0).field(), "commands[1].add_agent.placement");
  EXPECT_EQ(error.violations(0).value(), "PLACEMENT_REJECT");
  request.mutable_commands()->set_all_or_nothing(false);
  ASSERT_THAT(sessions_->ApplyCommands(NewContext("a").get(), request, &response), IsOk());
  EXPECT_FALSE(response.result().results(1).has_error());
}

}  // namespace
}  // namespace throng::server
