// Agents and obstacles over the wire, by batch.

#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::ElementsAre;

TEST_F(ServerTest, AnAgentOfIdAndPlaceGetsEffectiveParameters) {
  v1::WorldSettings settings = Paused();
  settings.mutable_agent_defaults()->set_radius(0.3f);
  CreateWorld("a", settings);
  const v1::CommandBatchResult result = AddAgents("a", {{1, 2}}, 7);
  ASSERT_EQ(result.results_size(), 1);
  EXPECT_TRUE(result.applied());
  EXPECT_EQ(result.results(0).id(), 7u);
  const v1::AgentParams& params = result.results(0).params();
  EXPECT_EQ(params.radius(), 0.3f);
  EXPECT_EQ(params.max_speed(), 2.0f);
  EXPECT_EQ(params.neighbor_distance(), 10.0f);
  EXPECT_EQ(params.max_neighbors(), 10u);
  EXPECT_EQ(params.time_horizon(), 5.0f);
  EXPECT_EQ(params.time_horizon_obstacles(), 2.0f);
  EXPECT_TRUE(params.has_radius() && params.has_max_neighbors() && params.has_time_horizon_obstacles());
}

TEST_F(ServerTest, WhatIsValidOfABatchIsAppliedOrNothing) {
  CreateWorld("a", Paused());
  v1::AddAgentsRequest add;
  add.set_world("a");
  add.add_agents()->mutable_position();
  v1::AgentSpec* const bad = add.add_agents();
  bad->mutable_position();
  bad->mutable_params()->set_radius(-1.0f);
  add.add_agents();  // without a place
  add.set_all_or_nothing(true);
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  EXPECT_FALSE(added.result().applied());
  ASSERT_EQ(added.result().results_size(), 3);
  EXPECT_EQ(added.result().results(0).error().code(), grpc::ABORTED);
  EXPECT_EQ(added.result().results(0).error().reason(), "BATCH_REFUSED");
  ASSERT_EQ(added.result().results(1).error().violations_size(), 1);
  EXPECT_EQ(added.result().results(1).error().violations(0).field(), "agents[1].params.radius");
  EXPECT_EQ(added.result().results(1).error().violations(0).value(), "-1");
  EXPECT_EQ(added.result().results(1).error().violations(0).range(), "(0, 1000]");
  EXPECT_EQ(added.result().results(2).error().violations(0).field(), "agents[2].position");
  EXPECT_EQ(GetWorld("a").agents(), 0u);
  add.set_all_or_nothing(false);
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  EXPECT_TRUE(added.result().applied());
  EXPECT_FALSE(added.result().results(0).has_error());
  EXPECT_GE(added.result().results(0).id(), kFirstWorldMadeId);
  EXPECT_EQ(GetWorld("a").agents(), 1u);
}

TEST_F(ServerTest, ARepeatedBatchAppliesNothing) {
  CreateWorld("a", Paused());
  v1::AddAgentsRequest add;
  add.set_world("a");
  add.set_request_id("once");
  add.add_agents()->mutable_position();
  v1::AddAgentsResponse first;
  v1::AddAgentsResponse second;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &first), IsOk());
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &second), IsOk());
  EXPECT_EQ(first.SerializeAsString(), second.SerializeAsString());
  EXPECT_EQ(GetWorld("a").agents(), 1u);
}

TEST_F(ServerTest, AgentsAreUpdatedListedAndRemoved) {
  CreateWorld("a", Paused());
  AddAgents("a", {{0, 0}, {5, 0}, {10, 0}});
  v1::UpdateAgentsRequest update;
  update.set_world("a");
  v1::AgentUpdate* const change = update.add_agents();
  change->set_id(2);
  change->mutable_position()->set_x(-5.0f);
  change->mutable_preferred_velocity()->set_x(1.0f);
  change->mutable_params()->set_max_neighbors(0);
  update.add_agents()->set_id(99);
  v1::UpdateAgentsResponse updated;
  ASSERT_THAT(agents_->UpdateAgents(NewContext("a").get(), update, &updated), IsOk());
  EXPECT_EQ(updated.result().results(0).params().max_neighbors(), 0u);
  EXPECT_EQ(updated.result().results(1).error().code(), grpc::NOT_FOUND);
  EXPECT_EQ(updated.result().results(1).error().reason(), "AGENT_NOT_FOUND");

  v1::ListAgentsRequest list;
  list.set_world("a");
  list.set_page_size(2);
  v1::ListAgentsResponse page;
  ASSERT_THAT(agents_->ListAgents(NewContext("a").get(), list, &page), IsOk());
  ASSERT_EQ(page.agents_size(), 2);
  EXPECT_FALSE(page.agents(0).has_preferred_velocity()) << "there never was an input";
  EXPECT_EQ(page.agents(1).id(), 2u);
  EXPECT_EQ(page.agents(1).position().x(), -5.0f);
  EXPECT_EQ(page.agents(1).preferred_velocity().x(), 1.0f);
  list.set_page_token(page.next_page_token());
  ASSERT_THAT(agents_->ListAgents(NewContext("a").get(), list, &page), IsOk());
  ASSERT_EQ(page.agents_size(), 1);
  EXPECT_EQ(page.agents(0).id(), 3u);
  EXPECT_EQ(page.next_page_token(), "");
  list.clear_page_token();
  for (const std::uint32_t id : {3u, 77u, 1u, 3u}) list.add_ids(id);
  ASSERT_THAT(agents_->ListAgents(NewContext("a").get(), list, &page), IsOk());
  ASSERT_EQ(page.agents_size(), 2) << "unknown ones are left out";
  EXPECT_EQ(page.next_page_token(), "");

  v1::RemoveAgentsRequest remove;
  remove.set_world("a");
  remove.add_ids(1);
  remove.add_ids(1);
  v1::RemoveAgentsResponse removed;
  ASSERT_THAT(agents_->RemoveAgents(NewContext("a").get(), remove, &removed), IsOk());
  EXPECT_FALSE(removed.result().results(0).has_error());
  EXPECT_EQ(removed.result().results(1).error().code(), grpc::NOT_FOUND);
  EXPECT_EQ(GetWorld("a").agents(), 2u);
  remove.clear_ids();
  remove.set_all(true);
  ASSERT_THAT(agents_->RemoveAgents(NewContext("a").get(), remove, &removed), IsOk());
  EXPECT_EQ(GetWorld("a").agents(), 0u);
}

