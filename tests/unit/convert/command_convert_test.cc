#include "server/convert/command_convert.h"

#include <gtest/gtest.h>

#include <variant>

#include "throng/limits.h"

namespace throng::server {
namespace {

TEST(CommandConvert, AnAgentIsToldAVelocityAGoalOrAPath) {
  v1::AgentSpec spec;
  spec.mutable_position();
  EXPECT_FALSE(FromProto(spec)->goal || FromProto(spec)->path || FromProto(spec)->preferred_velocity);
  spec.mutable_preferred_velocity()->set_x(1);
  EXPECT_EQ(FromProto(spec)->preferred_velocity, (Vec2{1, 0}));
  spec.mutable_goal()->set_y(2);
  EXPECT_EQ(FromProto(spec)->goal, (Vec2{0, 2}));
  EXPECT_FALSE(FromProto(spec)->preferred_velocity);
  v1::Path* const path = spec.mutable_path();
  for (const float value : {1.0f, 2.0f}) {
    path->add_x(value);
    path->add_y(-value);
  }
  path->set_next(1);
  EXPECT_EQ(FromProto(spec)->path, (Path{{{1, -1}, {2, -2}}, std::nullopt, 1}));
  path->set_pass_radius(0.0f);  // told, so that it is refused
  EXPECT_EQ(FromProto(spec)->path->pass_radius, 0.0f);
}

TEST(CommandConvert, AGoalOfZerosIsAGoal) {
  v1::AgentUpdate update;
  update.mutable_goal();
  EXPECT_EQ(FromProto(update)->goal, (Vec2{0, 0}));
}

TEST(CommandConvert, APathsColumnsAreOfOneLength) {
  v1::AgentUpdate update;
  update.mutable_path()->add_x(1);
  const auto violation = GetViolation(FromProto(update).status());
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->field, "path.y");
  EXPECT_EQ(violation->value, "0 values");
  EXPECT_EQ(violation->range, "1, as many as x");
  EXPECT_TRUE(std::holds_alternative<UnreadableCommand>(ToUpdateAgent(update)));
}

TEST(CommandConvert, ParametersOfGoalsGoBothWays) {
  v1::AgentParams params;
  params.set_preferred_speed(1.0f);
  params.set_arrival_radius(2.0f);
  params.set_slow_down_distance(0.0f);
  const AgentParamsPatch patch = FromProto(params);
  EXPECT_EQ(patch.preferred_speed, 1.0f);
  EXPECT_EQ(patch.arrival_radius, 2.0f);
  EXPECT_EQ(patch.slow_down_distance, 0.0f);
  v1::AgentParams back;
  ToProto(Apply({}, patch), &back);
  EXPECT_EQ(back.preferred_speed(), 1.0f);
  EXPECT_EQ(back.arrival_radius(), 2.0f);
  EXPECT_TRUE(back.has_slow_down_distance());
}

TEST(CommandConvert, AnAgentTellsWhatItGoesByAndItsStatus) {
  AgentState state;
  v1::Agent agent = ToProto(state);
  EXPECT_EQ(agent.steering_case(), v1::Agent::STEERING_NOT_SET);
  EXPECT_EQ(agent.status(), v1::AGENT_STATUS_NO_INPUT);
  state.steering = Vec2{1, 2};
  state.status = AgentStatus::kStaleInput;
  agent = ToProto(state);
  EXPECT_EQ(agent.preferred_velocity().y(), 2.0f);
  EXPECT_EQ(agent.status(), v1::AGENT_STATUS_STALE_INPUT);
  state.steering = Goal{{3, 4}};
  state.status = AgentStatus::kArrived;
  agent = ToProto(state);
  EXPECT_EQ(agent.goal().x(), 3.0f);
  EXPECT_EQ(agent.status(), v1::AGENT_STATUS_ARRIVED);
  state.steering = Path{{{5, 6}, {7, 8}}, 0.5f, 1};
  state.status = AgentStatus::kMoving;
  agent = ToProto(state);
  EXPECT_EQ(agent.path().x_size(), 2);
  EXPECT_EQ(agent.path().y(1), 8.0f);
  EXPECT_EQ(agent.path().pass_radius(), 0.5f);
  EXPECT_EQ(agent.path().next(), 1u);
  EXPECT_EQ(agent.status(), v1::AGENT_STATUS_MOVING);
}

TEST(CommandConvert, APlacementIsAllowUnlessTold) {
  v1::AgentSpec spec;
  spec.mutable_position();
  EXPECT_EQ(FromProto(spec)->placement, Placement::kAllow);
  EXPECT_FALSE(FromProto(spec)->nudge_distance);
  spec.set_placement(v1::PLACEMENT_NUDGE);
  spec.set_nudge_distance(2);
  EXPECT_EQ(FromProto(spec)->placement, Placement::kNudge);
  EXPECT_EQ(FromProto(spec)->nudge_distance, 2.0f);
}

// In words, and with the number that was said, which a byte of the engine could not hold.
TEST(CommandConvert, WhatIsNoValueOfItsEnumIsNamed) {
  const auto expect = [](const absl::Status& status, const std::string& field, const std::string& value,
                         const std::string& range) {
    const auto violation = GetViolation(status);
    ASSERT_TRUE(violation) << field;
    EXPECT_EQ(violation->field, field);
    EXPECT_EQ(violation->value, value);
    EXPECT_EQ(violation->range, range);
  };
  v1::AgentSpec spec;
  spec.mutable_position();
  spec.set_placement(static_cast<v1::Placement>(257));
  expect(FromProto(spec).status(), "placement", "257", "PLACEMENT_ALLOW, PLACEMENT_REJECT or PLACEMENT_NUDGE");
  v1::AgentUpdate update;
  update.mutable_params()->set_drive(static_cast<v1::Drive>(258));
  expect(FromProto(update).status(), "params.drive", "258", kDrives);
  *spec.mutable_params() = update.params();
  expect(FromProto(spec).status(), "params.drive", "258", kDrives);
  v1::ObstacleSpec obstacle;
  const std::string kinds = "OBSTACLE_KIND_SOLID, OBSTACLE_KIND_ENCLOSURE, OBSTACLE_KIND_WALL or OBSTACLE_KIND_CAPSULE";
  expect(FromProto(obstacle).status(), "kind", "0", kinds);
  obstacle.set_kind(static_cast<v1::ObstacleKind>(5));
  expect(FromProto(obstacle).status(), "kind", "5", kinds);
}

v1::ObstacleSpec WallOf(float length) {
  v1::ObstacleSpec spec;
  spec.set_kind(v1::OBSTACLE_KIND_WALL);
  for (const float x : {0.0f, length}) {
    spec.add_x(x);
    spec.add_y(0);
  }
  return spec;
}

// However many valid items stand before it, what a batch is refused for is told in full.
TEST(CommandConvert, TheCauseOfARefusedBatchIsComplete) {
  CommandBatchResult result;
  result.results.resize(100);
  for (std::size_t i = 0; i < 100; ++i) {
    result.results[i].status = i < 60 ? absl::AbortedError("another") : ViolationError({"x", "1", "2"});
  }
  const v1::CommandBatchResult wire = ToProto(result, "agents");
  const auto complete = [&](int i) { return !wire.results(i).error().message().empty(); };
  EXPECT_TRUE(complete(0) && complete(15));
  EXPECT_FALSE(complete(16) || complete(59));
  EXPECT_EQ(wire.results(16).error().code(), static_cast<int>(absl::StatusCode::kAborted));
  EXPECT_TRUE(complete(60) && complete(75));
  EXPECT_EQ(wire.results(75).error().violations(0).field(), "agents[75].x");
  EXPECT_FALSE(complete(76));
  EXPECT_EQ(wire.results(99).error().reason(), "INVALID_VALUE");
}

TEST(CommandConvert, AnObstacleIsSeenByEverybodyUnlessTold) {
  v1::ObstacleSpec spec = WallOf(1);
  EXPECT_EQ(FromProto(spec)->layer, 1u);
  EXPECT_FALSE(FromProto(spec)->band);
  spec.set_layer(0);
  spec.set_z(-2);
  EXPECT_EQ(FromProto(spec)->layer, 0u) << "zero is not unset";
  EXPECT_EQ(FromProto(spec)->band, (HeightBand{-2, 0}));
  spec.set_height(3);
  EXPECT_EQ(FromProto(spec)->band, (HeightBand{-2, 3}));
}

TEST(CommandConvert, AHeightBandOfAnObstacleIsCheckedByTheNamesOfTheWire) {
  v1::ObstacleSpec spec = WallOf(1);
  spec.set_height(3);
  const auto alone = GetViolation(FromProto(spec).status());
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->field, "height");
  EXPECT_EQ(alone->value, "3");
  EXPECT_EQ(alone->range, "unset, since z is");
  spec.set_z(2e6f);
  EXPECT_EQ(GetViolation(FromProto(spec).status())->field, "z");
  spec.set_z(0);
  spec.set_height(-1);
  EXPECT_EQ(GetViolation(FromProto(spec).status())->range, "[0, 1048576]");
}

TEST(CommandConvert, AnObstacleTellsItsLayerAndBand) {
  ObstacleState state;
  v1::Obstacle obstacle = ToProto(state);
  EXPECT_EQ(obstacle.layer(), 1u);
  EXPECT_FALSE(obstacle.has_z() || obstacle.has_height());
  state.layer = 6;
  state.band = HeightBand{1, 0};
  obstacle = ToProto(state);
  EXPECT_EQ(obstacle.layer(), 6u);
  EXPECT_EQ(obstacle.z(), 1.0f);
  EXPECT_TRUE(obstacle.has_height());
}

}  // namespace
}  // namespace throng::server
