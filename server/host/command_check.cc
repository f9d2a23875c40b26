#include "server/host/command_check.h"

#include <absl/strings/str_cat.h>

#include <variant>

#include "server/host/limit_error.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

absl::Status NoAgent(AgentId id) { return absl::NotFoundError(absl::StrCat("there is no agent ", id)); }
absl::Status NoObstacle(ObstacleId id) { return absl::NotFoundError(absl::StrCat("there is no obstacle ", id)); }

}  // namespace

CommandCheck::CommandCheck(const World& world)
    : world_(world), agents_(world.agent_count()), vertices_(world.obstacle_vertex_count()) {}

absl::Status CommandCheck::Check(const Command& command) {
  return std::visit([this](const auto& alternative) { return Check(alternative); }, command);
}

absl::Status CommandCheck::Check(const AddAgent& command) {
  if (absl::Status status = Validate(command.spec); !status.ok()) return status;
  const std::optional<AgentId>& id = command.spec.id;
  if (id && FindAgent(*id)) return absl::AlreadyExistsError(absl::StrCat("there is an agent ", *id, " already"));
  const Agent agent{command.spec.kinematic, Apply(world_.settings().agent_defaults, command.spec.params)};
  if (absl::Status status = ValidateIn(world_.settings(), agent.params, id.value_or(kInvalidId)); !status.ok()) {
    return status;
  }
  if (agents_ >= world_.settings().max_agents) {
    return LimitError("max_agents_per_world", world_.settings().max_agents);
  }
  if (id) changed_agents_[*id] = agent;
  ++agents_;
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const UpdateAgent& command) {
  if (absl::Status status = Validate(command.update); !status.ok()) return status;
  std::optional<Agent> agent = FindAgent(command.id);
  if (!agent) return NoAgent(command.id);
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
  if (id && ObstacleVertices(*id)) {
    return absl::AlreadyExistsError(absl::StrCat("there is an obstacle ", *id, " already"));
  }
  const std::size_t added = command.spec.vertices.size();
  if (vertices_ + added > world_.settings().max_obstacle_vertices) {
    return LimitError("max_obstacle_vertices_per_world", world_.settings().max_obstacle_vertices);
  }
  if (id) changed_obstacles_[*id] = added;
  vertices_ += added;
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const UpdateObstacle& command) {
  if (absl::Status status = Validate(command.spec); !status.ok()) return status;
  const std::optional<std::size_t> before = ObstacleVertices(command.id);
  if (!before) return NoObstacle(command.id);
  const std::size_t after = command.spec.vertices.size();
  if (vertices_ - *before + after > world_.settings().max_obstacle_vertices) {
    return LimitError("max_obstacle_vertices_per_world", world_.settings().max_obstacle_vertices);
  }
  changed_obstacles_[command.id] = after;
  vertices_ = vertices_ - *before + after;
  return absl::OkStatus();
}

absl::Status CommandCheck::Check(const RemoveObstacle& command) {
  const std::optional<std::size_t> before = ObstacleVertices(command.id);
  if (!before) return NoObstacle(command.id);
  changed_obstacles_[command.id] = std::nullopt;
  vertices_ -= *before;
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

std::optional<std::size_t> CommandCheck::ObstacleVertices(ObstacleId id) const {
  const auto changed = changed_obstacles_.find(id);
  if (changed != changed_obstacles_.end()) return changed->second;
  const absl::StatusOr<ObstacleState> obstacle = world_.GetObstacle(id);
  if (!obstacle.ok()) return std::nullopt;
  return obstacle->vertices.size();
}

}  // namespace throng::server
