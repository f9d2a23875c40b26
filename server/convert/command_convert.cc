#include "server/convert/command_convert.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "server/convert/status.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

// Of a batch; those after them carry code and reason alone. Valid items of a refused batch have a count of their own,
// so that they never keep the cause from being told.
constexpr std::size_t kMaxCompleteErrors = 16;

Vec2 FromProto(const v1::Vector2& vector) { return {vector.x(), vector.y()}; }

void ToProto(const Vec2& vector, v1::Vector2* out) {
  out->set_x(vector.x);
  out->set_y(vector.y);
}

// The id 0 says in the wire's messages what an unset one says in the engine's.
std::optional<std::uint32_t> OptionalId(std::uint32_t id) {
  return id == kInvalidId ? std::nullopt : std::optional<std::uint32_t>(id);
}

ObstacleKind FromProto(v1::ObstacleKind kind) {
  switch (kind) {
    case v1::OBSTACLE_KIND_SOLID:
      return ObstacleKind::kSolid;
    case v1::OBSTACLE_KIND_ENCLOSURE:
      return ObstacleKind::kEnclosure;
    case v1::OBSTACLE_KIND_WALL:
      return ObstacleKind::kWall;
    case v1::OBSTACLE_KIND_CAPSULE:
      return ObstacleKind::kCapsule;
    default:
      return ObstacleKind{0};
  }
}

v1::ObstacleKind ToProto(ObstacleKind kind) {
  switch (kind) {
    case ObstacleKind::kSolid:
      return v1::OBSTACLE_KIND_SOLID;
    case ObstacleKind::kEnclosure:
      return v1::OBSTACLE_KIND_ENCLOSURE;
    case ObstacleKind::kWall:
      return v1::OBSTACLE_KIND_WALL;
    case ObstacleKind::kCapsule:
      return v1::OBSTACLE_KIND_CAPSULE;
  }
  return v1::OBSTACLE_KIND_UNSPECIFIED;
}

// As the engine wants them: lengths are compared before.
Path FromProto(const v1::Path& path) {
  Path result;
  result.points.reserve(static_cast<std::size_t>(path.x_size()));
  for (int i = 0; i < path.x_size(); ++i) result.points.push_back({path.x(i), path.y(i)});
  if (path.has_pass_radius()) result.pass_radius = path.pass_radius();
  result.next = path.next();
  return result;
}

void ToProto(const Path& path, v1::Path* out) {
  for (const Vec2& point : path.points) {
    out->add_x(point.x);
    out->add_y(point.y);
  }
  if (path.pass_radius) out->set_pass_radius(*path.pass_radius);
  out->set_next(path.next);
}

// What an agent is told to go by, of a spec or an update.
template <class Message, class Told>
void ReadSteering(const Message& message, Told* told) {
  if (message.has_preferred_velocity()) told->preferred_velocity = FromProto(message.preferred_velocity());
  if (message.has_goal()) told->goal = FromProto(message.goal());
  if (message.has_path()) told->path = FromProto(message.path());
}

// Named as the wire's messages have them, which the engine keeps together. Unset: of every height.
absl::StatusOr<std::optional<HeightBand>> BandOf(const v1::ObstacleSpec& spec) {
  if (!spec.has_z() && !spec.has_height()) return std::nullopt;
  if (!spec.has_z()) return ViolationError({"height", absl::StrCat(spec.height()), "unset, since z is"});
  if (absl::Status status = ValidateNumber("z", spec.z(), kZRange); !status.ok()) return status;
  if (absl::Status status = ValidateNumber("height", spec.height(), kHeightRange); !status.ok()) return status;
  return HeightBand{spec.z(), spec.height()};
}

constexpr char kPlacements[] = "PLACEMENT_ALLOW, PLACEMENT_REJECT or PLACEMENT_NUDGE";
constexpr char kObstacleKinds[] =
    "OBSTACLE_KIND_SOLID, OBSTACLE_KIND_ENCLOSURE, OBSTACLE_KIND_WALL or OBSTACLE_KIND_CAPSULE";

// The engine, whose enums are bytes, cannot tell which number it was that is no value.
absl::Status EnumError(const char* field, int number, const char* range) {
  return ViolationError({field, absl::StrCat(number), range});
}

absl::Status CheckDrive(const v1::AgentParams& params) {
  return v1::Drive_IsValid(params.drive()) ? absl::OkStatus() : EnumError("params.drive", params.drive(), kDrives);
}

template <class Message>
absl::Status CheckPath(const Message& message) {
  const v1::Path& path = message.path();
  if (path.x_size() == path.y_size()) return absl::OkStatus();
  return ViolationError(
      {"path.y", absl::StrCat(path.y_size(), " values"), absl::StrCat(path.x_size(), ", as many as x")});
}

}  // namespace

