#include "throng/limits.h"

#include <absl/strings/cord.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/types/optional.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/fp_environment.h"
#include "base/polygon.h"

namespace throng {
namespace {

constexpr absl::string_view kViolationUrl = "throng.v1/Violation";
// Between the parts of a payload. Fields and ranges are ours and values are printed numbers: none can contain it.
constexpr char kSeparator = '\x1f';
constexpr Range kHeadingRange{-kMaxHeading, kMaxHeading};

std::string Print(double value) { return absl::StrFormat("%.9g", value); }

// With the fewest digits, but at least six, that tell the float from its neighbours: 0.001, not 0.00100000005.
std::string Print(float value) {
  for (int digits = 6; digits < 9; ++digits) {
    std::string text = absl::StrFormat("%.*g", digits, value);
    float read = 0.0f;
    if (absl::SimpleAtof(text, &read) && read == value) return text;
  }
  return Print(static_cast<double>(value));
}

std::string Print(const Range& range) {
  return absl::StrCat(range.min_open ? "(" : "[", Print(range.min), ", ", Print(range.max), "]");
}

// Written so that NaN, which compares false with all, is outside.
bool Contains(const Range& range, float value) {
  return (range.min_open ? value > range.min : value >= range.min) && value <= range.max;
}

// Collects the first violation of a value; field names are the prefix and what the caller says.
class Checker {
 public:
  explicit Checker(absl::string_view prefix = "") : prefix_(prefix) {}

  Checker& Number(absl::string_view field, float value, const Range& range) {
    if (status_.ok() && !Contains(range, value)) Fail(field, Print(value), Print(range));
    return *this;
  }
  Checker& Number(absl::string_view field, const std::optional<float>& value, const Range& range) {
    return value ? Number(field, *value, range) : *this;
  }
  Checker& Count(absl::string_view field, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
    if (status_.ok() && (value < min || value > max)) {
      Fail(field, absl::StrCat(value), absl::StrCat("[", min, ", ", max, "]"));
    }
    return *this;
  }
  Checker& Vector(absl::string_view field, const Vec2& value, float max_component) {
    const Range range{-max_component, max_component};
    if (Contains(range, value.x) && Contains(range, value.y)) return *this;
    Number(absl::StrCat(field, ".x"), value.x, range);
    return Number(absl::StrCat(field, ".y"), value.y, range);
  }
  Checker& Vector(absl::string_view field, const std::optional<Vec2>& value, float max_component) {
    return value ? Vector(field, *value, max_component) : *this;
  }
  Checker& ClientId(const std::optional<std::uint32_t>& id) {
    return id ? Count("id", *id, 1, kFirstWorldMadeId - 1) : *this;
  }
  void Fail(absl::string_view field, std::string value, std::string range) {
    if (status_.ok()) status_ = ViolationError({absl::StrCat(prefix_, field), std::move(value), std::move(range)});
  }
  absl::Status status() const { return status_; }

