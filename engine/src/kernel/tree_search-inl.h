// Finds nearest agents in the tree of boxes (index/tree_view.h), for the agents of a vector at once: they stand close
// together, so that what one of them has to look at the others mostly have too.
#include <bit>
#include <type_traits>
#include <variant>

#include "kernel/lanes-inl.h"
#include "kernel/nearest_rows-inl.h"

#if defined(THRONG_KERNEL_TREE_SEARCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_TREE_SEARCH_INL_H_
#undef THRONG_KERNEL_TREE_SEARCH_INL_H_
#else
#define THRONG_KERNEL_TREE_SEARCH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// A box in each lane.
template <class V>
struct BoxesV {
  Pair<V> min, max;
};

// [m^2] Between boxes. Subtraction, squares and sums round monotonically, so this never exceeds what the same
// operations give for any two agents inside.
template <class D, class V = Vec<D>>
HWY_INLINE V GapSquared(D d, const BoxesV<V>& a, const BoxesV<V>& b) {
  const V zero = hn::Zero(d);
  const auto gap = [&](V a_min, V a_max, V b_min, V b_max)
                       HWY_ATTR { return hn::Max(hn::Max(hn::Sub(a_min, b_max), hn::Sub(b_min, a_max)), zero); };
  return AbsSq(Pair<V>{gap(a.min.x, a.max.x, b.min.x, b.max.x), gap(a.min.y, a.max.y, b.min.y, b.max.y)});
}

// The agents of a vector, as searches see them.
template <class D>
struct Searchers {
  using V = Vec<D>;
  Pair<V> position;
  BoxesV<V> around;  // the same box around all of them in each lane
  Wanted<D> wanted;
  std::size_t group;  // in which they are
  std::size_t rows;   // the most of wanted.most

  // Agents at [first, first + lanes); those in `active` search.
  HWY_INLINE Searchers(const SolveView& view, std::size_t first, std::uint32_t active, Pair<V> at)
      : position(at), group(first / kGroup) {
    const D d;
    const Ints<D> di;
    const hn::Rebind<std::uint8_t, D> d8;
    const Mask<D> exists = MaskOf(d, active);
    const auto most = hn::PromoteTo(di, hn::LoadU(d8, view.max_neighbors + first));
    const V range = hn::LoadU(d, view.neighbor_distance + first);
    wanted = {PlacesFrom(d, static_cast<std::uint32_t>(first)), hn::IfThenElseZero(hn::RebindMask(di, exists), most),
              hn::IfThenElseZero(exists, hn::Mul(range, range))};
    rows = static_cast<std::size_t>(hn::GetLane(hn::MaxOfLanes(di, wanted.most)));
    const V inf = hn::Inf(d);
    const auto least = [&](V v) HWY_ATTR { return hn::MinOfLanes(d, hn::IfThenElse(exists, v, inf)); };
    const auto largest = [&](V v) HWY_ATTR { return hn::MaxOfLanes(d, hn::IfThenElse(exists, v, hn::Neg(inf))); };
    around = {{least(at.x), least(at.y)}, {largest(at.x), largest(at.y)}};
  }
};

// Rows is FewRows or ExactRows.
template <class D, template <class> class Rows, bool kExtended>
class TreeSearch {
  using V = Vec<D>;
  static constexpr std::size_t kLanes = LanesOf<D>();

 public:
  HWY_INLINE TreeSearch(const SolveView& view, const Searchers<D>& searchers) : view_(view), searchers_(searchers) {
    if constexpr (kExtended) {
      if (view.sight != nullptr) sights_ = LoadSights(D(), view.sight + hn::GetLane(searchers.wanted.self));
    }
  }

  // Writes neighbours in order; entries as in lists, zero past a lane's count. False: to be done with ExactRows.
  HWY_INLINE bool Run(std::int32_t (*entry)[kLanes], std::int32_t* count) {
    nearest_.Begin(searchers_.wanted, searchers_.rows);
    limit_ = nearest_.Limit();
    Expand(view_.tree.levels - 1, 0);
    // What stands near in memory is near: it narrows the search.
    if ((searchers_.group + 1) * kGroup < view_.agents) waiting_[size_++] = {0, 0, searchers_.group + 1};
    if (searchers_.group > 0) waiting_[size_++] = {0, 0, searchers_.group - 1};
    waiting_[size_++] = {0, 0, searchers_.group};
    while (size_ > 0) {
      const Visit visit = waiting_[--size_];
      if (visit.key >= limit_) continue;
      if (visit.level > 0) {
        Expand(visit.level - 1, visit.node);
      } else if (AnyLaneReaches(visit.node)) {
        Offer(visit.node);
      }
    }
    return nearest_.Finish(searchers_.wanted, searchers_.rows, entry, count);
  }

 private:
  struct Visit {
    std::uint64_t key;  // least (distance^2, id) that the box can hold
    std::size_t level, node;
  };

  HWY_INLINE bool BesideOwn(std::size_t group) const {
    return group + 1 >= searchers_.group && group <= searchers_.group + 1;
  }

