// Making and ranking lists of agents nearby (see store/lists.h).
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/lanes-inl.h"

#if defined(THRONG_KERNEL_LISTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_LISTS_INL_H_
#undef THRONG_KERNEL_LISTS_INL_H_
#else
#define THRONG_KERNEL_LISTS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// Agents found around one, before the nearest are chosen.
struct Found {
  static constexpr std::size_t kRoom = 256;
  static constexpr std::size_t kFew = 32;
  alignas(64) float distance_squared[kRoom + kGroup];
  alignas(64) std::int32_t place[kRoom + kGroup];
  std::size_t size = 0;
};

HWY_INLINE std::uint32_t CellOf(double offset, double inverse_size, std::uint32_t count) {
  const double cell = offset * inverse_size;
  if (!(cell > 0.0)) return 0;
  return cell >= count - 1.0 ? count - 1 : static_cast<std::uint32_t>(cell);
}

// All agents of the cells strictly nearer than `reach` to (x, y) that `self` sees, but for itself. False: too many.
template <bool kExtended, class D>
HWY_INLINE bool FindWithin(D d, const SolveView& view, std::uint32_t self, float x, float y, float reach,
                           Found& found) {
  using V = Vec<D>;
  const Ints<D> di;
  const CellView& cells = view.cells;
  // Agents stand in the cells of where they were when sorted.
  const double window = static_cast<double>(reach) * 1.000001 + static_cast<double>(view.moved);
  const double offset_x = static_cast<double>(x) - cells.min_x, offset_y = static_cast<double>(y) - cells.min_y;
  const std::uint32_t first_column = CellOf(offset_x - window, cells.inverse_size, cells.columns);
  const std::uint32_t last_column = CellOf(offset_x + window, cells.inverse_size, cells.columns);
  const std::uint32_t first_row = CellOf(offset_y - window, cells.inverse_size, cells.rows);
  const std::uint32_t last_row = CellOf(offset_y + window, cells.inverse_size, cells.rows);
  const Pair<V> here{hn::Set(d, x), hn::Set(d, y)};
  const V limit = hn::Set(d, reach * reach);
  const auto me = hn::Set(di, static_cast<std::int32_t>(self));
  constexpr std::size_t lanes = LanesOf<D>();

  SightsV<D> own;
  if constexpr (kExtended) own = SetSights(d, view.sight != nullptr ? view.sight[self] : Sight{});

  found.size = 0;
  for (std::uint32_t row = first_row; row <= last_row; ++row) {
    const std::uint32_t* const starts = cells.starts + static_cast<std::size_t>(row) * cells.columns;
    const std::uint32_t begin = starts[first_column], end = starts[last_column + 1];
    const auto past = hn::Set(di, static_cast<std::int32_t>(end));
    for (std::uint32_t at = begin; at < end; at += lanes) {
      const V squared = AbsSq(LoadBodies(d, view.body + at).position - here);
      const auto place = PlacesFrom(d, at);
      const auto eligible = hn::And(hn::Lt(place, past), hn::Ne(place, me));
      Mask<D> near = hn::And(hn::Lt(squared, limit), hn::RebindMask(d, eligible));
      if constexpr (kExtended) {
        if (view.sight != nullptr) near = hn::And(near, Sees(d, own, LoadSights(d, view.sight + at)));
      }
      if (found.size + lanes > Found::kRoom) return false;
      StoreChosen(d, near, squared, found.distance_squared + found.size, place, found.place + found.size);
      found.size += hn::CountTrue(d, near);
    }
  }
  return true;
}

// What is read past the last of those found is farther than any.
template <class D>
HWY_INLINE void PadFound(D d, Found& found) {
  hn::StoreU(hn::Inf(d), d, found.distance_squared + found.size);
}

// How many of those found are strictly under a squared distance.
template <class D>
HWY_INLINE std::size_t CountUnder(D d, const Found& found, float bound) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < found.size; i += LanesOf<D>()) {
    count += hn::CountTrue(d, hn::Lt(hn::LoadU(d, found.distance_squared + i), hn::Set(d, bound)));
  }
  return count;
}

// Keeps those strictly under a squared distance.
template <class D>
HWY_INLINE void KeepUnder(D d, float bound, Found& found) {
  const Ints<D> di;
  std::size_t size = 0;
  for (std::size_t i = 0; i < found.size; i += LanesOf<D>()) {
    const auto squared = hn::LoadU(d, found.distance_squared + i);
    const auto near = hn::Lt(squared, hn::Set(d, bound));
    StoreChosen(d, near, squared, found.distance_squared + size, hn::LoadU(di, found.place + i), found.place + size);
    size += hn::CountTrue(d, near);
  }
  found.size = size;
  PadFound(d, found);
}

