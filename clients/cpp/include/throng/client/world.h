// A handle of one world on a server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "throng/client/query.h"
#include "throng/client/session.h"
#include "throng/client/types.h"

namespace throng::client {

struct Channel;

// A name with a connection; copies are cheap, any thread may call. It does not own the world: Delete() ends it, the
// destructor does not. Calls answer NOT_FOUND once the world is gone, UNAVAILABLE or DEADLINE_EXCEEDED without a
// server.
//
// Batches are index-aligned with their results. They carry an id of their own, so that a repeat after a broken
// connection acts once, and go in pieces where they pass the size of a message; with all_or_nothing they cannot
// (RESOURCE_EXHAUSTED).
class World {
 public:
  World(std::shared_ptr<Channel> channel, std::string name);

  const std::string& name() const { return name_; }
  absl::StatusOr<WorldInfo> Get() const;
  // Changes what is set and may change; INVALID_ARGUMENT names a setting that is fixed.
  absl::StatusOr<WorldInfo> Update(const WorldSettings& settings) const;
  // No tick begins after the reply. Edits still apply, at once.
  absl::StatusOr<WorldInfo> Pause() const;
  absl::StatusOr<WorldInfo> Resume() const;
  // Returns the ticks it had finished. `uid`: only if the world of this name has it, else FAILED_PRECONDITION; 0: any.
  absl::StatusOr<std::uint64_t> Delete(std::uint64_t uid = 0) const;

  absl::StatusOr<BatchResult> AddAgents(std::span<const AgentSpec> agents, bool all_or_nothing = false) const;
  absl::StatusOr<BatchResult> UpdateAgents(std::span<const AgentUpdate> agents, bool all_or_nothing = false) const;
  absl::StatusOr<BatchResult> RemoveAgents(std::span<const AgentId> ids, bool all_or_nothing = false) const;
  absl::StatusOr<BatchResult> RemoveAllAgents() const;
  // All, or those of `ids` that exist, in ascending id.
  absl::StatusOr<std::vector<Agent>> ListAgents(std::span<const AgentId> ids = {}) const;

  absl::StatusOr<BatchResult> AddObstacles(std::span<const ObstacleSpec> obstacles, bool all_or_nothing = false) const;
  absl::StatusOr<BatchResult> UpdateObstacles(std::span<const ObstacleSpec> obstacles,
                                              bool all_or_nothing = false) const;
  absl::StatusOr<BatchResult> MoveObstacles(std::span<const ObstacleMove> moves, bool all_or_nothing = false) const;
  absl::StatusOr<BatchResult> RemoveObstacles(std::span<const ObstacleId> ids, bool all_or_nothing = false) const;
  absl::StatusOr<std::vector<Obstacle>> ListObstacles() const;

  // Questions about the world as it stands after a finished tick, also while it is paused. INVALID_ARGUMENT names a
  // value that is not finite or out of range; coordinates are within 2^20.

  // The `count` agents nearest to a point, [1, 10000]; with max_distance [m], [0, 2^22], only those strictly nearer.
  absl::StatusOr<FoundAgents> FindNearest(const Vector2& point, std::uint32_t count = 1,
                                          std::optional<float> max_distance = std::nullopt,
                                          const SightFilter& filter = {}) const;
  // Agents whose centre is within `radius` [m], [0, 2^22], of a point; the `limit` nearest, [1, 10000].
  absl::StatusOr<FoundAgents> FindInDisc(const Vector2& center, float radius, std::uint32_t limit = 10'000,
                                         const SightFilter& filter = {}) const;
  // Agents whose centre is in a box, its border included; the `limit` nearest to its middle. min <= max in x and y.
  absl::StatusOr<FoundAgents> FindInBox(const Vector2& min, const Vector2& max, std::uint32_t limit = 10'000,
                                        const SightFilter& filter = {}) const;
  // Whether a disc of `radius` [m], [0, 1000], can go straight from one point to the other: it starts on walkable
  // ground and in the bounds, and its rim touches neither obstacles nor bounds on the way; obstacles that do not pass
  // the filter are not there. Radius 0: a line of sight.
  absl::StatusOr<Visibility> TestVisibility(const Vector2& from, const Vector2& to, float radius = 0.0f,
                                            const SightFilter& filter = {}) const;
  // The first thing on the way from one point to the other.
  absl::StatusOr<RayHit> CastRay(const Vector2& from, const Vector2& to, const RayOptions& options = {}) const;

  // Why an agent moves as it does: the step to come, if nothing comes before it; pause the world to look at one step.
  // NOT_FOUND for an unknown agent.
  absl::StatusOr<Explanation> Explain(AgentId id) const;

  // Opens a session and its stream. FAILED_PRECONDITION if the stepper's role is taken or the clock is not kLockstep.
  absl::StatusOr<Session> OpenSession(const SessionOptions& options = {}) const;
  // Frames only. NOT_FOUND comes from the first NextFrame.
  absl::StatusOr<Watcher> Watch(const WatchOptions& options = {}) const;

 private:
  std::shared_ptr<Channel> channel_;
  std::string name_;
};

}  // namespace throng::client