 private:
  std::string prefix_;
  absl::Status status_;
};

absl::Status ValidatePatch(absl::string_view prefix, const AgentParamsPatch& patch) {
  Checker check(prefix);
  check.Number("radius", patch.radius, kRadiusRange)
      .Number("max_speed", patch.max_speed, kMaxSpeedRange)
      .Number("neighbor_distance", patch.neighbor_distance, kNeighborDistanceRange)
      .Number("time_horizon", patch.time_horizon, kTimeHorizonRange)
      .Number("time_horizon_obstacles", patch.time_horizon_obstacles, kTimeHorizonRange)
      .Number("responsibility", patch.responsibility, kResponsibilityRange)
      .Number("preferred_speed", patch.preferred_speed, kPreferredSpeedRange)
      .Number("arrival_radius", patch.arrival_radius, kGoalRadiusRange)
      .Number("slow_down_distance", patch.slow_down_distance, kSlowDownDistanceRange)
      .Number("z", patch.z, kZRange)
      .Number("height", patch.height, kHeightRange)
      .Number("smoothing_time", patch.smoothing_time, kSmoothingTimeRange)
      .Number("max_acceleration", patch.max_acceleration, kAccelerationRange)
      .Number("max_turn_rate", patch.max_turn_rate, kTurnRateRange);
  check.Number("tracking_error", patch.tracking_error, kTrackingErrorRange);
  if (patch.drive) {
    check.Count("drive", static_cast<std::uint64_t>(*patch.drive), static_cast<std::uint64_t>(Drive::kOmni),
                static_cast<std::uint64_t>(Drive::kDifferential));
  }
  if (patch.max_neighbors) check.Count("max_neighbors", *patch.max_neighbors, 0, kMaxNeighborsLimit);
  return check.status();
}

absl::Status ValidateParams(absl::string_view prefix, const AgentParams& params) {
  return ValidatePatch(
      prefix, {params.radius, params.max_speed, params.neighbor_distance, params.max_neighbors, params.time_horizon,
               params.time_horizon_obstacles, params.responsibility, params.preferred_speed, params.arrival_radius,
               params.slow_down_distance, params.layer, params.avoids, params.z, params.height, params.smoothing_time,
               params.max_acceleration, params.max_turn_rate, params.drive, params.tracking_error});
}

// Of an agent that there is to be in a world of this time step.
absl::Status ValidateTogether(absl::string_view prefix, const AgentParams& params, float time_step) {
  Range range = kTimeHorizonRange;
  range.min = std::max(range.min, time_step);
  Checker check(prefix);
  check.Number("time_horizon", params.time_horizon, range)
      .Number("time_horizon_obstacles", params.time_horizon_obstacles, range);
  if (params.drive == Drive::kDifferential && params.max_turn_rate == 0.0f) {
    check.Fail("max_turn_rate", Print(params.max_turn_rate), "(0, 1000] with a differential drive");
  }
  return check.status();
}

// As an enclosure has to be.
void ValidateBounds(const WorldSettings& settings, Checker& check) {
  if (!settings.bounds) return;
  if (!*Effective(settings).containment) check.Fail("bounds", "set", "unset where motion.containment is off");
  const auto& [min, max] = *settings.bounds;
  check.Vector("bounds.min", min, kMaxCoordinate)
      .Vector("bounds.max", max, kMaxCoordinate)
      .Number("bounds.max.x", max.x, {min.x, kMaxCoordinate, true})
      .Number("bounds.max.y", max.y, {min.y, kMaxCoordinate, true});
  if (!check.status().ok()) return;
  const Vec2 corners[] = {min, {max.x, min.y}, max, {min.x, max.y}};
  if (const auto fault = FindPolygonFault(corners)) {
    check.Fail("bounds", absl::StrCat("area ", Print(fault->area)), fault->expected);
  }
}

absl::Status ValidatePath(absl::string_view prefix, const Path& path) {
  Checker check(prefix);
  check.Count("points", path.points.size(), 1, kMaxWaypoints);
  if (!check.status().ok()) return check.status();
  const Range range{-kMaxCoordinate, kMaxCoordinate};
  for (std::size_t i = 0; i < path.points.size(); ++i) {
    const Vec2& point = path.points[i];
    if (Contains(range, point.x) && Contains(range, point.y)) continue;
    return check.Vector(absl::StrCat("points[", i, "]"), point, kMaxCoordinate).status();
  }
  check.Number("pass_radius", path.pass_radius, kGoalRadiusRange);
  return check.Count("next", path.next, 0, path.points.size() - 1).status();
}

absl::Status ValidateMoveTo(absl::string_view prefix, const MoveTo& move_to) {
  return Checker(prefix)
      .Vector("position", move_to.position, kMaxCoordinate)
      .Count("ticks", move_to.ticks, 1, kMaxMoveTicks)
      .status();
}

// What an agent is told to go by, of a spec or an update.
template <class Told>
absl::Status ValidateSteering(const Told& told) {
  Checker check;
  if (told.preferred_velocity.has_value() + told.goal.has_value() + told.path.has_value() > 1) {
    check.Fail(told.path ? "path" : "goal", "set beside another", "at most one of preferred_velocity, goal and path");
  }
  check.Vector("preferred_velocity", told.preferred_velocity, kMaxInputSpeed).Vector("goal", told.goal, kMaxCoordinate);
  if (!check.status().ok() || !told.path) return check.status();
  return ValidatePath("path.", *told.path);
}

}  // namespace

absl::Status ViolationError(const Violation& violation, absl::StatusCode code) {
  absl::Status status(
      code, absl::StrCat(violation.field, ": ", violation.value, " is not valid; expected ", violation.range));
  const absl::string_view separator(&kSeparator, 1);
  status.SetPayload(kViolationUrl,
                    absl::Cord(absl::StrCat(violation.field, separator, violation.value, separator, violation.range)));
  return status;
}

std::optional<Violation> GetViolation(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kViolationUrl);
  if (!payload) return std::nullopt;
  const std::string text(*payload);
  const std::vector<std::string> parts = absl::StrSplit(text, kSeparator);
  if (parts.size() != 3) return std::nullopt;
  return Violation{parts[0], parts[1], parts[2]};
}

