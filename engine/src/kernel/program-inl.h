// The optimisation of ORCA: the velocity nearest to the preferred one within all half-planes and the disc of maximal
// speed, one agent a lane. Exact programs in two dimensions; where the half-planes leave nothing, the agents' ones are
// relaxed evenly. Half-planes stand in rows; row k holds one for each lane. A row whose direction is zero
// in a lane is inert there: it counts as parallel to every line and is violated by nothing.
#include "kernel/lanes-inl.h"
#include "kernel/pair_lines-inl.h"

#if defined(THRONG_KERNEL_PROGRAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_PROGRAM_INL_H_
#undef THRONG_KERNEL_PROGRAM_INL_H_
#else
#define THRONG_KERNEL_PROGRAM_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// Rows of half-planes in a LineBuffer.
template <class D>
class Rows {
 public:
  using V = Vec<D>;
  static constexpr std::size_t kStride = 4 * LanesOf<D>();

  explicit Rows(float* data) : data_(data) {}
  HWY_INLINE LinesV<V> operator[](std::size_t row) const {
    const D d;
    const float* const at = data_ + row * kStride;
    constexpr std::size_t n = LanesOf<D>();
    return {{hn::LoadU(d, at), hn::LoadU(d, at + n)}, {hn::LoadU(d, at + 2 * n), hn::LoadU(d, at + 3 * n)}};
  }
  HWY_INLINE void Set(std::size_t row, const LinesV<V>& lines) const {
    const D d;
    float* const at = data_ + row * kStride;
    constexpr std::size_t n = LanesOf<D>();
    hn::StoreU(lines.point.x, d, at);
    hn::StoreU(lines.point.y, d, at + n);
    hn::StoreU(lines.direction.x, d, at + 2 * n);
    hn::StoreU(lines.direction.y, d, at + 3 * n);
  }
  void SetLane(std::size_t row, std::size_t lane, const HalfPlane& line) const {
    float* const at = data_ + row * kStride + lane;
    constexpr std::size_t n = LanesOf<D>();
    at[0] = line.point.x;
    at[n] = line.point.y;
    at[2 * n] = line.direction.x;
    at[3 * n] = line.direction.y;
  }
  void CopyLane(std::size_t row, std::size_t lane, const Rows& from, std::size_t from_row,
                std::size_t from_lane) const {
    float* const to = data_ + row * kStride + lane;
    const float* const at = from.data_ + from_row * kStride + from_lane;
    for (std::size_t part = 0; part < 4; ++part) to[part * LanesOf<D>()] = at[part * LanesOf<D>()];
  }
  // Those from `row` on, as rows from 0 on.
  Rows From(std::size_t row) const { return Rows(data_ + row * kStride); }
  // Inert in all lanes.
  void Clear(std::size_t row) const {
    const D d;
    Set(row, {ZeroPair(d), ZeroPair(d)});
  }

 private:
  float* data_;
};

template <class V>
HWY_INLINE V Outside(const LinesV<V>& line, Pair<V> v) {
  return Det(line.direction, line.point - v);
}

template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> WithinSpeed(D d, Pair<V> v, V max_speed) {
  const V squared = AbsSq(v);
  const V one = hn::Set(d, 1.0f);
  V scale = hn::IfThenElse(hn::Gt(squared, hn::Mul(max_speed, max_speed)), hn::Div(max_speed, hn::Sqrt(squared)), one);
  scale = hn::IfThenElse(hn::Lt(max_speed, hn::Set(d, kTiny)), hn::Zero(d), scale);
  return scale * v;
}

enum class Objective { kNearest, kFurthest };

// Moves `result` to the optimum on the boundary of row `row`, within the disc and the rows before it, in lanes of
// `wanted`; returns those of them that have one.
template <Objective objective, class D, class V = Vec<D>>
HWY_INLINE Mask<D> SolveOnRow(D d, const Rows<D>& rows, std::size_t row, V max_speed, Pair<V> target, Mask<D> wanted,
                              Pair<V>& result) {
  const V zero = hn::Zero(d), parallel = hn::Set(d, kParallel), minus_parallel = hn::Set(d, -kParallel);
  const LinesV<V> line = rows[row];
  Mask<D> excluded = hn::FirstN(d, 0);
  const V middle = Dot(line.point, line.direction);
  const V discriminant = hn::Sub(hn::Add(hn::Mul(middle, middle), hn::Mul(max_speed, max_speed)), AbsSq(line.point));
  Mask<D> solved = hn::AndNot(hn::Lt(discriminant, zero), wanted);
  const V root = hn::Sqrt(discriminant);
  V low = hn::Sub(hn::Neg(middle), root);
  V high = hn::Add(hn::Neg(middle), root);

  for (std::size_t earlier = 0; earlier < row; ++earlier) {
    const LinesV<V> other = rows[earlier];
    const V denominator = Det(line.direction, other.direction);
    const V numerator = Det(other.direction, line.point - other.point);
    const V t = hn::Div(numerator, denominator);
    const Mask<D> bounds_high = hn::Gt(denominator, parallel);
    const Mask<D> bounds_low = hn::Lt(denominator, minus_parallel);
    high = hn::IfThenElse(bounds_high, hn::Min(t, high), high);
    low = hn::IfThenElse(bounds_low, hn::Max(t, low), low);
    const Mask<D> beyond = hn::Lt(numerator, zero);
    excluded = hn::Or(excluded, hn::AndNot(hn::Or(bounds_high, bounds_low), beyond));
  }
  // A range once empty stays empty, so that this may come last.
  solved = hn::AndNot(hn::Or(excluded, hn::Gt(low, high)), solved);

  V t;
  if constexpr (objective == Objective::kFurthest) {
    t = hn::IfThenElse(hn::Gt(Dot(target, line.direction), zero), high, low);
  } else {
    t = Dot(line.direction, target - line.point);
    t = hn::IfThenElse(hn::Lt(t, low), low, hn::IfThenElse(hn::Gt(t, high), high, t));
  }
  result = Select(solved, line.point + t * line.direction, result);
  return solved;
}

