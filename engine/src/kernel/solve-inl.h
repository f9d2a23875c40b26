// The solve phase over groups of agents: neighbours, half-planes, programs; one agent a lane.
#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernel/half_planes-inl.h"
#include "kernel/lanes-inl.h"
#include "kernel/program-inl.h"
#include "kernel/relief-inl.h"
#include "kernel/settle-inl.h"
#include "kernel/waiting-inl.h"

#if defined(THRONG_KERNEL_SOLVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_SOLVE_INL_H_
#undef THRONG_KERNEL_SOLVE_INL_H_
#else
#define THRONG_KERNEL_SOLVE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// Agents at [first, first + lanes) as columns. kExtended: with the extensions of the motion model. kTraced: of one
// lane, and what it goes through is noted.
template <class D, bool kExtended, bool kTraced = false>
class Group : private HalfPlaneMaker<D, kExtended> {
  using V = Vec<D>;
  static constexpr std::size_t kLanes = LanesOf<D>();

 public:
  HWY_INLINE Group(const SolveView& view, std::size_t first, SolveScratch& scratch, SolveCounts& counts)
      : HalfPlaneMaker<D, kExtended>(view, first, scratch, counts) {}

  HWY_INLINE void Solve(Waiting<D, kExtended>& waiting) {
    const D d;
    const Ints<D> di;
    FindNeighbors();
    if constexpr (kExtended) NoteJam();
    std::size_t hard = AddObstacleRows();
    if constexpr (kExtended) {
      if (view_.drive_lines != nullptr) hard = AddDriveRows(hard);
    }
    std::size_t soft = hard;  // where rows of agents begin
    if constexpr (kExtended) {
      if (const std::uint32_t lanes = LanesNearCapsules(); lanes != 0) soft = AddCapsuleRows(hard, lanes);
    }
    const std::size_t rows = AddNeighborRows(soft);
    const Rows<D> lines = LineRows(rows);

    const V max_speed = hn::LoadU(d, view_.max_speed + first_);
    const Pair<V> preferred = LoadPair(d, view_.preferred_x + first_, view_.preferred_y + first_);
    Pair<V> wish = preferred;
    if constexpr (kExtended) wish = relief_.wish;
    Pair<V> velocity = WithinSpeed(d, wish, max_speed);
    auto failed = hn::Zero(di);
    const Mask<D> all = hn::Eq(max_speed, max_speed);
    std::conditional_t<kExtended, LastRow<D>, NoRows<D>> moves(d);
    const Mask<D> solved =
        SolveInPlane<Objective::kNearest>(d, lines, rows, max_speed, wish, all, velocity, failed, moves);
    Pair<V> clamped = WithinSpeed(d, velocity, max_speed);
    if constexpr (kTraced) NoteProgram(lines, hard, soft, rows, wish, moves.row(), clamped);
    if constexpr (kExtended) {
      const Settlers<D> self{preferred, max_speed};
      const Mask<D> by_agents = moves.IsFrom(hard), held = hn::Or(by_agents, hn::Not(solved));
      const Mask<D> aside = hn::AndNot(MaskOf(d, touching_), by_agents);
      if constexpr (kTraced) NoteSettling(self, lines, hard, aside, clamped);
      clamped = Settle(d, view_, self, lines, hard, aside, clamped);
      if (view_.held != nullptr) {
        const Mask<D> relaxed = hn::AndNot(solved, hn::Not(MaskOf(d, without_agents_)));
        NoteHeld(hn::Or(moves.IsFrom(0), held), hn::Or(moves.IsFrom(soft), relaxed));
      }
      if (view_.jam != nullptr) NoteOpposed(held);
    }
    hn::StoreU(clamped.x, d, view_.next_x + first_);
    hn::StoreU(clamped.y, d, view_.next_y + first_);
    const std::uint32_t left_over = ~Bits(d, solved) & active_;
    if (left_over == 0) return;
    counts_.infeasible += hwy::PopCount(left_over);
    if (4 * hwy::PopCount(left_over) >= 3 * kLanes) {
      RelaxHere(lines, hard, rows, hn::AndNot(solved, MaskOf(d, active_)), failed, velocity);
    } else {
      AddWaiting(waiting, lines, hard, soft - hard, left_over, failed, velocity);
    }
  }

