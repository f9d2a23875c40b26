// Vectors of lanes, one agent a lane: the little that the kernels are written in. Included once for each target.
//
// Only operations that IEEE 754 rounds exactly: + - * / and square root. Nothing here fuses, estimates or sums across
// lanes, so a lane computes what plain code would.
#include <hwy/highway.h>

#include "base/body.h"
#include "base/sight.h"
#include "base/vec2.h"
#include "kernel/kernels.h"

#if defined(THRONG_KERNEL_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_LANES_INL_H_
#undef THRONG_KERNEL_LANES_INL_H_
#else
#define THRONG_KERNEL_LANES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Vec = hn::Vec<D>;
template <class D>
using Mask = hn::Mask<D>;
template <class D>
using Ints = hn::RebindToSigned<D>;

template <class D>
constexpr std::size_t LanesOf() {
  return hn::MaxLanes(D());
}

// A vector of the plane in each lane.
template <class V>
struct Pair {
  V x, y;
};

template <class V>
HWY_INLINE Pair<V> operator+(Pair<V> a, Pair<V> b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y)};
}
template <class V>
HWY_INLINE Pair<V> operator-(Pair<V> a, Pair<V> b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y)};
}
template <class V>
HWY_INLINE Pair<V> operator-(Pair<V> a) {
  return {hn::Neg(a.x), hn::Neg(a.y)};
}
template <class V>
HWY_INLINE Pair<V> operator*(V s, Pair<V> a) {
  return {hn::Mul(s, a.x), hn::Mul(s, a.y)};
}
template <class V>
HWY_INLINE V Dot(Pair<V> a, Pair<V> b) {
  return hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y));
}
template <class V>
HWY_INLINE V Det(Pair<V> a, Pair<V> b) {
  return hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x));
}
template <class V>
HWY_INLINE V AbsSq(Pair<V> a) {
  return Dot(a, a);
}
template <class V>
HWY_INLINE Pair<V> TurnedLeft(Pair<V> a) {
  return {hn::Neg(a.y), a.x};
}
template <class V>
HWY_INLINE Pair<V> TurnedRight(Pair<V> a) {
  return {a.y, hn::Neg(a.x)};
}
template <class M, class V>
HWY_INLINE Pair<V> Select(M mask, Pair<V> yes, Pair<V> no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y)};
}
// b where the comparison is false, so that zeros of either sign and NaN come out as in plain code.
template <class V>
HWY_INLINE V Larger(V a, V b) {
  return hn::IfThenElse(hn::Gt(a, b), a, b);
}

template <class D>
HWY_INLINE Pair<Vec<D>> ZeroPair(D d) {
  return {hn::Zero(d), hn::Zero(d)};
}
template <class D>
HWY_INLINE Pair<Vec<D>> LoadPair(D d, const float* x, const float* y) {
  return {hn::LoadU(d, x), hn::LoadU(d, y)};
}

// 1 / |v| * v where v has a direction, else `fallback`.
template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> DirectionOr(D d, Pair<V> v, Pair<V> fallback) {
  const V squared = AbsSq(v);
  const auto has = hn::Gt(squared, hn::Set(d, kTinySquared));
  return Select(has, hn::Div(hn::Set(d, 1.0f), hn::Sqrt(squared)) * v, fallback);
}

// first, first + 1, ... An Iota from a variable goes through memory, and waits for it.
template <class D>
HWY_INLINE Vec<Ints<D>> PlacesFrom(D, std::uint32_t first) {
  const Ints<D> di;
  return hn::Add(hn::Set(di, static_cast<std::int32_t>(first)), hn::Iota(di, 0));
}

// Lanes of a mask as bits, for the rare ones that plain code looks after.
template <class D>
HWY_INLINE std::uint32_t Bits(D d, Mask<D> mask) {
  std::uint8_t bytes[8] = {0};
  hn::StoreMaskBits(d, mask, bytes);
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8;
}
// The reverse.
template <class D>
HWY_INLINE Mask<D> MaskOf(D d, std::uint32_t bits) {
  const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8)};
  return hn::LoadMaskBits(d, bytes);
}
// Calls visit(lane) for each bit.
template <class Visit>
HWY_INLINE void ForEachBit(std::uint32_t bits, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits)));
}

// The chosen lanes of a vector, moved to its front, from two vectors at once. What lies behind them is anything.
#if HWY_TARGET == HWY_AVX2
// Where AVX2 has no instruction: for each mask the lanes that it chooses. Highway's own table is copied to the stack at
// every use by the compilers of today.
struct ChosenLanes {
  std::uint8_t lane[256][8] = {};
  constexpr ChosenLanes() {
    for (int mask = 0; mask < 256; ++mask) {
      int size = 0;
      for (int bit = 0; bit < 8; ++bit) {
        if ((mask >> bit & 1) != 0) lane[mask][size++] = static_cast<std::uint8_t>(bit);
      }
    }
  }
};
inline constexpr ChosenLanes kChosenLanes;
#endif

