// Goals and paths of the agents that have one, and the parameters that only these use, by slot, so that sorting agents
// moves nothing here. A world in which nobody has a goal holds nothing.
//
// Not thread safe, but that goals at different indexes may be changed at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "store/by_slot.h"
#include "throng/types.h"

namespace throng {

// How an agent goes to its goal; see AgentParams.
struct GoalParams {
  float preferred_speed = AgentParams{}.preferred_speed;
  float arrival_radius = AgentParams{}.arrival_radius;
  float slow_down_distance = AgentParams{}.slow_down_distance;
  friend bool operator==(const GoalParams&, const GoalParams&) = default;
};

struct GoalInForce {
  Index slot = kNoIndex;
  Vec2 target;  // the goal, or the waypoint to go for
  bool arrived = false;
  bool just_arrived = false;  // in the last step
  bool stands = false;        // in the step under way: as who has arrived
  bool crowded = false;       // in the last step, of one that has not arrived: others leave no way nearer to it
  // [m] Of one that has arrived: how far from it that was, since others left no way nearer; else 0.
  float settled = 0.0f;
  std::unique_ptr<Path> path;  // null: a goal alone. Its pass_radius is set
};

class GoalStore {
 public:
  bool empty() const { return goals_.empty(); }
  std::size_t size() const { return goals_.size(); }
  GoalInForce& at(std::size_t i) { return goals_[i]; }
  std::span<const GoalInForce> all() const { return goals_; }

  // Null: the agent has neither goal nor path. Valid until the next change.
  const GoalInForce* Find(Index slot) const;
  // `stays_arrived`: of an agent that has arrived, whether it remains so.
  void SetGoal(Index slot, Vec2 goal, bool stays_arrived);
  // Precondition: path.pass_radius is set, and path.next a point's index.
  void SetPath(Index slot, const Path& path, bool stays_arrived);
  void Drop(Index slot);
  // Precondition: it has one. Of different slots at once.
  void NoteCrowded(Index slot) { goals_[goal_of_slot_[slot]].crowded = true; }

  void SetParams(Index slot, const GoalParams& params);
  GoalParams params(Index slot) const { return slot < params_.size() ? params_[slot] : GoalParams{}; }

  // What the agent with slot `from_slot` of another store has, if anything.
  void CopyFrom(const GoalStore& from, Index from_slot, Index to_slot);

  // The slot is free: its goal and its parameters are gone.
  void Forget(Index slot);
  void Clear();
  // Agents get new slots: slots[i] becomes i.
  void Renumber(std::span<const Index> slots);

  std::size_t memory_bytes() const;

 private:
  GoalInForce& Put(Index slot);
  void SetPathOf(GoalInForce& goal, std::unique_ptr<Path> path);

  std::vector<GoalInForce> goals_;   // without gaps, in no order that matters
  std::vector<Index> goal_of_slot_;  // kNoIndex: none. Slots past its end have none
  std::vector<GoalParams> params_;   // by slot; empty while all are the default
  std::size_t special_params_ = 0;   // of those, that are not the default
  std::size_t path_bytes_ = 0;
};

}  // namespace throng
