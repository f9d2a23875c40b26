// CommandCheck: whether commands of a batch would succeed one after the other, without applying any. For batches of
// which all is applied or nothing.
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "server/host/command.h"
#include "throng/world.h"

namespace throng::server {

// It remembers what the commands checked so far would have done. The world must not change meanwhile. It cannot foresee
// that the world's 2^31 own ids are used up, nor who would be in a new agent's way after other commands than those that
// add agents: there, a placement that depends on it is INVALID_ARGUMENT.
class CommandCheck {
 public:
  explicit CommandCheck(const World& world);

  // What applying it would return.
  absl::Status Check(const Command& command);

 private:
  // Where a new agent would stand; notes it for those after it.
  absl::Status Place(const AddAgent& command, const AgentParams& params);
  absl::Status Check(const AddAgent& command);
  absl::Status Check(const UpdateAgent& command);
  absl::Status Check(const RemoveAgent& command);
  absl::Status Check(const RemoveAllAgents& command);
  absl::Status Check(const AddObstacle& command);
  absl::Status Check(const UpdateObstacle& command);
  absl::Status Check(const MoveObstacle& command);
  absl::Status Check(const RemoveObstacle& command);
  absl::Status Check(const UnreadableCommand& command) { return command.status; }

  // As an agent would be.
  struct Agent {
    bool kinematic = false;
    AgentParams params;
    friend bool operator==(const Agent&, const Agent&) = default;
  };
  std::optional<Agent> FindAgent(AgentId id) const;
  // As an obstacle would be: where it was put, and how far it has moved since.
  struct Obstacle {
    ObstacleSpec home;
    double drift_x = 0.0;
    double drift_y = 0.0;
  };
  std::optional<Obstacle> FindObstacle(ObstacleId id) const;
  // Room for `spec` in the place of `before`.
  absl::Status Reserve(const ObstacleSpec& spec, const ObstacleSpec* before);

  const World& world_;
  std::size_t agents_;
  std::size_t vertices_;
  std::size_t capsules_;
  bool all_agents_removed_ = false;  // those of the world, before what is in changed_agents_
  std::unordered_map<AgentId, std::optional<Agent>> changed_agents_;  // unset: removed
  AgentId next_id_;                                                   // that the world would make
  std::vector<ForeseenAgent> newcomers_;
  bool only_adds_ = true;  // agents, so far
  std::unordered_map<ObstacleId, std::optional<Obstacle>> changed_obstacles_;
};

}  // namespace throng::server
