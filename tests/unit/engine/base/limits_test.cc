#include "throng/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace throng {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::string FieldOf(const absl::Status& status) {
  const auto violation = GetViolation(status);
  return violation ? violation->field : "";
}

float Above(float value) { return std::nextafter(value, kInf); }
float Below(float value) { return std::nextafter(value, -kInf); }

// A float that an agent has, how to set it, and what it may be.
struct FloatCase {
  std::string field;
  std::optional<float> AgentParamsPatch::*in_patch;
  float AgentParams::*in_params;
  Range range;
};

class FloatParams : public ::testing::TestWithParam<FloatCase> {
 protected:
  bool Accepts(float value) const {
    const FloatCase& test = GetParam();
    AgentParamsPatch patch;
    patch.*test.in_patch = value;
    AgentParams params;
    params.*test.in_params = value;
    WorldSettings settings;
    settings.time_step = kTimeStepRange.min;  // no longer than any horizon
    settings.agent_defaults = params;
    AgentSpec spec;
    spec.position = Vec2{};
    spec.params = patch;
    AgentUpdate update;
    update.params = patch;
    const bool ok = Validate(patch).ok();
    EXPECT_EQ(Validate(params).ok(), ok);
    EXPECT_EQ(Validate(settings).ok(), ok);
    EXPECT_EQ(Validate(spec).ok(), ok);
    EXPECT_EQ(Validate(update).ok(), ok);
    if (!ok) {
      EXPECT_EQ(FieldOf(Validate(patch)), test.field);
      EXPECT_EQ(FieldOf(Validate(params)), test.field);
      EXPECT_EQ(FieldOf(Validate(settings)), "agent_defaults." + test.field);
      EXPECT_EQ(FieldOf(Validate(spec)), "params." + test.field);
      EXPECT_EQ(FieldOf(Validate(update)), "params." + test.field);
    }
    return ok;
  }
};

TEST_P(FloatParams, AreHeldToTheirRange) {
  const Range range = GetParam().range;
  EXPECT_EQ(Accepts(range.min), !range.min_open);
  EXPECT_TRUE(Accepts(Above(range.min)));
  EXPECT_TRUE(Accepts(range.max));
  EXPECT_FALSE(Accepts(Below(range.min)));
  EXPECT_FALSE(Accepts(Above(range.max)));
  EXPECT_FALSE(Accepts(kNan));
  EXPECT_FALSE(Accepts(kInf));
  EXPECT_FALSE(Accepts(-kInf));
}

INSTANTIATE_TEST_SUITE_P(
    Limits, FloatParams,
    ::testing::Values(
        FloatCase{"responsibility", &AgentParamsPatch::responsibility, &AgentParams::responsibility,
                  kResponsibilityRange},
        FloatCase{"radius", &AgentParamsPatch::radius, &AgentParams::radius, kRadiusRange},
        FloatCase{"max_speed", &AgentParamsPatch::max_speed, &AgentParams::max_speed, kMaxSpeedRange},
        FloatCase{"neighbor_distance", &AgentParamsPatch::neighbor_distance, &AgentParams::neighbor_distance,
                  kNeighborDistanceRange},
        FloatCase{"time_horizon", &AgentParamsPatch::time_horizon, &AgentParams::time_horizon, kTimeHorizonRange},
        FloatCase{"time_horizon_obstacles", &AgentParamsPatch::time_horizon_obstacles,
                  &AgentParams::time_horizon_obstacles, kTimeHorizonRange},
        FloatCase{"preferred_speed", &AgentParamsPatch::preferred_speed, &AgentParams::preferred_speed,
                  kPreferredSpeedRange},
        FloatCase{"arrival_radius", &AgentParamsPatch::arrival_radius, &AgentParams::arrival_radius, kGoalRadiusRange},
        FloatCase{"slow_down_distance", &AgentParamsPatch::slow_down_distance, &AgentParams::slow_down_distance,
                  kSlowDownDistanceRange},
        FloatCase{"smoothing_time", &AgentParamsPatch::smoothing_time, &AgentParams::smoothing_time,
                  kSmoothingTimeRange},
        FloatCase{"max_acceleration", &AgentParamsPatch::max_acceleration, &AgentParams::max_acceleration,
                  kAccelerationRange},
        FloatCase{"max_turn_rate", &AgentParamsPatch::max_turn_rate, &AgentParams::max_turn_rate, kTurnRateRange},
        FloatCase{"tracking_error", &AgentParamsPatch::tracking_error, &AgentParams::tracking_error,
                  kTrackingErrorRange}),
    [](const auto& param_info) { return param_info.param.field; });

