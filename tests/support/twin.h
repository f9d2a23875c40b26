// The textbook twin: a plain scalar crowd engine, written for clarity. It is the oracle of the fast engine, which must
// give the same bits, and the yardstick of the benchmarks.
//
// A step, in order:
//   0. recovery         with containment, each agent that does not stand on walkable ground, or in the world's bounds,
//                       goes to the nearest (twin_contain.h)
//   1. wishes           each agent's preferred velocity: stale inputs, by the world's policy; of agents with a way to
//                       go, by where they are on it; of kinematic ones that are to come to a place, in time
//   2. grid             all bodies in cell order
//   3. solve            per agent, from the state before the step: neighbours by (distance^2, id), obstacle edges by
//                       (distance^2, obstacle id, edge index), half-planes of edges, then of capsules by (distance,
//                       id) (twin_capsule.h), then of neighbours, programs, extensions (twin_motion.h); kinematic
//                       agents have no half-planes
//                       relief of jams shortens horizons, and changes what agents want (twin_relief.h)
//   4. move             velocity is set, position += velocity * time_step, clamped to the coordinate range; with
//                       containment the move is held in the bounds and cut at edges, and what was made of it is the
//                       velocity (twin_contain.h); kinematic agents move as they wish, and so do capsules; who makes no
//                       way is stalled (twin_progress.h)
//
// Inputs are taken as valid (throng/limits.h); ids are the caller's. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tests/support/twin_capsule.h"
#include "tests/support/twin_contain.h"
#include "tests/support/twin_grid.h"
#include "tests/support/twin_orca.h"
#include "tests/support/twin_program.h"
#include "tests/support/twin_progress.h"
#include "tests/support/twin_relief.h"
#include "tests/support/twin_way.h"
#include "throng/types.h"

namespace throng::twin {

enum class HeldBy : std::uint8_t { kNothing, kAgents, kObstacles };

struct Agent {
  AgentId id = kInvalidId;
  Vec2 position;
  Vec2 velocity;
  Vec2 preferred_velocity;
  bool has_input = false;       // an agent without input moves as with zero, and no policy touches it
  std::uint32_t input_age = 0;  // steps taken since the input came
  AgentParams params;
  std::optional<Route> way;  // to a goal or along a path
  Jam jam, next_jam;         // with jam relief
  bool kinematic = false;    // its preferred velocity is its velocity
  std::optional<MoveTo> move_to;
  Vec2 smoothed;  // [m/s] what it wants, smoothed; where there is a smoothing time
  Vec2 heading;   // unit vector or zero, see KeepsHeading
  bool told_heading = false;
  Standing standing;  // with stall detection
  // Of the last step:
  Vec2 wish;                                     // [m/s] what it wanted, smoothed
  std::uint32_t neighbors = 0;                   // considered
  std::uint32_t lines = 0;                       // half-planes built
  StatusReason recovered = StatusReason::kNone;  // why, if it was
  HeldBy held = HeldBy::kNothing;
  bool stranded = false;  // stands on no walkable ground, and none was found
  bool just_arrived = false;
};

// Sums over the last step, as the engine counts them.
struct Counters {
  std::uint64_t infeasible = 0;
  std::uint64_t neighbors = 0;
  std::uint64_t truncated = 0;
  std::uint64_t overlapping = 0;
  std::uint64_t obstacle_edges = 0;
  std::uint64_t cut = 0;
  std::uint64_t recovered = 0;
  std::uint64_t stranded = 0;
  std::uint64_t arrived = 0;
  std::uint64_t stalled = 0;
  std::uint64_t stall_changes = 0;
};

// By whom an obstacle is seen.
struct ObstacleSight {
  std::uint32_t layer = 1;
  std::optional<HeightBand> band;
};

class Twin {
 public:
  explicit Twin(const WorldSettings& settings);

  void AddAgent(const Agent& agent);  // from id, position, velocity, preferred_velocity, has_input and params
  // spec.id and spec.position must be set; what params leave unset comes from the defaults.
  // False: its placement does not let it be added.
  bool AddAgent(const AgentSpec& spec);
  void UpdateAgent(AgentId id, const AgentUpdate& update);
  void RemoveAgent(AgentId id);
  void RemoveAllAgents();
  void SetPreferredVelocity(AgentId id, Vec2 preferred_velocity);
  void SetGoal(AgentId id, Vec2 goal);
  void SetPath(AgentId id, const Path& path);

