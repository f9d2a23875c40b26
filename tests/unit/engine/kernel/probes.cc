// As in kernel/kernels.cc.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX3 - 1))

#include "tests/unit/engine/kernel/probes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/unit/engine/kernel/probes.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernel/lists-inl.h"
#include "kernel/nearest_rows-inl.h"
#include "kernel/pair_lines-inl.h"
#include "kernel/program-inl.h"
#include "kernel/tree_search-inl.h"

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

template <class D>
std::vector<std::vector<std::uint32_t>> FindPlacesInTree(const SolveView& view, std::size_t first) {
  constexpr std::size_t lanes = LanesOf<D>();
  const D d;
  const std::size_t agents = HWY_MIN(lanes, view.agents - first);
  std::int32_t entry[kMaxNeighborsLimit][lanes];
  std::int32_t count[lanes];
  const Searchers<D> searchers(view, first, (1u << agents) - 1, LoadBodies(d, view.body + first).position);
  FindInTree<false>(d, view, searchers, entry, count);
  std::vector<std::vector<std::uint32_t>> places(agents);
  for (std::size_t lane = 0; lane < agents; ++lane) {
    for (std::int32_t row = 0; row < count[lane]; ++row) {
      places[lane].push_back(
          static_cast<std::uint32_t>(static_cast<std::int32_t>(first + lane) + entry[row][lane] / kEntryScale));
    }
  }
  return places;
}

// As a group of agents does it (kernel/solve-inl.h).
template <class D>
std::vector<testing::Solution> SolvePrograms(std::span<const testing::Program> programs, std::size_t hard) {
  constexpr std::size_t lanes = LanesOf<D>();
  const D d;
  const Ints<D> di;
  std::size_t count = 0;
  for (const testing::Program& program : programs) count = HWY_MAX(count, program.lines.size());
  LineBuffer line_buffer, scratch_buffer;
  const Rows<D> rows(line_buffer.Rows(count + 1)), scratch(scratch_buffer.Rows(count + 1));
  alignas(64) float max_speed[lanes] = {}, x[lanes] = {}, y[lanes] = {};
  for (std::size_t row = 0; row < count; ++row) rows.Clear(row);
  for (std::size_t lane = 0; lane < programs.size(); ++lane) {
    const testing::Program& program = programs[lane];
    for (std::size_t row = 0; row < program.lines.size(); ++row) rows.SetLane(row, lane, program.lines[row]);
    max_speed[lane] = program.max_speed;
    x[lane] = program.preferred.x;
    y[lane] = program.preferred.y;
  }
  const auto speed = hn::Load(d, max_speed);
  const Pair<Vec<D>> preferred = LoadPair(d, x, y);
  Pair<Vec<D>> velocity = WithinSpeed(d, preferred, speed);
  auto failed = hn::Zero(di);
  const Mask<D> all = hn::Eq(speed, speed);
  NoRows<D> unasked(d);
  const Mask<D> solved =
      SolveInPlane<Objective::kNearest>(d, rows, count, speed, preferred, all, velocity, failed, unasked);
  const auto never = hn::Set(di, 0x7fffffff);
  const auto begin = hn::IfThenElse(hn::RebindMask(di, solved), never, failed);
  velocity = WithinSpeed(d, Relax(d, rows, hard, count, begin, speed, scratch, velocity), speed);
  hn::Store(velocity.x, d, x);
  hn::Store(velocity.y, d, y);
  std::vector<testing::Solution> solutions(programs.size());
  for (std::size_t lane = 0; lane < programs.size(); ++lane) {
    solutions[lane] = {{x[lane], y[lane]}, (Bits(d, solved) >> lane & 1) == 0};
  }
  return solutions;
}

template <class D>
std::vector<testing::PairLine> MakeLinesOfPairs(std::span<const testing::PairCase> pairs, float inverse_time_step) {
  constexpr std::size_t lanes = LanesOf<D>();
  const D d;
  Body selves[lanes], others[lanes];
  alignas(64) float radius[lanes], other_radius[lanes], inverse_horizon[lanes];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const testing::PairCase& pair = pairs[lane < pairs.size() ? lane : 0];
    const auto body = [](const Disc& disc) {
      return Body{disc.position.x, disc.position.y, disc.velocity.x, disc.velocity.y};
    };
    selves[lane] = body(pair.self);
    others[lane] = body(pair.other);
    radius[lane] = pair.self.radius;
    other_radius[lane] = pair.other.radius;
    inverse_horizon[lane] = 1.0f / pair.time_horizon;
  }
  const auto self = LoadBodies(d, selves);
  const auto other = GatherBodies(d, [&](std::size_t lane) HWY_ATTR { return others + lane; });
  const PairLines<D> made = MakePairLines(d,
                                          SelfV<D>{self.position, self.velocity, hn::Load(d, radius),
                                                   hn::Load(d, inverse_horizon), hn::Set(d, inverse_time_step)},
                                          other, hn::Load(d, other_radius));
  LineBuffer buffer;
  const Rows<D> row(buffer.Rows(1));
  row.Set(0, made.lines);
  const float* const at = buffer.Rows(1);
  std::vector<testing::PairLine> lines(pairs.size());
  for (std::size_t lane = 0; lane < pairs.size(); ++lane) {
    const float* const part = at + lane;
    lines[lane] = {{{part[0], part[lanes]}, {part[2 * lanes], part[3 * lanes]}},
                   (Bits(d, made.overlap) >> lane & 1) != 0,
                   (Bits(d, made.undirected) >> lane & 1) != 0};
  }
  return lines;
}

