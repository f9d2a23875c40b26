// All agents of a world as columns, one element an agent, in dense order: the order of the spatial index after a step,
// new agents at the end. Dense places move with every sort and removal; what stays is an agent's slot.
//
//   id --hash map--> slot --array--> dense place --column--> slot, id
//   rank (ascending id) --array--> slot
//
// Not thread safe.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/body.h"
#include "base/column.h"
#include "throng/limits.h"
#include "throng/types.h"
#include "throng/world.h"

namespace throng {

// Dense places, slots and ranks; World refuses more agents than fit.
using Index = std::uint32_t;
inline constexpr Index kNoIndex = 0xffffffff;

class AgentStore {
 public:
  // Columns ---------------------------------------------------------------------------------------------------------
  ColumnOf<AgentId> id{kInvalidId};
  ColumnOf<Index> slot{kNoIndex};
  ColumnOf<Body> body{kNobody};
  ColumnOf<float> preferred_x, preferred_y;          // [m/s]
  ColumnOf<float> next_velocity_x, next_velocity_y;  // [m/s] what solve writes; scratch in between
  ColumnOf<float> radius{1.0f};                      // [m]
  ColumnOf<float> max_speed;                         // [m/s]
  ColumnOf<float> neighbor_distance;                 // [m]
  ColumnOf<float> time_horizon{1.0f};                // [s]
  ColumnOf<float> time_horizon_obstacles{1.0f};      // [s]
  ColumnOf<std::uint8_t> max_neighbors;
  ColumnOf<std::uint8_t> has_input;         // 1: a preferred velocity was given at least once
  ColumnOf<std::uint64_t> last_input_tick;  // empty unless a stale-input policy needs it

  // Lists of agents nearby (lists.h). Sorting drops them all.
  ColumnOf<std::int16_t> list;
  ColumnOf<float> list_limit;      // [m]
  ColumnOf<float> list_x, list_y;  // [m] where the agent stood when its list was made

  std::size_t size() const { return id.size(); }

  // Dense place, or kNoIndex.
  Index Find(AgentId agent) const;
  bool Contains(AgentId agent) const { return slot_of_id_.contains(agent); }

  // Precondition: no agent has this id. The new agent's columns hold their padding; returns its dense place.
  Index Add(AgentId agent);
  void Remove(AgentId agent);
  void Clear();

  // The column exists only while it is wanted; existing agents then count as having had their input at `tick`.
  void KeepInputTicks(bool keep, std::uint64_t tick);
  bool keeps_input_ticks() const { return keeps_input_ticks_; }

  // From rank to dense place; built on demand, so that any number of edits make one rebuild. Valid until the next edit.
  struct Ranks {
    const Index* slots;
    const Index* dense_of_slot;
    Index place(std::size_t rank) const { return dense_of_slot[slots[rank]]; }
  };
  Ranks ranks() const;
  std::shared_ptr<const Membership> membership() const;

  // Whether an edit since the last sort put an agent where the order does not expect it.
  bool order_changed() const { return order_changed_; }
  void NoteOrderChange() { order_changed_ = true; }
  // Of all agents, as of the last change of parameters.
  bool same_radius();
  std::uint32_t most_neighbors();
  void NoteParamsChange() { params_changed_ = range_changed_ = true; }
  // Whether any agent may look farther for obstacles than when this was asked last.
  bool TakeRangeChange() { return std::exchange(range_changed_, false); }

  // Sorting into a new dense order, one column at a time so that it can be cut into slices. For each column:
  // Gather(column, order, begin, end) over all places (ranges may run at once); then, if it was gathered aside, Return
  // over all places; then FinishGather(column). At last RenewSlots over all places, which also drops all lists.
  static constexpr std::size_t kSortedColumns = 12;  // and one more if input ticks are kept
  std::size_t sorted_columns() const { return kSortedColumns + (keeps_input_ticks_ ? 1 : 0); }
  void Gather(std::size_t column, const Index* order, std::size_t begin, std::size_t end);
  bool GatheredAside(std::size_t column) const;
  void Return(std::size_t column, std::size_t begin, std::size_t end);
  void FinishGather(std::size_t column);
  void RenewSlots(std::size_t begin, std::size_t end);
  // Makes room for the above; kept until the next call after the agents became fewer.
  void PrepareScratch();
  // Room that whoever finds the order may use from PrepareScratch until then: kSortBytes an agent, aligned to a cache
  // line. It is that of lists, which sorting drops anyway.
  static constexpr std::size_t kSortBytes = 24;
  std::byte* sort_memory() { return reinterpret_cast<std::byte*>(list.data()); }
  // Its first bytes an agent, in which the order is to stand: what follows them is used by Gather.
  static constexpr std::size_t kOrderBytes = 8;

  std::size_t memory_bytes() const;

 private:
  // fn(column) for each that takes part in sorting, in a fixed order.
  template <class Self, class Fn>
  static void ForEachSorted(Self& self, Fn&& fn);
  template <class Self, class Fn>
  static void ForEach(Self& self, Fn&& fn);
  template <class T>
  T* Aside();

  void NoteMembershipChange(AgentId added);
  void Rebuild() const;
  void ShrinkIfSparse();
  void LookAtParams();

  absl::flat_hash_map<AgentId, Index> slot_of_id_;
  std::vector<Index> dense_of_slot_;  // kNoIndex: the slot is free
  std::vector<Index> free_slots_;

  bool keeps_input_ticks_ = false;
  bool order_changed_ = true;
  bool params_changed_ = true;
  bool range_changed_ = true;
  bool same_radius_ = false;
  std::uint32_t most_neighbors_ = 0;

  // Counts edits from the first version on, so that it depends on these alone and not on who read what.
  std::uint64_t membership_version_ = Membership{}.version;
  // What follows is a cache of the above.
  mutable std::vector<Index> ranked_slots_;
  mutable std::vector<AgentId> added_ids_;  // since the last rebuild; some may be gone again
  mutable std::shared_ptr<const Membership> membership_ = std::make_shared<Membership>();
};

}  // namespace throng
