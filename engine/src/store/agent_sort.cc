// AgentStore's sorting: moves all columns into a new dense order, part by part by way of a small room aside.
#include <algorithm>
#include <utility>

#include "store/agents.h"
#include "store/lists.h"

namespace throng {
namespace {

constexpr std::size_t kRowsAtOnce = 4;  // of lists: as many as fit aside
static_assert(kListed % kRowsAtOnce == 0);
// Covers the rounding when what agents moved is taken off a list's limit.
constexpr float kLimitSlack = 0.999999f;

std::size_t WholeGroups(std::size_t agents) { return (agents + kGroup - 1) / kGroup * kGroup; }

std::size_t ListIndex(std::size_t place, std::size_t row) {
  return (place / kGroup * kListed + row) * kGroup + place % kGroup;
}

}  // namespace

// fn(elements, step, width): element i of the part is the `width` values from elements[step * i] on. Parts that need
// more care, those of lists, follow them.
template <class Fn>
void AgentStore::ForEachPart(Fn&& fn) {
  using One = std::integral_constant<std::size_t, 1>;
  using Two = std::integral_constant<std::size_t, 2>;
  fn(id.data(), One(), One());
  fn(slot.data(), One(), One());
  fn(&body.data()->x, std::integral_constant<std::size_t, 4>(), Two());
  fn(&body.data()->vx, std::integral_constant<std::size_t, 4>(), Two());
  for (ColumnOf<float>* const column : {&preferred_x, &preferred_y, &radius, &max_speed, &neighbor_distance,
                                        &time_horizon, &time_horizon_obstacles, &list_x, &list_y}) {
    fn(column->data(), One(), One());
  }
  fn(max_neighbors.data(), One(), One());
  fn(has_input.data(), One(), One());
  if (keeps_input_ticks_) fn(last_input_tick.data(), One(), One());
  if (keeps_weights_) fn(responsibility.data(), One(), One());
  if (keeps_sights_) {
    fn(&sight.data()->layer, std::integral_constant<std::size_t, 4>(), Two());
    fn(&sight.data()->z, std::integral_constant<std::size_t, 4>(), Two());
  }
  if (keeps_told_neighbors()) fn(told_neighbors.data(), One(), One());
  if (keeps_modes_) fn(mode.data(), One(), One());
  if (keeps_jams_) {
    for (auto* const column : {&jam, &wanted_x, &wanted_y}) fn(column->data(), One(), One());
    fn(opposed.data(), One(), One());
  }
  if (!keeps_progress()) return;
  fn(progress.data(), One(), One());
  fn(progress_carry.data(), One(), One());
  for (auto& column : progress_history) fn(column.data(), One(), One());
}

std::size_t AgentStore::sorted_parts() const { return plain_parts() + (takes_lists_ ? 1 + kListed / kRowsAtOnce : 0); }

void AgentStore::PrepareSort(float moved) {
  const auto prepare = [&](auto& column, std::size_t wanted) {
    column.Resize(wanted);
    column.ShrinkIfSparse();
  };
  DropUnusedColumns();
  const std::size_t padded = WholeGroups(size());
  prepare(list, padded * kListed);
  prepare(list_limit, size());
  prepare(list_x, size());
  prepare(list_y, size());
  prepare(next_velocity_, padded);
  prepare(order_, 2 * padded);
  moved_ = moved;
  takes_lists_ = lists_hold_ && !order_changed_;
  lists_hold_ = true;
  order_changed_ = false;
}

std::uint64_t* AgentStore::long_key_memory() {
  lists_hold_ = takes_lists_ = false;
  return reinterpret_cast<std::uint64_t*>(list.data());
}

void AgentStore::Invert(const Index* order, Index* inverse, std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) inverse[order[i]] = static_cast<Index>(i);
}

