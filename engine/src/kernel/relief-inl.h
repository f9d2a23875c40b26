// Jam relief (store/jam.h), one agent a lane. Who is jammed looks less far ahead, so that it uses gaps; who is jammed
// and opposed goes with the right of way or makes room, each to its own side, so that two queues pass each other.
#include "kernel/lanes-inl.h"
#include "kernel/program-inl.h"

#if defined(THRONG_KERNEL_RELIEF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_RELIEF_INL_H_
#undef THRONG_KERNEL_RELIEF_INL_H_
#else
#define THRONG_KERNEL_RELIEF_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// What relief makes of the agents of a vector. Neutral: the wish is what they were told to want, `most` max_speed, all
// else zero.
template <class D>
struct Relief {
  Pair<Vec<D>> wish;
  Vec<D> jammed;  // 0 to 1
  // [m/s] by which half-planes of agents may be violated where not all can be met, of agents that have hard ones.
  Vec<D> slack;
  Vec<D> most;         // [m/s] their speed at most where not all can be met
  Vec<Ints<D>> queue;  // see Jam::kQueue
};

template <class D>
HWY_INLINE Vec<Ints<D>> LoadOpposed(D, const std::uint8_t* opposed) {
  const hn::Rebind<std::uint8_t, D> d8;
  return hn::PromoteTo(Ints<D>(), hn::LoadU(d8, opposed));
}

// The running mean after a step in which the agents that want to move as `wanted` moved as `velocity`.
template <class D, class V = Vec<D>>
HWY_INLINE V JamAfter(D d, const SolveView& view, std::size_t first, Pair<V> wanted, Pair<V> velocity) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const V jam = hn::LoadU(d, view.jam + first);
  const V wanted_squared = AbsSq(wanted);
  const V kept = Larger(hn::Div(Dot(velocity, wanted), wanted_squared), zero);
  const V lost = hn::Sub(one, hn::IfThenElse(hn::Lt(kept, one), kept, one));
  const auto held = hn::Gt(LoadOpposed(d, view.opposed + first), hn::Set(Ints<D>(), Jam::kQueueMask));
  const V missing = hn::IfThenElseZero(hn::RebindMask(d, held), lost);
  const V rate = hn::IfThenElse(hn::Gt(missing, jam), hn::Set(d, view.jam_rise), hn::Set(d, view.jam_fall));
  const V after = hn::Add(jam, hn::Mul(rate, hn::Sub(missing, jam)));
  return hn::IfThenElseZero(hn::Gt(wanted_squared, hn::Set(d, kTinySquared)), after);
}

// A horizon as far as `jammed` leaves it: nothing of it is lost where that is 0.
template <class D, class V = Vec<D>>
HWY_INLINE V ShortHorizon(D d, const SolveView& view, V horizon, V jammed) {
  const V shortest = hn::Set(d, view.shortest_horizon);
  const V least = hn::IfThenElse(hn::Lt(horizon, shortest), horizon, shortest);
  return Larger(hn::Mul(horizon, hn::Sub(hn::Set(d, 1.0f), jammed)), least);
}

// What opposed agents want instead of `wanted`.
template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> WishOfOpposed(D d, const SolveView& view, Pair<V> wanted, V jammed) {
  const Pair<V> way{hn::Set(d, view.right_of_way.x), hn::Set(d, view.right_of_way.y)};
  const Mask<D> goes = hn::Ge(Dot(wanted, way), hn::Zero(d));
  const V ahead = hn::IfThenElse(goes, hn::Set(d, Jam::kGoAhead), hn::Set(d, Jam::kYieldAhead));
  const V aside = hn::IfThenElse(goes, hn::Set(d, Jam::kGoAside), hn::Set(d, Jam::kYieldAside));
  const V along = hn::Add(hn::Sub(hn::Set(d, 1.0f), jammed), hn::Mul(jammed, ahead));
  const V across = hn::Mul(hn::Set(d, view.side), hn::Mul(jammed, aside));
  return along * wanted + across * TurnedRight(wanted);
}

// Where the half-planes of agents had to be relaxed, but by less than `slack`: what is nearest to the wish if each may
// be violated by that. `rows` begin with `hard` ones of obstacles; `scratch` has room for as many.
template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> WithSlack(D d, const Rows<D>& rows, std::size_t hard, std::size_t count, V max_speed,
                             const Rows<D>& scratch, Pair<V> relaxed, Pair<V> wish, V slack) {
  V worst = hn::Zero(d);
  for (std::size_t row = hard; row < count; ++row) {
    const LinesV<V> line = rows[row];
    worst = hn::IfThenElse(IsInert(d, line), worst, Larger(Outside(line, relaxed), worst));
  }
  const Mask<D> eased = hn::Gt(slack, worst);
  if (hn::AllFalse(d, eased)) return relaxed;
  for (std::size_t row = 0; row < count; ++row) {
    LinesV<V> line = rows[row];
    if (row >= hard) line.point = line.point - slack * TurnedLeft(line.direction);
    scratch.Set(row, line);
  }
  Pair<V> velocity = WithinSpeed(d, wish, max_speed);
  auto failed = hn::Zero(Ints<D>());
  NoRows<D> unasked(d);
  const Mask<D> solved =
      SolveInPlane<Objective::kNearest>(d, scratch, count, max_speed, wish, eased, velocity, failed, unasked);
  return Select(solved, WithinSpeed(d, velocity, max_speed), relaxed);
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