absl::Status Validate(const StaleInput& stale_input) {
  Checker check;
  check.Count("policy", static_cast<std::uint64_t>(stale_input.policy), 0,
              static_cast<std::uint64_t>(StaleInputPolicy::kStop));
  check.Number("decay_time", stale_input.decay_time, kDecayTimeRange);
  return check.status();
}

absl::Status Validate(const WorldSettings& settings) {
  Checker check;
  check.Number("time_step", settings.time_step, kTimeStepRange);
  check.Count("preset", static_cast<std::uint64_t>(settings.preset), 0, static_cast<std::uint64_t>(Preset::kBase));
  check.Number("motion.symmetry_bias", settings.motion.symmetry_bias, kSymmetryBiasRange)
      .Number("motion.rest_speed", settings.motion.rest_speed, kRestSpeedRange)
      .Number("motion.separation_speed", settings.motion.separation_speed, kSeparationSpeedRange);
  if (!std::isfinite(settings.origin_x)) check.Fail("origin_x", Print(settings.origin_x), "a finite number");
  if (!std::isfinite(settings.origin_y)) check.Fail("origin_y", Print(settings.origin_y), "a finite number");
  check.Count("stale_input.policy", static_cast<std::uint64_t>(settings.stale_input.policy), 0,
              static_cast<std::uint64_t>(StaleInputPolicy::kStop));
  check.Number("stale_input.decay_time", settings.stale_input.decay_time, kDecayTimeRange);
  check.Count("max_agents", settings.max_agents, 0, kMaxAgentsLimit);
  check.Count("max_obstacle_vertices", settings.max_obstacle_vertices, 0, kMaxObstacleVerticesLimit);
  ValidateBounds(settings, check);
  if (settings.simd_level && !IsAvailable(*settings.simd_level)) {
    check.Fail("simd_level", std::string(Name(*settings.simd_level)), "a level that this machine has");
  }
  if (!check.status().ok()) return check.status();
  const absl::Status params = ValidateParams("agent_defaults.", settings.agent_defaults);
  if (!params.ok()) return params;
  return ValidateTogether("agent_defaults.", settings.agent_defaults, settings.time_step);
}

absl::Status ValidateDefaultsIn(const WorldSettings& world, const AgentParams& defaults) {
  return ValidateTogether("", defaults, world.time_step);
}

