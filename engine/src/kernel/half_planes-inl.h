// The half-planes of the agents of one vector, in rows: of edges, of drives, of capsules, of other agents.
#include <cmath>

#include "kernel/edge_lines-inl.h"
#include "kernel/lanes-inl.h"
#include "kernel/neighbors-inl.h"
#include "kernel/pair_lines-inl.h"
#include "kernel/relief-inl.h"
#include "kernel/settle-inl.h"
#include "solve/drive_lines.h"

#if defined(THRONG_KERNEL_HALF_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_HALF_PLANES_INL_H_
#undef THRONG_KERNEL_HALF_PLANES_INL_H_
#else
#define THRONG_KERNEL_HALF_PLANES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// Of agents at [first, first + lanes), whose neighbours are found before. Hard rows come first.
template <class D, bool kExtended>
class HalfPlaneMaker : protected NeighborFinder<D, kExtended> {
  using V = Vec<D>;
  static constexpr std::size_t kLanes = LanesOf<D>();

 protected:
  HWY_INLINE HalfPlaneMaker(const SolveView& view, std::size_t first, SolveScratch& scratch, SolveCounts& counts)
      : NeighborFinder<D, kExtended>(view, first, scratch, counts) {}

  using Finder = NeighborFinder<D, kExtended>;
  using Finder::active_;
  using Finder::counts_;
  using Finder::FindNeighbors;
  using Finder::first_;
  using Finder::neighbors_;
  using Finder::Place;
  using Finder::scratch_;
  using Finder::self_;
  using Finder::view_;

  HWY_INLINE Rows<D> LineRows(std::size_t rows) const { return Rows<D>(scratch_.lines.Rows(rows)); }

  // Returns how many rows they take. Rows are inert in lanes that have fewer, or whose edge gave nothing.
  HWY_INLINE std::size_t AddObstacleRows() {
    if (view_.near_edges == nullptr) return 0;
    const std::uint32_t* const near = view_.near_edges + first_ / kGroup * (1 + kNearEdges);
    if (near[0] == 0) return 0;
    return near[0] == kManyEdges ? AddSearchedObstacleRows() : AddNearObstacleRows(near + 1, near[0]);
  }

  // Lanes whose agent keeps from nothing.
  HWY_INLINE std::uint32_t Kinematics() const {
    if (!kExtended || view_.mode == nullptr) return 0;
    std::uint32_t lanes = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes |= view_.mode[first_ + lane] != 0 ? 1u << lane : 0u;
    return lanes;
  }

  // Returns the number of hard rows in all.
  HWY_NOINLINE std::size_t AddDriveRows(std::size_t hard) {
    std::size_t rows = hard;
    ForEachBit(active_, [&](std::size_t lane) HWY_ATTR {
      HalfPlane lines[kDriveLines];
      if (!view_.drive_lines(view_.context, static_cast<std::uint32_t>(first_ + lane), lines)) return;
      const Rows<D> target = LineRows(hard + kDriveLines);
      for (; rows < hard + kDriveLines; ++rows) target.Clear(rows);
      for (std::size_t i = 0; i < kDriveLines; ++i) target.SetLane(hard + i, lane, lines[i]);
    });
    return rows;
  }

  // One test for all lanes, wide enough for the rounding of distances.
  HWY_INLINE std::uint32_t LanesNearCapsules() const {
    if (view_.capsule_lines == nullptr) return 0;
    const D d;
    const Pair<V> at = self_.position;
    const V rounding = hn::Mul(hn::Set(d, 4e-6f), hn::Add(hn::Abs(at.x), hn::Abs(at.y)));
    const V reach = hn::Add(hn::Mul(hn::LoadU(d, view_.neighbor_distance + first_), hn::Set(d, 1.0001f)), rounding);
    const auto within = [&](V place, float low, float high) HWY_ATTR {
      return hn::And(hn::Ge(hn::Add(place, reach), hn::Set(d, low)), hn::Le(hn::Sub(place, reach), hn::Set(d, high)));
    };
    const Mask<D> near = hn::And(within(at.x, view_.capsules.min_x, view_.capsules.max_x),
                                 within(at.y, view_.capsules.min_y, view_.capsules.max_y));
    return Bits(d, near) & active_;
  }

