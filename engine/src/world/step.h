// The step of a world, in four phases that can be cut into slices:
//
//   apply   agents that do not stand on walkable ground are put there (recover.h); stale inputs, by the world's policy;
//           what agents with a goal want, and kinematic ones
//   index   agents are sorted by place, and edges near them found; not in every step (crowd_index.h, near_edges.h)
//   solve   per agent, from the state before the step: neighbours, half-planes, program; writes the next velocity
//           (kernel/)
//   move    velocities are taken over, positions move, where the world contains are cut at obstacle edges and held in
//           its bounds, and the state hash is summed
//
// A phase is one or more stages, a stage a number of blocks of fixed size. Slices end between blocks; blocks of a slice
// run on as many threads as the caller's arena has. Nothing a block writes is read by another block of its stage, and
// what is summed over blocks are integers, so results depend neither on slices nor on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/bounds.h"
#include "index/crowd_index.h"
#include "index/near_edges.h"
#include "index/obstacle_index.h"
#include "kernel/kernels.h"
#include "solve/half_plane.h"
#include "store/agents.h"
#include "store/capsules.h"
#include "store/obstacles.h"
#include "throng/types.h"
#include "throng/world.h"
#include "world/limit.h"
#include "world/recover.h"

namespace throng {

// What a step reads and, of the agents, changes.
struct StepInput {
  AgentStore* agents = nullptr;
  const ObstacleStore* obstacles = nullptr;
  const ObstacleIndex* obstacle_index = nullptr;
  const WorldSettings* settings = nullptr;
  const Kernels* kernels = nullptr;
  Recovery* recovery = nullptr;      // null: the world does not contain, see MotionSettings::containment
  std::uint64_t edge_version = 0;    // changes with every edit of `obstacles`
  std::uint64_t tick = 0;            // steps finished before this one
  bool zero = false;                 // a step of no time: velocities alone, see World::ComputeVelocities
  CapsuleStore* capsules = nullptr;  // moved with the step; null: there are none
};

class Stepper {
 public:
  // Precondition: phase() is kIdle.
  void Begin(const StepInput& input);
  Phase phase() const { return phase_; }
  // See World::Advance.
  Phase Advance(std::size_t agents);

  // Of the last finished step.
  const StepStats& stats() const { return stats_; }
  bool zero() const { return in_.zero; }  // of the step under way, or else the last
  std::uint64_t state_hash() const { return state_hash_; }
  // What its solve did, of which no more is told to callers: it depends on threads and slices.
  SolveCounts solve_counts() const;

  // Whether the index still holds: the agents were not added to, removed from or put elsewhere since the last step.
  bool IndexServes(const AgentStore& agents) const {
    if (phase_ != Phase::kIdle || agents.order_changed() || !index_.done()) return false;
    if (agents.size() == 0 || index_.size() != agents.size()) return false;
    // Nobody notes how far those went since the tree was fitted that are kinematic.
    return !index_.has_tree() || !agents.keeps_modes();
  }
  // Precondition: it does. Calls visit(place) for all agents that stand in the box and some that do not.
  template <class Visit>
  void VisitBox(const Bounds& box, Visit&& visit) const {
    index_.VisitBox(box, moved_, last_moved_, std::forward<Visit>(visit));
  }
  // Of the agent at place `self`, in the phase kSolve: what its solve goes through, and the obstacles of those lines
  // that come of edges, and of those that come of capsules, in their order.
  void Trace(std::uint32_t self, SolveTrace& trace, std::vector<HalfPlane>& edge_lines,
             std::vector<ObstacleId>& obstacles, std::vector<ObstacleId>& capsules);
  // [m] About half the distance from an agent to the `count`-th next one.
  double UsualReach(std::size_t count) const;

  std::size_t memory_bytes() const;

