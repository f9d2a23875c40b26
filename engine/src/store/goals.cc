#include "store/goals.h"

#include <utility>

#include "base/memory.h"

namespace throng {
namespace {

void SetArrived(GoalInForce& goal, bool arrived) {
  goal.arrived = arrived;
  goal.crowded = false;
  if (!arrived) goal.settled = 0.0f;
}

std::size_t BytesOf(const Path& path) { return sizeof(Path) + path.points.capacity() * sizeof(Vec2); }

}  // namespace

const GoalInForce* GoalStore::Find(Index slot) const {
  if (slot >= goal_of_slot_.size() || goal_of_slot_[slot] == kNoIndex) return nullptr;
  return &goals_[goal_of_slot_[slot]];
}

GoalInForce& GoalStore::Put(Index slot) {
  if (slot >= goal_of_slot_.size()) goal_of_slot_.resize(slot + 1, kNoIndex);
  Index& index = goal_of_slot_[slot];
  if (index == kNoIndex) {
    index = static_cast<Index>(goals_.size());
    goals_.emplace_back().slot = slot;
  }
  return goals_[index];
}

void GoalStore::SetPathOf(GoalInForce& goal, std::unique_ptr<Path> path) {
  if (goal.path != nullptr) path_bytes_ -= BytesOf(*goal.path);
  goal.path = std::move(path);
  if (goal.path != nullptr) path_bytes_ += BytesOf(*goal.path);
}

void GoalStore::SetGoal(Index slot, Vec2 goal, bool stays_arrived) {
  GoalInForce& put = Put(slot);
  put.target = goal;
  SetArrived(put, put.arrived && stays_arrived);
  SetPathOf(put, nullptr);
}

void GoalStore::SetPath(Index slot, const Path& path, bool stays_arrived) {
  GoalInForce& put = Put(slot);
  put.target = path.points[path.next];
  SetArrived(put, put.arrived && stays_arrived);
  SetPathOf(put, std::make_unique<Path>(path));
}

void GoalStore::Drop(Index slot) {
  if (Find(slot) == nullptr) return;
  const Index index = goal_of_slot_[slot];
  SetPathOf(goals_[index], nullptr);
  if (index + 1 != goals_.size()) {
    goals_[index] = std::move(goals_.back());
    goal_of_slot_[goals_[index].slot] = index;
  }
  goals_.pop_back();
  goal_of_slot_[slot] = kNoIndex;
  ShrinkIfSparse(goals_);
  if (goals_.empty()) Release(goal_of_slot_);
}

void GoalStore::SetParams(Index slot, const GoalParams& params) {
  const GoalParams old = this->params(slot);
  if (params == old) return;
  special_params_ += old == GoalParams{} ? 1 : 0;
  special_params_ -= params == GoalParams{} ? 1 : 0;
  if (special_params_ == 0) return Release(params_);
  if (slot >= params_.size()) params_.resize(slot + 1);
  params_[slot] = params;
}

void GoalStore::CopyFrom(const GoalStore& from, Index from_slot, Index to_slot) {
  SetParams(to_slot, from.params(from_slot));
  const GoalInForce* const goal = from.Find(from_slot);
  if (goal == nullptr) return;
  GoalInForce& put = Put(to_slot);
  put.target = goal->target;
  put.arrived = goal->arrived;
  put.just_arrived = goal->just_arrived;
  put.crowded = goal->crowded;
  put.settled = goal->settled;
  SetPathOf(put, goal->path == nullptr ? nullptr : std::make_unique<Path>(*goal->path));
}

void GoalStore::Forget(Index slot) {
  Drop(slot);
  SetParams(slot, GoalParams{});
}

void GoalStore::Clear() { *this = {}; }

void GoalStore::Renumber(std::span<const Index> slots) {
  std::vector<Index> goal_of_slot(goals_.empty() ? 0 : slots.size(), kNoIndex);
  std::vector<GoalParams> params(params_.empty() ? 0 : slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Index old = slots[i];
    if (!params.empty()) params[i] = this->params(old);
    if (old >= goal_of_slot_.size() || goal_of_slot_[old] == kNoIndex) continue;
    goal_of_slot[i] = goal_of_slot_[old];
    goals_[goal_of_slot[i]].slot = static_cast<Index>(i);
  }
  goal_of_slot_ = std::move(goal_of_slot);
  params_ = std::move(params);
}

std::size_t GoalStore::memory_bytes() const {
  return goals_.capacity() * sizeof(GoalInForce) + goal_of_slot_.capacity() * sizeof(Index) +
         params_.capacity() * sizeof(GoalParams) + path_bytes_;
}

}  // namespace throng
