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

}  // namespace
}  // namespace throng::server