 private:
  using Maker = HalfPlaneMaker<D, kExtended>;
  using Maker::active_;
  using Maker::AddCapsuleRows;
  using Maker::AddDriveRows;
  using Maker::AddNeighborRows;
  using Maker::AddObstacleRows;
  using Maker::counts_;
  using Maker::FindNeighbors;
  using Maker::first_;
  using Maker::LanesNearCapsules;
  using Maker::LineRows;
  using Maker::neighbors_;
  using Maker::Place;
  using Maker::pressed_;
  using Maker::relief_;
  using Maker::scratch_;
  using Maker::self_;
  using Maker::touching_;
  using Maker::view_;
  using Maker::without_agents_;

  // Where half-planes of obstacles alone leave something, those of agents are what fails.
  HWY_INLINE void NoteHeld(Mask<D> held, Mask<D> by_agents) {
    const Ints<D> di;
    const hn::Rebind<std::uint8_t, D> d8;
    const auto number = [&](Held kind) HWY_ATTR { return hn::Set(di, static_cast<std::int32_t>(kind)); };
    const auto by_any = hn::IfThenElseZero(hn::RebindMask(di, held), number(Held::kByObstacles));
    const auto kind = hn::IfThenElse(hn::RebindMask(di, by_agents), number(Held::kByAgents), by_any);
    hn::StoreU(hn::DemoteTo(d8, kind), d8, view_.held + first_);
  }

  // Jams ------------------------------------------------------------------------------------------------------------

  HWY_INLINE void NoteJam() {
    const D d;
    const V zero = hn::Zero(d);
    const Pair<V> preferred = LoadPair(d, view_.preferred_x + first_, view_.preferred_y + first_);
    const V max_speed = hn::LoadU(d, view_.max_speed + first_);
    relief_ = {preferred, zero, zero, max_speed, hn::Zero(Ints<D>())};
    if (view_.jam == nullptr) return;
    const Pair<V> wanted = WithinSpeed(d, preferred, max_speed);
    const V jam = JamAfter(d, view_, first_, wanted, self_.velocity);
    hn::StoreU(jam, d, view_.jam_next + first_);
    hn::StoreU(wanted.x, d, view_.wanted_x_next + first_);
    hn::StoreU(wanted.y, d, view_.wanted_y_next + first_);
    const V over = hn::Sub(jam, hn::Set(d, Jam::kMissing));
    relief_.jammed = Larger(hn::Mul(over, hn::Set(d, 1.0f / (1.0f - Jam::kMissing))), zero);
    if (!hn::AllFalse(d, hn::Gt(relief_.jammed, zero))) Relieve(wanted);
  }

  HWY_NOINLINE void Relieve(Pair<V> wanted) {
    const D d;
    const Ints<D> di;
    const V horizon = ShortHorizon(d, view_, hn::LoadU(d, view_.time_horizon + first_), relief_.jammed);
    self_.inverse_horizon = hn::Div(hn::Set(d, 1.0f), horizon);
    const V radius_a_step = hn::Mul(self_.radius, self_.inverse_time_step);
    const V pressed = hn::Mul(hn::Set(d, Jam::kMostPressed), radius_a_step);
    const Mask<D> slower = hn::And(hn::Gt(relief_.jammed, hn::Zero(d)), hn::Lt(pressed, relief_.most));
    relief_.most = hn::IfThenElse(slower, pressed, relief_.most);
    relief_.queue = Opposition(wanted);
    const Mask<D> opposed = hn::RebindMask(d, hn::Gt(relief_.queue, hn::Zero(di)));
    relief_.wish = Select(opposed, WishOfOpposed(d, view_, wanted, relief_.jammed), relief_.wish);
    const V soft = hn::Mul(hn::Set(d, Jam::kSoftness), radius_a_step);
    relief_.slack = hn::IfThenElseZero(opposed, hn::Mul(relief_.jammed, soft));
  }