TEST_F(ServerTest, ObstaclesAreNormalisedAndRefusedByVertex) {
  CreateWorld("a", Paused());
  v1::AddObstaclesRequest add;
  add.set_world("a");
  v1::ObstacleSpec* const clockwise = add.add_obstacles();
  clockwise->set_id(4);
  clockwise->set_kind(v1::OBSTACLE_KIND_SOLID);
  for (const auto& [x, y] : {std::pair{0.f, 0.f}, {0.f, 2.f}, {2.f, 2.f}, {2.f, 0.f}}) {
    clockwise->add_x(x);
    clockwise->add_y(y);
  }
  v1::ObstacleSpec* const bow_tie = add.add_obstacles();
  bow_tie->set_kind(v1::OBSTACLE_KIND_SOLID);
  for (const auto& [x, y] : {std::pair{0.f, 0.f}, {2.f, 2.f}, {2.f, 0.f}, {0.f, 2.f}}) {
    bow_tie->add_x(x);
    bow_tie->add_y(y);
  }
  v1::AddObstaclesResponse added;
  ASSERT_THAT(obstacles_->AddObstacles(NewContext("a").get(), add, &added), IsOk());
  EXPECT_FALSE(added.result().results(0).has_error());
  EXPECT_EQ(added.result().results(1).error().code(), grpc::INVALID_ARGUMENT);
  EXPECT_THAT(added.result().results(1).error().violations(0).field(), ::testing::StartsWith("obstacles[1]."));

  v1::ListObstaclesRequest list;
  list.set_world("a");
  v1::ListObstaclesResponse page;
  ASSERT_THAT(obstacles_->ListObstacles(NewContext("a").get(), list, &page), IsOk());
  ASSERT_EQ(page.obstacles_size(), 1);
  EXPECT_EQ(page.obstacles(0).id(), 4u);
  EXPECT_EQ(page.obstacles(0).area(), 4.0f);
  float twice_area = 0.0f;
  for (int i = 0; i < 4; ++i) {
    const int j = (i + 1) % 4;
    twice_area += page.obstacles(0).x(i) * page.obstacles(0).y(j) - page.obstacles(0).x(j) * page.obstacles(0).y(i);
  }
  EXPECT_GT(twice_area, 0.0f) << "a solid runs counter-clockwise";
  EXPECT_EQ(page.obstacles(0).bounds_max().x(), 2.0f);

  v1::UpdateObstaclesRequest update;
  update.set_world("a");
  *update.add_obstacles() = *clockwise;
  update.mutable_obstacles(0)->set_kind(v1::OBSTACLE_KIND_ENCLOSURE);
  v1::UpdateObstaclesResponse updated;
  ASSERT_THAT(obstacles_->UpdateObstacles(NewContext("a").get(), update, &updated), IsOk());
  EXPECT_NE(updated.result().obstacle_version(), added.result().obstacle_version());
  v1::RemoveObstaclesRequest remove;
  remove.set_world("a");
  remove.add_ids(4);
  remove.add_ids(5);
  v1::RemoveObstaclesResponse removed;
  ASSERT_THAT(obstacles_->RemoveObstacles(NewContext("a").get(), remove, &removed), IsOk());
  EXPECT_FALSE(removed.result().results(0).has_error());
  EXPECT_EQ(removed.result().results(1).error().reason(), "OBSTACLE_NOT_FOUND");
  EXPECT_EQ(GetWorld("a").obstacles(), 0u);
}

}  // namespace
}  // namespace throng::server
