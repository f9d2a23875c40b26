// World: one independent crowd, stepped by ORCA. A pure function of what it is given: no clock, no environment, no
// random device, no log, no exception.
//
// Threads: a World is used by one thread at a time. Inside a step it runs oneTBB loops in the arena of its caller;
// results do not depend on how many threads that arena has, nor on how a step is cut into slices.
//
// Edits may come at any time between two steps, act at once on what is read back, and take part in the next step.
// While a sliced step is under way every edit is refused with FAILED_PRECONDITION, and columns must not be read.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "throng/advice.h"
#include "throng/query.h"
#include "throng/types.h"

namespace throng {

// The phases of a step, in order. kIdle: no step is under way.
enum class Phase : std::uint8_t { kIdle, kApply, kIndex, kSolve, kMove };

enum class Column : std::uint8_t {
  kPositionX,
  kPositionY,
  kVelocityX,
  kVelocityY,
  kPreferredVelocityX,
  kPreferredVelocityY,
  kRadius,   // [m] as told, see EffectiveRadius
  kHeading,  // [rad] see AgentState
};

// Agent ids in ascending order, shared with whoever still shows an older one. A new version is a new object.
struct Membership {
  std::uint64_t version = 1;  // one more with every agent added or removed, so that it depends on edits alone
  std::vector<AgentId> ids;
};

// Numbers of the wire.
enum class AgentEventKind : std::uint8_t {
  kArrived = 1,
  kStalled = 2,
  kFreed = 3,  // moves again, or wants to no longer, after kStalled
  kRecovered = 4,
};

struct AgentEvent {
  AgentId id = kInvalidId;
  AgentEventKind kind = AgentEventKind::kArrived;
  StatusReason reason = StatusReason::kNone;  // as AgentState::reason; of kFreed none
  friend bool operator==(const AgentEvent&, const AgentEvent&) = default;
};

struct InputRejection {
  std::size_t index;  // in the columns given
  absl::Status status;
};

// Counters of the last finished step, for metrics and tests.
struct StepStats {
  std::uint64_t infeasible = 0;      // agents whose half-planes left no velocity, so that the 3D program ran
  std::uint64_t neighbors = 0;       // agent neighbours considered, in all
  std::uint64_t truncated = 0;       // agents with max_neighbors of them: there may be more in range
  std::uint64_t overlapping = 0;     // agents that overlapped a considered neighbour before the step
  std::uint64_t obstacle_edges = 0;  // obstacle edges considered, in all
  // See MotionSettings::containment.
  std::uint64_t cut = 0;  // moves cut short at an obstacle edge, or at the world's bounds
  // Agents that were put on free ground, since they stood in a solid or out of an enclosure or of the bounds.
  std::uint64_t recovered = 0;
  std::uint64_t stranded = 0;  // agents that stand there still, at rest, since there is no free ground
  std::uint64_t arrived = 0;   // agents that came to their goal, or to the end of their path, with this step
  // See MotionSettings::stall_detection.
  std::uint64_t stalled = 0;        // agents that are
  std::uint64_t stall_changes = 0;  // agents that came to be with this step, or are not any more
};

class World {
 public:
  // Refuses settings out of range (Validate in limits.h).
  static absl::StatusOr<std::unique_ptr<World>> Create(const WorldSettings& settings);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Edits -------------------------------------------------------------------------------------------------------
  // Errors: INVALID_ARGUMENT with a Violation; ALREADY_EXISTS / NOT_FOUND for ids; RESOURCE_EXHAUSTED for capacity
  // and for world-made ids used up; FAILED_PRECONDITION in the middle of a step. A refused edit changes nothing.