  // Adds the nodes of a block that may hold somebody, the nearest on top; but for the groups that come first anyway.
  HWY_INLINE void Expand(std::size_t level, std::size_t at) {
    const D d;
    const BoxBlock& block = view_.tree.blocks[view_.tree.starts[level] + at];
    const V limit = hn::Set(d, std::bit_cast<float>(static_cast<std::uint32_t>(limit_ >> 32)));
    alignas(64) float squared[kGroup];
    const std::size_t base = size_;
    for (std::size_t child = 0; child < kGroup; child += kLanes) {
      const BoxesV<V> boxes{LoadPair(d, block.min_x + child, block.min_y + child),
                            LoadPair(d, block.max_x + child, block.max_y + child)};
      const V gap = GapSquared(d, boxes, searchers_.around);
      hn::Store(gap, d, squared + child);
      ForEachBit(Bits(d, hn::Le(gap, limit)), [&](std::size_t lane) HWY_ATTR {
        const std::uint64_t key = Nearest::Key(squared[child + lane], block.min_id[child + lane]);
        const std::size_t node = at * kGroup + child + lane;
        if (key >= limit_ || (level == 0 && BesideOwn(node))) return;
        std::size_t place = size_++;
        for (; place > base && waiting_[place - 1].key < key; --place) waiting_[place] = waiting_[place - 1];
        waiting_[place] = {key, level, node};
      });
    }
  }

  HWY_INLINE bool AnyLaneReaches(std::size_t group) const {
    const D d;
    const BoxBlock& block = view_.tree.blocks[view_.tree.starts[0] + group / kGroup];
    const std::size_t child = group % kGroup;
    const BoxesV<V> box{{hn::Set(d, block.min_x[child]), hn::Set(d, block.min_y[child])},
                        {hn::Set(d, block.max_x[child]), hn::Set(d, block.max_y[child])}};
    const V gap = GapSquared(d, box, {searchers_.position, searchers_.position});
    return !hn::AllFalse(d, nearest_.Accepts(gap, block.min_id[child]));
  }

  // Agents [begin, end) of a group that are not beyond the limit of all lanes, as bits.
  HWY_INLINE std::uint32_t NearAround(std::size_t begin, std::size_t end) const {
    const D d;
    const V limit = hn::Set(d, std::bit_cast<float>(static_cast<std::uint32_t>(limit_ >> 32)));
    std::uint32_t near = 0;
    for (std::size_t i = begin; i < end; i += kLanes) {
      const Pair<V> position = LoadBodies(d, view_.body + i).position;
      const V gap = GapSquared(d, {position, position}, searchers_.around);
      near |= Bits(d, hn::Le(gap, limit)) << (i - begin);
    }
    return end - begin < kGroup ? near & ((1u << (end - begin)) - 1) : near;
  }

  HWY_INLINE void Offer(std::size_t group) {
    const D d;
    const Ints<D> di;
    const std::size_t begin = group * kGroup, end = HWY_MIN(view_.agents, begin + kGroup);
    bool found = false;
    // At most those that the box around all lanes lets through are looked at for each.
    ForEachBit(NearAround(begin, end), [&](std::size_t child) HWY_ATTR {
      const std::size_t i = begin + child;
      const Body& body = view_.body[i];
      const V squared = AbsSq(Pair<V>{hn::Set(d, body.x), hn::Set(d, body.y)} - searchers_.position);
      const auto place = hn::Set(di, static_cast<std::int32_t>(i));
      const auto other = hn::RebindMask(d, hn::Ne(place, searchers_.wanted.self));
      Mask<D> accepting = hn::And(nearest_.Accepts(squared, view_.id[i]), other);
      if constexpr (kExtended) {
        if (view_.sight != nullptr) accepting = hn::And(accepting, Sees(d, sights_, SetSights(d, view_.sight[i])));
      }
      if (hn::AllFalse(d, accepting)) return;
      nearest_.Insert(accepting, squared, view_.id[i], place);
      found = true;
    });
    if (found) limit_ = nearest_.Limit();
  }

  const SolveView& view_;
  const Searchers<D>& searchers_;
  std::conditional_t<kExtended, SightsV<D>, std::monostate> sights_;  // of the searchers, where there are any
  Rows<D> nearest_;
  std::uint64_t limit_ = 0;  // of nearest_
  Visit waiting_[(kMaxTreeLevels + 1) * kGroup];
  std::size_t size_ = 0;
};

// Finds the neighbours of the agents of a vector.
template <bool kExtended, class D>
HWY_INLINE void FindInTree(D, const SolveView& view, const Searchers<D>& searchers, std::int32_t (*entry)[LanesOf<D>()],
                           std::int32_t* count) {
  if (searchers.rows <= FewRows<D>::kMost && TreeSearch<D, FewRows, kExtended>(view, searchers).Run(entry, count)) {
    return;
  }
  if (searchers.rows > 0) {
    TreeSearch<D, ExactRows, kExtended>(view, searchers).Run(entry, count);
  } else {
    for (std::size_t lane = 0; lane < LanesOf<D>(); ++lane) count[lane] = 0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