 private:
  struct NearEdge {
    float distance_squared;
    EdgeHandle edge;
  };
  // [m] From an agent to its surface.
  struct NearCapsule {
    float distance;
    const Capsule* capsule;
  };
  // What a thread needs for itself; kept from step to step, so that a warm step does not allocate.
  struct alignas(64) Worker {
    SolveCounts counts;
    std::uint64_t obstacle_edges = 0;
    std::uint64_t arrived = 0;
    std::uint64_t hash = 0;
    float moved_squared = 0.0f;  // [m^2] largest way of an agent in this step
    bool jumped = false;         // a kinematic agent moved farther than all that
    SolveScratch scratch;
    std::uint64_t cut = 0;
    ProgressCounts progress;
    Recovery::Found found;
    std::vector<LimitedPlace> limited;
    std::vector<HalfPlane> obstacle_lines;
    std::vector<const ObstacleEdge*> edges_around;
    std::vector<NearEdge> edges;
    std::vector<const Capsule*> capsules_around;  // of a group
    std::vector<NearCapsule> capsules;            // of the agent last asked for, in order
    std::vector<HalfPlane> capsule_lines;
  };

  std::size_t blocks() const;
  std::size_t block_cost() const;
  void RunBlock(std::size_t block, Worker& worker);
  void FinishStage();
  void FinishRecovery();
  void FinishStep();

  std::size_t steer_blocks() const;
  void SteerBlock(std::size_t block, Worker& worker);
  void ApplyStaleInput(std::size_t begin, std::size_t end);
  bool NeedsSort() const;
  void BeginIndex();
  void BeginEdges();
  void PrepareSolve();
  void PrepareObstacles();
  void PrepareCapsules();
  void ExtendSolve();
  void RelieveJams();
  void PrepareWorkers();
  void SolveBlock(std::size_t begin, std::size_t end, Worker& worker);
  void Move(std::size_t begin, std::size_t end, Worker& worker);
  void MoveAll(std::size_t begin, std::size_t end, Worker& worker);
  void NoteProgress(const float* from_x, const float* from_y, std::size_t begin, std::size_t end, Worker& worker);
  void TakeVelocities(std::size_t begin, std::size_t end, Worker& worker);
  void HoldStranded(std::size_t begin, std::size_t end);
  void MoveKinematics(std::size_t begin, std::size_t end, Worker& worker);
  void MoveOthers(std::size_t begin, std::size_t end, Worker& worker);
  void MoveFreely(std::size_t begin, std::size_t end, Worker& worker);
  void MoveInBounds(std::size_t begin, std::size_t end, Worker& worker);
  void MoveContained(std::size_t begin, std::size_t end, Worker& worker);
  void Put(std::size_t agent, Vec2 position, Vec2 velocity, Worker& worker);
  void Place(std::size_t agent, Vec2 position, Vec2 velocity, Worker& worker);

  // What the kernels ask for.
  std::uint32_t FindNearest(std::size_t self, std::uint32_t* places) const;
  void NoteJammed(std::size_t self, std::span<const std::uint32_t> nearest) const;
  const std::vector<HalfPlane>& ObstacleLines(std::size_t self, float inverse_horizon, Worker& worker) const;
  bool NearCapsules(std::size_t first, std::uint32_t lanes, Worker& worker) const;
  const std::vector<HalfPlane>& CapsuleLines(std::size_t self, float inverse_horizon, Worker& worker) const;

  StepInput in_;
  float inverse_time_step_ = 0.0f;  // [1/s]
  bool recovering_ = false;         // the first half of the apply phase
  Phase phase_ = Phase::kIdle;
  std::size_t next_block_ = 0;  // of the stage under way
  bool steering_ = false;       // the second half of the apply phase
  CrowdIndex index_;
  NearEdges near_edges_;
  std::vector<Bounds> capsule_boxes_;  // of this step, as wide as rounding asks for
  bool finding_edges_ = false;         // the second half of the index phase
  std::uint64_t edge_version_ = 0;
  std::uint32_t steps_since_sort_ = 0;
  float moved_ = 0.0f;       // [m] bound on the way of any agent since the sort
  float last_moved_ = 0.0f;  // [m] of it, in the last step
  SolveView view_;
  decltype(Kernels::solve) solve_ = nullptr;
  std::vector<std::unique_ptr<Worker>> workers_;
  StepStats stats_;
  std::uint64_t state_hash_ = 0;
};

}  // namespace throng