  // FAILED_PRECONDITION with a Violation of "position": it is taken, see Placement. Where it came to stand tells
  // GetAgent.
  absl::StatusOr<AgentId> AddAgent(const AgentSpec& spec);
  // Where AddAgent would put it, or why it would refuse its place, if those in `before` were there too. Precondition:
  // all else in the spec is valid. Takes time in proportion to `before`.
  absl::StatusOr<Vec2> FindPlace(const AgentSpec& spec, std::span<const ForeseenAgent> before = {}) const;
  AgentId NextAgentId() const;  // that AddAgent would make; kInvalidId: they are used up
  absl::Status UpdateAgent(AgentId id, const AgentUpdate& update);
  absl::Status RemoveAgent(AgentId id);
  absl::Status RemoveAllAgents();

  absl::StatusOr<ObstacleId> AddObstacle(const ObstacleSpec& spec);
  // Replaces all that there is of it; `spec.id` must be unset or equal to `id`.
  absl::Status UpdateObstacle(ObstacleId id, const ObstacleSpec& spec);
  // INVALID_ARGUMENT too where a vertex would leave the range of coordinates, or would be so far off that rounding
  // spoils the shape.
  absl::Status MoveObstacle(ObstacleId id, const ObstacleMove& move);
  absl::Status RemoveObstacle(ObstacleId id);

  // Preferred velocities by id: x[i], y[i] are for ids[i]; of an id given twice the later holds. Items that are not
  // finite, out of range or of unknown agents are appended to `rejected`; the others are applied. Returns how many
  // were. INVALID_ARGUMENT if the lengths differ.
  absl::StatusOr<std::size_t> SetPreferredVelocities(std::span<const AgentId> ids, std::span<const float> x,
                                                     std::span<const float> y, std::vector<InputRejection>& rejected);
  // The same for the agents at ranks first, first + 1, ... of the current membership (ascending ids). OUT_OF_RANGE
  // past its end.
  absl::StatusOr<std::size_t> SetPreferredVelocitiesByRank(std::size_t first, std::span<const float> x,
                                                           std::span<const float> y,
                                                           std::vector<InputRejection>& rejected);

  // Goals by id and by rank, in the same way. Each replaces what its agent went by, also a path.
  absl::StatusOr<std::size_t> SetGoals(std::span<const AgentId> ids, std::span<const float> x, std::span<const float> y,
                                       std::vector<InputRejection>& rejected);
  absl::StatusOr<std::size_t> SetGoalsByRank(std::size_t first, std::span<const float> x, std::span<const float> y,
                                             std::vector<InputRejection>& rejected);

  // Defaults for agents added from now on; those that exist keep their values.
  absl::Status SetAgentDefaults(const AgentParams& defaults);
  // Under kHold nobody notes when inputs came: after a change from it, all of them count as having come now.
  absl::Status SetStaleInput(const StaleInput& stale_input);

  // Steps -------------------------------------------------------------------------------------------------------

  // One whole tick.
  absl::Status Step();

  // A step of no time: every agent gets the velocity that it would get, with the nominal time step wherever one divides
  // or multiplies; nothing moves, no agent arrives, stalls or is recovered, no input ages, and tick() stays. What may
  // change in a tick, as by max_acceleration, may change in each of these. stats() tell of it as of a step.
  absl::Status ComputeVelocities();

  // The same in slices, so that a scheduler can serve another world in between:
  //   world.BeginStep(); while (world.Advance(n) != Phase::kIdle) { ... }
  // Advance does work worth about `agents` agents (rounded up to a block, at least one), never past the end of the
  // phase it is in, and returns the phase that its next call will work in; kIdle once the tick is done.
  // `zero`: as ComputeVelocities.
  absl::Status BeginStep(bool zero = false);
  Phase Advance(std::size_t agents);
  Phase phase() const;  // kIdle between steps

  // Reading, between steps ----------------------------------------------------------------------------------------

  std::uint64_t tick() const;      // steps finished since creation
  double simulation_time() const;  // [s] tick x time step
  const WorldSettings& settings() const;
  const StepStats& stats() const;
  std::uint64_t recoveries() const;  // StepStats::recovered of all steps
  // Sum modulo 2^64 over agents of a mix of (id, bits of position and velocity); 0 for an empty world. Kept by the
  // step; after an edit it is computed afresh.
  std::uint64_t StateHash() const;