TEST(Limits, BoundMaxNeighbors) {
  AgentParamsPatch patch;
  patch.max_neighbors = 64;
  EXPECT_TRUE(Validate(patch).ok());
  patch.max_neighbors = 65;
  EXPECT_EQ(FieldOf(Validate(patch)), "max_neighbors");
}

TEST(Limits, ViolationSaysFieldValueAndRange) {
  AgentSpec spec;
  spec.position = Vec2{};
  spec.params.radius = -1.5f;
  const absl::Status status = Validate(spec);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const auto violation = GetViolation(status);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->field, "params.radius");
  EXPECT_EQ(violation->value, "-1.5");
  EXPECT_EQ(violation->range, "(0, 1000]");
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("params.radius"));
}

TEST(Limits, ViolationKeepsItsCodeAndEmptyParts) {
  const absl::Status status = ViolationError({"max_agents", "", "x"}, absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(GetViolation(status));
  EXPECT_EQ(GetViolation(status)->value, "");
  EXPECT_FALSE(GetViolation(absl::NotFoundError("x")));
  EXPECT_FALSE(GetViolation(absl::OkStatus()));
}

TEST(Limits, AgentNeedsAPosition) { EXPECT_EQ(FieldOf(Validate(AgentSpec{})), "position"); }

TEST(Limits, VectorsAreBoundedByComponent) {
  AgentSpec spec;
  spec.position = Vec2{kMaxCoordinate, -kMaxCoordinate};
  EXPECT_TRUE(Validate(spec).ok());
  spec.position = Vec2{0.0f, Above(kMaxCoordinate)};
  EXPECT_EQ(FieldOf(Validate(spec)), "position.y");
  spec.position = Vec2{kNan, 0.0f};
  EXPECT_EQ(FieldOf(Validate(spec)), "position.x");
  spec.position = Vec2{};
  spec.velocity = {kInf, 0.0f};
  EXPECT_EQ(FieldOf(Validate(spec)), "velocity.x");
  spec.velocity = {};
  spec.preferred_velocity = Vec2{0.0f, kNan};
  EXPECT_EQ(FieldOf(Validate(spec)), "preferred_velocity.y");
  EXPECT_EQ(FieldOf(ValidatePreferredVelocity({kInf, 0.0f})), "preferred_velocity.x");
  EXPECT_TRUE(ValidatePreferredVelocity({kMaxInputSpeed, -kMaxInputSpeed}).ok());
}

TEST(Limits, ClientsDoNotUseTheWorldsIds) {
  AgentSpec spec;
  spec.position = Vec2{};
  for (const AgentId id : {AgentId{1}, kFirstWorldMadeId - 1}) {
    spec.id = id;
    EXPECT_TRUE(Validate(spec).ok()) << id;
  }
  for (const AgentId id : {AgentId{0}, kFirstWorldMadeId, AgentId{0xffffffff}}) {
    spec.id = id;
    EXPECT_EQ(FieldOf(Validate(spec)), "id") << id;
  }
}

TEST(Limits, WorldSettings) {
  const std::vector<std::pair<std::string, std::function<void(WorldSettings&)>>> bad = {
      {"time_step", [](auto& s) { s.time_step = 0.0f; }},
      {"time_step", [](auto& s) { s.time_step = 1.001f; }},
      {"time_step", [](auto& s) { s.time_step = kNan; }},
      {"preset", [](auto& s) { s.preset = static_cast<Preset>(9); }},
      {"agent_defaults.responsibility", [](auto& s) { s.agent_defaults.responsibility = -0.001f; }},
      {"agent_defaults.responsibility", [](auto& s) { s.agent_defaults.responsibility = 1000.5f; }},
      {"motion.symmetry_bias", [](auto& s) { s.motion.symmetry_bias = -0.01f; }},
      {"motion.symmetry_bias", [](auto& s) { s.motion.symmetry_bias = 0.51f; }},
      {"motion.rest_speed", [](auto& s) { s.motion.rest_speed = 0.51f; }},
      {"motion.rest_speed", [](auto& s) { s.motion.rest_speed = kNan; }},
      {"motion.separation_speed", [](auto& s) { s.motion.separation_speed = 0.0f; }},
      {"motion.separation_speed", [](auto& s) { s.motion.separation_speed = 1.01f; }},
      {"origin_x", [](auto& s) { s.origin_x = std::numeric_limits<double>::infinity(); }},
      {"origin_y", [](auto& s) { s.origin_y = std::numeric_limits<double>::quiet_NaN(); }},
      {"stale_input.policy", [](auto& s) { s.stale_input.policy = static_cast<StaleInputPolicy>(7); }},
      {"stale_input.decay_time", [](auto& s) { s.stale_input.decay_time = 0.0f; }},
      {"bounds.min.x",
       [](auto& s) {
         s.bounds = {{kNan, 0}, {1, 1}};
       }},
      {"bounds.max.y",
       [](auto& s) {
         s.bounds = {{0, 0}, {1, 2e6f}};
       }},
      {"bounds.max.x",
       [](auto& s) {
         s.bounds = {{1, 0}, {1, 1}};
       }},
      {"bounds.max.y",
       [](auto& s) {
         s.bounds = {{0, 2}, {1, 1}};
       }},
      {"bounds",
       [](auto& s) {
         s.bounds = {{1e6f, 0}, {1e6f + 0.0625f, 1}};
       }},  // rounding would fill it
      {"bounds",
       [](auto& s) {
         s.bounds = {{0, 0}, {1, 1}}, s.motion.containment = false;
       }},
      {"bounds",
       [](auto& s) {
         s.bounds = {{0, 0}, {1, 1}}, s.preset = Preset::kBase;
       }},
      {"max_agents", [](auto& s) { s.max_agents = kMaxAgentsLimit + 1; }},
      {"max_obstacle_vertices", [](auto& s) { s.max_obstacle_vertices = kMaxObstacleVerticesLimit + 1; }},
  };
  EXPECT_TRUE(Validate(WorldSettings{}).ok());
  WorldSettings bounded;
  bounded.bounds = Rectangle{{0, 0}, {50, 50}};
  EXPECT_TRUE(Validate(bounded).ok());
  for (const auto& [field, spoil] : bad) {
    WorldSettings settings;
    spoil(settings);
    EXPECT_EQ(FieldOf(Validate(settings)), field);
  }
  EXPECT_EQ(FieldOf(Validate(StaleInput{StaleInputPolicy::kDecay, 1, kNan})), "decay_time");
}

TEST(Limits, Obstacles) {
  const auto field = [](ObstacleKind kind, std::vector<Vec2> vertices) {
    ObstacleSpec spec;
    spec.kind = kind;
    spec.vertices = std::move(vertices);
    return FieldOf(Validate(spec));
  };
  const auto solid = ObstacleKind::kSolid, wall = ObstacleKind::kWall, enclosure = ObstacleKind::kEnclosure;
  EXPECT_EQ(field(solid, {{0, 0}, {1, 0}, {0, 1}}), "");
  EXPECT_EQ(field(enclosure, {{0, 0}, {0, 1}, {1, 0}}), "");
  EXPECT_EQ(field(wall, {{0, 0}, {1, 0}}), "");
  EXPECT_EQ(field(wall, {{0, 0}, {1, 0}, {1, 1}, {0, 0}}), "") << "a wall may come back to where it began";
  EXPECT_EQ(field(wall, {{0, 0}, {2, 0}, {1, -1}, {1, 1}}), "") << "and cross itself";

  EXPECT_EQ(field(solid, {{0, 0}, {1, 0}}), "vertices");
  EXPECT_EQ(field(wall, {{0, 0}}), "vertices");
  EXPECT_EQ(field(solid, std::vector<Vec2>(4097)), "vertices");
  EXPECT_EQ(field(solid, {{0, 0}, {1, 0}, {kNan, 1}}), "vertices[2].x");
  EXPECT_EQ(field(wall, {{0, 0}, {1, 2e6f}}), "vertices[1].y");
  EXPECT_EQ(field(solid, {{0, 0}, {1, 0}, {1, 0}, {0, 1}}), "vertices[2]");
  EXPECT_EQ(field(wall, {{0, 0}, {0, 0}}), "vertices[1]");
  EXPECT_EQ(field(solid, {{0, 0}, {1, 0}, {0, 1}, {0, 0}}), "vertices[3]");
  EXPECT_EQ(field(solid, {{0, 0}, {1, 0}, {2, 0}}), "vertices[0]") << "folds back on itself";
  EXPECT_EQ(field(solid, {{0, 0}, {1, 1}, {1, 0}, {0, 1}}), "vertices[2]") << "a bow tie";
  ObstacleSpec spec;
  spec.kind = static_cast<ObstacleKind>(0);
  EXPECT_EQ(FieldOf(Validate(spec)), "kind");
}

TEST(Limits, EffectiveIsWhatIsSaidOrWhatThePresetSays) {
  WorldSettings settings;
  EXPECT_EQ(Effective(settings).containment, true);
  settings.preset = Preset::kBase;
  EXPECT_EQ(Effective(settings).containment, false);
  settings.motion.containment = true;
  EXPECT_EQ(Effective(settings).containment, true);
  settings.preset = Preset::kDefault;
  settings.motion.containment = false;
  EXPECT_EQ(Effective(settings).containment, false);
  EXPECT_TRUE(Validate(settings).ok());
}

TEST(Limits, AnAgentIsToldOneThingAtOnce) {
  AgentUpdate update;
  update.goal = Vec2{1.0f, 2.0f};
  EXPECT_TRUE(Validate(update).ok());
  update.preferred_velocity = Vec2{};
  EXPECT_EQ(FieldOf(Validate(update)), "goal");
  update.preferred_velocity.reset();
  update.path = Path{{{0, 0}}};
  EXPECT_EQ(FieldOf(Validate(update)), "path");
  update.goal.reset();
  EXPECT_TRUE(Validate(update).ok());
}

TEST(Limits, GoalsAndPathsAreHeldToTheirRange) {
  EXPECT_TRUE(ValidateGoal({kMaxCoordinate, -kMaxCoordinate}).ok());
  EXPECT_EQ(FieldOf(ValidateGoal({Above(kMaxCoordinate), 0})), "goal.x");
  EXPECT_EQ(FieldOf(ValidateGoal({0, kNan})), "goal.y");
  AgentSpec spec;
  spec.position = Vec2{};
  const auto field_of = [&](const Path& path) {
    spec.path = path;
    return FieldOf(Validate(spec));
  };
  EXPECT_EQ(field_of({{{0, 0}, {1, 1}}, 1000.0f, 1}), "");
  EXPECT_EQ(field_of({}), "path.points");
  EXPECT_EQ(field_of({std::vector<Vec2>(kMaxWaypoints)}), "");
  EXPECT_EQ(field_of({std::vector<Vec2>(kMaxWaypoints + 1)}), "path.points");
  EXPECT_EQ(field_of({{{0, 0}, {0, -kInf}}}), "path.points[1].y");
  EXPECT_EQ(field_of({{{0, 0}}, 0.0f}), "path.pass_radius");
  EXPECT_EQ(field_of({{{0, 0}}, Above(1000.0f)}), "path.pass_radius");
  EXPECT_EQ(field_of({{{0, 0}}, kNan}), "path.pass_radius");
  EXPECT_EQ(field_of({{{0, 0}}, 1.0f, 1}), "path.next");
}

TEST(Limits, ApplyTakesWhatIsSet) {
  AgentParams base;
  base.radius = 0.25f;
  AgentParamsPatch patch;
  EXPECT_EQ(Apply(base, patch), base);
  patch = {1.0f, 3.0f, 4.0f, 5u, 6.0f, 7.0f, 8.0f, 9.0f, 10.0f, 11.0f};
  EXPECT_EQ(Apply(base, patch), (AgentParams{1.0f, 3.0f, 4.0f, 5, 6.0f, 7.0f, 8.0f, 9.0f, 10.0f, 11.0f}));
}

TEST(Limits, ApplyTakesLimitsOfMotion) {
  AgentParamsPatch patch;
  patch.smoothing_time = 1.0f;
  patch.max_acceleration = 2.0f;
  patch.max_turn_rate = 3.0f;
  const AgentParams applied = Apply({}, patch);
  EXPECT_EQ(applied.smoothing_time, 1.0f);
  EXPECT_EQ(applied.max_acceleration, 2.0f);
  EXPECT_EQ(applied.max_turn_rate, 3.0f);
  patch.drive = Drive::kDifferential;
  patch.tracking_error = 4.0f;
  EXPECT_EQ(Apply({}, patch).drive, Drive::kDifferential);
  EXPECT_EQ(Apply({}, patch).tracking_error, 4.0f);
}

TEST(Limits, BoundDrives) {
  AgentParamsPatch patch;
  for (const int drive : {0, 3, 255}) {
    patch.drive = static_cast<Drive>(drive);
    EXPECT_EQ(FieldOf(Validate(patch)), "drive") << drive;
  }
  patch.drive = Drive::kOmni;
  EXPECT_TRUE(Validate(patch).ok());
}

TEST(Limits, HorizonsReachATimeStepAtLeast) {
  WorldSettings settings;
  settings.time_step = 0.1f;
  settings.agent_defaults.time_horizon = 0.1f;
  EXPECT_TRUE(Validate(settings).ok());
  settings.agent_defaults.time_horizon = Below(0.1f);
  EXPECT_EQ(FieldOf(Validate(settings)), "agent_defaults.time_horizon");
  EXPECT_EQ(FieldOf(ValidateDefaultsIn(settings, settings.agent_defaults)), "time_horizon");
  EXPECT_TRUE(ValidateIn(settings, AgentParams{}, 7).ok());

  AgentParams params;
  params.time_horizon_obstacles = 0.05f;
  const absl::Status status = ValidateIn(settings, params, 7);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const auto violation = GetViolation(status);
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->field, "params.time_horizon_obstacles");
  EXPECT_EQ(violation->value, "0.05");
  EXPECT_EQ(violation->range, "[0.1, 100]");
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("agent 7: params.time_horizon_obstacles: 0.05"));
  EXPECT_THAT(std::string(ValidateIn(settings, params, kInvalidId).message()), testing::HasSubstr("the new agent"));
}

