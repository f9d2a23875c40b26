#include "server/host/command_check.h"

#include <absl/strings/str_cat.h>

#include <utility>
#include <variant>

#include "server/host/limit_error.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

absl::Status NoAgent(AgentId id) { return absl::NotFoundError(absl::StrCat("there is no agent ", id)); }
absl::Status NoObstacle(ObstacleId id) { return absl::NotFoundError(absl::StrCat("there is no obstacle ", id)); }

}  // namespace

CommandCheck::CommandCheck(const World& world)
    : world_(world),
      agents_(world.agent_count()),
      vertices_(world.obstacle_vertex_count()),
      capsules_(world.capsule_count()),
      next_id_(world.NextAgentId()) {}

absl::Status CommandCheck::Check(const Command& command) {
  const absl::Status status = std::visit([this](const auto& alternative) { return Check(alternative); }, command);
  only_adds_ = only_adds_ && std::holds_alternative<AddAgent>(command);
  return status;
}

absl::Status CommandCheck::Check(const AddAgent& command) {
  if (absl::Status status = Validate(command.spec); !status.ok()) return status;
  const std::optional<AgentId>& id = command.spec.id;
  if (id && FindAgent(*id)) return absl::AlreadyExistsError(absl::StrCat("there is an agent ", *id, " already"));
  const Agent agent{command.spec.kinematic, Apply(world_.settings().agent_defaults, command.spec.params)};
  if (agents_ >= world_.settings().max_agents) {
    return LimitError("max_agents_per_world", world_.settings().max_agents);
  }
  if (absl::Status status = ValidateIn(world_.settings(), agent.params, id.value_or(kInvalidId)); !status.ok()) {
    return status;
  }
  if (absl::Status status = Place(command, agent.params); !status.ok()) return status;
  if (id) changed_agents_[*id] = agent;
  ++agents_;
  return absl::OkStatus();
}

absl::Status CommandCheck::Place(const AddAgent& command, const AgentParams& params) {
  const AgentSpec& spec = command.spec;
  Vec2 position = *spec.position;
  if (spec.placement != Placement::kAllow && !only_adds_) {
    return ViolationError({"placement", spec.placement == Placement::kReject ? "PLACEMENT_REJECT" : "PLACEMENT_NUDGE",
                           "PLACEMENT_ALLOW behind other commands than add_agent, with all_or_nothing"});
  }
  if (spec.placement != Placement::kAllow) {
    const absl::StatusOr<Vec2> found = world_.FindPlace(spec, newcomers_);
    if (!found.ok()) return found.status();
    position = *found;
  }
  const AgentId id = spec.id ? *spec.id : next_id_++;
  if (only_adds_) {
    newcomers_.push_back({id, position, EffectiveRadius(params), params.layer, params.avoids, params.z, params.height});
  }
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const UpdateAgent& command) {
  std::optional<Agent> agent = FindAgent(command.id);
  if (!agent) return NoAgent(command.id);
  if (absl::Status status = Validate(command.update); !status.ok()) return status;
  const bool kinematic = command.update.kinematic.value_or(agent->kinematic);
  if (kinematic && (command.update.goal || command.update.path)) {
    return absl::FailedPreconditionError("a kinematic agent has neither goal nor path");
  }
  if (!kinematic && command.update.move_to) return absl::FailedPreconditionError("move_to: the agent is not kinematic");
  const Agent after{kinematic, Apply(agent->params, command.update.params)};
  if (absl::Status status = ValidateIn(world_.settings(), after.params, command.id); !status.ok()) return status;
  if (after != *agent) changed_agents_[command.id] = after;
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const RemoveAgent& command) {
  if (!FindAgent(command.id)) return NoAgent(command.id);
  changed_agents_[command.id] = std::nullopt;
  --agents_;
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const RemoveAllAgents&) {
  all_agents_removed_ = true;
  changed_agents_.clear();
  agents_ = 0;
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const AddObstacle& command) {
  if (absl::Status status = Validate(command.spec); !status.ok()) return status;
  const std::optional<ObstacleId>& id = command.spec.id;
  if (id && FindObstacle(*id)) {
    return absl::AlreadyExistsError(absl::StrCat("there is an obstacle ", *id, " already"));
  }
  if (absl::Status status = Reserve(command.spec, nullptr); !status.ok()) return status;
  if (id) changed_obstacles_[*id] = Obstacle{command.spec};
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const UpdateObstacle& command) {
  const std::optional<Obstacle> before = FindObstacle(command.id);
  if (!before) return NoObstacle(command.id);
  if (absl::Status status = Validate(command.spec); !status.ok()) return status;
  if (absl::Status status = Reserve(command.spec, &before->home); !status.ok()) return status;
  changed_obstacles_[command.id] = Obstacle{command.spec};
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const MoveObstacle& command) {
  std::optional<Obstacle> obstacle = FindObstacle(command.id);
  if (!obstacle) return NoObstacle(command.id);
  if (absl::Status status = Validate(command.move); !status.ok()) return status;
  if (command.move.velocity && obstacle->home.kind != ObstacleKind::kCapsule) {
    return absl::FailedPreconditionError("velocity: the obstacle is not a capsule");
  }
  if (!command.move.translation) return absl::OkStatus();
  const Vec2 way = *command.move.translation;
  obstacle->drift_x += double{way.x};
  obstacle->drift_y += double{way.y};
  if (absl::Status status = ValidateTranslation(way, obstacle->home, obstacle->drift_x, obstacle->drift_y);
      !status.ok()) {
    return status;
  }
  changed_obstacles_[command.id] = *std::move(obstacle);
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const RemoveObstacle& command) {
  const std::optional<Obstacle> before = FindObstacle(command.id);
  if (!before) return NoObstacle(command.id);
  changed_obstacles_[command.id] = std::nullopt;
  vertices_ -= before->home.vertices.size();
  capsules_ -= before->home.kind == ObstacleKind::kCapsule ? 1 : 0;
  return absl::OkStatus();
}

