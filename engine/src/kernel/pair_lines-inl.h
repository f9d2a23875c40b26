// The half-plane of an agent pair (DESIGN.md, 3.1), one pair a lane. The same operations in the same order as
// AgentHalfPlane in solve/agent_lines.cc.
#include "kernel/lanes-inl.h"
#include "solve/agent_lines.h"

#if defined(THRONG_KERNEL_PAIR_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_PAIR_LINES_INL_H_
#undef THRONG_KERNEL_PAIR_LINES_INL_H_
#else
#define THRONG_KERNEL_PAIR_LINES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

template <class V>
struct LinesV {
  Pair<V> point;
  Pair<V> direction;
};

// The agents of a group, as their half-planes see them.
template <class D>
struct SelfV {
  using V = Vec<D>;
  Pair<V> position;
  Pair<V> velocity;
  V radius;
  V inverse_horizon;    // [1/s] towards agents
  V inverse_time_step;  // [1/s]
};

template <class D>
struct PairLines {
  LinesV<Vec<D>> lines;
  Pair<Vec<D>> u;  // the smallest change of the relative velocity that brings it to the boundary
  Mask<D> overlap;
  // No direction: both coincide and move alike. Their lines are to be made by plain code.
  Mask<D> undirected;
};

// p: from i to j, v: velocity of i relative to j, r: sum of radii, w: v from the centre of the disc that truncates
// the velocity obstacle. The cut-off disc and the legs take their root and division together.
template <class D>
HWY_INLINE PairLines<D> MakePairLines(D d, const SelfV<D>& self, const Bodies<Vec<D>>& other, Vec<D> other_radius) {
  using V = Vec<D>;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f), tiny = hn::Set(d, kTinySquared);
  const Pair<V> p = other.position - self.position;
  const Pair<V> v = self.velocity - other.velocity;
  const V r = hn::Add(self.radius, other_radius);
  const V p2 = AbsSq(p);
  const V r2 = hn::Mul(r, r);
  const Mask<D> overlap = hn::Le(p2, Larger(r2, tiny));
  const V inverse_tau = hn::IfThenElse(overlap, self.inverse_time_step, self.inverse_horizon);

  const Pair<V> w = v - inverse_tau * p;
  const V w2 = AbsSq(w);
  const V along = Dot(w, p);
  const Mask<D> cut_off = hn::Or(overlap, hn::And(hn::Lt(along, zero), hn::Gt(hn::Mul(along, along), hn::Mul(r2, w2))));
  const V root = hn::Sqrt(hn::IfThenElse(cut_off, w2, hn::Sub(p2, r2)));
  const V inverse = hn::Div(one, hn::IfThenElse(cut_off, root, p2));

  const Pair<V> normal = inverse * w;
  const Pair<V> cut_u = hn::Sub(hn::Mul(r, inverse_tau), root) * normal;

  const V side = hn::IfThenElse(hn::Gt(Det(p, w), zero), one, hn::Set(d, -1.0f));
  const Pair<V> leg = inverse * Pair<V>{hn::Sub(hn::Mul(hn::Mul(side, p.x), root), hn::Mul(p.y, r)),
                                        hn::Add(hn::Mul(p.x, r), hn::Mul(hn::Mul(side, p.y), root))};
  const Pair<V> leg_u = Dot(v, leg) * leg - v;

  PairLines<D> result;
  result.lines.direction = Select(cut_off, TurnedRight(normal), leg);
  result.u = Select(cut_off, cut_u, leg_u);
  result.lines.point = self.velocity + hn::Set(d, 0.5f) * result.u;
  result.overlap = overlap;
  result.undirected = hn::AndNot(hn::Gt(w2, tiny), cut_off);
  return result;
}

// The same line for agents of these responsibilities, as Share() in solve/agent_lines.cc has it.
template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> SharedPoint(D d, const SelfV<D>& self, const PairLines<D>& made, V own, V other) {
  const V zero = hn::Zero(d), half = hn::Set(d, 0.5f);
  const V sum = hn::Add(own, other);
  const Mask<D> burden = hn::Gt(Det(made.lines.direction, made.u), zero);
  const V part = hn::Div(hn::IfThenElse(burden, own, other), sum);
  const V share = hn::IfThenElse(burden, part, Larger(part, half));
  return self.velocity + hn::IfThenElse(hn::Eq(other, zero), hn::Set(d, 1.0f), share) * made.u;
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
