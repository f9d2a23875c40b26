// The motion model's settings and parameters over the wire, and what worlds tell of their effect.
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "tests/integration/support.h"

namespace throng::server {
namespace {

using ::testing::HasSubstr;

TEST_F(ServerTest, MotionSettingsFollowThePresetAndAreEchoed) {
  EXPECT_TRUE(CreateWorld("default").settings().motion().containment());
  EXPECT_TRUE(GetWorld("default").settings().motion().symmetry_breaking());
  v1::WorldSettings settings;
  settings.set_preset(v1::PRESET_BASE);
  settings.mutable_motion()->set_rest(true);
  settings.mutable_motion()->set_rest_speed(0.25f);
  CreateWorld("base", settings);
  const v1::MotionSettings motion = GetWorld("base").settings().motion();
  EXPECT_FALSE(motion.containment());
  EXPECT_TRUE(motion.has_containment());
  EXPECT_TRUE(motion.rest());
  EXPECT_EQ(motion.rest_speed(), 0.25f);
  EXPECT_EQ(motion.symmetry_bias(), 0.1f);
  EXPECT_TRUE(GetWorld("default").settings().motion().jam_relief());
  EXPECT_FALSE(motion.jam_relief());
}

// The agents of a jam begin to look less far ahead, so that it comes apart: jam relief is not only echoed.
TEST_F(ServerTest, JamReliefActsWhereItIsOn) {
  const auto farthest = [&](const char* name, bool relief) {
    v1::WorldSettings settings = Lockstep();
    settings.mutable_motion()->set_jam_relief(relief);
    CreateWorld(name, settings);
    v1::AddAgentsRequest add;
    add.set_world(name);
    for (int i = 0; i < 24; ++i) {
      const float side = i % 2 == 0 ? 1.0f : -1.0f;
      v1::AgentSpec* const agent = add.add_agents();
      agent->set_id(static_cast<std::uint32_t>(i + 1));
      agent->mutable_position()->set_x(side * static_cast<float>(5 + i / 6));
      agent->mutable_position()->set_y(static_cast<float>(i % 6) * 0.5f - 1.25f);
      agent->mutable_goal()->set_x(-side * 12);
      agent->mutable_params()->set_radius(0.2f);
    }
    v1::AddAgentsResponse added;
    EXPECT_THAT(agents_->AddAgents(NewContext(name).get(), add, &added), IsOk());
    v1::AddObstaclesRequest walls;
    walls.set_world(name);
    for (const float y : {0.4f, -0.4f}) {  // a door of 0.8 m
      v1::ObstacleSpec* const wall = walls.add_obstacles();
      wall->set_kind(v1::OBSTACLE_KIND_WALL);
      for (const float end : {y, 100 * y}) {
        wall->add_x(0);
        wall->add_y(end);
      }
    }
    v1::AddObstaclesResponse put;
    EXPECT_THAT(obstacles_->AddObstacles(NewContext(name).get(), walls, &put), IsOk());
    const auto stream = Connect(OpenSession(name, true));
    EXPECT_TRUE(stream->reader().Write(StepRequestOf(1, 1'500)));
    const auto done = stream->NextEvent(v1::ConnectResponse::kStepResult);
    return done ? done->step_result().state_hash() : 0;
  };
  EXPECT_NE(farthest("off", false), farthest("on", true));
}

TEST_F(ServerTest, BadMotionSettingsAreNamed) {
  v1::CreateWorldRequest create;
  create.set_name("a");
  create.mutable_settings()->mutable_motion()->set_symmetry_bias(0.6f);
  v1::CreateWorldResponse created;
  const grpc::Status status = worlds_->CreateWorld(NewContext("a").get(), create, &created);
  EXPECT_THAT(status, HasCode(grpc::INVALID_ARGUMENT));
  ASSERT_EQ(BadRequestOf(status).field_violations_size(), 1);
  EXPECT_EQ(BadRequestOf(status).field_violations(0).field(), "settings.motion.symmetry_bias");
  EXPECT_THAT(BadRequestOf(status).field_violations(0).description(), HasSubstr("[0, 0.5]"));
}

// Discs stay in the bounds though they want out, who is put outside is moved in and told so, and what holds them is
// explained.
TEST_F(ServerTest, BoundsHoldDiscs) {
  v1::WorldSettings settings = Lockstep();
  settings.mutable_bounds()->mutable_min()->set_x(-10);
  settings.mutable_bounds()->mutable_min()->set_y(-5);
  settings.mutable_bounds()->mutable_max()->set_x(10);
  settings.mutable_bounds()->mutable_max()->set_y(5);
  EXPECT_EQ(CreateWorld("a", settings).settings().bounds().max().x(), 10.0f);
  EXPECT_EQ(GetWorld("a").resolution(), 0x1p-20);
  AddAgents("a", {{0, 0}, {30, -2}});
  const auto stream = Connect(OpenSession("a", true), [](v1::ConnectOpen& open) {
    open.mutable_subscription()->set_position(true);
    open.mutable_subscription()->set_status(true);
  });
  ASSERT_TRUE(stream->NextFrame());
  ASSERT_TRUE(stream->reader().Write(InputRequest(1, {1}, 2.0f, 0.5f)));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 1)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  const auto first = stream->NextFrame([](const WholeFrame& later) { return later.tick == 1; });
  ASSERT_TRUE(first);
  EXPECT_EQ(first->x[1], 9.5f);
  v1::ListAgentsRequest list;
  list.set_world("a");
  v1::ListAgentsResponse listed;
  ASSERT_THAT(agents_->ListAgents(NewContext("a").get(), list, &listed), IsOk());
  EXPECT_EQ(listed.agents(1).status(), v1::AGENT_STATUS_RECOVERED);
  EXPECT_EQ(listed.agents(1).status_reason(), v1::AGENT_STATUS_REASON_OUT_OF_BOUNDS);
  EXPECT_EQ(GetWorld("a").recoveries(), 1u);
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(2, 400)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  const auto last = stream->NextFrame([](const WholeFrame& later) { return later.tick == 401; });
  ASSERT_TRUE(last);
  for (const float x : last->x) EXPECT_LE(x, 9.5f);
  for (const float y : last->y) EXPECT_LE(y, 4.5f);
  EXPECT_GT(last->y[0], 4.4f) << "along the wall to the corner";
  v1::ExplainRequest ask;
  ask.set_world("a");
  ask.set_agent_id(1);
  v1::ExplainResponse why;
  ASSERT_THAT(queries_->Explain(NewContext("a").get(), ask, &why), IsOk());
  EXPECT_TRUE(std::any_of(why.half_planes().begin(), why.half_planes().end(), [](const v1::HalfPlane& line) {
    return line.source() == v1::HALF_PLANE_SOURCE_BOUNDS && line.hard() && line.id() == 0;
  }));
  v1::TestVisibilityRequest look;
  look.set_world("a");
  look.mutable_from();
  look.mutable_to()->set_x(20);
  look.set_radius(0.5f);
  v1::TestVisibilityResponse seen;
  ASSERT_THAT(queries_->TestVisibility(NewContext("a").get(), look, &seen), IsOk());
  EXPECT_FALSE(seen.visible());
  EXPECT_EQ(seen.obstacle_id(), 0u);
  EXPECT_EQ(GetWorld("a").obstacles(), 0u);
}

TEST_F(ServerTest, AWorldCountsWhomItMovesOutOfObstacles) {
  CreateWorld("a", Lockstep());
  AddAgents("a", {{0, 0}, {50, 0}});
  v1::AddObstaclesRequest add;
  add.set_world("a");
  v1::ObstacleSpec* const block = add.add_obstacles();
  block->set_kind(v1::OBSTACLE_KIND_SOLID);
  for (const auto& [x, y] : {std::pair{-2.0f, -1.0f}, {2.0f, -1.0f}, {2.0f, 1.0f}, {-2.0f, 1.0f}}) {
    block->add_x(x);
    block->add_y(y);
  }
  v1::AddObstaclesResponse added;
  ASSERT_THAT(obstacles_->AddObstacles(NewContext("a").get(), add, &added), IsOk());
  const auto stream = Connect(OpenSession("a", true));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 3)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  EXPECT_EQ(GetWorld("a").recoveries(), 1u);
  EXPECT_EQ(GetWorld("a").stranded_agents(), 0u);
  const std::string scrape = HttpGet(server_->http_port(), "/metrics");
  EXPECT_THAT(scrape, HasSubstr("\nthrong_recoveries_total 1\n"));
  EXPECT_THAT(scrape, HasSubstr("\nthrong_stranded_agents 0\n"));
  EXPECT_THAT(scrape, HasSubstr("\nthrong_cut_moves_total "));
}

// R038 over the wire: agents added with nothing but an id and a place avoid each other, what is in force is read back,
// zero is not unset, and a neighbour distance that is too small is told.
TEST_F(ServerTest, R038DefaultsAvoidAndAreEchoed) {
  CreateWorld("a", Lockstep());
  v1::AddAgentsRequest add;
  add.set_world("a");
  for (const auto& [id, x] : {std::pair{1u, 0.0f}, {2u, 10.0f}}) {
    v1::AgentSpec* const agent = add.add_agents();
    agent->set_id(id);
    agent->mutable_position()->set_x(x);
  }
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  for (const v1::CommandResult& result : added.result().results()) {
    EXPECT_EQ(result.params().radius(), 0.5f);
    EXPECT_EQ(result.params().neighbor_distance(), 10.0f);
    EXPECT_EQ(result.params().max_neighbors(), 10u);
    EXPECT_EQ(result.params().time_horizon(), 5.0f);
    EXPECT_EQ(result.warnings_size(), 0);
  }
  const auto stream = Connect(OpenSession("a", true));
  ASSERT_TRUE(stream->NextFrame());
  ASSERT_TRUE(stream->reader().Write(InputRequest(1, {1}, 1.5f, 0.0f)));
  ASSERT_TRUE(stream->reader().Write(InputRequest(2, {2}, -1.5f, 0.0f)));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 300)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  stream->NextFrame([](const WholeFrame& frame) { return frame.tick == 300; });
  for (const WholeFrame& frame : stream->frames()) {
    EXPECT_GT(std::hypot(frame.x[0] - frame.x[1], frame.y[0] - frame.y[1]), 0.99f) << "tick " << frame.tick;
  }
  EXPECT_GT(stream->frames().back().x[0], 10.0f) << "they pass each other";

  v1::UpdateAgentsRequest update;
  update.set_world("a");
  v1::AgentUpdate* const blind = update.add_agents();
  blind->set_id(1);
  blind->mutable_params()->set_max_neighbors(0);
  v1::AgentUpdate* const near = update.add_agents();
  near->set_id(2);
  near->mutable_params()->set_neighbor_distance(9.0f);
  v1::UpdateAgentsResponse updated;
  ASSERT_THAT(agents_->UpdateAgents(NewContext("a").get(), update, &updated), IsOk());
  EXPECT_EQ(updated.result().results(0).params().max_neighbors(), 0u) << "zero is not unset";
  EXPECT_EQ(updated.result().results(0).warnings(0).code(), v1::WARNING_CODE_SEES_NOTHING);
  ASSERT_EQ(updated.result().results(1).warnings_size(), 1);
  const v1::Warning& warning = updated.result().results(1).warnings(0);
  EXPECT_EQ(warning.code(), v1::WARNING_CODE_NEIGHBOR_DISTANCE_SHORT);
  EXPECT_EQ(warning.field(), "params.neighbor_distance");
  EXPECT_EQ(warning.agent_id(), 2u);
  EXPECT_THAT(warning.message(), HasSubstr("9 m is less than the 10 m"));
}

TEST_F(ServerTest, WarningsOfAWorldComeWithIt) {
  v1::WorldSettings settings = Paused();
  settings.mutable_agent_defaults()->set_max_neighbors(3);
  const v1::World created = CreateWorld("a", settings);
  ASSERT_EQ(created.warnings_size(), 1);
  EXPECT_EQ(created.warnings(0).field(), "agent_defaults.max_neighbors");
  v1::AddObstaclesRequest add;
  add.set_world("a");
  for (const float y : {0.4f, -0.4f}) {
    v1::ObstacleSpec* const wall = add.add_obstacles();
    wall->set_kind(v1::OBSTACLE_KIND_WALL);
    for (const float end : {y, 10 * y}) {
      wall->add_x(0);
      wall->add_y(end);
    }
  }
  v1::AddObstaclesResponse added;
  ASSERT_THAT(obstacles_->AddObstacles(NewContext("a").get(), add, &added), IsOk());
  EXPECT_EQ(added.result().results(0).warnings_size(), 0);
  ASSERT_EQ(added.result().results(1).warnings_size(), 1);
  EXPECT_EQ(added.result().results(1).warnings(0).code(), v1::WARNING_CODE_PASSAGE_NARROW);
  EXPECT_EQ(added.result().results(1).warnings(0).obstacle_id(), added.result().results(1).id());
  ASSERT_EQ(GetWorld("a").warnings_size(), 2);
  EXPECT_EQ(GetWorld("a").warnings(1).code(), v1::WARNING_CODE_PASSAGE_NARROW);
  v1::UpdateWorldRequest update;
  update.set_world("a");
  update.mutable_settings()->mutable_agent_defaults()->set_radius(0.25f);
  update.mutable_settings()->mutable_agent_defaults()->set_max_neighbors(8);
  v1::UpdateWorldResponse updated;
  ASSERT_THAT(worlds_->UpdateWorld(NewContext("a").get(), update, &updated), IsOk());
  EXPECT_EQ(updated.world().warnings_size(), 0);
}

TEST_F(ServerTest, OnlyTheFirstItemsAreWarnedOf) {
  CreateWorld("a", Paused());
  v1::AddAgentsRequest add;
  add.set_world("a");
  for (int i = 0; i < 20; ++i) {
    v1::AgentSpec* const agent = add.add_agents();
    agent->mutable_position()->set_x(static_cast<float>(2 * i));
    agent->mutable_params()->set_max_neighbors(2);
  }
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  EXPECT_EQ(added.result().results(15).warnings_size(), 1);
  EXPECT_EQ(added.result().results(16).warnings_size(), 0);
}

TEST_F(ServerTest, AKinematicAgentMovesAsItIsTold) {
  CreateWorld("a", Lockstep());
  AddAgents("a", {{0, 0}, {50, 0}});
  const auto update = [&](const std::function<void(v1::AgentUpdate&)>& fill, bool all_or_nothing = false) {
    v1::UpdateAgentsRequest request;
    request.set_world("a");
    request.set_all_or_nothing(all_or_nothing);
    request.add_agents()->set_id(1);
    fill(*request.mutable_agents(0));
    v1::UpdateAgentsResponse response;
    EXPECT_THAT(agents_->UpdateAgents(NewContext("a").get(), request, &response), IsOk());
    return response.result().results(0);
  };
  const auto move = [](v1::AgentUpdate& agent) {
    agent.mutable_move_to()->mutable_position()->set_x(30);
    agent.mutable_move_to()->set_ticks(10);
  };
  for (const bool all_or_nothing : {false, true}) {
    EXPECT_EQ(update(move, all_or_nothing).error().reason(), "NOT_KINEMATIC");
  }
  EXPECT_FALSE(update([&](v1::AgentUpdate& agent) {
                 agent.set_kinematic(true);
                 move(agent);
               }).has_error());
  for (const bool all_or_nothing : {false, true}) {
    EXPECT_EQ(update([](v1::AgentUpdate& agent) { agent.mutable_goal(); }, all_or_nothing).error().reason(),
              "IS_KINEMATIC");
  }
  const v1::CommandResult bad = update([&](v1::AgentUpdate& agent) {
    move(agent);
    agent.mutable_move_to()->set_ticks(10'001);
  });
  ASSERT_EQ(bad.error().violations_size(), 1);
  EXPECT_EQ(bad.error().violations(0).field(), "agents[0].move_to.ticks");
  EXPECT_EQ(bad.error().violations(0).range(), "[1, 10000]");

  const auto stream = Connect(OpenSession("a", true));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 4)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  v1::ListAgentsRequest list;
  list.set_world("a");
  v1::ListAgentsResponse listed;
  ASSERT_THAT(agents_->ListAgents(NewContext("a").get(), list, &listed), IsOk());
  EXPECT_TRUE(listed.agents(0).kinematic());
  EXPECT_EQ(listed.agents(0).move_to().ticks(), 6u);
  EXPECT_EQ(listed.agents(0).move_to().position().x(), 30.0f);
  EXPECT_FALSE(listed.agents(1).kinematic());
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(2, 6)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  const auto frame = stream->NextFrame([](const WholeFrame& later) { return later.tick == 10; });
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->x[0], 30.0f) << "farther than max_speed would take it";
  // Its preferred velocity is its velocity; goals are refused by input, too.
  v1::ConnectRequest goal;
  goal.mutable_input()->set_sequence(1);
  goal.mutable_input()->add_ids(1);
  goal.mutable_input()->add_goal_x(0);
  goal.mutable_input()->add_goal_y(0);
  ASSERT_TRUE(stream->reader().Write(goal));
  const auto refused = stream->NextEvent(v1::ConnectResponse::kInputResult);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->input_result().items(0).error().reason(), "IS_KINEMATIC");
  ASSERT_TRUE(stream->reader().Write(InputRequest(2, {1}, 0.0f, 30.0f)));
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(3, 30)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  const auto last = stream->NextFrame([](const WholeFrame& later) { return later.tick == 40; });
  ASSERT_TRUE(last);
  EXPECT_NEAR(last->y[0], 30.0f, 1e-3f);
}

