// The nearest agents found so far by a search, for each lane of a vector: by rows, the nearest first.
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "index/nearest.h"
#include "kernel/lanes-inl.h"

#if defined(THRONG_KERNEL_NEAREST_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_NEAREST_ROWS_INL_H_
#undef THRONG_KERNEL_NEAREST_ROWS_INL_H_
#else
#define THRONG_KERNEL_NEAREST_ROWS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

template <class D>
using Uints = hn::RebindToUnsigned<D>;

// What the agents of a vector look for.
template <class D>
struct Wanted {
  Vec<Ints<D>> self;  // places
  Vec<Ints<D>> most;  // zero in lanes without an agent
  Vec<D> range_squared;
};

// For few neighbours: rows stay in registers, and ids are left out of account. One row more than are needed shows
// whether an id would have decided anything.
template <class D>
class FewRows {
  using V = Vec<D>;
  using I = Vec<Ints<D>>;
  static constexpr std::size_t kRows = 11;

 public:
  static constexpr std::int32_t kMost = kRows - 1;

  HWY_INLINE void Begin(const Wanted<D>& wanted, std::size_t) {
    for (std::size_t row = 0; row < kRows; ++row) {
      key_[row] = wanted.range_squared;
      place_[row] = wanted.self;
    }
  }

  // Lanes in which an agent, or all in a box, may come before what is in the last row.
  HWY_INLINE Mask<D> Accepts(V squared, std::uint32_t) const { return hn::Lt(squared, key_[kRows - 1]); }
  // Of all lanes, as in Nearest: nothing from there on is accepted.
  HWY_INLINE std::uint64_t Limit() const { return Nearest::Key(hn::GetLane(hn::MaxOfLanes(D(), key_[kRows - 1])), 0); }

  // `place` takes its place among the rows of the lanes in `accepting`.
  HWY_INLINE void Insert(Mask<D> accepting, V squared, std::uint32_t, I place) {
    InsertRows(hn::IfThenElse(accepting, squared, hn::Inf(D())), place, std::make_index_sequence<kRows>());
  }

  // False: equal distances need ids.
  HWY_INLINE bool Finish(const Wanted<D>& wanted, std::size_t rows, std::int32_t (*entry)[LanesOf<D>()],
                         std::int32_t* count) const {
    const D d;
    const Ints<D> di;
    I found = hn::Zero(di);
    Mask<D> tied = hn::Lt(wanted.range_squared, hn::Zero(d));  // none
    for (std::size_t row = 0; row < rows; ++row) {
      const auto some = hn::Ne(place_[row], wanted.self);
      found = hn::Add(found, hn::IfThenElseZero(some, hn::Set(di, 1)));
      tied = hn::Or(tied,
                    hn::And(hn::Eq(key_[row], key_[row + 1]), hn::RebindMask(d, hn::Ne(place_[row + 1], wanted.self))));
      hn::StoreU(hn::Mul(hn::Sub(place_[row], wanted.self), hn::Set(di, kEntryScale)), di, entry[row]);
    }
    hn::StoreU(hn::Min(found, wanted.most), di, count);
    return hn::AllFalse(d, tied);
  }

 private:
  template <std::size_t... kRow>
  HWY_INLINE void InsertRows(V squared, I place, std::index_sequence<kRow...>) {
    const auto exchange = [&](V& key, I& key_place) HWY_ATTR {
      const auto before = hn::RebindMask(Ints<D>(), hn::Lt(squared, key));
      const V nearer = hn::Min(squared, key);
      squared = hn::Max(squared, key);
      key = nearer;
      const I nearer_place = hn::IfThenElse(before, place, key_place);
      place = hn::IfThenElse(before, key_place, place);
      key_place = nearer_place;
    };
    (exchange(key_[kRow], place_[kRow]), ...);
  }

  V key_[kRows];  // squared distance
  I place_[kRows];
};

// For any number, in the total order (distance^2, id).
template <class D>
class ExactRows {
  using V = Vec<D>;
  using I = Vec<Ints<D>>;
  using U = Vec<Uints<D>>;
  static constexpr std::size_t kLanes = LanesOf<D>();
  static constexpr std::size_t kMost = kMaxNeighborsLimit;