AgentParamsPatch FromProto(const v1::AgentParams& params) {
  AgentParamsPatch patch;
  if (params.has_radius()) patch.radius = params.radius();
  if (params.has_max_speed()) patch.max_speed = params.max_speed();
  if (params.has_neighbor_distance()) patch.neighbor_distance = params.neighbor_distance();
  if (params.has_max_neighbors()) patch.max_neighbors = params.max_neighbors();
  if (params.has_time_horizon()) patch.time_horizon = params.time_horizon();
  if (params.has_time_horizon_obstacles()) patch.time_horizon_obstacles = params.time_horizon_obstacles();
  if (params.has_responsibility()) patch.responsibility = params.responsibility();
  if (params.has_layer()) patch.layer = params.layer();
  if (params.has_avoids()) patch.avoids = params.avoids();
  if (params.has_z()) patch.z = params.z();
  if (params.has_height()) patch.height = params.height();
  if (params.has_preferred_speed()) patch.preferred_speed = params.preferred_speed();
  if (params.has_arrival_radius()) patch.arrival_radius = params.arrival_radius();
  if (params.has_slow_down_distance()) patch.slow_down_distance = params.slow_down_distance();
  if (params.has_smoothing_time()) patch.smoothing_time = params.smoothing_time();
  if (params.has_max_acceleration()) patch.max_acceleration = params.max_acceleration();
  if (params.has_max_turn_rate()) patch.max_turn_rate = params.max_turn_rate();
  // What is no value of the enum is refused by whoever reads the message around it, else by the engine's check.
  if (params.drive() != v1::DRIVE_UNSPECIFIED) {
    patch.drive = v1::Drive_IsValid(params.drive()) ? static_cast<Drive>(params.drive()) : Drive{0};
  }
  if (params.has_tracking_error()) patch.tracking_error = params.tracking_error();
  return patch;
}

absl::StatusOr<AgentSpec> FromProto(const v1::AgentSpec& spec) {
  if (absl::Status status = CheckPath(spec); !status.ok()) return status;
  if (absl::Status status = CheckDrive(spec.params()); !status.ok()) return status;
  if (!v1::Placement_IsValid(spec.placement())) return EnumError("placement", spec.placement(), kPlacements);
  AgentSpec result;
  result.id = OptionalId(spec.id());
  if (spec.has_position()) result.position = FromProto(spec.position());
  result.velocity = FromProto(spec.velocity());
  ReadSteering(spec, &result);
  result.params = FromProto(spec.params());
  result.kinematic = spec.kinematic();
  if (spec.has_heading()) result.heading = spec.heading();
  if (spec.placement() != v1::PLACEMENT_UNSPECIFIED) result.placement = static_cast<Placement>(spec.placement());
  if (spec.has_nudge_distance()) result.nudge_distance = spec.nudge_distance();
  return result;
}

absl::StatusOr<AgentUpdate> FromProto(const v1::AgentUpdate& update) {
  if (absl::Status status = CheckPath(update); !status.ok()) return status;
  if (absl::Status status = CheckDrive(update.params()); !status.ok()) return status;
  AgentUpdate result;
  if (update.has_position()) result.position = FromProto(update.position());
  if (update.has_velocity()) result.velocity = FromProto(update.velocity());
  ReadSteering(update, &result);
  if (update.has_move_to()) {
    result.move_to = MoveTo{FromProto(update.move_to().position()), std::max(update.move_to().ticks(), 1u)};
  }
  if (update.has_kinematic()) result.kinematic = update.kinematic();
  if (update.has_heading()) result.heading = update.heading();
  result.params = FromProto(update.params());
  return result;
}

absl::StatusOr<ObstacleSpec> FromProto(const v1::ObstacleSpec& spec) {
  if (spec.x_size() != spec.y_size()) {
    return ViolationError({"y", absl::StrCat(spec.y_size(), " values"), absl::StrCat(spec.x_size(), ", as many as x")});
  }
  if (spec.kind() == v1::OBSTACLE_KIND_UNSPECIFIED || !v1::ObstacleKind_IsValid(spec.kind())) {
    return EnumError("kind", spec.kind(), kObstacleKinds);
  }
  const auto band = BandOf(spec);
  if (!band.ok()) return band.status();
  ObstacleSpec result;
  result.id = OptionalId(spec.id());
  if (spec.has_layer()) result.layer = spec.layer();
  result.band = *band;
  if (spec.has_radius()) result.radius = spec.radius();
  if (spec.has_velocity()) result.velocity = FromProto(spec.velocity());
  result.kind = FromProto(spec.kind());
  result.vertices.reserve(static_cast<std::size_t>(spec.x_size()));
  for (int i = 0; i < spec.x_size(); ++i) result.vertices.push_back({spec.x(i), spec.y(i)});
  return result;
}

