// Who the agents of one vector consider: from lists of agents nearby, from a search in cells, or in a tree.
#include <algorithm>

#include "kernel/cell_search-inl.h"
#include "kernel/lanes-inl.h"
#include "kernel/lists-inl.h"
#include "kernel/pair_lines-inl.h"
#include "kernel/tree_search-inl.h"

#if defined(THRONG_KERNEL_NEIGHBORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_NEIGHBORS_INL_H_
#undef THRONG_KERNEL_NEIGHBORS_INL_H_
#else
#define THRONG_KERNEL_NEIGHBORS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// The neighbours of the agents of one vector, in rows.
template <class D>
struct Neighbors {
  static constexpr std::size_t kMost = 64;
  std::int32_t entry[kMost][LanesOf<D>()];  // see kEntryScale; past a lane's count anything that may be looked at
  std::int32_t count[LanesOf<D>()];
  std::size_t rows = 0;
};

// Of agents at [first, first + lanes).
template <class D, bool kExtended>
class NeighborFinder {
  using V = Vec<D>;
  static constexpr std::size_t kLanes = LanesOf<D>();
  static constexpr std::size_t kRankedRows = kMaxListed + 1;

 protected:
  HWY_INLINE NeighborFinder(const SolveView& view, std::size_t first, SolveScratch& scratch, SolveCounts& counts)
      : view_(view), first_(first), scratch_(scratch), counts_(counts) {
    const D d;
    const std::size_t left = view.agents - first;
    active_ = left >= kLanes ? (kLanes == 32 ? ~0u : (1u << kLanes) - 1) : (1u << left) - 1;
    const Bodies<V> bodies = LoadBodies(d, view.body + first);
    self_ = {bodies.position, bodies.velocity, hn::LoadU(d, view.radius + first),
             hn::Div(hn::Set(d, 1.0f), hn::LoadU(d, view.time_horizon + first)), hn::Set(d, view.inverse_time_step)};
    if constexpr (kExtended)
      looking_ = active_ & Bits(d, hn::RebindMask(d, hn::Gt(MostNeighbors(), hn::Zero(Ints<D>()))));
  }

  // Lanes whose agent considers others at all. Where there is none, nothing is looked up.
  HWY_INLINE std::uint32_t looking() const {
    if constexpr (kExtended) return looking_;
    return active_;
  }