  // Returns the number of rows in all. Rows are inert in lanes that have fewer.
  HWY_NOINLINE std::size_t AddCapsuleRows(std::size_t hard, std::uint32_t lanes) {
    lanes &= ~Kinematics();
    const auto first = static_cast<std::uint32_t>(first_);
    if (!view_.near_capsules(view_.context, scratch_.worker, first, lanes)) return hard;
    alignas(64) float inverse_horizon[kLanes];
    hn::Store(self_.inverse_horizon, D(), inverse_horizon);
    std::size_t rows = hard;
    ForEachBit(lanes, [&](std::size_t lane) HWY_ATTR {
      const HalfPlane* lines = nullptr;
      const std::size_t count = view_.capsule_lines(
          view_.context, scratch_.worker, first + static_cast<std::uint32_t>(lane), inverse_horizon[lane], &lines);
      const Rows<D> target = LineRows(hard + count);
      for (; rows < hard + count; ++rows) target.Clear(rows);
      for (std::size_t i = 0; i < count; ++i) target.SetLane(hard + i, lane, lines[i]);
      if (count > 0 && neighbors_.count[lane] == 0) without_agents_ |= 1u << lane;
    });
    return rows;
  }

  // Plain code searches for the edges of each agent.
  HWY_NOINLINE std::size_t AddSearchedObstacleRows() {
    const D d;
    V horizon = hn::LoadU(d, view_.time_horizon_obstacles + first_);
    if constexpr (kExtended) horizon = ShortHorizon(d, view_, horizon, relief_.jammed);
    alignas(64) float inverse_horizon[kLanes];
    hn::Store(hn::Div(hn::Set(d, 1.0f), horizon), d, inverse_horizon);
    std::size_t rows = 0;
    ForEachBit(active_ & ~Kinematics(), [&](std::size_t lane) HWY_ATTR {
      const HalfPlane* lines = nullptr;
      const auto self = static_cast<std::uint32_t>(first_ + lane);
      const std::size_t count =
          view_.obstacle_lines(view_.context, scratch_.worker, self, inverse_horizon[lane], &lines);
      const Rows<D> target(scratch_.lines.Rows(count));
      for (; rows < count; ++rows) target.Clear(rows);
      for (std::size_t row = 0; row < count; ++row) target.SetLane(row, lane, lines[row]);
    });
    return rows;
  }

  HWY_NOINLINE std::size_t AddNearObstacleRows(const std::uint32_t* near, std::size_t count) {
    const D d;
    V horizon = hn::LoadU(d, view_.time_horizon_obstacles + first_);
    const V range = hn::Add(hn::Mul(horizon, hn::LoadU(d, view_.max_speed + first_)), self_.radius);
    V range_squared = hn::Mul(range, range);
    if constexpr (kExtended) range_squared = hn::IfThenZeroElse(MaskOf(d, Kinematics()), range_squared);
    if constexpr (kExtended) horizon = ShortHorizon(d, view_, horizon, relief_.jammed);
    SeenEdges seen;
    if constexpr (kExtended) {
      if (view_.near_lanes != nullptr) seen = {view_.near_lanes + first_ / kGroup * kNearEdges, first_ % kGroup};
    }
    EdgesLeft<D> left;
    NearestEdges<D> nearest =
        FindInRange(d, view_.edges, near, count, seen, self_.position, range_squared, left, counts_.obstacle_edges);
    const Rows<D> target(scratch_.lines.Rows(left.size));
    const ObstacleSelf<D> self{self_.position, self_.velocity, self_.radius, hn::Div(hn::Set(d, 1.0f), horizon)};
    std::size_t rows = 0;
    while (left.size > 0) {
      MaybeLines<D> made = MakeEdgeLines(d, self, GatherEdges(d, view_.edges, nearest.places));
      const Mask<D> has_line = hn::And(made.present, nearest.present(d));
      made.lines.direction = Select(has_line, made.lines.direction, ZeroPair(d));
      target.Set(rows, made.lines);
      rows += hn::AllFalse(d, has_line) ? 0 : 1;
      nearest = TakeAway(d, view_.edges, self, nearest, made.lines, has_line, left);
    }
    return rows;
  }