ObstacleMove FromProto(const v1::ObstacleMove& move) {
  ObstacleMove result;
  if (move.has_velocity()) result.velocity = FromProto(move.velocity());
  if (move.has_translation()) result.translation = FromProto(move.translation());
  return result;
}

Command ToAddAgent(const v1::AgentSpec& spec) {
  absl::StatusOr<AgentSpec> result = FromProto(spec);
  if (!result.ok()) return UnreadableCommand{result.status()};
  return AddAgent{*std::move(result)};
}

Command ToUpdateAgent(const v1::AgentUpdate& update) {
  absl::StatusOr<AgentUpdate> result = FromProto(update);
  if (!result.ok()) return UnreadableCommand{result.status()};
  return UpdateAgent{update.id(), *std::move(result)};
}

Command ToAddObstacle(const v1::ObstacleSpec& spec) {
  absl::StatusOr<ObstacleSpec> result = FromProto(spec);
  if (!result.ok()) return UnreadableCommand{result.status()};
  return AddObstacle{*std::move(result)};
}

Command ToUpdateObstacle(const v1::ObstacleSpec& spec) {
  absl::StatusOr<ObstacleSpec> result = FromProto(spec);
  if (!result.ok()) return UnreadableCommand{result.status()};
  result->id.reset();
  return UpdateObstacle{spec.id(), *std::move(result)};
}

Command ToMoveObstacle(const v1::ObstacleMove& move) { return MoveObstacle{move.id(), FromProto(move)}; }

Command ToCommand(const v1::Command& command) {
  switch (command.command_case()) {
    case v1::Command::kAddAgent:
      return ToAddAgent(command.add_agent());
    case v1::Command::kUpdateAgent:
      return ToUpdateAgent(command.update_agent());
    case v1::Command::kRemoveAgent:
      return RemoveAgent{command.remove_agent()};
    case v1::Command::kRemoveAllAgents:
      return RemoveAllAgents{};
    case v1::Command::kAddObstacle:
      return ToAddObstacle(command.add_obstacle());
    case v1::Command::kUpdateObstacle:
      return ToUpdateObstacle(command.update_obstacle());
    case v1::Command::kMoveObstacle:
      return ToMoveObstacle(command.move_obstacle());
    case v1::Command::kRemoveObstacle:
      return RemoveObstacle{command.remove_obstacle()};
    case v1::Command::COMMAND_NOT_SET:
      break;
  }
  return UnreadableCommand{ViolationError({"command", "nothing set", "one of its fields"})};
}

absl::Status ValidateRequestId(std::string_view request_id) {
  if (request_id.size() <= kMaxRequestIdBytes) return absl::OkStatus();
  return ViolationError({"request_id", absl::StrCat(request_id.size(), " bytes"),
                         absl::StrCat("at most ", kMaxRequestIdBytes, " bytes")});
}

absl::StatusOr<CommandBatch> FromProto(const v1::CommandBatch& batch) {
  if (absl::Status status = ValidateRequestId(batch.request_id()); !status.ok()) return status;
  CommandBatch result;
  result.request_id = batch.request_id();
  result.all_or_nothing = batch.all_or_nothing();
  result.commands.reserve(static_cast<std::size_t>(batch.commands_size()));
  for (const v1::Command& command : batch.commands()) result.commands.push_back(ToCommand(command));
  return result;
}

void ToProto(const AgentParams& params, v1::AgentParams* out) {
  out->set_radius(params.radius);
  out->set_max_speed(params.max_speed);
  out->set_neighbor_distance(params.neighbor_distance);
  out->set_max_neighbors(params.max_neighbors);
  out->set_time_horizon(params.time_horizon);
  out->set_time_horizon_obstacles(params.time_horizon_obstacles);
  out->set_responsibility(params.responsibility);
  out->set_layer(params.layer);
  out->set_avoids(params.avoids);
  out->set_z(params.z);
  out->set_height(params.height);
  out->set_preferred_speed(params.preferred_speed);
  out->set_arrival_radius(params.arrival_radius);
  out->set_slow_down_distance(params.slow_down_distance);
  out->set_smoothing_time(params.smoothing_time);
  out->set_max_acceleration(params.max_acceleration);
  out->set_max_turn_rate(params.max_turn_rate);
  out->set_drive(static_cast<v1::Drive>(params.drive));
  out->set_tracking_error(params.tracking_error);
}