absl::Status ValidateIn(const WorldSettings& world, const AgentParams& params, AgentId agent) {
  const absl::Status status = ValidateTogether("params.", params, world.time_step);
  if (status.ok()) return status;
  const std::string name = agent == kInvalidId ? "the new agent" : absl::StrCat("agent ", agent);
  absl::Status named(status.code(), absl::StrCat(name, ": ", status.message()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { named.SetPayload(url, payload); });
  return named;
}

double Resolution(double largest) {
  const auto end = static_cast<float>(largest);
  if (!(end > 0.0f)) return 0x1p-149;
  return double{end} - double{std::nextafter(end, 0.0f)};
}

absl::Status Validate(const AgentParams& params) { return ValidateParams("", params); }

absl::Status Validate(const AgentParamsPatch& patch) { return ValidatePatch("", patch); }

absl::Status Validate(const AgentSpec& spec) {
  Checker check;
  check.ClientId(spec.id);
  if (!spec.position) check.Fail("position", "unset", "a position");
  check.Vector("position", spec.position, kMaxCoordinate)
      .Vector("velocity", spec.velocity, kMaxInputSpeed)
      .Number("heading", spec.heading, kHeadingRange)
      .Count("placement", static_cast<std::uint64_t>(spec.placement), static_cast<std::uint64_t>(Placement::kAllow),
             static_cast<std::uint64_t>(Placement::kNudge))
      .Number("nudge_distance", spec.nudge_distance, kNudgeDistanceRange);
  if (spec.kinematic && (spec.goal || spec.path)) {
    check.Fail(spec.goal ? "goal" : "path", "set of a kinematic agent", "a preferred velocity, or none");
  }
  if (!check.status().ok()) return check.status();
  if (absl::Status status = ValidateSteering(spec); !status.ok()) return status;
  return ValidatePatch("params.", spec.params);
}

absl::Status Validate(const AgentUpdate& update) {
  Checker check;
  check.Vector("position", update.position, kMaxCoordinate)
      .Vector("velocity", update.velocity, kMaxInputSpeed)
      .Number("heading", update.heading, kHeadingRange);
  if (!check.status().ok()) return check.status();
  if (absl::Status status = ValidateSteering(update); !status.ok()) return status;
  if (update.move_to) {
    if (update.preferred_velocity || update.goal || update.path) {
      check.Fail("move_to", "set beside another", "at most one of preferred_velocity, goal, path and move_to");
      return check.status();
    }
    if (absl::Status status = ValidateMoveTo("move_to.", *update.move_to); !status.ok()) return status;
  }
  return ValidatePatch("params.", update.params);
}

absl::Status ValidatePreferredVelocity(const Vec2& velocity) {
  return Checker().Vector("preferred_velocity", velocity, kMaxInputSpeed).status();
}

absl::Status ValidateGoal(const Vec2& goal) { return Checker().Vector("goal", goal, kMaxCoordinate).status(); }

absl::Status Validate(const Path& path) { return ValidatePath("", path); }

absl::Status Validate(const MoveTo& move_to) { return ValidateMoveTo("", move_to); }

absl::Status Validate(const ObstacleSpec& spec) {
  Checker check;
  check.ClientId(spec.id);
  check.Count("kind", static_cast<std::uint64_t>(spec.kind), static_cast<std::uint64_t>(ObstacleKind::kSolid),
              static_cast<std::uint64_t>(ObstacleKind::kCapsule));
  const bool wall = spec.kind == ObstacleKind::kWall, capsule = spec.kind == ObstacleKind::kCapsule;
  check.Count("vertices", spec.vertices.size(), wall || capsule ? kMinObstacleVertices : 3,
              capsule ? 2 : kMaxObstacleVertices);
  if (capsule) {
    if (!spec.radius) check.Fail("radius", "unset", absl::StrCat(Print(kRadiusRange), " of a capsule"));
    check.Number("radius", spec.radius, kRadiusRange);
  } else {
    if (spec.radius) check.Fail("radius", Print(*spec.radius), "unset: the obstacle is not a capsule");
    if (spec.velocity) check.Fail("velocity", "set", "unset: the obstacle is not a capsule");
  }
  check.Vector("velocity", spec.velocity, kMaxInputSpeed);
  if (!check.status().ok()) return check.status();
  if (spec.band) {
    check.Number("band.z", spec.band->z, kZRange).Number("band.height", spec.band->height, kHeightRange);
    if (!check.status().ok()) return check.status();
  }
  const Range range{-kMaxCoordinate, kMaxCoordinate};
  for (std::size_t i = 0; i < spec.vertices.size(); ++i) {
    const Vec2& vertex = spec.vertices[i];
    if (Contains(range, vertex.x) && Contains(range, vertex.y)) continue;
    return check.Vector(absl::StrCat("vertices[", i, "]"), vertex, kMaxCoordinate).status();
  }
  if (capsule) return check.status();
  if (const auto fault = wall ? FindPolylineFault(spec.vertices) : FindPolygonFault(spec.vertices)) {
    const Vec2& vertex = spec.vertices[fault->vertex];
    check.Fail(fault->whole ? "vertices" : absl::StrCat("vertices[", fault->vertex, "]"),
               fault->whole ? absl::StrCat("area ", Print(fault->area))
                            : absl::StrCat("(", Print(vertex.x), ", ", Print(vertex.y), ")"),
               fault->expected);
  }
  return check.status();
}

absl::Status Validate(const ObstacleMove& move) {
  return Checker()
      .Vector("velocity", move.velocity, kMaxInputSpeed)
      .Vector("translation", move.translation, 2.0f * kMaxCoordinate)
      .status();
}

absl::Status ValidateTranslation(const Vec2& translation, const ObstacleSpec& home, double drift_x, double drift_y) {
  const FpEnvironment same_bits;
  const auto refuse = [&](const std::string& range) {
    return ViolationError(
        {"translation", absl::StrCat("(", Print(translation.x), ", ", Print(translation.y), ")"), range});
  };
  constexpr double kMost = kMaxCoordinate;
  ObstacleSpec moved = home;
  moved.id.reset();
  for (Vec2& vertex : moved.vertices) {
    const double x = double{vertex.x} + drift_x, y = double{vertex.y} + drift_y;
    if (!(x >= -kMost && x <= kMost && y >= -kMost && y <= kMost)) {
      return refuse(absl::StrCat("one that leaves all vertices in ", Print(Range{-kMaxCoordinate, kMaxCoordinate})));
    }
    vertex = {static_cast<float>(x), static_cast<float>(y)};
  }
  if (const auto fault = GetViolation(Validate(moved))) {
    return refuse(absl::StrCat("one after which ", fault->field, " is ", fault->range, ", not ", fault->value));
  }
  return absl::OkStatus();
}

absl::Status ValidatePoint(absl::string_view field, const Vec2& point) {
  return Checker().Vector(field, point, kMaxCoordinate).status();
}

absl::Status ValidateNumber(absl::string_view field, float value, const Range& range) {
  return Checker().Number(field, value, range).status();
}

absl::Status ValidateCount(absl::string_view field, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
  return Checker().Count(field, value, min, max).status();
}

MotionSettings Effective(const WorldSettings& settings) {
  MotionSettings motion = settings.motion;
  const bool by_preset = settings.preset == Preset::kDefault;
  for (std::optional<bool>* const extension :
       {&motion.symmetry_breaking, &motion.rest, &motion.containment, &motion.stall_detection, &motion.jam_relief}) {
    *extension = extension->value_or(by_preset);
  }
  return motion;
}

float EffectiveRadius(const AgentParams& params) {
  return params.drive == Drive::kDifferential ? params.radius + params.tracking_error : params.radius;
}

AgentParams Apply(const AgentParams& base, const AgentParamsPatch& patch) {
  AgentParams result = base;
  if (patch.radius) result.radius = *patch.radius;
  if (patch.max_speed) result.max_speed = *patch.max_speed;
  if (patch.neighbor_distance) result.neighbor_distance = *patch.neighbor_distance;
  if (patch.max_neighbors) result.max_neighbors = *patch.max_neighbors;
  if (patch.time_horizon) result.time_horizon = *patch.time_horizon;
  if (patch.time_horizon_obstacles) result.time_horizon_obstacles = *patch.time_horizon_obstacles;
  if (patch.responsibility) result.responsibility = *patch.responsibility;
  if (patch.preferred_speed) result.preferred_speed = *patch.preferred_speed;
  if (patch.arrival_radius) result.arrival_radius = *patch.arrival_radius;
  if (patch.slow_down_distance) result.slow_down_distance = *patch.slow_down_distance;
  if (patch.layer) result.layer = *patch.layer;
  if (patch.avoids) result.avoids = *patch.avoids;
  if (patch.z) result.z = *patch.z;
  if (patch.height) result.height = *patch.height;
  if (patch.smoothing_time) result.smoothing_time = *patch.smoothing_time;
  if (patch.max_acceleration) result.max_acceleration = *patch.max_acceleration;
  if (patch.max_turn_rate) result.max_turn_rate = *patch.max_turn_rate;
  if (patch.drive) result.drive = *patch.drive;
  if (patch.tracking_error) result.tracking_error = *patch.tracking_error;
  return result;
}

}  // namespace throng