  // Returns the number of rows in all.
  HWY_INLINE std::size_t AddNeighborRows(std::size_t hard) {
    const D d;
    const Ints<D> di;
    const std::size_t rows = hard + neighbors_.rows;
    const Rows<D> target = LineRows(rows);
    const Body* const bodies = view_.body + first_;
    const auto count = hn::LoadU(di, neighbors_.count);
    const Mask<D> idle = Idle();
    const bool parts_slowly = kExtended && !hn::AllFalse(d, idle);
    const bool shares = kExtended && (view_.responsibility != nullptr || view_.sight != nullptr);
    Mask<D> touching = hn::FirstN(d, 0);
    std::uint32_t overlapping = 0;
    for (std::size_t row = 0; row < neighbors_.rows; ++row) {
      const std::int32_t* const entries = neighbors_.entry[row];
      const Mask<D> present = hn::RebindMask(d, hn::Gt(count, hn::Set(di, static_cast<std::int32_t>(row))));
      const auto others =
          GatherBodies(d, [&](std::size_t lane) HWY_ATTR { return EntryBody(bodies + lane, entries[lane]); });
      const V other_radius = OtherRadius(entries);
      PairLines<D> made = MakePairLines(d, self_, others, other_radius);
      if constexpr (kExtended) {
        if (parts_slowly) PartSlowly(hn::And(present, idle), others, other_radius, made);
        touching = hn::Or(touching, hn::And(present, TouchesMoving(others, other_radius)));
        if (shares) made.lines.point = SharedPoint(d, self_, made, OwnWeight(), WeightOfOthers(entries));
      }
      made.lines.direction = Select(present, made.lines.direction, ZeroPair(d));
      target.Set(hard + row, made.lines);
      overlapping |= Bits(d, hn::And(made.overlap, present));
      const Mask<D> undirected = hn::And(made.undirected, present);
      if (!hn::AllFalse(d, undirected)) MakeUndirected(target, hard + row, entries, Bits(d, undirected));
    }
    if constexpr (kExtended) touching_ = Bits(d, touching);
    counts_.overlapping += hwy::PopCount(overlapping & active_);
    return rows;
  }

  HWY_INLINE V OwnWeight() const {
    const D d;
    return view_.responsibility != nullptr ? hn::LoadU(d, view_.responsibility + first_) : hn::Set(d, 1.0f);
  }

  // Zero of those who do not see this agent. Their height bands meet, since it sees them.
  HWY_INLINE V WeightOfOthers(const std::int32_t* entries) const {
    const D d;
    const Ints<D> di;
    const V weight = view_.responsibility != nullptr ? Gathered(view_.responsibility, entries) : hn::Set(d, 1.0f);
    if (view_.sight == nullptr) return weight;
    alignas(64) std::int32_t in_common[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t avoids = view_.sight[Place(lane, entries[lane])].avoids;
      in_common[lane] = static_cast<std::int32_t>(avoids & view_.sight[first_ + lane].layer);
    }
    const auto unseen = hn::Eq(hn::Load(di, in_common), hn::Zero(di));
    return hn::IfThenZeroElse(hn::RebindMask(d, unseen), weight);
  }

  // Those who want nothing, where these part slowly.
  HWY_INLINE Mask<D> Idle() const {
    const D d;
    if (!kExtended || !(view_.separation_speed > 0.0f)) return hn::FirstN(d, 0);
    return IsIdle(d, LoadPair(d, view_.preferred_x + first_, view_.preferred_y + first_));
  }