// Leaves at most kFew of more, the nearest, as far as their distances can be told apart. Returns a lower bound on the
// squared distance of all others.
template <class D>
HWY_NOINLINE float KeepFew(D d, float bound, Found& found) {
  // In an even crowd the count grows with the squared distance, so that interpolation finds a bound in a few rounds.
  float low = 0.0f, high = bound;
  std::size_t kept = 0;
  auto over = static_cast<float>(found.size);
  for (int round = 0; round < 10 && kept <= kListed; ++round) {
    const auto under = static_cast<float>(kept);
    const float part = (static_cast<float>(Found::kFew) - 1.0f - under) / (over - under);
    const float middle = low + (high - low) * HWY_MIN(HWY_MAX(part, 0.1f), 0.9f);
    const std::size_t count = CountUnder(d, found, middle);
    if (count > Found::kFew) {
      high = middle;
      over = static_cast<float>(count);
    } else {
      low = middle;
      kept = count;
    }
  }
  KeepUnder(d, low, found);
  return low;
}

// The largest of the squared distances found that at most kListed are under.
template <class D>
HWY_INLINE float ListedBound(D d, const Found& found) {
  if constexpr (LanesOf<D>() == 1) {
    float squared[Found::kFew] = {};
    std::copy_n(found.distance_squared, found.size, squared);
    std::nth_element(squared, squared + kListed, squared + found.size);
    return squared[kListed];
  }
  // How many are nearer, counted for all at once.
  const Ints<D> di;
  auto bound = hn::Zero(d);
  for (std::size_t at = 0; at < found.size; at += LanesOf<D>()) {
    const auto own = hn::LoadU(d, found.distance_squared + at);
    auto under = hn::Zero(di);
    for (std::size_t i = 0; i < found.size; ++i) {
      const auto nearer = hn::RebindMask(di, hn::Lt(hn::Set(d, found.distance_squared[i]), own));
      under = hn::IfThenElse(nearer, hn::Add(under, hn::Set(di, 1)), under);
    }
    const auto eligible = hn::RebindMask(d, hn::Lt(under, hn::Set(di, static_cast<std::int32_t>(kListed + 1))));
    bound = hn::Max(bound, hn::IfThenElseZero(eligible, own));
  }
  return hn::GetLane(hn::MaxOfLanes(d, bound));
}

// Keeps as many as a list takes, the nearest of more, all of them under `bound`. Returns a lower bound on the squared
// distance of all others.
template <class D>
HWY_INLINE float KeepNearest(D d, float bound, Found& found) {
  PadFound(d, found);
  if (found.size > Found::kFew) bound = KeepFew(d, bound, found);
  if (found.size <= kListed) return bound;
  bound = ListedBound(d, found);
  KeepUnder(d, bound, found);
  return bound;
}

// Writes the list. False if a place lies too far off in memory for an entry.
template <class D>
HWY_INLINE bool WriteList(D d, const SolveView& view, std::uint32_t self, const Found& found) {
  const Ints<D> di;
  const auto farthest = hn::Set(di, 32767 / kEntryScale);
  alignas(64) std::int32_t entry[kListed];
  auto ways_too_far = hn::RebindMask(di, hn::FirstN(d, 0));
  for (std::size_t i = 0; i < kListed; i += LanesOf<D>()) {
    const auto place = hn::LoadU(di, found.place + i);
    const auto number = hn::Add(hn::Set(di, static_cast<std::int32_t>(i)), hn::Iota(di, 0));
    const auto listed = hn::Lt(number, hn::Set(di, static_cast<std::int32_t>(found.size)));
    const auto way = hn::IfThenElseZero(listed, hn::Sub(place, hn::Set(di, static_cast<std::int32_t>(self))));
    ways_too_far = hn::Or(ways_too_far, hn::Gt(hn::Abs(way), farthest));
    hn::Store(hn::Mul(way, hn::Set(di, kEntryScale)), di, entry + i);
  }
  if (!hn::AllFalse(di, ways_too_far)) return false;
  std::int16_t* const list = view.list + self / kGroup * (kListed * kGroup) + self % kGroup;
  for (std::size_t i = 0; i < kListed; ++i) list[i * kGroup] = static_cast<std::int16_t>(entry[i]);
  return true;
}

