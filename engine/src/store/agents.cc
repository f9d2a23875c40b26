#include "store/agents.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/memory.h"

namespace throng {

template <class Self, class Fn>
void AgentStore::ForEach(Self& self, Fn&& fn) {
  fn(self.id);
  fn(self.slot);
  fn(self.body);
  fn(self.preferred_x);
  fn(self.preferred_y);
  fn(self.radius);
  fn(self.max_speed);
  fn(self.neighbor_distance);
  fn(self.time_horizon);
  fn(self.time_horizon_obstacles);
  fn(self.max_neighbors);
  fn(self.has_input);
  if (self.keeps_input_ticks_) fn(self.last_input_tick);
  if (self.keeps_weights_) fn(self.responsibility);
  if (self.keeps_sights_) fn(self.sight);
  if (self.keeps_told_neighbors()) fn(self.told_neighbors);
  if (self.keeps_modes_) fn(self.mode);
  if (self.keeps_jams_) {
    for (auto* const column :
         {&self.jam, &self.next_jam, &self.wanted_x, &self.next_wanted_x, &self.wanted_y, &self.next_wanted_y}) {
      fn(*column);
    }
    fn(self.opposed);
    fn(self.next_opposed);
  }
  if (!self.keeps_progress()) return;
  fn(self.progress);
  fn(self.progress_carry);
  fn(self.held);
  for (auto& column : self.progress_history) fn(column);
}

Index AgentStore::Find(AgentId agent) const {
  const auto found = slot_of_id_.find(agent);
  return found == slot_of_id_.end() ? kNoIndex : dense_of_slot_[found->second];
}

Index AgentStore::Add(AgentId agent) {
  Index free_slot;
  if (free_slots_.empty()) {
    free_slot = static_cast<Index>(dense_of_slot_.size());
    dense_of_slot_.push_back(kNoIndex);
  } else {
    free_slot = free_slots_.back();
    free_slots_.pop_back();
  }
  const Index place = static_cast<Index>(size());
  ForEach(*this, [&](auto& column) { column.Resize(place + 1); });
  id[place] = agent;
  slot[place] = free_slot;
  dense_of_slot_[free_slot] = place;
  slot_of_id_.emplace(agent, free_slot);
  NoteMembershipChange(agent);
  order_changed_ = true;
  return place;
}

void AgentStore::Remove(AgentId agent) {
  const auto found = slot_of_id_.find(agent);
  const Index free_slot = found->second;
  const Index place = dense_of_slot_[free_slot];
  const std::size_t last = size() - 1;
  ForgetRegard(place);
  ForEach(*this, [&](auto& column) {
    column[place] = column[last];
    column.PopBack();
  });
  if (place != last) dense_of_slot_[slot[place]] = place;
  dense_of_slot_[free_slot] = kNoIndex;
  free_slots_.push_back(free_slot);
  goals.Forget(free_slot);
  limits.Drop(free_slot);
  slot_of_id_.erase(found);
  NoteMembershipChange(kInvalidId);
  order_changed_ = true;
  ShrinkIfSparse();
}

void AgentStore::CopyFrom(const AgentStore& from, std::span<const Index> places) {
  keeps_input_ticks_ = from.keeps_input_ticks_;
  keeps_weights_ = from.keeps_weights_;
  keeps_sights_ = from.keeps_sights_;
  keeps_modes_ = from.keeps_modes_;
  keeps_jams_ = from.keeps_jams_;
  // Or more than there are, which keeps the columns.
  weighted_ = from.weighted_;
  sighted_ = from.sighted_;
  progress_history.resize(from.progress_history.size());
  for (const Index place : places) Add(from.id[place]);
  std::size_t to_column = 0;
  ForEach(*this, [&](auto& to) {
    std::size_t from_column = 0;
    ForEach(from, [&](const auto& source) {
      if constexpr (std::is_same_v<decltype(to), std::remove_const_t<std::remove_reference_t<decltype(source)>>&>) {
        const bool own = static_cast<const void*>(&to) == &slot;
        for (std::size_t i = 0; from_column == to_column && !own && i < places.size(); ++i) to[i] = source[places[i]];
      }
      ++from_column;
    });
    ++to_column;
  });
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Index from_slot = from.slot[places[i]];
    goals.CopyFrom(from.goals, from_slot, slot[i]);
    kinematics.CopyFrom(from.kinematics, from_slot, slot[i]);
    limits.CopyFrom(from.limits, from_slot, slot[i]);
  }
  NoteParamsChange();
}

void AgentStore::Clear() {
  if (size() == 0) return;
  ForEach(*this, [](auto& column) { column.Resize(0); });
  dense_of_slot_.clear();
  free_slots_.clear();
  slot_of_id_.clear();
  weighted_ = sighted_ = 0;
  goals.Clear();
  kinematics.Clear();
  limits.Clear();
  NoteMembershipChange(kInvalidId);
  order_changed_ = true;
  Rebuild();
  ShrinkIfSparse();
}

void AgentStore::KeepInputTicks(bool keep, std::uint64_t tick) {
  if (keep == keeps_input_ticks_) return;
  keeps_input_ticks_ = keep;
  if (keep) {
    last_input_tick.Resize(size());
    std::fill_n(last_input_tick.data(), size(), tick);
  } else {
    last_input_tick = ColumnOf<std::uint64_t>();
  }
}

void AgentStore::KeepJams(bool keep) {
  if (keep == keeps_jams_) return;
  keeps_jams_ = keep;
  const auto renew = [&](auto& column) {
    column = std::decay_t<decltype(column)>();
    if (keep) column.Resize(size());
  };
  for (auto* const column : {&jam, &next_jam, &wanted_x, &next_wanted_x, &wanted_y, &next_wanted_y}) renew(*column);
  for (auto* const column : {&opposed, &next_opposed}) renew(*column);
}

