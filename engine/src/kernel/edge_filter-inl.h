// Which edges the agents of a group may have to consider while none moves farther than a margin (index/edge_filter.h).
#include "index/edge_filter.h"
#include "kernel/edge_lines-inl.h"
#include "kernel/lanes-inl.h"

#if defined(THRONG_KERNEL_EDGE_FILTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_EDGE_FILTER_INL_H_
#undef THRONG_KERNEL_EDGE_FILTER_INL_H_
#else
#define THRONG_KERNEL_EDGE_FILTER_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// The agents of one vector.
template <class D>
struct Onlookers {
  using V = Vec<D>;
  Pair<V> position;
  V reach;  // [m] range and margin
  Mask<D> there;
};

// Distances and sides are computed in floats: their rounding grows with coordinates and with the length of the edge.
template <class D>
HWY_INLINE Onlookers<D> OnlookersAt(D d, const EdgeQuery& query, std::size_t first) {
  using V = Vec<D>;
  const std::size_t left = query.agents > first ? query.agents - first : 0;
  const Pair<V> position = LoadBodies(d, query.body + first).position;
  const V range = hn::Add(hn::Mul(hn::LoadU(d, query.time_horizon_obstacles + first),  //
                                  hn::LoadU(d, query.max_speed + first)),
                          hn::LoadU(d, query.radius + first));
  const V wide = hn::Mul(hn::Add(range, hn::Set(d, query.margin)), hn::Set(d, 1.0001f));
  const V largest = hn::Add(hn::Abs(position.x), hn::Abs(position.y));
  return {position, hn::Add(wide, hn::Mul(largest, hn::Set(d, 1e-6f))), hn::FirstN(d, left)};
}

// Comparisons are such that what is not a number, where squares of tiny edges underflow, counts as near.
template <class D>
HWY_INLINE Mask<D> MayConsider(D d, const Onlookers<D>& agents, const ObstacleEdge& edge, float margin) {
  using V = Vec<D>;
  const V length = hn::Set(d, std::abs(edge.vector.x) + std::abs(edge.vector.y));
  const Ends<V> to = EndsOf(d, edge, agents.position);
  const V reach = hn::Add(agents.reach, hn::Mul(length, hn::Set(d, 2e-6f)));
  const Mask<D> out_of_reach = hn::Ge(DistanceSquaredTo(d, edge, to), hn::Mul(reach, reach));
  const V side = Det(to.start, SetPair(d, edge.vector));
  const V far = hn::Add(hn::Abs(to.start.x), hn::Abs(to.start.y));
  const V way = hn::Add(hn::Set(d, 1.0001f * margin), hn::Mul(far, hn::Set(d, 1e-6f)));
  const Mask<D> behind = hn::Ge(side, hn::Add(hn::Mul(way, length), hn::Set(d, 1e-30f)));
  return hn::AndNot(hn::Or(out_of_reach, behind), agents.there);
}

template <class D>
std::size_t KeepEdgesToConsider(const EdgeQuery& query, const ObstacleEdge* edges, std::uint32_t* places,
                                std::size_t count) {
  const D d;
  constexpr std::size_t kVectors = kGroup / LanesOf<D>();
  Onlookers<D> agents[kVectors];
  for (std::size_t i = 0; i < kVectors; ++i) agents[i] = OnlookersAt(d, query, i * LanesOf<D>());
  std::size_t kept = 0;
  for (std::size_t at = 0; at < count; ++at) {
    bool keep = false;
    for (std::size_t i = 0; i < kVectors && !keep; ++i) {
      keep = !hn::AllFalse(d, MayConsider(d, agents[i], edges[places[at]], query.margin));
    }
    places[kept] = places[at];
    kept += keep ? 1 : 0;
  }
  return kept;
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