  std::size_t agent_count() const;
  std::shared_ptr<const Membership> membership() const;
  // Values of the agents at ranks first, first + 1, ... of membership(), one for each element of `out`.
  // Precondition: first + out.size() <= agent_count().
  void Read(Column column, std::size_t first, std::span<float> out) const;
  absl::StatusOr<AgentState> GetAgent(AgentId id) const;
  // AgentStatus of the agents at ranks first, first + 1, ..., as Read.
  void ReadStatus(std::size_t first, std::span<std::uint8_t> out) const;
  // What happened in the last finished step, in ascending (id, kind), written anew: at most three events an agent.
  // Agents are left out that were removed since; so are arrivals of who was told another thing than a goal since. Costs
  // nothing where nothing happened, else time in proportion to the agents.
  void ReadEvents(std::vector<AgentEvent>& events) const;

  std::size_t obstacle_count() const;
  std::size_t obstacle_vertex_count() const;
  std::size_t capsule_count() const;  // among the obstacles
  // Changes with every edit of obstacles that took effect; not by what a capsule moves in a tick.
  std::uint64_t obstacle_version() const;
  std::vector<ObstacleId> obstacle_ids() const;  // ascending
  absl::StatusOr<ObstacleState> GetObstacle(ObstacleId id) const;

  // Questions (throng/query.h) of where agents and obstacles stand now, also after edits. FAILED_PRECONDITION in the
  // middle of a step; INVALID_ARGUMENT with a Violation: a coordinate that is not finite or out of range, a count or
  // `limit` out of [1, kMaxFoundAgents], a radius out of range. They are answered by the index of the last step; after
  // an edit that added, removed or teleported agents, until the next step, by a look at every agent.

  absl::StatusOr<std::vector<FoundAgent>> FindNearest(Vec2 point, const NearestQuery& query = {}) const;
  // Of agents whose centres are in the disc, its rim included, the `limit` nearest to the centre. radius [m]: [0,
  // kMaxQueryRadius].
  absl::StatusOr<FoundAgents> FindInDisc(Vec2 center, float radius, std::size_t limit = kMaxFoundAgents,
                                         const SightFilter& filter = {}) const;
  // The same of a box; distances are those from its middle. min.x <= max.x, min.y <= max.y.
  absl::StatusOr<FoundAgents> FindInBox(Vec2 min, Vec2 max, std::size_t limit = kMaxFoundAgents,
                                        const SightFilter& filter = {}) const;
  // Whether a disc of `radius` [m], [0, kMaxVisibilityRadius], can go straight from one point to the other: it starts
  // on walkable ground and in the world's bounds, and its rim touches neither obstacles nor bounds on the way.
  // Obstacles that do not pass the filter are not there.
  absl::StatusOr<Visibility> TestVisibility(Vec2 from, Vec2 to, float radius, const SightFilter& filter = {}) const;
  absl::StatusOr<RayHit> CastRay(Vec2 from, Vec2 to, const RayQuery& query = {}) const;

  // Why an agent moves as it does. NOT_FOUND for an unknown agent. Costs about as much as a step of its neighbours.
  absl::StatusOr<Explanation> Explain(AgentId id) const;

  // Advice (throng/advice.h), at most `most` warnings each; of unknown ids none. Narrow openings are told where the
  // world has no more than 1,024 vertices; the first call after an edit of obstacles looks for them.
  std::vector<Warning> Advise(std::size_t most) const;  // of the defaults for agents
  std::vector<Warning> AdviseAgent(AgentId id, std::size_t most) const;
  std::vector<Warning> AdviseObstacle(ObstacleId id, std::size_t most) const;  // beside agents of default size

  std::size_t memory_bytes() const;  // held by agents, indexes and obstacles

 private:
  class Impl;
  friend struct WorldTestAccess;  // tests/unit/engine: reaches states that would take too long to get to
  explicit World(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace throng