v1::Warning ToProto(const Warning& warning) {
  v1::Warning out;
  out.set_code(static_cast<v1::WarningCode>(warning.code));
  out.set_field(warning.field);
  out.set_message(warning.message);
  out.set_agent_id(warning.agent);
  out.set_obstacle_id(warning.obstacle);
  return out;
}

v1::Agent ToProto(const AgentState& agent) {
  v1::Agent result;
  result.set_id(agent.id);
  ToProto(agent.position, result.mutable_position());
  ToProto(agent.velocity, result.mutable_velocity());
  if (const auto* velocity = std::get_if<Vec2>(&agent.steering)) {
    ToProto(*velocity, result.mutable_preferred_velocity());
  } else if (const auto* goal = std::get_if<Goal>(&agent.steering)) {
    ToProto(goal->position, result.mutable_goal());
  } else if (const auto* path = std::get_if<Path>(&agent.steering)) {
    ToProto(*path, result.mutable_path());
  } else if (const auto* move = std::get_if<MoveTo>(&agent.steering)) {
    ToProto(move->position, result.mutable_move_to()->mutable_position());
    result.mutable_move_to()->set_ticks(move->ticks);
  }
  result.set_kinematic(agent.kinematic);
  result.set_heading(agent.heading);
  ToProto(agent.params, result.mutable_params());
  result.set_status(static_cast<v1::AgentStatus>(agent.status));
  result.set_status_reason(static_cast<v1::AgentStatusReason>(agent.reason));
  return result;
}

v1::Obstacle ToProto(const ObstacleState& obstacle) {
  v1::Obstacle result;
  result.set_id(obstacle.id);
  result.set_kind(ToProto(obstacle.kind));
  for (const Vec2& vertex : obstacle.vertices) {
    result.add_x(vertex.x);
    result.add_y(vertex.y);
  }
  result.set_layer(obstacle.layer);
  if (obstacle.band) {
    result.set_z(obstacle.band->z);
    result.set_height(obstacle.band->height);
  }
  if (obstacle.radius) result.set_radius(*obstacle.radius);
  if (obstacle.velocity) ToProto(*obstacle.velocity, result.mutable_velocity());
  result.set_area(obstacle.area);
  ToProto(obstacle.bounds_min, result.mutable_bounds_min());
  ToProto(obstacle.bounds_max, result.mutable_bounds_max());
  return result;
}

namespace {

// By index of the variant Command: where an item's fields stand in a throng.v1.Command.
constexpr std::array<const char*, std::variant_size_v<Command>> kCommandFields = {
    "add_agent.", "update_agent.", "", "", "add_obstacle.", "update_obstacle.", "move_obstacle.", "", ""};

// `path` gives what stands before the fields of an item's violations.
template <class Path>
v1::CommandBatchResult Convert(const CommandBatchResult& result, Path path) {
  v1::CommandBatchResult out;
  out.set_request_id(result.request_id);
  out.set_tick(result.tick);
  out.set_membership_version(result.membership_version);
  out.set_obstacle_version(result.obstacle_version);
  out.set_applied(result.applied);
  std::size_t errors = 0, refused_with_others = 0;
  out.mutable_results()->Reserve(static_cast<int>(result.results.size()));
  for (std::size_t i = 0; i < result.results.size(); ++i) {
    const CommandResult& item = result.results[i];
    v1::CommandResult* out_item = out.add_results();
    out_item->set_id(item.id);
    std::size_t& count = absl::IsAborted(item.status) ? refused_with_others : errors;
    if (!item.status.ok() && ++count <= kMaxCompleteErrors) {
      *out_item->mutable_error() = ToErrorProto(item.status, path(i, item));
    } else if (!item.status.ok()) {
      const v1::Error whole = ToErrorProto(item.status);
      out_item->mutable_error()->set_code(whole.code());
      out_item->mutable_error()->set_reason(whole.reason());
    }
    if (item.params) server::ToProto(*item.params, out_item->mutable_params());
    if (item.position) ToProto(*item.position, out_item->mutable_position());
    for (const Warning& warning : item.warnings) *out_item->add_warnings() = server::ToProto(warning);
  }
  return out;
}

}  // namespace

v1::CommandBatchResult ToProto(const CommandBatchResult& result) {
  return Convert(result, [](std::size_t i, const CommandResult& item) {
    return absl::StrCat("commands[", i, "].", kCommandFields[item.kind]);
  });
}

v1::CommandBatchResult ToProto(const CommandBatchResult& result, std::string_view list) {
  return Convert(result, [list = std::string(list)](std::size_t i, const CommandResult&) {
    return absl::StrCat(list, "[", i, "].");
  });
}

}  // namespace throng::server