  // Of jammed lanes, how far the queue behind them is to take over that they are opposed. Few are jammed where many
  // walk, so they are looked at one by one.
  HWY_NOINLINE Vec<Ints<D>> Opposition(Pair<V> wanted) const {
    const D d;
    alignas(64) std::int32_t queues[kLanes] = {};
    alignas(64) float x[kLanes];
    alignas(64) float y[kLanes];
    hn::Store(wanted.x, d, x);
    hn::Store(wanted.y, d, y);
    ForEachBit(active_ & Bits(d, hn::Gt(relief_.jammed, hn::Zero(d))), [&](std::size_t lane) HWY_ATTR {
      if ((view_.opposed[first_ + lane] & Jam::kHeld) == 0) return;
      queues[lane] = QueueOf(lane, {x[lane], y[lane]});
      if (view_.note_jammed != nullptr) TellJammed(lane);
    });
    return hn::Load(Ints<D>(), queues);
  }

  HWY_NOINLINE void TellJammed(std::size_t lane) const {
    std::uint32_t nearest[Jam::kAround];
    const std::size_t count = HWY_MIN(static_cast<std::size_t>(neighbors_.count[lane]), Jam::kAround);
    for (std::size_t row = 0; row < count; ++row) {
      nearest[row] = static_cast<std::uint32_t>(Place(lane, neighbors_.entry[row][lane]));
    }
    view_.note_jammed(view_.context, static_cast<std::uint32_t>(first_ + lane), nearest, count);
  }

