// Every range of the engine's values, and their checks, in one place. Pure functions, safe from any thread, so that a
// caller may refuse bad input before it reaches a world. World does the same checks again on what it is given.
#pragma once

#include <absl/status/status.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <optional>
#include <string>

#include "throng/types.h"

namespace throng {

struct Range {
  float min;
  float max;
  bool min_open = false;  // true: min itself is outside
};

inline constexpr float kMaxCoordinate = 1048576.0f;  // [m] 2^20, by absolute value; a float resolves 0.06 m there
inline constexpr float kMaxInputSpeed = 1048576.0f;  // [m/s] of a component of a velocity that is given from outside
inline constexpr Range kRadiusRange{0.0f, 1000.0f, true};
inline constexpr Range kMaxSpeedRange{0.0f, 1000.0f};
inline constexpr Range kNeighborDistanceRange{0.0f, 1000.0f};
inline constexpr Range kTimeHorizonRange{0.01f, 100.0f};
inline constexpr Range kTimeStepRange{0.001f, 1.0f};
inline constexpr Range kDecayTimeRange{0.001f, 1000.0f};
inline constexpr Range kResponsibilityRange{0.0f, 1000.0f};
inline constexpr Range kZRange{-kMaxCoordinate, kMaxCoordinate};
inline constexpr Range kHeightRange{0.0f, kMaxCoordinate};
inline constexpr Range kSymmetryBiasRange{0.0f, 0.5f};
inline constexpr Range kRestSpeedRange{0.0f, 0.5f};
inline constexpr Range kSeparationSpeedRange{0.0f, 1.0f, true};
inline constexpr Range kPreferredSpeedRange{0.0f, 1000.0f};
inline constexpr Range kGoalRadiusRange{0.0f, 1000.0f, true};  // arrival_radius, pass_radius
inline constexpr Range kSlowDownDistanceRange{0.0f, 1000.0f};
inline constexpr Range kSmoothingTimeRange{0.0f, 100.0f};
inline constexpr Range kAccelerationRange{0.0f, 1e6f};
inline constexpr Range kTurnRateRange{0.0f, 1000.0f};
inline constexpr Range kTrackingErrorRange{0.0f, 100.0f, true};
inline constexpr Range kNudgeDistanceRange{0.0f, 1000.0f, true};
inline constexpr float kMaxHeading = 1e4f;  // [rad] by absolute value, so that its direction is exact enough
inline constexpr std::size_t kMaxWaypoints = 1024;
inline constexpr std::uint32_t kMaxMoveTicks = 10'000;
inline constexpr std::uint32_t kMaxNeighborsLimit = 64;
inline constexpr std::size_t kMinObstacleVertices = 2;
inline constexpr std::size_t kMaxObstacleVertices = 4096;
inline constexpr std::size_t kMaxCapsules = 256;  // of a world, so that a look at all of them is cheap
// What WorldSettings may ask for at most, so that counts and places fit in 32 bits.
inline constexpr std::size_t kMaxAgentsLimit = std::size_t{1} << 27;
inline constexpr std::size_t kMaxObstacleVerticesLimit = std::size_t{1} << 27;

// What is wrong with a value. It travels in an absl::Status as a payload, so that a server can put the parts into
// its own error details; the status message says the same in words.
struct Violation {
  std::string field;  // as in AgentSpec etc., with dots and brackets: "params.radius", "vertices[3]", "position.x"
  std::string value;  // as given
  std::string range;  // what would have been valid
};

// INVALID_ARGUMENT, or the code given, with `violation` as payload and in the message.
absl::Status ViolationError(const Violation& violation, absl::StatusCode code = absl::StatusCode::kInvalidArgument);
// The payload of such a status, if it has one.
std::optional<Violation> GetViolation(const absl::Status& status);

// All return OK or the first violation found.
absl::Status Validate(const WorldSettings& settings);
absl::Status Validate(const StaleInput& stale_input);
absl::Status Validate(const AgentParams& params);
absl::Status Validate(const AgentParamsPatch& patch);
absl::Status Validate(const AgentSpec& spec);
absl::Status Validate(const AgentUpdate& update);
absl::Status ValidatePreferredVelocity(const Vec2& velocity);
absl::Status ValidateGoal(const Vec2& goal);
absl::Status Validate(const Path& path);
absl::Status Validate(const MoveTo& move_to);
// Also refuses polygons that enclose next to nothing, cross themselves or repeat a vertex, by vertex index.
absl::Status Validate(const ObstacleSpec& spec);
absl::Status Validate(const ObstacleMove& move);
// Of a translation after which an obstacle that was put at `home` is (drift_x, drift_y) [m] from there, as
// ObstacleState has them: all of it stays in the range of coordinates, and its shape stands the rounding there.
absl::Status ValidateTranslation(const Vec2& translation, const ObstacleSpec& home, double drift_x, double drift_y);

// Of a single value: INVALID_ARGUMENT that names `field`.
absl::Status ValidatePoint(absl::string_view field, const Vec2& point);
absl::Status ValidateNumber(absl::string_view field, float value, const Range& range);
absl::Status ValidateCount(absl::string_view field, std::uint64_t value, std::uint64_t min, std::uint64_t max);

// What parameters must be beyond their ranges, in a world of this time step: a horizon shorter than that would end
// before the agent has moved, and a differential drive without a max_turn_rate could not turn at all. World checks it
// in every add, update and change of defaults. Fields are "params.time_horizon" and "params.time_horizon_obstacles",
// and "params.max_turn_rate"; the message names the agent (kInvalidId: one that has no id yet).
absl::Status ValidateIn(const WorldSettings& world, const AgentParams& params, AgentId agent);
// The same of defaults; fields have no prefix.
absl::Status ValidateDefaultsIn(const WorldSettings& world, const AgentParams& defaults);

// [m] by which places are rounded where coordinates come to `largest` by absolute value, just under it where it is a
// power of two: the distance of neighbouring floats. Coordinates are relative to the world's origin, so this depends on
// how far a world reaches, never on where it lies: 0.004 m in a world of 100 km across that is centred at its origin,
// 0.06 m at the end of the range of coordinates. Who moves by less than half of it in a time step stands still.
double Resolution(double largest = kMaxCoordinate);

// The extensions in force in a world: what is said, else what the preset says. All are set.
MotionSettings Effective(const WorldSettings& settings);

// [m] With which others see an agent, and it keeps clear of them: see Drive.
float EffectiveRadius(const AgentParams& params);

AgentParams Apply(const AgentParams& base, const AgentParamsPatch& patch);

}  // namespace throng