TEST_F(ServerTest, LayersAndBandsSayWhoMeetsWhom) {
  CreateWorld("a", Lockstep());
  v1::AddAgentsRequest add;
  add.set_world("a");
  const auto pair = [&](std::uint32_t id, float y, const std::function<void(v1::AgentParams&)>& second) {
    for (const float x : {-5.0f, 5.0f}) {
      v1::AgentSpec* const agent = add.add_agents();
      agent->set_id(x < 0 ? id : id + 1);
      agent->mutable_position()->set_x(x);
      agent->mutable_position()->set_y(y);
      agent->mutable_goal()->set_x(-x);
      agent->mutable_goal()->set_y(y);
      if (x > 0) second(*agent->mutable_params());
    }
  };
  pair(1, 0, [](v1::AgentParams&) {});
  pair(3, 50, [](v1::AgentParams& params) { params.set_z(3); });
  pair(5, 100, [](v1::AgentParams& params) {
    params.set_layer(0);
    params.set_avoids(0);
  });
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  EXPECT_EQ(added.result().results(0).params().avoids(), 0xffffffffu);
  EXPECT_EQ(added.result().results(3).params().z(), 3.0f);
  EXPECT_TRUE(added.result().results(5).params().has_layer());
  const auto stream = Connect(OpenSession("a", true));
  ASSERT_TRUE(stream->NextFrame());
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 100)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  const auto frame = stream->NextFrame([](const WholeFrame& later) { return later.tick == 100; });
  ASSERT_TRUE(frame);
  EXPECT_NE(frame->y[0], 0.0f) << "they see each other";
  EXPECT_EQ(frame->y[2], 50.0f) << "on two floors";
  EXPECT_EQ(frame->y[4], 100.0f);
  EXPECT_EQ(frame->y[5], 100.0f);
}