template <class D>
std::vector<std::vector<HalfPlane>> LinesIn(LineBuffer& buffer, std::size_t rows) {
  constexpr std::size_t lanes = LanesOf<D>();
  const D d;
  const Rows<D> source(buffer.Rows(rows));
  std::vector<std::vector<HalfPlane>> lines(lanes);
  for (std::size_t row = 0; row < rows; ++row) {
    const LinesV<Vec<D>> line = source[row];
    alignas(64) float part[4][lanes];
    hn::Store(line.point.x, d, part[0]);
    hn::Store(line.point.y, d, part[1]);
    hn::Store(line.direction.x, d, part[2]);
    hn::Store(line.direction.y, d, part[3]);
    const std::uint32_t inert = Bits(d, IsInert(d, line));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if ((inert >> lane & 1) != 0) continue;
      lines[lane].push_back({{part[0][lane], part[1][lane]}, {part[2][lane], part[3][lane]}});
    }
  }
  return lines;
}

template <class D>
std::vector<std::vector<testing::RankedEntry>> RankLists(const SolveView& view, std::size_t first) {
  constexpr std::size_t lanes = LanesOf<D>();
  const D d;
  Ranked<D> ranked;
  Rank(d, view, first, LoadBodies(d, view.body + first).position, ranked);
  std::vector<std::vector<testing::RankedEntry>> entries(lanes);
  for (std::size_t row = 0; row < kListed; ++row) {
    alignas(64) float key[lanes];
    alignas(64) std::int32_t entry[lanes];
    hn::Store(ranked.key[row], d, key);
    hn::Store(ranked.entry[row], Ints<D>(), entry);
    for (std::size_t lane = 0; lane < lanes; ++lane) entries[lane].push_back({key[lane], entry[lane]});
  }
  return entries;
}

template <class D, class Rows>
testing::NearestPlaces FindNearestPlaces(std::span<const testing::Seeker> seekers,
                                         std::span<const testing::Candidate> candidates) {
  constexpr std::size_t lanes = LanesOf<D>();
  const D d;
  const Ints<D> di;
  alignas(64) std::int32_t self[lanes], most[lanes];
  alignas(64) float range_squared[lanes], x[lanes], y[lanes];
  std::size_t rows = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const bool used = lane < seekers.size();
    const testing::Seeker& seeker = seekers[used ? lane : 0];
    self[lane] = static_cast<std::int32_t>(seeker.place);
    most[lane] = used ? static_cast<std::int32_t>(seeker.most) : 0;
    range_squared[lane] = seeker.range_squared;
    x[lane] = seeker.position.x;
    y[lane] = seeker.position.y;
    rows = HWY_MAX(rows, static_cast<std::size_t>(most[lane]));
  }
  const Wanted<D> wanted{hn::Load(di, self), hn::Load(di, most), hn::Load(d, range_squared)};
  Rows nearest;
  nearest.Begin(wanted, rows);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const testing::Candidate& candidate = candidates[i];
    const auto squared =
        AbsSq(Pair<Vec<D>>{hn::Set(d, candidate.position.x), hn::Set(d, candidate.position.y)} - LoadPair(d, x, y));
    const auto place = hn::Set(di, static_cast<std::int32_t>(i));
    const auto accepting =
        hn::And(nearest.Accepts(squared, candidate.id), hn::RebindMask(d, hn::Ne(place, wanted.self)));
    if (!hn::AllFalse(d, accepting)) nearest.Insert(accepting, squared, candidate.id, place);
  }
  std::int32_t entry[kMaxNeighborsLimit][lanes];
  std::int32_t count[lanes];
  testing::NearestPlaces found;
  found.certain = nearest.Finish(wanted, rows, entry, count);
  found.of_lane.resize(seekers.size());
  for (std::size_t lane = 0; lane < seekers.size(); ++lane) {
    for (std::int32_t row = 0; row < count[lane]; ++row) {
      found.of_lane[lane].push_back(static_cast<std::uint32_t>(self[lane] + entry[row][lane] / kEntryScale));
    }
  }
  return found;
}

template <class D>
testing::NearestPlaces FindNearestPlacesBy(std::span<const testing::Seeker> seekers,
                                           std::span<const testing::Candidate> candidates, bool few) {
  return few ? FindNearestPlaces<D, FewRows<D>>(seekers, candidates)
             : FindNearestPlaces<D, ExactRows<D>>(seekers, candidates);
}

const testing::KernelProbes& Probes() {
#if HWY_TARGET == HWY_STATIC_TARGET
  using D = hn::CappedTag<float, 1>;
#else
  using D = hn::CappedTag<float, kGroup>;
#endif
  static constexpr testing::KernelProbes kProbes{
      LanesOf<D>(), &FindPlacesInTree<D>, &SolvePrograms<D>,       &MakeLinesOfPairs<D>,
      &LinesIn<D>,  &RankLists<D>,        &FindNearestPlacesBy<D>, FewRows<D>::kMost};
  return kProbes;
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace throng::testing {

const KernelProbes& ProbesOf(SimdLevel level) {
#if (HWY_TARGETS & HWY_AVX3) != 0
  if (level == SimdLevel::kAvx512) return N_AVX3::Probes();
#endif
#if (HWY_TARGETS & HWY_AVX2) != 0
  if (level == SimdLevel::kAvx2) return N_AVX2::Probes();
#endif
  static_cast<void>(level);
  return HWY_STATIC_DISPATCH(Probes)();
}

}  // namespace throng::testing

#endif  // HWY_ONCE