void AgentStore::KeepProgress(std::size_t ticks) {
  constexpr std::size_t kTicksOfColumn = sizeof(std::uint64_t);
  progress_history.clear();
  progress_history.resize((ticks + kTicksOfColumn - 1) / kTicksOfColumn);
  progress = ColumnOf<std::int32_t>();
  progress_carry = ColumnOf<float>();
  held = ColumnOf<std::uint8_t>();
  if (!keeps_progress()) return;
  progress.Resize(size());
  progress_carry.Resize(size());
  held.Resize(size());
  for (auto& column : progress_history) column.Resize(size());
}

void AgentStore::NoteMembershipChange(AgentId added) {
  ++membership_version_;
  if (added == kInvalidId) return;
  added_ids_.push_back(added);
  // Nobody reads the membership of a world that only lives: do not let the list outgrow the crowd.
  if (added_ids_.size() > 2 * size() + 1024) Rebuild();
}

AgentStore::Ranks AgentStore::ranks() const {
  Rebuild();
  return {ranked_slots_.data(), dense_of_slot_.data()};
}

std::shared_ptr<const Membership> AgentStore::membership() const {
  Rebuild();
  return membership_;
}

// Merges what is left of the old ranks with the agents added since, so that a small edit of a large world does not
// sort all ids again.
void AgentStore::Rebuild() const {
  if (membership_->version == membership_version_) return;
  auto next = std::make_shared<Membership>();
  next->version = membership_version_;
  next->ids.reserve(size());
  std::vector<Index> next_slots;
  next_slots.reserve(size());

  std::sort(added_ids_.begin(), added_ids_.end());
  added_ids_.erase(std::unique(added_ids_.begin(), added_ids_.end()), added_ids_.end());
  auto added = added_ids_.begin();
  const auto take_added_below = [&](AgentId limit, bool inclusive) {
    for (; added != added_ids_.end() && (*added < limit || (inclusive && *added == limit)); ++added) {
      const auto found = slot_of_id_.find(*added);
      if (found == slot_of_id_.end()) continue;
      next->ids.push_back(*added);
      next_slots.push_back(found->second);
    }
  };
  for (std::size_t rank = 0; rank < membership_->ids.size(); ++rank) {
    const AgentId old_id = membership_->ids[rank];
    const Index old_slot = ranked_slots_[rank];
    take_added_below(old_id, false);
    if (added != added_ids_.end() && *added == old_id) continue;  // removed and added again: found there
    const Index place = old_slot < dense_of_slot_.size() ? dense_of_slot_[old_slot] : kNoIndex;
    if (place == kNoIndex || id[place] != old_id) continue;
    next->ids.push_back(old_id);
    next_slots.push_back(old_slot);
  }
  take_added_below(0xffffffff, true);

  Release(added_ids_);
  ranked_slots_ = std::move(next_slots);
  membership_ = std::move(next);
}

void AgentStore::ShrinkIfSparse() {
  ForEach(*this, [](auto& column) { column.ShrinkIfSparse(); });
  constexpr std::size_t kMinSlots = 1024;
  if (dense_of_slot_.capacity() <= kMinSlots || dense_of_slot_.capacity() < 4 * size()) return;
  // Slots are never moved one by one, so a crowd that shrank far gets them all anew.
  Rebuild();
  std::vector<Index> renumbered(size());
  goals.Renumber({slot.data(), size()});
  kinematics.Renumber({slot.data(), size()});
  limits.Renumber({slot.data(), size()});
  Release(slot_of_id_);
  slot_of_id_.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    slot[i] = static_cast<Index>(i);
    renumbered[i] = static_cast<Index>(i);
    slot_of_id_.emplace(id[i], static_cast<Index>(i));
  }
  dense_of_slot_ = std::move(renumbered);
  Release(free_slots_);
  for (std::size_t rank = 0; rank < ranked_slots_.size(); ++rank) {
    ranked_slots_[rank] = slot_of_id_.find(membership_->ids[rank])->second;
  }
}

void AgentStore::LookAtParams() {
  if (!params_changed_) return;
  params_changed_ = false;
  same_radius_ = std::all_of(radius.data(), radius.data() + size(), [&](float r) { return r == radius[0]; });
  largest_radius_ = size() == 0 ? 0.0f : *std::max_element(radius.data(), radius.data() + size());
  most_neighbors_ = size() == 0 ? 0 : *std::max_element(max_neighbors.data(), max_neighbors.data() + size());
}

bool AgentStore::same_radius() {
  LookAtParams();
  return same_radius_;
}

float AgentStore::largest_radius() {
  LookAtParams();
  return largest_radius_;
}

std::uint32_t AgentStore::most_neighbors() {
  LookAtParams();
  return most_neighbors_;
}

std::size_t AgentStore::memory_bytes() const {
  std::size_t bytes = list.bytes() + list_limit.bytes() + list_x.bytes() + list_y.bytes();
  bytes += next_velocity_.bytes() + order_.bytes();
  bytes += goals.memory_bytes() + kinematics.memory_bytes() + limits.memory_bytes();
  ForEach(*this, [&](const auto& column) { bytes += column.bytes(); });
  // A slot of the hash map is an entry and a control byte.
  bytes += slot_of_id_.capacity() * (sizeof(std::pair<AgentId, Index>) + 1);
  bytes += (dense_of_slot_.capacity() + free_slots_.capacity() + ranked_slots_.capacity()) * sizeof(Index);
  bytes += (added_ids_.capacity() + membership_->ids.capacity()) * sizeof(AgentId);
  return bytes;
}

}  // namespace throng