TEST_F(ServerTest, SteeringLimitsHoldAndHeadingsAreTold) {
  CreateWorld("a", Lockstep());
  v1::AddAgentsRequest add;
  add.set_world("a");
  v1::AgentSpec* const agent = add.add_agents();
  agent->set_id(1);
  agent->mutable_position();
  agent->mutable_preferred_velocity()->set_x(2);
  agent->set_heading(1.5f);
  agent->mutable_params()->set_max_acceleration(3);
  agent->mutable_params()->set_max_turn_rate(2);
  agent->mutable_params()->set_smoothing_time(0.1f);
  v1::AddAgentsResponse added;
  ASSERT_THAT(agents_->AddAgents(NewContext("a").get(), add, &added), IsOk());
  EXPECT_EQ(added.result().results(0).params().max_turn_rate(), 2.0f);
  const auto stream = Connect(OpenSession("a", true), [](v1::ConnectOpen& open) {
    open.mutable_subscription()->set_velocity(true);
    open.mutable_subscription()->set_heading(true);
  });
  auto frame = stream->NextFrame();
  ASSERT_TRUE(frame);
  EXPECT_NEAR(frame->heading[0], 1.5f, 1e-5f);
  ASSERT_TRUE(stream->reader().Write(StepRequestOf(1, 90)));
  ASSERT_TRUE(stream->NextEvent(v1::ConnectResponse::kStepResult));
  stream->NextFrame([](const WholeFrame& later) { return later.tick == 90; });
  const float time_step = GetWorld("a").settings().time_step();
  float vx = 0.0f, vy = 0.0f;
  std::uint64_t tick = 0;
  for (const WholeFrame& next : stream->frames()) {
    const float change = std::hypot(next.vx[0] - vx, next.vy[0] - vy);
    EXPECT_LE(change, 3.0f * time_step * static_cast<float>(next.tick - tick) + 1e-5f);
    std::tie(vx, vy, tick) = std::tie(next.vx[0], next.vy[0], next.tick);
  }
  EXPECT_NEAR(stream->frames().back().heading[0], 0.0f, 0.01f);
  v1::ListAgentsRequest list;
  list.set_world("a");
  v1::ListAgentsResponse listed;
  ASSERT_THAT(agents_->ListAgents(NewContext("a").get(), list, &listed), IsOk());
  EXPECT_EQ(listed.agents(0).heading(), stream->frames().back().heading[0]);
}