  // Adds, or replaces what has this id.
  void SetObstacle(ObstacleId id, const ObstacleSpec& spec);
  void RemoveObstacle(ObstacleId id);
  void MoveObstacle(ObstacleId id, const ObstacleMove& move);

  void SetAgentDefaults(const AgentParams& defaults) { settings_.agent_defaults = defaults; }
  // Where a policy takes the place of kHold, all inputs count as fresh from now.
  void SetStaleInput(const StaleInput& stale_input);

  void Step();
  // A step of no time: what a step would give as velocities, and nothing else.
  void ComputeVelocities();

  std::uint64_t tick() const { return tick_; }
  std::uint64_t StateHash() const;
  std::span<const Agent> agents() const { return agents_; }  // in no particular order
  const Agent& agent(AgentId id) const { return agents_[index_of_.at(id)]; }
  AgentStatus status(AgentId id) const;
  StatusReason reason(AgentId id) const;
  static StatusReason stall_reason(const Agent& agent);  // of one that is stalled
  bool contains(AgentId id) const { return index_of_.contains(id); }
  const Counters& counters() const { return counters_; }
  const Outlines& outlines() const { return obstacles_; }
  const Kinds& kinds() const { return kinds_; }
  const std::map<ObstacleId, Capsule>& capsules() const { return capsules_; }
  // The obstacles that an agent sees; good until the next call or edit.
  const Outlines& Seen(const AgentParams& params);

 private:
  static void Face(Agent& agent, float heading);
  std::optional<Vec2> PlaceFor(const AgentSpec& spec, const AgentParams& params);
  // What a world has when it says nothing about an extension.
  bool unsaid() const { return settings_.preset == Preset::kDefault; }
  bool relieves() const { return settings_.motion.jam_relief.value_or(unsaid()); }
  bool contains() const { return settings_.motion.containment.value_or(unsaid()); }
  std::optional<Room> RoomOf(const Agent& agent) const;  // in the world's bounds, if it has any
  void Recover();
  void ApplyStaleInput();
  void Steer();
  void SetWay(Agent& agent, const Path& path, bool is_goal);
  static void SetKinematic(Agent& agent, bool kinematic);
  void BuildGrid();
  void Solve(std::size_t slot);
  void AddEdgeLines(const Agent& agent, const Body& body, float jammed);
  void AddCapsuleLines(const Agent& agent, const Body& body, float jammed);
  bool IsCrowded(const Agent& agent, const Body& body) const;
  void AddNeighborLines(const Agent& agent, const Body& body, float jammed);
  int QueueOf(const Agent& agent, const Body& body);
  // What the agent wants, smoothed.
  void Wish(Agent& agent) const;
  // The velocity that the program chose, as the extensions leave it.
  Vec2 Settled(const Agent& agent, Vec2 velocity, std::size_t obstacle_lines) const;
  void Move();
  void MoveBySolution(Agent& agent, Vec2 velocity);
  void MoveKinematic(Agent& agent);
  void NoteProgress(Agent& agent, Vec2 way);

  WorldSettings settings_;
  std::uint64_t tick_ = 0;
  std::vector<Agent> agents_;
  std::unordered_map<AgentId, std::uint32_t> index_of_;
  Outlines obstacles_;
  Kinds kinds_;
  // Of each obstacle that is no capsule, what it was set to, and how far it was moved since.
  struct Moved {
    ObstacleSpec spec;
    double x = 0.0, y = 0.0;  // [m]
  };
  std::map<ObstacleId, Moved> moved_;
  std::map<ObstacleId, Capsule> capsules_;
  std::map<ObstacleId, ObstacleSight> sights_;  // of those that are not like any other
  Counters counters_;

  // Of the last one who was looked at, see Seen.
  Outlines seen_;
  std::optional<AgentParams> seen_by_;

  // Scratch of a step.
  std::vector<Body> bodies_;
  std::vector<Vec2> next_velocity_;  // by index of agent
  Grid grid_;
  Nearest nearest_;
  bool pressed_ = false;         // the agent wants nothing and is in another by more than a hundredth of its radius
  bool touches_moving_ = false;  // see TouchesMoving
  std::vector<std::pair<float, const Edge*>> near_edges_;
  std::vector<HalfPlane> lines_;
  Program program_;
  std::vector<Other> others_;
};

// `value` with what the patch says.
AgentParams Patched(const AgentParams& value, const AgentParamsPatch& patch);

}  // namespace throng::twin