  HWY_INLINE std::int32_t QueueOf(std::size_t lane, Vec2 wanted) const {
    const std::size_t self = first_ + lane;
    const Body& own = view_.body[self];
    const std::size_t rows = HWY_MIN(static_cast<std::size_t>(neighbors_.count[lane]), Jam::kNearest);
    std::int32_t queue = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t place = Place(lane, neighbors_.entry[row][lane]);
      const Body& other = view_.body[place];
      const Vec2 way{other.x - own.x, other.y - own.y};
      if (!(Dot(way, wanted) > 0.0f)) continue;
      const Vec2 wish{view_.wanted_x[place], view_.wanted_y[place]};
      const float along = Dot(wanted, wish);
      // By less than 60 degrees, or against it.
      if (!(along * along > 0.25f * (AbsSq(wanted) * AbsSq(wish)))) continue;
      const float reach = Jam::kMeeting * (view_.radius[self] + view_.radius[place]);
      if (along > 0.0f) {
        queue = std::max(queue, (view_.opposed[place] & Jam::kQueueMask) - 1);
      } else if (AbsSq(way) < reach * reach) {
        return Jam::kQueue;
      }
    }
    return queue;
  }

  HWY_INLINE void NoteOpposed(Mask<D> held) {
    const Ints<D> di;
    const hn::Rebind<std::uint8_t, D> d8;
    const auto bit = hn::IfThenElseZero(hn::RebindMask(di, held), hn::Set(di, Jam::kHeldBit));
    hn::StoreU(hn::DemoteTo(d8, hn::Or(relief_.queue, bit)), d8, view_.opposed_next + first_);
  }

  // Of lanes that have a hard row; others have a way round.
  HWY_INLINE V Slack(const Rows<D>& lines, std::size_t hard) const {
    const D d;
    if (hn::AllFalse(d, hn::Gt(relief_.slack, hn::Zero(d)))) return relief_.slack;
    Mask<D> free = hn::Eq(relief_.slack, relief_.slack);
    for (std::size_t row = 0; row < hard; ++row) free = hn::And(free, IsInert(d, lines[row]));
    return hn::IfThenZeroElse(free, relief_.slack);
  }

  HWY_NOINLINE void AddWaiting(Waiting<D, kExtended>& waiting, const Rows<D>& lines, std::size_t hard,
                               std::size_t capsules, std::uint32_t lanes, Vec<Ints<D>> failed, Pair<V> velocity) {
    const D d;
    alignas(64) float x[kLanes];
    alignas(64) float y[kLanes];
    alignas(64) std::int32_t begin[kLanes];
    hn::Store(velocity.x, d, x);
    hn::Store(velocity.y, d, y);
    hn::Store(failed, Ints<D>(), begin);
    alignas(64) float wish_x[kLanes] = {}, wish_y[kLanes] = {}, slack[kLanes] = {}, most[kLanes] = {};
    if constexpr (kExtended) {
      hn::Store(relief_.wish.x, d, wish_x);
      hn::Store(relief_.wish.y, d, wish_y);
      hn::Store(Slack(lines, hard), d, slack);
      hn::Store(relief_.most, d, most);
    }
    ForEachBit(lanes, [&](std::size_t lane) HWY_ATTR {
      waiting.Add(static_cast<std::uint32_t>(first_ + lane), lines, lane, hard,
                  capsules + static_cast<std::size_t>(neighbors_.count[lane]), static_cast<std::size_t>(begin[lane]),
                  {x[lane], y[lane]}, (pressed_ >> lane & 1) != 0, {wish_x[lane], wish_y[lane]}, slack[lane],
                  most[lane]);
    });
  }

  // Where most lanes failed there is nothing to gain from waiting.
  HWY_NOINLINE void RelaxHere(const Rows<D>& lines, std::size_t hard, std::size_t rows, Mask<D> lanes,
                              Vec<Ints<D>> failed, Pair<V> velocity) {
    const D d;
    const Ints<D> di;
    const auto begin = hn::IfThenElse(hn::RebindMask(di, lanes), failed, hn::Set(di, Waiting<D, kExtended>::kNever));
    const V max_speed = hn::LoadU(d, view_.max_speed + first_);
    const Rows<D> scratch(scratch_.relaxed.Rows(rows));
    velocity = WithinSpeed(d, Relax(d, lines, hard, rows, begin, max_speed, scratch, velocity), max_speed);
    if (kExtended && view_.jam != nullptr) {
      velocity = WithSlack(d, lines, hard, rows, max_speed, scratch, velocity, relief_.wish, Slack(lines, hard));
      velocity = WithinSpeed(d, velocity, relief_.most);
    }
    const Pair<V> relaxed = velocity;
    if (kExtended && view_.rest_speed > 0.0f) {
      const Settlers<D> self{LoadPair(d, view_.preferred_x + first_, view_.preferred_y + first_), max_speed};
      const Mask<D> rests = hn::Not(MaskOf(d, pressed_));
      velocity = Select(rests, Rest(d, kPressedRest * view_.rest_speed, self, velocity), velocity);
    }
    if constexpr (kTraced) NoteRelaxed(relaxed, velocity);
    const Pair<V> next = LoadPair(d, view_.next_x + first_, view_.next_y + first_);
    const Pair<V> chosen = Select(lanes, velocity, next);
    hn::StoreU(chosen.x, d, view_.next_x + first_);
    hn::StoreU(chosen.y, d, view_.next_y + first_);
  }

  // What a trace notes ------------------------------------------------------------------------------------------------

  static HWY_INLINE Vec2 Only(Pair<V> v) { return {hn::GetLane(v.x), hn::GetLane(v.y)}; }

  HWY_NOINLINE void NoteProgram(const Rows<D>& lines, std::size_t hard, std::size_t soft, std::size_t rows,
                                Pair<V> preferred, Vec<Ints<D>> last, Pair<V> solved) {
    SolveTrace& trace = *scratch_.trace;
    for (std::int32_t row = 0; row < neighbors_.count[0]; ++row) {
      trace.neighbors.push_back(static_cast<std::uint32_t>(Place(0, neighbors_.entry[row][0])));
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const LinesV<V> line = lines[row];
      trace.lines.push_back({Only(line.point), Only(line.direction)});
    }
    trace.hard = hard;
    trace.capsules = soft - hard;
    const D d;
    const V horizon = hn::LoadU(d, view_.time_horizon_obstacles + first_);
    trace.obstacle_horizon = hn::GetLane(ShortHorizon(d, view_, horizon, relief_.jammed));
    trace.last = hn::GetLane(last);
    trace.preferred = Only(preferred);
    trace.solved = Only(solved);
  }

  // What each of these does is the difference that it makes.
  HWY_NOINLINE void NoteSettling(const Settlers<D>& self, const Rows<D>& lines, std::size_t hard, Mask<D> held,
                                 Pair<V> velocity) {
    const D d;
    const auto settled = [&](bool aside, bool rest) HWY_ATTR {
      SolveView view = view_;
      if (!aside) view.step_aside = 0.0f;
      if (!rest) view.rest_speed = 0.0f;
      return Only(Settle(d, view, self, lines, hard, held, velocity));
    };
    const Vec2 all = settled(true, true);
    scratch_.trace->stepped_aside = settled(false, true) != all;
    scratch_.trace->rested = settled(true, false) != all;
  }

  HWY_NOINLINE void NoteRelaxed(Pair<V> relaxed, Pair<V> rested) {
    SolveTrace& trace = *scratch_.trace;
    trace.relaxed = true;
    trace.solved = Only(relaxed);
    trace.stepped_aside = false;
    trace.rested = Only(rested) != trace.solved;
  }
};