// A horizon that ends within a tick is refused with the agent named, also where all is applied or nothing.
TEST_F(ServerTest, AHorizonShorterThanATickIsRefused) {
  v1::WorldSettings settings = Paused();
  settings.set_time_step(0.5f);
  CreateWorld("a", settings);
  AddAgents("a", {{0, 0}});
  for (const bool all_or_nothing : {false, true}) {
    v1::UpdateAgentsRequest update;
    update.set_world("a");
    update.set_all_or_nothing(all_or_nothing);
    update.add_agents()->set_id(1);
    update.mutable_agents(0)->mutable_params()->set_time_horizon(0.25f);
    v1::UpdateAgentsResponse updated;
    ASSERT_THAT(agents_->UpdateAgents(NewContext("a").get(), update, &updated), IsOk());
    const v1::Error& error = updated.result().results(0).error();
    ASSERT_EQ(error.violations_size(), 1);
    EXPECT_EQ(error.violations(0).field(), "agents[0].params.time_horizon");
    EXPECT_EQ(error.violations(0).range(), "[0.5, 100]");
    EXPECT_THAT(error.message(), HasSubstr("agent 1: agents[0].params.time_horizon"));
  }
  v1::UpdateWorldRequest change;
  change.set_world("a");
  change.mutable_settings()->mutable_agent_defaults()->set_time_horizon_obstacles(0.25f);
  v1::UpdateWorldResponse changed;
  const grpc::Status status = worlds_->UpdateWorld(NewContext("a").get(), change, &changed);
  EXPECT_THAT(status, HasCode(grpc::INVALID_ARGUMENT));
  EXPECT_EQ(BadRequestOf(status).field_violations(0).field(), "settings.agent_defaults.time_horizon_obstacles");
  EXPECT_EQ(GetWorld("a").settings().agent_defaults().time_horizon_obstacles(), 2.0f);
}