// Finds what belongs into the list of `self`; returns how far it reaches, or 0 if there is to be no list.
template <bool kExtended, class D>
HWY_INLINE float FindListed(D d, const SolveView& view, std::uint32_t self, float last_reach, Found& found) {
  // Who considers nobody needs no list either.
  if (view.max_neighbors[self] - 1u >= kMaxListed) return 0.0f;
  const float x = view.body[self].x, y = view.body[self].y;
  // More would be of no use before the next sort.
  const float step = view.max_speed[self] / view.inverse_time_step;
  const float most = view.neighbor_distance[self] + 16.0f * step + 1e-3f;
  const float typical = 2.4f * static_cast<float>(view.cells.size);
  // With fewer to spare a list would not last.
  const std::size_t enough = HWY_MIN(kListed, std::size_t{view.max_neighbors[self]} + 4);
  float reach = HWY_MIN(most, last_reach > 0.0f ? 1.12f * last_reach : typical);
  for (int attempt = 0;; ++attempt) {
    if (attempt == 8) return 0.0f;
    const bool fits = FindWithin<kExtended>(d, view, self, x, y, reach, found);
    if (fits && (found.size >= enough || reach >= most)) break;
    reach = fits ? HWY_MIN(most, 1.4f * reach) : 0.6f * reach;
  }
  return found.size > kListed ? std::sqrt(KeepNearest(d, reach * reach, found)) : reach;
}

// Makes the list of `self`, or says that there is to be none before the next sort. last_reach: of the list made before.
template <bool kExtended, class D>
HWY_INLINE void MakeList(D d, const SolveView& view, std::uint32_t self, float& last_reach) {
  Found found;
  float reach = FindListed<kExtended>(d, view, self, last_reach, found);
  if (reach > 0.0f && !WriteList(d, view, self, found)) reach = 0.0f;
  if (reach == 0.0f) {
    // What stood there may point past the agents that there are now.
    found.size = 0;
    WriteList(d, view, self, found);
    view.list_limit[self] = kNoList;
    return;
  }
  last_reach = reach;
  view.list_limit[self] = reach * 0.99999f + view.moved;
  view.list_x[self] = view.body[self].x;
  view.list_y[self] = view.body[self].y;
}

// Batcher's network for 16.
struct Network {
  static constexpr int kSize = static_cast<int>(kListed);
  int from[64] = {};
  int to[64] = {};
  int count = 0;
  constexpr Network() {
    for (int p = 1; p < kSize; p *= 2) {
      for (int k = p; k >= 1; k /= 2) {
        for (int j = k % p; j + k < kSize; j += 2 * k) {
          for (int i = 0; i < k && i + j + k < kSize; ++i) {
            if ((i + j) / (p * 2) != (i + j + k) / (p * 2)) continue;
            from[count] = i + j;
            to[count++] = i + j + k;
          }
        }
      }
    }
  }
};

// The lists of some agents of a group, side by side, the nearest first.
template <class D>
struct Ranked {
  Vec<D> key[kListed];          // squared distance; infinite past the list's end
  Vec<Ints<D>> entry[kListed];  // see kEntryScale
};

template <class D, std::size_t... kSteps>
HWY_INLINE void SortRows(D, Ranked<D>& ranked, std::index_sequence<kSteps...>) {
  constexpr Network network;
  const Ints<D> di;
  const auto exchange = [&](int a, int b) HWY_ATTR {
    const auto ka = ranked.key[a], kb = ranked.key[b];
    const auto ea = ranked.entry[a], eb = ranked.entry[b];
    const auto swap = hn::Lt(kb, ka);
    const auto swap_entries = hn::RebindMask(di, swap);
    ranked.key[a] = hn::Min(ka, kb);
    ranked.key[b] = hn::Max(ka, kb);
    ranked.entry[a] = hn::IfThenElse(swap_entries, eb, ea);
    ranked.entry[b] = hn::IfThenElse(swap_entries, ea, eb);
  };
  (exchange(network.from[kSteps], network.to[kSteps]), ...);
}

HWY_INLINE const Body* EntryBody(const Body* self, std::int32_t entry) {
  constexpr std::int32_t kScale = static_cast<std::int32_t>(sizeof(Body)) / kEntryScale;
  return reinterpret_cast<const Body*>(reinterpret_cast<const char*>(self) + std::ptrdiff_t{kScale} * entry);
}

// Of the agents at [first, first + lanes), within one group.
template <class D>
HWY_INLINE void Rank(D d, const SolveView& view, std::size_t first, Pair<Vec<D>> position, Ranked<D>& ranked) {
  const Ints<D> di;
  const hn::Rebind<std::int16_t, D> d16;
  const std::int16_t* const list = view.list + first / kGroup * (kListed * kGroup) + first % kGroup;
  const Body* const bodies = view.body + first;
  for (std::size_t row = 0; row < kListed; ++row) {
    const std::int16_t* const entries = list + row * kGroup;
    const auto others =
        GatherBodies(d, [&](std::size_t lane) HWY_ATTR { return EntryBody(bodies + lane, entries[lane]); });
    const auto entry = hn::PromoteTo(di, hn::LoadU(d16, entries));
    const auto none = hn::RebindMask(d, hn::Eq(entry, hn::Zero(di)));
    ranked.entry[row] = entry;
    ranked.key[row] = hn::IfThenElse(none, hn::Inf(d), AbsSq(others.position - position));
  }
  SortRows(d, ranked, std::make_index_sequence<Network().count>());
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
