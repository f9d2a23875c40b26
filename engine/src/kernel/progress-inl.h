// Keeps what agents make of the way that they want (store/progress.h), one agent a lane.
#include "kernel/lanes-inl.h"

#if defined(THRONG_KERNEL_PROGRESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_PROGRESS_INL_H_
#undef THRONG_KERNEL_PROGRESS_INL_H_
#else
#define THRONG_KERNEL_PROGRESS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// Halves of the words from `at` on.
template <class D, class I = Vec<Ints<D>>>
HWY_INLINE Pair<I> LoadWords(D, const std::uint64_t* at) {
  const Ints<D> di;
  const auto* const halves = reinterpret_cast<const std::int32_t*>(at);
  if constexpr (LanesOf<D>() == 1) {
    return {hn::Set(di, halves[0]), hn::Set(di, halves[1])};
  } else {
    Pair<I> words;
    hn::LoadInterleaved2(di, halves, words.x, words.y);
    return words;
  }
}

template <class D, class I = Vec<Ints<D>>>
HWY_INLINE void StoreWords(D, Pair<I> words, std::uint64_t* at) {
  const Ints<D> di;
  auto* const halves = reinterpret_cast<std::int32_t*>(at);
  if constexpr (LanesOf<D>() == 1) {
    halves[0] = hn::GetLane(words.x);
    halves[1] = hn::GetLane(words.y);
  } else {
    hn::StoreInterleaved2(words.x, words.y, di, halves);
  }
}

// Exchanges byte `byte` of each word for the low one of `value`; returns what it was, with its sign.
template <class D, class I = Vec<Ints<D>>>
HWY_INLINE I ExchangeByte(D d, std::uint64_t* words, unsigned byte, I value) {
  const Ints<D> di;
  Pair<I> both = LoadWords(d, words);
  I& half = byte < 4 ? both.x : both.y;
  const int shift = static_cast<int>(8 * (byte % 4));
  const I was = hn::ShiftRight<24>(hn::ShiftLeftSame(half, 24 - shift));
  const I mask = hn::Set(di, static_cast<std::int32_t>(0xffu << shift));
  half = hn::Or(hn::AndNot(mask, half), hn::And(mask, hn::ShiftLeftSame(value, shift)));
  StoreWords(d, both, words);
  return was;
}

// 100 times what was gained on a tenth of the way wanted, over the way at max_speed.
template <class D, class V = Vec<D>>
HWY_INLINE V Surplus(D d, const ProgressView& view, Pair<V> way, Pair<V> wanted, V speed_wanted, V max_speed) {
  const V possible = hn::IfThenElse(hn::Lt(max_speed, speed_wanted), max_speed, speed_wanted);
  const V made = hn::Mul(Dot(way, wanted), hn::Set(d, view.inverse_time_step));
  const V gained = hn::Sub(made, hn::Mul(hn::Set(d, 0.1f), hn::Mul(speed_wanted, possible)));
  return hn::Mul(gained, hn::Div(hn::Set(d, 100.0f), hn::Mul(speed_wanted, max_speed)));
}

template <class D, class V>
HWY_INLINE V Within(D d, V value, float bound) {
  return hn::Min(hn::Max(value, hn::Set(d, -bound)), hn::Set(d, bound));
}

template <class D>
HWY_INLINE std::uint32_t NotZero(const std::uint8_t* bytes) {
  std::uint32_t lanes = 0;
  for (std::size_t lane = 0; lane < LanesOf<D>(); ++lane) lanes |= bytes[lane] != 0 ? 1u << lane : 0u;
  return lanes;
}

template <class D>
void NoteProgressOf(const ProgressView& view, std::size_t begin, std::size_t end, ProgressCounts& counts) {
  using V = Vec<D>;
  using I = Vec<Ints<D>>;
  const D d;
  const Ints<D> di;
  const I zero = hn::Zero(di), second = hn::Set(di, view.ticks_of_second);
  const I stalled_bit = hn::Set(di, Progress::kStalled);
  for (std::size_t first = begin; first < end; first += LanesOf<D>()) {
    const Pair<V> position = LoadBodies(d, view.body + first).position;
    const Pair<V> way = position - LoadPair(d, view.from_x + (first - begin), view.from_y + (first - begin));
    const Pair<V> wanted = LoadPair(d, view.preferred_x + first, view.preferred_y + first);
    const V max_speed = hn::LoadU(d, view.max_speed + first);
    const V speed_wanted = hn::Sqrt(AbsSq(wanted));
    const Mask<D> moves = hn::Gt(speed_wanted, hn::Mul(hn::Set(d, 0.1f), max_speed));
    Mask<D> wants = hn::AndNot(hn::Lt(max_speed, hn::Set(d, kTiny)), moves);
    if (view.mode != nullptr) wants = hn::AndNot(MaskOf(d, NotZero<D>(view.mode + first)), wants);

    const V surplus = hn::Add(hn::LoadU(d, view.carry + first), Surplus(d, view, way, wanted, speed_wanted, max_speed));
    const I whole = hn::NearestInt(Within(d, hn::IfThenElseZero(wants, surplus), 127.0f));
    const V rest = Within(d, hn::Sub(surplus, hn::ConvertTo(d, whole)), 1.0f);
    hn::StoreU(hn::IfThenElseZero(wants, rest), d, view.carry + first);
    const I was = ExchangeByte(d, view.history + first, view.byte, whole);

    const I before = hn::LoadU(di, view.progress + first);
    const I ticks_before = hn::And(before, hn::Set(di, Progress::kTicksMask));
    const auto full = hn::Eq(ticks_before, second);
    const I sum =
        hn::Sub(hn::Add(hn::ShiftRight<Progress::kSurplusShift>(before), whole), hn::IfThenElseZero(full, was));
    const I ticks = hn::IfThenElse(full, second, hn::Add(ticks_before, hn::Set(di, 1)));
    const auto stands = hn::And(hn::Eq(ticks, second), hn::Lt(sum, zero));
    const auto wants_int = hn::RebindMask(di, wants);
    const I stalled = hn::IfThenElseZero(hn::And(wants_int, stands), stalled_bit);
    const I changed = hn::And(hn::Xor(stalled, before), stalled_bit);
    const I kept = hn::IfThenElseZero(wants_int, hn::Or(hn::ShiftLeft<Progress::kSurplusShift>(sum), ticks));
    hn::StoreU(hn::Or(kept, hn::Or(stalled, hn::Add(changed, changed))), di, view.progress + first);
    if (hn::AllTrue(di, hn::Eq(hn::Or(stalled, changed), zero))) continue;
    counts.stalled += hn::CountTrue(di, hn::Gt(stalled, zero));
    counts.changed += hn::CountTrue(di, hn::Gt(changed, zero));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