// What SolveInPlane notes of rows that moved results: nothing, or the last of them, -1 for none.
template <class D>
class NoRows {
 public:
  HWY_INLINE explicit NoRows(D) {}
  HWY_INLINE void Note(std::size_t, Mask<D>) {}
};
template <class D>
class LastRow {
 public:
  HWY_INLINE explicit LastRow(D) : row_(hn::Set(Ints<D>(), -1)) {}
  HWY_INLINE void Note(std::size_t row, Mask<D> moved) {
    const Ints<D> di;
    row_ = hn::IfThenElse(hn::RebindMask(di, moved), hn::Set(di, static_cast<std::int32_t>(row)), row_);
  }
  // Lanes in which it is `first` or a later one.
  HWY_INLINE Mask<D> IsFrom(std::size_t first) const {
    return hn::RebindMask(D(), hn::Gt(row_, hn::Set(Ints<D>(), static_cast<std::int32_t>(first) - 1)));
  }
  HWY_INLINE Vec<Ints<D>> row() const { return row_; }

 private:
  Vec<Ints<D>> row_;
};

// Adds rows one by one in lanes of `wanted`. Where one cannot be met, `result` stays as it was before it, `failed`
// becomes its number, and the lane leaves the mask that is returned.
template <Objective objective, class D, class Moves, class V = Vec<D>>
HWY_INLINE Mask<D> SolveInPlane(D d, const Rows<D>& rows, std::size_t count, V max_speed, Pair<V> target,
                                Mask<D> wanted, Pair<V>& result, Vec<Ints<D>>& failed, Moves& moves) {
  const Ints<D> di;
  for (std::size_t row = 0; row < count; ++row) {
    const Mask<D> outside = hn::And(wanted, hn::Gt(Outside(rows[row], result), hn::Zero(d)));
    if (hn::AllFalse(d, outside)) continue;
    const Mask<D> solved = SolveOnRow<objective>(d, rows, row, max_speed, target, outside, result);
    moves.Note(row, solved);
    const Mask<D> lost = hn::AndNot(solved, outside);
    failed = hn::IfThenElse(hn::RebindMask(di, lost), hn::Set(di, static_cast<std::int32_t>(row)), failed);
    wanted = hn::AndNot(lost, wanted);
  }
  return wanted;
}

template <class D>
HWY_INLINE Mask<D> IsInert(D d, const LinesV<Vec<D>>& line) {
  const auto zero = hn::Zero(d);
  return hn::And(hn::Eq(line.direction.x, zero), hn::Eq(line.direction.y, zero));
}

// Where `line` is violated as much as `other`, as a line that permits the side on which it is violated more. Inert
// where both run the same way: one of the two then always gives more.
template <class D, class V = Vec<D>>
HWY_INLINE LinesV<V> EqualViolation(D d, const LinesV<V>& line, const LinesV<V>& other) {
  const V zero = hn::Zero(d);
  const V determinant = Det(line.direction, other.direction);
  const Mask<D> parallel = hn::Le(hn::Abs(determinant), hn::Set(d, kParallel));
  const Mask<D> same = hn::And(parallel, hn::Gt(Dot(line.direction, other.direction), zero));
  const V t = hn::Div(Det(other.direction, line.point - other.point), determinant);
  const Pair<V> middle = hn::Set(d, 0.5f) * (line.point + other.point);
  const Mask<D> inert = hn::Or(same, IsInert(d, other));
  const Pair<V> direction = DirectionOr(d, other.direction - line.direction, line.direction);
  return {Select(parallel, middle, line.point + t * line.direction), Select(inert, ZeroPair(d), direction)};
}

// Relaxes the agents' rows evenly in lanes whose program failed: rows [0, hard) are never relaxed. A lane takes part in
// rows from its `begin` on. `scratch` has room for as many rows.
template <class D, class V = Vec<D>>
HWY_INLINE Pair<V> Relax(D d, const Rows<D>& rows, std::size_t hard, std::size_t count, Vec<Ints<D>> begin, V max_speed,
                         const Rows<D>& scratch, Pair<V> result) {
  const Ints<D> di;
  for (std::size_t row = 0; row < hard; ++row) scratch.Set(row, rows[row]);
  V worst = hn::Zero(d);
  for (std::size_t row = 0; row < count; ++row) {
    const LinesV<V> line = rows[row];
    const Mask<D> begun = hn::RebindMask(d, hn::Not(hn::Gt(begin, hn::Set(di, static_cast<std::int32_t>(row)))));
    // An inert row is violated by nothing, but `worst` may have come out below zero.
    const Mask<D> worse = hn::And(hn::AndNot(IsInert(d, line), begun), hn::Gt(Outside(line, result), worst));
    if (hn::AllFalse(d, worse)) continue;
    for (std::size_t other = hard; other < row; ++other) scratch.Set(other, EqualViolation(d, line, rows[other]));
    const Pair<V> inward = TurnedLeft(line.direction);
    Pair<V> relaxed = max_speed * inward;
    auto ignored = hn::Zero(di);
    NoRows<D> unasked(d);
    const std::size_t projected = row < hard ? hard : row;
    const Mask<D> solved =
        SolveInPlane<Objective::kFurthest>(d, scratch, projected, max_speed, inward, worse, relaxed, ignored, unasked);
    // That there is no solution is rounding alone; the result then stays.
    result = Select(solved, relaxed, result);
    worst = hn::IfThenElse(worse, Outside(line, result), worst);
  }
  return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