  // Of `idle` lanes, an overlap is not undone within a step but at separation_speed at most.
  HWY_NOINLINE void PartSlowly(Mask<D> idle, const Bodies<V>& others, V other_radius, PairLines<D>& made) {
    const D d;
    const Mask<D> slow = hn::And(made.overlap, idle);
    if (hn::AllFalse(d, slow)) return;
    const V speed = hn::Mul(hn::Set(d, view_.separation_speed), hn::LoadU(d, view_.max_speed + first_));
    const V gap = hn::Sub(hn::Add(self_.radius, other_radius), hn::Sqrt(AbsSq(others.position - self_.position)));
    pressed_ |= Bits(d, hn::And(slow, hn::Gt(gap, hn::Mul(hn::Set(d, kShallow), self_.radius))));
    const Mask<D> capped = hn::And(slow, hn::Lt(speed, hn::Mul(self_.inverse_time_step, gap)));
    SelfV<D> self = self_;
    self.inverse_time_step = hn::IfThenElse(capped, hn::Div(speed, gap), self_.inverse_time_step);
    made = MakePairLines(d, self, others, other_radius);
  }

  // A push aside would lead into those who are so near, or who come there.
  HWY_INLINE Mask<D> TouchesMoving(const Bodies<V>& others, V other_radius) const {
    const D d;
    const V radii = hn::Add(self_.radius, other_radius);
    const V reach_squared = hn::Mul(hn::Set(d, kTouching * kTouching), hn::Mul(radii, radii));
    const Mask<D> near = hn::Lt(AbsSq(others.position - self_.position), reach_squared);
    if (hn::AllFalse(d, near)) return near;  // of the farther rows
    return hn::And(near, hn::Gt(AbsSq(others.velocity), hn::Zero(d)));
  }

  HWY_INLINE V OtherRadius(const std::int32_t* entries) const {
    return view_.same_radius ? self_.radius : Gathered(view_.radius, entries);
  }

  HWY_INLINE V Gathered(const float* column, const std::int32_t* entries) const {
    alignas(64) float values[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) values[lane] = column[Place(lane, entries[lane])];
    return hn::Load(D(), values);
  }

  // Plain code makes the lines whose direction comes of the ids.
  HWY_NOINLINE void MakeUndirected(const Rows<D>& target, std::size_t row, const std::int32_t* entries,
                                   std::uint32_t lanes) {
    ForEachBit(lanes, [&](std::size_t lane) HWY_ATTR {
      bool overlapping = false;
      const std::size_t self = first_ + lane, place = Place(lane, entries[lane]);
      Disc other = DiscAt(place);
      if (kExtended && view_.sight != nullptr && !throng::Sees(view_.sight[place], view_.sight[self])) {
        other.responsibility = 0.0f;
      }
      target.SetLane(
          row, lane,
          AgentHalfPlane(DiscAt(self), other, 1.0f / view_.time_horizon[self], PartingRate(self, place), overlapping));
    });
  }

  // [1/s] See PartSlowly.
  HWY_INLINE float PartingRate(std::size_t self, std::size_t other) const {
    if (!kExtended || !(view_.separation_speed > 0.0f)) return view_.inverse_time_step;
    if (view_.preferred_x[self] != 0.0f || view_.preferred_y[self] != 0.0f) return view_.inverse_time_step;
    const float speed = view_.separation_speed * view_.max_speed[self];
    const Vec2 way{view_.body[other].x - view_.body[self].x, view_.body[other].y - view_.body[self].y};
    const float gap = view_.radius[self] + view_.radius[other] - std::sqrt(AbsSq(way));
    return speed < view_.inverse_time_step * gap ? speed / gap : view_.inverse_time_step;
  }

  HWY_INLINE Disc DiscAt(std::size_t place) const {
    const Body& body = view_.body[place];
    Disc disc{view_.id[place], {body.x, body.y}, {body.vx, body.vy}, view_.radius[place]};
    if (kExtended && view_.responsibility != nullptr) disc.responsibility = view_.responsibility[place];
    return disc;
  }

  std::uint32_t without_agents_ = 0;  // lanes with rows of capsules and none of agents
  std::uint32_t pressed_ = 0;         // lanes of agents that want nothing and overlap another by more than kShallow
  // Where kExtended:
  std::uint32_t touching_ = 0;  // lanes of agents that touch another that moves
  Relief<D> relief_;
};

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