 public:
  // In the last row of a lane stands its limit. Lanes that look for fewer have rows in front which nothing comes
  // before.
  HWY_INLINE void Begin(const Wanted<D>& wanted, std::size_t rows) {
    const D d;
    const Ints<D> di;
    rows_ = rows;
    const I unused = hn::Sub(hn::Set(di, static_cast<std::int32_t>(rows)), wanted.most);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto in_front = hn::RebindMask(d, hn::Gt(unused, hn::Set(di, static_cast<std::int32_t>(row))));
      hn::Store(hn::IfThenElse(in_front, hn::Neg(hn::Inf(d)), wanted.range_squared), d, key_[row]);
      hn::Store(hn::Zero(Uints<D>()), Uints<D>(), id_[row]);
      hn::Store(wanted.self, di, place_[row]);
    }
  }

  HWY_INLINE Mask<D> Accepts(V squared, std::uint32_t id) const {
    return Before(squared, hn::Set(Uints<D>(), id), rows_ - 1);
  }

  HWY_INLINE std::uint64_t Limit() const {
    const D d;
    const Uints<D> du;
    const V last = hn::Load(d, key_[rows_ - 1]);
    const V largest = hn::MaxOfLanes(d, last);
    const U ids = hn::IfThenElseZero(hn::RebindMask(du, hn::Eq(last, largest)), hn::Load(du, id_[rows_ - 1]));
    return Nearest::Key(hn::GetLane(largest), hn::GetLane(hn::MaxOfLanes(du, ids)));
  }

  HWY_INLINE void Insert(Mask<D> accepting, V squared, std::uint32_t id, I place) {
    const D d;
    const Ints<D> di;
    const Uints<D> du;
    const U ids = hn::Set(du, id);
    const auto put = [&](std::size_t row, V key, U key_id, I key_place) HWY_ATTR {
      hn::Store(hn::IfThenElse(accepting, key, hn::Load(d, key_[row])), d, key_[row]);
      hn::Store(hn::IfThenElse(hn::RebindMask(du, accepting), key_id, hn::Load(du, id_[row])), du, id_[row]);
      hn::Store(hn::IfThenElse(hn::RebindMask(di, accepting), key_place, hn::Load(di, place_[row])), di, place_[row]);
    };
    for (std::size_t row = rows_ - 1; row > 0; --row) {
      const Mask<D> earlier = hn::And(accepting, Before(squared, ids, row - 1));
      put(row, hn::IfThenElse(earlier, hn::Load(d, key_[row - 1]), squared),
          hn::IfThenElse(hn::RebindMask(du, earlier), hn::Load(du, id_[row - 1]), ids),
          hn::IfThenElse(hn::RebindMask(di, earlier), hn::Load(di, place_[row - 1]), place));
      accepting = earlier;
      if (hn::AllFalse(d, accepting)) return;
    }
    put(0, squared, ids, place);
  }

  HWY_INLINE bool Finish(const Wanted<D>& wanted, std::size_t, std::int32_t (*entry)[kLanes],
                         std::int32_t* count) const {
    const Ints<D> di;
    I found = hn::Zero(di);
    for (std::size_t row = 0; row < rows_; ++row) {
      const I away = hn::Sub(hn::Load(di, place_[row]), wanted.self);
      found = hn::Add(found, hn::IfThenElseZero(hn::Ne(away, hn::Zero(di)), hn::Set(di, 1)));
      hn::StoreU(hn::Mul(away, hn::Set(di, kEntryScale)), di, entry[row]);
    }
    hn::StoreU(found, di, count);
    const I unused = hn::Sub(hn::Set(di, static_cast<std::int32_t>(rows_)), wanted.most);
    if (hn::AllTrue(di, hn::Eq(unused, hn::Zero(di)))) return true;
    alignas(64) std::int32_t in_front[kLanes];
    hn::Store(unused, di, in_front);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto skip = static_cast<std::size_t>(in_front[lane]);
      for (std::size_t row = 0; row < rows_; ++row) entry[row][lane] = row + skip < rows_ ? entry[row + skip][lane] : 0;
    }
    return true;
  }

 private:
  HWY_INLINE Mask<D> Before(V squared, U id, std::size_t row) const {
    const D d;
    const Uints<D> du;
    const V key = hn::Load(d, key_[row]);
    const auto lower_id = hn::RebindMask(d, hn::Lt(id, hn::Load(du, id_[row])));
    return hn::Or(hn::Lt(squared, key), hn::And(hn::Eq(squared, key), lower_id));
  }

  std::size_t rows_ = 0;
  alignas(64) float key_[kMost][kLanes];
  alignas(64) std::uint32_t id_[kMost][kLanes];
  alignas(64) std::int32_t place_[kMost][kLanes];
};

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
