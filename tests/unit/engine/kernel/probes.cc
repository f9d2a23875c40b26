// As in kernel/kernels.cc.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX3 - 1))

#include "tests/unit/engine/kernel/probes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/unit/engine/kernel/probes.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

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
  FindInTree(d, view, searchers, entry, count);
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
  const Mask<D> solved = SolveInPlane<Objective::kNearest>(d, rows, count, speed, preferred, all, velocity, failed);
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

const testing::KernelProbes& Probes() {
#if HWY_TARGET == HWY_STATIC_TARGET
  using D = hn::CappedTag<float, 1>;
#else
  using D = hn::CappedTag<float, kGroup>;
#endif
  static constexpr testing::KernelProbes kProbes{LanesOf<D>(), &FindPlacesInTree<D>, &SolvePrograms<D>};
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