absl::Status CommandCheck::Reserve(const ObstacleSpec& spec, const ObstacleSpec* before) {
  const auto capsules_of = [](const ObstacleSpec& one) { return one.kind == ObstacleKind::kCapsule ? 1u : 0u; };
  std::size_t vertices = vertices_ + spec.vertices.size(), capsules = capsules_ + capsules_of(spec);
  if (before != nullptr) {
    vertices -= before->vertices.size();
    capsules -= capsules_of(*before);
  }
  if (vertices > world_.settings().max_obstacle_vertices) {
    return LimitError("max_obstacle_vertices_per_world", world_.settings().max_obstacle_vertices);
  }
  if (capsules > kMaxCapsules) return FixedLimitError("capsules_per_world", kMaxCapsules);
  vertices_ = vertices;
  capsules_ = capsules;
  return absl::OkStatus();
}

std::optional<CommandCheck::Agent> CommandCheck::FindAgent(AgentId id) const {
  const auto changed = changed_agents_.find(id);
  if (changed != changed_agents_.end()) return changed->second;
  if (all_agents_removed_) return std::nullopt;
  const absl::StatusOr<AgentState> agent = world_.GetAgent(id);
  if (!agent.ok()) return std::nullopt;
  return Agent{agent->kinematic, agent->params};
}

std::optional<CommandCheck::Obstacle> CommandCheck::FindObstacle(ObstacleId id) const {
  const auto changed = changed_obstacles_.find(id);
  if (changed != changed_obstacles_.end()) return changed->second;
  absl::StatusOr<ObstacleState> state = world_.GetObstacle(id);
  if (!state.ok()) return std::nullopt;
  Obstacle obstacle;
  obstacle.home.kind = state->kind;
  obstacle.home.radius = state->radius;
  obstacle.home.vertices = std::move(state->home);
  obstacle.drift_x = state->drift_x;
  obstacle.drift_y = state->drift_y;
  return obstacle;
}

}  // namespace throng::server
