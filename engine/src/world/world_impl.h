// The inside of World: stores, settings and the step, without the checks of arguments.
#pragma once

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <memory>

#include "index/obstacle_index.h"
#include "kernel/kernels.h"
#include "store/agents.h"
#include "store/capsules.h"
#include "store/obstacles.h"
#include "throng/limits.h"
#include "throng/world.h"
#include "world/advise.h"
#include "world/occupancy.h"
#include "world/query.h"
#include "world/recover.h"
#include "world/step.h"

namespace throng {

inline absl::Status SteppingError() {
  return absl::FailedPreconditionError("a step of this world is under way; edits are taken between steps");
}

inline absl::Status KinematicGoalError() {
  return absl::FailedPreconditionError("goal: the agent is kinematic, which has neither goal nor path");
}

inline absl::Status NoObstacle(ObstacleId id) { return absl::NotFoundError(absl::StrCat("there is no obstacle ", id)); }

class World::Impl {
 public:
  // Ids that the world makes: from kFirstWorldMadeId up to the last of 32 bits, then none.
  struct IdCounter {
    std::uint64_t next = kFirstWorldMadeId;
    bool exhausted() const { return next > 0xffffffff; }
    std::uint32_t Take() { return static_cast<std::uint32_t>(next++); }
  };

  explicit Impl(const WorldSettings& world_settings)
      : settings(world_settings), kernels(KernelsOf(settings.simd_level.value_or(BestSimdLevel()))) {
    agents.KeepInputTicks(settings.stale_input.policy != StaleInputPolicy::kHold, 0);
    if (*Effective(settings).stall_detection) agents.KeepProgress(TicksOfSecond(settings.time_step));
    agents.KeepJams(*Effective(settings).jam_relief);
    if (*Effective(settings).containment) recovery = std::make_unique<Recovery>(settings.bounds);
    if (settings.bounds) AddBounds(*settings.bounds);
  }

  // Asks for the object itself, whose parts are else waited for one after another where many worlds take turns.
  // A call of it might be dropped, as one without an effect.
  [[gnu::always_inline]] inline void Fetch() const {
    constexpr std::size_t kLine = 64;  // bytes
    const char* const bytes = reinterpret_cast<const char*>(this);
    for (std::size_t at = 0; at < sizeof(*this); at += kLine) __builtin_prefetch(bytes + at);
  }

  bool stepping() const { return stepper.phase() != Phase::kIdle; }

  void SetPosition(Index place, Vec2 position);
  void SetVelocity(Index place, Vec2 velocity);
  void SetPreferredVelocity(Index place, Vec2 velocity);
  void SetParams(Index place, const AgentParams& params);
  void SetLimits(Index place, const MotionLimits& limits);
  AgentParams ParamsAt(Index place) const;
  // [rad]; a velocity that is not zero is turned there.
  void SetHeading(Index place, float heading);
  float HeadingAt(Index place) const;
  AgentState StateAt(Index place) const;

  // world_goals.cc. Preconditions: goal and path are valid.
  void SetGoal(Index place, Vec2 goal);
  void SetPath(Index place, const Path& path);
  void NoteInput(Index place);
  bool MayGoTo(Index place, float x, float y) const;
  absl::Status RefuseGoal(Index place, Vec2 goal) const;  // precondition: it may not go there
  // world_kinematic.cc. Precondition of the last: the agent is kinematic, and the way is valid.
  bool IsKinematic(Index place) const { return agents.keeps_modes() && agents.mode[place] != 0; }
  void SetKinematic(Index place, bool kinematic);
  void SetMoveTo(Index place, const MoveTo& move_to);
  Steering SteeringAt(Index place) const;
  AgentStatus StatusAt(Index place) const;
  StatusReason ReasonAt(Index place, AgentStatus status) const;
  StatusReason StallReasonAt(Index place) const;  // of one that is stalled

  // world_spawn.cc. The place of a new agent, or why it has none, if those foreseen were there too. Precondition: all
  // in the spec is valid.
  absl::StatusOr<Vec2> PlaceFor(const AgentSpec& spec, const AgentParams& params,
                                std::span<const ForeseenAgent> foreseen = {});

  void AddBounds(const Rectangle& bounds);
  void AddObstacle(ObstacleId id, const ObstacleSpec& spec);
  void RemoveObstacle(ObstacleId id);
  // world_obstacles.cc
  bool HasObstacle(ObstacleId id) const { return obstacles.Contains(id) || capsules.Contains(id); }
  std::size_t obstacle_vertices() const { return obstacles.vertices() + 2 * capsules.size(); }
  absl::Status ShiftObstacle(ObstacleId id, Vec2 translation);  // precondition: it exists

  // explain.cc
  Explanation Explain(Index place) const;
  std::vector<Index> Around(Index self) const;

  Searcher searcher() const {
    return {agents,
            stepper,
            obstacles,
            obstacle_index,
            recovery ? &recovery->ground() : nullptr,
            settings.bounds ? &*settings.bounds : nullptr,
            capsules};
  }

  std::uint64_t StateHash() const;

  WorldSettings settings;
  const Kernels& kernels;
  AgentStore agents;
  ObstacleStore obstacles;
  ObstacleIndex obstacle_index;
  CapsuleStore capsules;
  std::uint64_t obstacle_version = 0;
  std::uint64_t edge_version = 0;  // of those that are not capsules
  IdCounter agent_ids;
  IdCounter obstacle_ids;
  Stepper stepper;
  std::unique_ptr<Recovery> recovery;  // null: the world does not contain
  std::uint64_t recoveries = 0;
  Occupancy occupancy;
  mutable Openings openings;  // made when asked for
  std::uint64_t tick = 0;

  // Of the state as it is; false after an edit that touched it.
  mutable bool hash_valid = true;
  mutable std::uint64_t hash = 0;
};

}  // namespace throng