void AgentStore::Gather(std::size_t part, const Index* order, const Index* inverse, std::size_t begin,
                        std::size_t end) {
  std::size_t at = 0;
  ForEachPart([&]<class T>(const T* elements, auto step, auto width) {
    if (at++ != part) return;
    T* const aside = Aside<T>();
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < width; ++k) aside[width * i + k] = elements[step * order[i] + k];
    }
  });
  if (part == at) GatherLimits(order, begin, end);
  if (part > at) GatherLists((part - at - 1) * kRowsAtOnce, order, inverse, begin, end);
}

void AgentStore::Return(std::size_t part, std::size_t begin, std::size_t end) {
  std::size_t at = 0;
  ForEachPart([&]<class T>(T* elements, auto step, auto width) {
    if (at++ != part) return;
    const T* const aside = Aside<T>();
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < width; ++k) elements[step * i + k] = aside[width * i + k];
    }
  });
  if (part == at) std::copy(Aside<float>() + begin, Aside<float>() + end, list_limit.data() + begin);
  if (part <= at) return;
  constexpr std::size_t kRowsOfGroup = kRowsAtOnce * kGroup;
  const std::size_t first_row = (part - at - 1) * kRowsAtOnce;
  for (std::size_t first = begin; first < end; first += kGroup) {
    std::copy_n(Aside<std::int16_t>() + kRowsAtOnce * first, kRowsOfGroup, &list[ListIndex(first, first_row)]);
  }
}

// From now on limits are relative to this sort.
void AgentStore::GatherLimits(const Index* order, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const float limit = (list_limit[order[i]] - moved_) * kLimitSlack;
    Aside<float>()[i] = limit > 0.0f ? limit : 0.0f;
  }
}

// Entries are differences of places: of old ones here, of new ones there. Limits have been returned.
void AgentStore::GatherLists(std::size_t first_row, const Index* order, const Index* inverse, std::size_t begin,
                             std::size_t end) {
  static constexpr std::int16_t kEmpty[kRowsAtOnce * kGroup] = {};
  constexpr std::uint32_t kFarthest = 32768 / kEntryScale;  // that an entry can reach
  for (std::size_t first = begin; first < end; first += kGroup) {
    std::int16_t* const rows = Aside<std::int16_t>() + kRowsAtOnce * first;
    const std::size_t lanes = std::min(end - first, kGroup);
    const std::int16_t* entries[kGroup];
    const Index* new_place[kGroup];  // of an entry, counted from the agent's old place
    std::uint32_t too_far[kGroup] = {};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const Index old = order[first + lane];
      const Index soon = order[std::min(first + lane + 2 * kGroup, end - 1)];
      __builtin_prefetch(&list[ListIndex(soon, first_row)]);
      __builtin_prefetch(&list[ListIndex(soon, first_row + 2)]);
      entries[lane] = list_limit[first + lane] > 0.0f ? &list[ListIndex(old, first_row)] : kEmpty;
      new_place[lane] = inverse + old;
    }
    for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::ptrdiff_t old_way = entries[lane][row * kGroup] / kEntryScale;
        const std::uint32_t way = new_place[lane][old_way] - static_cast<Index>(first + lane);
        too_far[lane] |= static_cast<std::uint32_t>(way + kFarthest >= 2 * kFarthest);
        rows[row * kGroup + lane] = static_cast<std::int16_t>(kEntryScale * way);
      }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (too_far[lane] != 0) list_limit[first + lane] = 0.0f;
    }
    for (std::size_t row = 0; lanes < kGroup && row < kRowsAtOnce; ++row) {
      std::fill(rows + row * kGroup + lanes, rows + (row + 1) * kGroup, std::int16_t{0});
    }
  }
}

void AgentStore::RenewSlots(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) dense_of_slot_[slot[i]] = static_cast<Index>(i);
  if (takes_lists_) return;
  std::fill(list_limit.data() + begin, list_limit.data() + end, 0.0f);
  // Lanes of the last group that hold no agent: nothing may be looked up by what stood there.
  if (end == size() && end > 0) std::fill_n(&list[list.size() - kGroup * kListed], kGroup * kListed, std::int16_t{0});
}

}  // namespace throng