TEST_F(ServerTest, AStepOfZeroComputesVelocitiesAndMovesNothing) {
  CreateWorld("a", Lockstep());
  AddAgents("a", {{0, 0}});
  const auto stream = Connect(OpenSession("a", true), [](v1::ConnectOpen& open) {
    open.mutable_subscription()->set_position(true);
    open.mutable_subscription()->set_velocity(true);
  });
  ASSERT_TRUE(stream->NextFrame());
  ASSERT_TRUE(stream->reader().Write(InputRequest(1, {1}, 1.0f, 0.0f)));
  v1::ConnectRequest zero = StepRequestOf(1, 1);
  zero.mutable_step()->set_time_step(0.0f);
  ASSERT_TRUE(stream->reader().Write(zero));
  const auto result = stream->NextEvent(v1::ConnectResponse::kStepResult);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->step_result().has_error());
  EXPECT_EQ(result->step_result().tick(), 0u);
  const auto frame = stream->NextFrame([](const WholeFrame& later) { return later.vx[0] > 0.0f; });
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->tick, 0u);
  EXPECT_EQ(frame->x[0], 0.0f);
  EXPECT_EQ(frame->vx[0], 1.0f);
  for (const auto& [ticks, time_step, field] :
       {std::tuple{2u, 0.0f, "step.ticks"}, std::tuple{1u, 0.5f, "step.time_step"}}) {
    v1::ConnectRequest bad = StepRequestOf(2, ticks);
    bad.mutable_step()->set_time_step(time_step);
    ASSERT_TRUE(stream->reader().Write(bad));
    const auto refused = stream->NextEvent(v1::ConnectResponse::kStepResult);
    ASSERT_TRUE(refused);
    ASSERT_EQ(refused->step_result().error().violations_size(), 1);
    EXPECT_EQ(refused->step_result().error().violations(0).field(), field);
  }
  v1::ConnectRequest usual = StepRequestOf(2, 1);
  usual.mutable_step()->set_time_step(GetWorld("a").settings().time_step());
  ASSERT_TRUE(stream->reader().Write(usual));
  const auto stepped = stream->NextEvent(v1::ConnectResponse::kStepResult);
  ASSERT_TRUE(stepped);
  EXPECT_EQ(stepped->step_result().tick(), 1u);
}

}  // namespace
}  // namespace throng::server