TEST(Limits, ResolutionIsThatOfFloats) {
  EXPECT_EQ(Resolution(), 0.0625);
  EXPECT_EQ(Resolution(50'000.0), 0.00390625);
  EXPECT_EQ(Resolution(32'768.0), 0.00390625 / 2);
  EXPECT_EQ(Resolution(1.0), 0x1p-24);
  EXPECT_GT(Resolution(0.0), 0.0);
  for (double end = 1e-3; end < 1e6; end *= 1.37) {
    const auto at = static_cast<float>(end);
    EXPECT_EQ(Resolution(end), double{at} - double{std::nextafter(at, 0.0f)});
  }
}

TEST(Limits, Placements) {
  AgentSpec spec;
  spec.position = Vec2{};
  spec.nudge_distance = 1000.0f;
  for (const Placement placement : {Placement::kAllow, Placement::kReject, Placement::kNudge}) {
    spec.placement = placement;
    EXPECT_TRUE(Validate(spec).ok());
  }
  for (const int placement : {0, 4}) {
    spec.placement = static_cast<Placement>(placement);
    EXPECT_EQ(FieldOf(Validate(spec)), "placement");
  }
  spec.placement = Placement::kNudge;
  for (const float distance : {0.0f, -1.0f, Above(1000.0f), kNan, kInf}) {
    spec.nudge_distance = distance;
    EXPECT_EQ(FieldOf(Validate(spec)), "nudge_distance");
  }
}

TEST(Limits, BoundHeadings) {
  for (const float heading : {Above(kMaxHeading), -Above(kMaxHeading), kNan, kInf}) {
    AgentSpec spec;
    spec.position = Vec2{};
    spec.heading = heading;
    EXPECT_EQ(FieldOf(Validate(spec)), "heading");
    AgentUpdate update;
    update.heading = heading;
    EXPECT_EQ(FieldOf(Validate(update)), "heading");
  }
  AgentUpdate update;
  update.heading = -kMaxHeading;
  EXPECT_TRUE(Validate(update).ok());
}

}  // namespace
}  // namespace throng
