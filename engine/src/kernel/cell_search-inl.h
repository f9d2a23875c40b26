// The nearest agents of one that keeps no list, by a search in the grid.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/lists-inl.h"

#if defined(THRONG_KERNEL_CELL_SEARCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_CELL_SEARCH_INL_H_
#undef THRONG_KERNEL_CELL_SEARCH_INL_H_
#else
#define THRONG_KERNEL_CELL_SEARCH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// Writes the places of those found in order of (distance^2, id), the nearest `most` of them; returns how many.
template <class D>
HWY_INLINE std::uint32_t WriteInOrder(D d, const SolveView& view, std::uint32_t most, const Found& found,
                                      std::uint32_t* places) {
  const Ints<D> di;
  alignas(64) std::int32_t rank[Found::kRoom + kGroup];
  for (std::size_t at = 0; at < found.size; at += LanesOf<D>()) {
    const auto own = hn::LoadU(d, found.distance_squared + at);
    auto nearer = hn::Zero(di);
    for (std::size_t i = 0; i < found.size; ++i) {
      const auto is_nearer = hn::RebindMask(di, hn::Lt(hn::Set(d, found.distance_squared[i]), own));
      nearer = hn::IfThenElse(is_nearer, hn::Add(nearer, hn::Set(di, 1)), nearer);
    }
    hn::StoreU(nearer, di, rank + at);
  }
  const std::uint32_t count = HWY_MIN(most, static_cast<std::uint32_t>(found.size));
  std::uint32_t ids[Found::kRoom];
  std::fill_n(places, count, 0xffffffff);
  for (std::size_t i = 0; i < found.size; ++i) {
    const auto place = static_cast<std::uint32_t>(found.place[i]);
    const std::uint32_t id = view.id[place];
    // Of equally near ones all have the rank of the first: each goes behind those with lower ids.
    std::uint32_t at = static_cast<std::uint32_t>(rank[i]);
    std::uint32_t moving = place, moving_id = id;
    for (; at < count && places[at] != 0xffffffff; ++at) {
      if (moving_id > ids[at]) continue;
      std::swap(moving, places[at]);
      std::swap(moving_id, ids[at]);
    }
    if (at >= count) continue;
    places[at] = moving;
    ids[at] = moving_id;
  }
  return count;
}

// Finds the nearest agents of `self` in the grid without a list; as SolveView::find_nearest, which it leaves the work
// to where too many stand around. last_reach: of the search before.
template <bool kExtended, class D>
HWY_NOINLINE std::uint32_t SearchCells(D d, const SolveView& view, std::uint32_t self, float& last_reach,
                                       std::uint32_t* places) {
  const float range = view.neighbor_distance[self];
  const std::uint32_t most = view.max_neighbors[self];
  if (most == 0) return 0;
  Found found;
  float reach = HWY_MIN(range, last_reach > 0.0f ? last_reach : static_cast<float>(view.cells.size));
  for (int attempt = 0;; ++attempt) {
    if (attempt == 8 || !FindWithin<kExtended>(d, view, self, view.body[self].x, view.body[self].y, reach, found)) {
      return view.find_nearest(view.context, self, places);
    }
    if (found.size >= most || reach >= range) break;
    reach = HWY_MIN(range, 1.3f * reach);
  }
  // A quarter more than are needed leave room for whoever is next.
  const float wanted = 1.25f * static_cast<float>(most) / static_cast<float>(HWY_MAX(found.size, std::size_t{1}));
  last_reach = reach * std::sqrt(HWY_MIN(HWY_MAX(wanted, 0.5f), 2.0f));
  return WriteInOrder(d, view, most, found, places);
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