template <class D>
HWY_INLINE void StoreChosen(D d, Mask<D> mask, Vec<D> v, float* floats, Vec<Ints<D>> i, std::int32_t* ints) {
  const Ints<D> di;
#if HWY_TARGET == HWY_AVX2
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<std::uint8_t, D> d8;
  const auto order = hn::IndicesFromVec(d, hn::PromoteTo(du, hn::LoadU(d8, kChosenLanes.lane[Bits(d, mask)])));
  const auto order_ints = hn::IndicesFromVec(di, hn::PromoteTo(du, hn::LoadU(d8, kChosenLanes.lane[Bits(d, mask)])));
  hn::StoreU(hn::TableLookupLanes(v, order), d, floats);
  hn::StoreU(hn::TableLookupLanes(i, order_ints), di, ints);
#else
  hn::StoreU(hn::Compress(v, mask), d, floats);
  hn::StoreU(hn::Compress(i, hn::RebindMask(di, mask)), di, ints);
#endif
}

template <class V>
struct Bodies {
  Pair<V> position;
  Pair<V> velocity;
};

#if HWY_TARGET != HWY_SCALAR  // which has no operations across lanes
template <class D, class Address>
HWY_INLINE Bodies<Vec<D>> TransposeBodies(D d, const Address& address) {
  using V = Vec<D>;
  const hn::Full128<float> d4;
  const auto load = [&](std::size_t lane)
                        HWY_ATTR { return hn::LoadU(d4, reinterpret_cast<const float*>(address(lane))); };
  // Record i of every run of four lanes, so that interleaving within 128 bits gives lanes in order.
  const auto quarter = [&](std::size_t i) HWY_ATTR {
    if constexpr (LanesOf<D>() == 16) {
      const hn::Half<D> half;
      return hn::Combine(d, hn::Combine(half, load(i + 12), load(i + 8)), hn::Combine(half, load(i + 4), load(i)));
    } else if constexpr (LanesOf<D>() == 8) {
      return hn::Combine(d, load(i + 4), load(i));
    } else {
      return load(i);
    }
  };
  const V r0 = quarter(0), r1 = quarter(1), r2 = quarter(2), r3 = quarter(3);
  const hn::RepartitionToWide<D> wide;
  const auto xy01 = hn::BitCast(wide, hn::InterleaveLower(d, r0, r1));
  const auto xy23 = hn::BitCast(wide, hn::InterleaveLower(d, r2, r3));
  const auto v01 = hn::BitCast(wide, hn::InterleaveUpper(d, r0, r1));
  const auto v23 = hn::BitCast(wide, hn::InterleaveUpper(d, r2, r3));
  return {
      {hn::BitCast(d, hn::InterleaveLower(wide, xy01, xy23)), hn::BitCast(d, hn::InterleaveUpper(wide, xy01, xy23))},
      {hn::BitCast(d, hn::InterleaveLower(wide, v01, v23)), hn::BitCast(d, hn::InterleaveUpper(wide, v01, v23))}};
}
#endif

// Each lane's record, from its own address: 128-bit loads and a transposition, since gathers cost more.
// address(lane) gives a const Body*.
template <class D, class Address>
HWY_INLINE Bodies<Vec<D>> GatherBodies(D d, const Address& address) {
  if constexpr (LanesOf<D>() == 1) {
    const Body* const body = address(0);
    return {{hn::Set(d, body->x), hn::Set(d, body->y)}, {hn::Set(d, body->vx), hn::Set(d, body->vy)}};
  } else {
    return TransposeBodies(d, address);
  }
}

// Bodies that follow one another.
template <class D>
HWY_INLINE Bodies<Vec<D>> LoadBodies(D d, const Body* first) {
  if constexpr (LanesOf<D>() == 1) {
    return GatherBodies(d, [first](std::size_t) HWY_ATTR { return first; });
  } else {
    Bodies<Vec<D>> bodies;
    hn::LoadInterleaved4(d, &first->x, bodies.position.x, bodies.position.y, bodies.velocity.x, bodies.velocity.y);
    return bodies;
  }
}

template <class D>
struct SightsV {
  Vec<Ints<D>> layer, avoids;
  Vec<D> z, height;
};

// The same in each lane.
template <class D>
HWY_INLINE SightsV<D> SetSights(D d, const Sight& sight) {
  const Ints<D> di;
  return {hn::Set(di, static_cast<std::int32_t>(sight.layer)), hn::Set(di, static_cast<std::int32_t>(sight.avoids)),
          hn::Set(d, sight.z), hn::Set(d, sight.height)};
}

// Those that follow one another.
template <class D>
HWY_INLINE SightsV<D> LoadSights(D d, const Sight* first) {
  if constexpr (LanesOf<D>() == 1) {
    return SetSights(d, *first);
  } else {
    const Ints<D> di;
    Vec<D> layer, avoids, z, height;
    hn::LoadInterleaved4(d, reinterpret_cast<const float*>(first), layer, avoids, z, height);
    return {hn::BitCast(di, layer), hn::BitCast(di, avoids), z, height};
  }
}

// Lanes of `self` that see the other; as Sees() in base/sight.h.
template <class D>
HWY_INLINE Mask<D> Sees(D d, const SightsV<D>& self, const SightsV<D>& other) {
  const Ints<D> di;
  const auto layers = hn::RebindMask(d, hn::Ne(hn::And(self.avoids, other.layer), hn::Zero(di)));
  const Mask<D> bands = hn::And(hn::Le(self.z, hn::Add(other.z, other.height)),  //
                                hn::Le(other.z, hn::Add(self.z, self.height)));
  return hn::And(layers, bands);
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