// Asks for what a group is solved from.
HWY_INLINE void FetchGroup(const SolveView& view, std::size_t first) {
  constexpr std::size_t kLine = 64;  // bytes
  for (std::size_t i = 0; i < kGroup; i += kLine / sizeof(Body)) hwy::Prefetch(view.body + first + i);
  const float* const columns[] = {view.radius,       view.max_speed,   view.neighbor_distance,
                                  view.time_horizon, view.preferred_x, view.preferred_y,
                                  view.list_limit,   view.list_x,      view.list_y,
                                  view.next_x,       view.next_y};
  for (const float* const column : columns) hwy::Prefetch(column + first);
  hwy::Prefetch(view.max_neighbors + first);
  hwy::Prefetch(view.id + first);
  const std::int16_t* const list = view.list + first * kListed;
  for (std::size_t i = 0; i < kGroup * kListed; i += kLine / sizeof(*list)) hwy::Prefetch(list + i);
}

template <class D, bool kExtended>
void SolveAgents(const SolveView& view, std::size_t begin, std::size_t end, SolveScratch& scratch,
                 SolveCounts& counts) {
  Waiting<D, kExtended> waiting(view, scratch);
  // Small worlds take turns: theirs has left the nearest caches before they are stepped again, and their columns are
  // too short for the machine to see them coming. Asked for at once, all comes side by side.
  constexpr std::size_t kSmall = 1024;
  const std::size_t fetched = view.agents <= kSmall ? end : begin;
  for (std::size_t first = begin; first < fetched; first += kGroup) FetchGroup(view, first);
  for (std::size_t first = begin; first < end; first += LanesOf<D>()) {
    Group<D, kExtended>(view, first, scratch, counts).Solve(waiting);
  }
  waiting.Flush();
}

template <class D>
void TraceAgent(const SolveView& view, std::uint32_t self, SolveScratch& scratch) {
  static_assert(LanesOf<D>() == 1, "nobody else is in its group");
  Waiting<D, true> waiting(view, scratch);
  SolveCounts counts;
  *scratch.trace = {};
  Group<D, true, true>(view, self, scratch, counts).Solve(waiting);
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
