// What the extensions of the motion model do to a velocity that the program chose, one agent a lane.
#include "kernel/lanes-inl.h"
#include "kernel/program-inl.h"

#if defined(THRONG_KERNEL_SETTLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_SETTLE_INL_H_
#undef THRONG_KERNEL_SETTLE_INL_H_
#else
#define THRONG_KERNEL_SETTLE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// The agents of a vector, as far as this depends on them.
template <class D>
struct Settlers {
  Pair<Vec<D>> preferred;
  Vec<D> max_speed;
};

// Nearer than this, in sums of radii, agents count as touching.
inline constexpr float kTouching = 1.15f;

// Who keeps less than this part of the speed wanted, along what is wanted, counts as kept from going there.
inline constexpr float kKept = 0.8f;

// Symmetry breaking. The velocity is pushed, not the wish turned: in a locked ring the half-planes that hold an agent
// span so much that a turned wish has the same optimum. Pushed all at once and alike, neighbours keep their relative
// velocities, and with them their half-planes; pushes of unequal strength would drive them into each other. A push that
// would pass an obstacle's half-plane is left out, and that of who touches another that moves, in a crowd above all: it
// would press them into each other.
template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> StepAside(D d, const SolveView& view, const Settlers<D>& self, const Rows<D>& rows, std::size_t hard,
                             Mask<D> held, Pair<V> velocity) {
  const V zero = hn::Zero(d);
  const Pair<V> wanted = WithinSpeed(d, self.preferred, self.max_speed);
  const V wanted_squared = AbsSq(wanted);
  const Mask<D> slowed = hn::Lt(Dot(velocity, wanted), hn::Mul(hn::Set(d, kKept), wanted_squared));
  Mask<D> pushed = hn::And(held, hn::And(hn::Gt(wanted_squared, zero), slowed));
  if (hn::AllFalse(d, pushed)) return velocity;
  const V part = hn::Set(d, view.step_aside);
  const Pair<V> aside = WithinSpeed(
      d, Pair<V>{hn::Add(velocity.x, hn::Mul(part, wanted.y)), hn::Sub(velocity.y, hn::Mul(part, wanted.x))},
      self.max_speed);
  for (std::size_t row = 0; row < hard; ++row) pushed = hn::AndNot(hn::Gt(Outside(rows[row], aside), zero), pushed);
  return Select(pushed, aside, velocity);
}

template <class D>
HWY_INLINE Mask<D> IsIdle(D d, Pair<Vec<D>> preferred) {
  return hn::And(hn::Eq(preferred.x, hn::Zero(d)), hn::Eq(preferred.y, hn::Zero(d)));
}

// Who wants nothing and would creep, slower than rest_speed times its max_speed, stands still.
template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> Rest(D d, float rest_speed, const Settlers<D>& self, Pair<V> velocity) {
  const V band = hn::Mul(hn::Set(d, rest_speed), self.max_speed);
  const Mask<D> rests = hn::And(IsIdle(d, self.preferred), hn::Lt(AbsSq(velocity), hn::Mul(band, band)));
  return Select(rests, ZeroPair(d), velocity);
}

// Where half-planes had to be relaxed, agents stand still only where they overlap by next to nothing, this part of
// their radius, and would go slower than a tenth of the usual band. In a deep pile velocities may be small as well.
inline constexpr float kPressedRest = 0.1f;
inline constexpr float kShallow = 0.01f;

// Of lanes whose program has a solution: where half-planes had to be relaxed, neither a push into others nor standing
// still would let agents part. held: lanes that other agents' half-planes keep where they are.
// `rows` begin with `hard` ones of obstacles.
template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> Settle(D d, const SolveView& view, const Settlers<D>& self, const Rows<D>& rows, std::size_t hard,
                          Mask<D> held, Pair<V> velocity) {
  if (view.step_aside != 0.0f) velocity = StepAside(d, view, self, rows, hard, held, velocity);
  if (view.rest_speed > 0.0f) velocity = Rest(d, view.rest_speed, self, velocity);
  return velocity;
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
