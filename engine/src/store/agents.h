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
#include <span>
#include <utility>
#include <vector>

#include "base/body.h"
#include "base/column.h"
#include "base/sight.h"
#include "store/by_slot.h"
#include "store/goals.h"
#include "store/jam.h"
#include "store/motion_limits.h"
#include "store/progress.h"
#include "store/regard.h"
#include "throng/limits.h"
#include "throng/types.h"
#include "throng/world.h"

namespace throng {

class AgentStore {
 public:
  // Columns ---------------------------------------------------------------------------------------------------------
  ColumnOf<AgentId> id{kInvalidId};
  ColumnOf<Index> slot{kNoIndex};
  ColumnOf<Body> body{kNobody};
  ColumnOf<float> preferred_x, preferred_y;      // [m/s]
  ColumnOf<float> radius{1.0f};                  // [m]
  ColumnOf<float> max_speed;                     // [m/s]
  ColumnOf<float> neighbor_distance;             // [m]
  ColumnOf<float> time_horizon{1.0f};            // [s]
  ColumnOf<float> time_horizon_obstacles{1.0f};  // [s]
  ColumnOf<std::uint8_t> max_neighbors;          // in force: 0 of who considers no agent at all
  ColumnOf<std::uint8_t> has_input;              // 1: a preferred velocity was given at least once
  ColumnOf<std::uint64_t> last_input_tick;       // empty unless a stale-input policy needs it
  // Columns that are empty while every agent is like any other, see SetRegard.
  ColumnOf<float> responsibility{1.0f};  // in force: 0 of who is kinematic
  ColumnOf<Sight> sight;
  ColumnOf<std::uint8_t> told_neighbors;  // max_neighbors as they were told; exists with either of these two
  ColumnOf<std::uint8_t> mode;            // bits, see store/regard.h

  // All empty unless progress is kept, see KeepProgress.
  ColumnOf<std::int32_t> progress;  // Progress::bits
  ColumnOf<float> progress_carry;
  ColumnOf<std::uint8_t>
      held;  // in the last step, see Held in kernel/kernels.h; not sorted, since solve writes it anew
  // Surpluses of the last second: tick t's in byte t % ticks % 8 of column t % ticks / 8.
  std::vector<ColumnOf<std::uint64_t>> progress_history;

  // All empty unless jams are kept, see KeepJams. What solve reads, and what it writes.
  ColumnOf<float> jam, next_jam;
  ColumnOf<float> wanted_x, next_wanted_x, wanted_y, next_wanted_y;  // [m/s]
  ColumnOf<std::uint8_t> opposed, next_opposed;

  // Lists of agents nearby (lists.h). Sorting takes them along where nothing but time passed since they were made.
  ColumnOf<std::int16_t> list;
  ColumnOf<float> list_limit;      // [m]
  ColumnOf<float> list_x, list_y;  // [m] where the agent stood when its list was made

  // Of agents that have one, by slot; told of slots that become free or change.
  GoalStore goals;
  BySlot<Kinematic> kinematics;
  LimitStore limits;

  // [m/s] What solve writes. Scratch in between.
  float* next_velocity_x() { return reinterpret_cast<float*>(next_velocity_.data()); }
  float* next_velocity_y() { return next_velocity_x() + next_velocity_.size(); }

  std::size_t size() const { return id.size(); }

  // Dense place, or kNoIndex.
  Index Find(AgentId agent) const;
  bool Contains(AgentId agent) const { return slot_of_id_.contains(agent); }

  // Precondition: an agent has this slot.
  Index PlaceOfSlot(Index of_slot) const { return dense_of_slot_[of_slot]; }

  // Precondition: no agent has this id. The new agent's columns hold their padding; returns its dense place.
  Index Add(AgentId agent);
  void Remove(AgentId agent);
  void Clear();

  // Takes over the agents at these places of another store, with all that is theirs. Precondition: this one is new.
  void CopyFrom(const AgentStore& from, std::span<const Index> places);

  // The column exists only while it is wanted; existing agents then count as having had their input at `tick`.
  void KeepInputTicks(bool keep, std::uint64_t tick);
  bool keeps_input_ticks() const { return keeps_input_ticks_; }

  // How an agent is to be regarded (agent_regard.cc).
  void SetRegard(Index place, const Regard& regard);
  Regard RegardOf(Index place) const;
  bool keeps_weights() const { return keeps_weights_; }
  bool keeps_sights() const { return keeps_sights_; }
  Sight SightOf(Index place) const { return keeps_sights_ ? sight[place] : Sight{}; }
  bool keeps_modes() const { return keeps_modes_; }

  void KeepJams(bool keep);
  bool keeps_jams() const { return keeps_jams_; }
  // What solve wrote takes the place of what it read.
  void TakeNextJams() {
    std::swap(jam, next_jam);
    std::swap(wanted_x, next_wanted_x);
    std::swap(wanted_y, next_wanted_y);
    std::swap(opposed, next_opposed);
  }