  HWY_INLINE void FindNeighbors() {
    if (kExtended && looking() == 0) return ConsiderNobody();
    if (view_.tree.levels > 0) {
      SearchTree();
    } else {
      UseLists();
    }
    const D d;
    const Ints<D> di;
    const auto count = hn::LoadU(di, neighbors_.count);
    neighbors_.rows = static_cast<std::size_t>(hn::GetLane(hn::MaxOfLanes(di, count)));
    counts_.neighbors += static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(di, count)));
    counts_.truncated += hwy::PopCount(Bits(d, hn::RebindMask(d, hn::Eq(count, MostNeighbors()))) & active_);
  }

  HWY_NOINLINE void ConsiderNobody() {
    std::fill_n(neighbors_.count, kLanes, 0);
    counts_.truncated += hwy::PopCount(active_);  // all that they consider, which is none
  }

  HWY_NOINLINE void SearchTree() {
    FindInTree<kExtended>(D(), view_, Searchers<D>(view_, first_, looking(), self_.position), neighbors_.entry,
                          neighbors_.count);
  }

  HWY_INLINE void UseLists() {
    const D d;
    Ranked<D> ranked;
    const std::uint32_t unlisted = active_ & Bits(d, hn::Eq(hn::LoadU(d, view_.list_limit + first_), hn::Zero(d)));
    if (unlisted != 0) MakeLists(unlisted);
    Rank(d, view_, first_, self_.position, ranked);
    std::uint32_t outrun = OutrunLists(ranked) & looking();
    // Those made just now will not get better.
    const std::uint32_t ending = Bits(d, hn::Eq(hn::LoadU(d, view_.list_limit + first_), hn::Zero(d)));
    if ((outrun & ending & ~unlisted) != 0) {
      MakeLists(outrun & ending & ~unlisted);
      Rank(d, view_, first_, self_.position, ranked);
      outrun &= OutrunLists(ranked);
    }
    TakeRanked(ranked, outrun);
    ForEachBit(outrun, [&](std::size_t lane) HWY_ATTR { Search(lane); });
    if (outrun != 0) ClearBeyondRanked();
  }

  HWY_INLINE void MakeLists(std::uint32_t lanes) {
    ForEachBit(lanes, [&](std::size_t lane) HWY_ATTR {
      MakeList<kExtended>(D(), view_, static_cast<std::uint32_t>(first_ + lane), scratch_.last_reach);
      ++counts_.lists_made;
    });
  }

  HWY_INLINE Vec<Ints<D>> MostNeighbors() const {
    const hn::Rebind<std::uint8_t, D> d8;
    return hn::PromoteTo(Ints<D>(), hn::LoadU(d8, view_.max_neighbors + first_));
  }

  HWY_INLINE V RangeSquared() const {
    const D d;
    const V range = hn::LoadU(d, view_.neighbor_distance + first_);
    return hn::Mul(range, range);
  }

  // Lanes whose list may lack an agent that counts: one of the max_neighbors nearest within neighbor_distance. Who is
  // not listed was at least `reach` away when the list was made; since then it came nearer by what both moved at most.
  // The slack covers rounding, and keeps equal distances to those within the list.
  // Lists that are not likely to last for another step are to be made before they are looked at again.
  HWY_INLINE std::uint32_t OutrunLists(const Ranked<D>& ranked) const {
    const D d;
    const Ints<D> di;
    const auto most = MostNeighbors();
    V needed_squared = RangeSquared();
    for (std::size_t row = 0; row < kMaxListed; ++row) {
      const auto last = hn::RebindMask(d, hn::Eq(most, hn::Set(di, static_cast<std::int32_t>(row + 1))));
      needed_squared = hn::IfThenElse(last, hn::Min(needed_squared, ranked.key[row]), needed_squared);
    }
    const V slack = hn::Set(d, 1.00001f);
    const V needed = hn::Add(hn::Mul(hn::Sqrt(needed_squared), slack), hn::Set(d, 1e-6f));
    const Pair<V> way = self_.position - LoadPair(d, view_.list_x + first_, view_.list_y + first_);
    const V own = hn::Mul(hn::Sqrt(AbsSq(way)), slack);
    const V limit = hn::LoadU(d, view_.list_limit + first_);
    const V wanted = hn::Add(hn::Add(needed, own), hn::Set(d, view_.moved));
    const Mask<D> ending = hn::And(hn::Gt(hn::Add(wanted, hn::Set(d, view_.moves)), limit), hn::Gt(limit, hn::Zero(d)));
    hn::StoreU(hn::IfThenElse(ending, hn::Zero(d), limit), d, view_.list_limit + first_);
    return ~Bits(d, hn::Le(wanted, limit)) & active_;
  }

  // Lanes not in `outrun` take their neighbours from the lists; lanes with equal distances put these in order of ids.
  HWY_INLINE void TakeRanked(const Ranked<D>& ranked, std::uint32_t outrun) {
    const D d;
    const Ints<D> di;
    const auto most = MostNeighbors();
    const V range_squared = RangeSquared();
    auto count = hn::Zero(di);
    Mask<D> tied = hn::Lt(range_squared, hn::Zero(d));  // none
    for (std::size_t row = 0; row < kRankedRows; ++row) {
      const auto number = hn::Set(di, static_cast<std::int32_t>(row));
      const Mask<D> in_range = hn::Lt(ranked.key[row], range_squared);
      const Mask<D> among = hn::RebindMask(d, hn::Gt(most, number));
      count = hn::Add(count, hn::IfThenElseZero(hn::RebindMask(di, hn::And(in_range, among)), hn::Set(di, 1)));
      if (row > 0) tied = hn::Or(tied, hn::And(in_range, hn::Eq(ranked.key[row], ranked.key[row - 1])));
      hn::StoreU(ranked.entry[row], di, neighbors_.entry[row]);
    }
    hn::StoreU(count, di, neighbors_.count);
    const std::uint32_t ties = Bits(d, tied) & active_ & ~outrun;
    if (ties != 0) OrderTies(ranked, ties);
    // Lanes without agents, and those that search.
    ForEachBit((~active_ | outrun) & ((1u << kLanes) - 1),
               [&](std::size_t lane) HWY_ATTR { neighbors_.count[lane] = 0; });
  }

  HWY_NOINLINE void OrderTies(const Ranked<D>& ranked, std::uint32_t ties) {
    alignas(64) float key[kListed][kLanes];
    alignas(64) std::int32_t entry[kListed][kLanes];
    for (std::size_t row = 0; row < kListed; ++row) {
      hn::Store(ranked.key[row], D(), key[row]);
      hn::Store(ranked.entry[row], Ints<D>(), entry[row]);
    }
    ForEachBit(ties, [&](std::size_t lane) HWY_ATTR {
      const auto id = [&](std::size_t row) HWY_ATTR { return view_.id[Place(lane, entry[row][lane])]; };
      for (std::size_t row = 1; row < kListed; ++row) {
        for (std::size_t at = row;
             at > 0 && key[at][lane] == key[at - 1][lane] && entry[at][lane] != 0 && id(at) < id(at - 1); --at) {
          const std::int32_t other = entry[at][lane];
          entry[at][lane] = entry[at - 1][lane];
          entry[at - 1][lane] = other;
        }
      }
      for (std::size_t row = 0; row < kRankedRows; ++row) neighbors_.entry[row][lane] = entry[row][lane];
    });
  }

  // Every entry of a row is looked at, also past a lane's count. Ranked rows hold entries of lists in all lanes; rows
  // after them only what searches wrote.
  HWY_NOINLINE void ClearBeyondRanked() {
    const std::int32_t rows = *std::max_element(neighbors_.count, neighbors_.count + kLanes);
    for (std::size_t row = kRankedRows; row < static_cast<std::size_t>(rows); ++row) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (static_cast<std::int32_t>(row) >= neighbors_.count[lane]) neighbors_.entry[row][lane] = 0;
      }
    }
  }

  HWY_INLINE std::size_t Place(std::size_t lane, std::int32_t entry) const {
    return first_ + lane + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(entry / kEntryScale));
  }

  HWY_NOINLINE void Search(std::size_t lane) {
    std::uint32_t places[Neighbors<D>::kMost];
    const auto self = static_cast<std::uint32_t>(first_ + lane);
    const std::uint32_t count = SearchCells<kExtended>(D(), view_, self, scratch_.last_search_reach, places);
    for (std::uint32_t row = 0; row < count; ++row) {
      neighbors_.entry[row][lane] =
          kEntryScale * (static_cast<std::int32_t>(places[row]) - static_cast<std::int32_t>(self));
    }
    neighbors_.count[lane] = static_cast<std::int32_t>(count);
    ++counts_.searches;
  }

  const SolveView& view_;
  const std::size_t first_;
  SolveScratch& scratch_;
  SolveCounts& counts_;
  std::uint32_t active_ = 0;   // lanes that hold an agent
  std::uint32_t looking_ = 0;  // of these, those that consider others
  SelfV<D> self_;
  Neighbors<D> neighbors_;
};

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