  // Of so many ticks; 0: not any more.
  void KeepProgress(std::size_t ticks);
  bool keeps_progress() const { return !progress_history.empty(); }
  Progress ProgressAt(Index place) const { return {progress[place]}; }

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
  float largest_radius();  // [m]; 0 where there are none
  void NoteParamsChange() { params_changed_ = range_changed_ = true; }
  // Whether any agent may look farther for obstacles than when this was asked last.
  bool TakeRangeChange() { return std::exchange(range_changed_, false); }

  // Sorting into a new dense order (agent_sort.cc), in parts of at most eight bytes an agent so that it needs little
  // room and can be cut into slices:
  //
  //   PrepareSort; find the order; if takes_lists(): Invert over all places;
  //   for each part: Gather over all places, then Return over all places; at last RenewSlots over all places.
  //
  // Ranges of places may run at once. They begin at whole groups.
  //
  // moved [m]: bound on the way of any agent since the last sort.
  void PrepareSort(float moved);
  // Room in which the order may be found: two of indices, and two of keys.
  Index* order_memory() { return order_.data(); }
  std::uint32_t* key_memory() { return reinterpret_cast<std::uint32_t*>(next_velocity_.data()); }
  // Room for two long keys is that of lists, which are lost then.
  std::uint64_t* long_key_memory();
  bool takes_lists() const { return takes_lists_; }
  // `order` has the old place for each new one, `inverse` the reverse; both in order_memory().
  void Invert(const Index* order, Index* inverse, std::size_t begin, std::size_t end) const;
  std::size_t sorted_parts() const;
  // Whether gathering it costs far more than gathering others.
  bool IsOfLists(std::size_t part) const { return part > plain_parts(); }
  void Gather(std::size_t part, const Index* order, const Index* inverse, std::size_t begin, std::size_t end);
  void Return(std::size_t part, std::size_t begin, std::size_t end);
  void RenewSlots(std::size_t begin, std::size_t end);

  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kPlainParts = 15;

  // Eight bytes; what it holds differs from use to use.
  struct alignas(8) Scratch {
    std::byte bytes[8];
  };

  // fn(column) for each that an agent's edits keep in step.
  template <class Self, class Fn>
  static void ForEach(Self& self, Fn&& fn);
  template <class Fn>
  void ForEachPart(Fn&& fn);
  std::size_t plain_parts() const {
    return kPlainParts + (keeps_input_ticks_ ? 1 : 0) + (keeps_weights_ ? 1 : 0) + (keeps_sights_ ? 2 : 0) +
           (keeps_told_neighbors() ? 1 : 0) + (keeps_modes_ ? 1 : 0) + (keeps_jams_ ? 4 : 0) +
           (keeps_progress() ? 2 + progress_history.size() : 0);
  }
  template <class T>
  T* Aside() {
    return reinterpret_cast<T*>(next_velocity_.data());
  }
  void GatherLimits(const Index* order, std::size_t begin, std::size_t end);
  void GatherLists(std::size_t first_row, const Index* order, const Index* inverse, std::size_t begin, std::size_t end);

  bool keeps_told_neighbors() const { return keeps_weights_ || keeps_sights_; }
  void SetWeight(Index place, float weight);
  void SetSight(Index place, const Sight& told);
  void KeepToldNeighbors();
  void SetKinematic(Index place, const Regard& regard);
  void ForgetRegard(Index place);
  void DropUnusedColumns();

  void NoteMembershipChange(AgentId added);
  void Rebuild() const;
  void ShrinkIfSparse();
  void LookAtParams();

  absl::flat_hash_map<AgentId, Index> slot_of_id_;
  std::vector<Index> dense_of_slot_;  // kNoIndex: the slot is free
  std::vector<Index> free_slots_;

  ColumnOf<Scratch> next_velocity_;
  ColumnOf<Index> order_{};
  float moved_ = 0.0f;        // [m] between the sort under way and the one before
  bool lists_hold_ = false;   // those that there are, of places as they are
  bool takes_lists_ = false;  // in the sort under way

  bool keeps_input_ticks_ = false;
  bool keeps_jams_ = false;
  bool keeps_weights_ = false;
  bool keeps_sights_ = false;
  bool keeps_modes_ = false;
  std::size_t weighted_ = 0;  // agents whose responsibility in force is not 1
  std::size_t sighted_ = 0;   // agents whose sight is not the default
  bool order_changed_ = true;
  bool params_changed_ = true;
  bool range_changed_ = true;
  bool same_radius_ = false;
  std::uint32_t most_neighbors_ = 0;
  float largest_radius_ = 0.0f;

  // Counts edits from the first version on, so that it depends on these alone and not on who read what.
  std::uint64_t membership_version_ = Membership{}.version;
  // What follows is a cache of the above.
  mutable std::vector<Index> ranked_slots_;
  mutable std::vector<AgentId> added_ids_;  // since the last rebuild; some may be gone again
  mutable std::shared_ptr<const Membership> membership_ = std::make_shared<Membership>();
};

}  // namespace throng
