// Builds the kernels for every level, and chooses. Highway includes this file once for each target; what stands in its
// namespace is compiled for that target, the end of the file once.
//
// Targets better than plain AVX-512 and between the baseline and AVX2 would gain nothing and are left out.
// Levels: the scalar one is the baseline target with vectors of one lane.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX3 - 1))

#include "kernel/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernel/edge_filter-inl.h"
#include "kernel/progress-inl.h"
#include "kernel/solve-inl.h"

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

const Kernels& Table() {
#if HWY_TARGET == HWY_STATIC_TARGET
  using D = hn::CappedTag<float, 1>;
  constexpr auto kTrace = &TraceAgent<D>;
#else
  using D = hn::CappedTag<float, kGroup>;
  constexpr auto kTrace = nullptr;
#endif
  static constexpr Kernels kTable{&SolveAgents<D, false>, &SolveAgents<D, true>, &KeepEdgesToConsider<D>,
                                  &NoteProgressOf<D>, kTrace};
  return kTable;
}

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <hwy/aligned_allocator.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>

namespace throng {

LineBuffer::~LineBuffer() { hwy::FreeAlignedBytes(data_, nullptr, nullptr); }

void LineBuffer::Resize(std::size_t rows) {
  auto* const data = static_cast<float*>(hwy::AllocateAlignedBytes(rows * kRowBytes, nullptr, nullptr));
  if (rows_ > 0) std::memcpy(data, data_, std::min(rows, rows_) * kRowBytes);
  hwy::FreeAlignedBytes(data_, nullptr, nullptr);
  data_ = data;
  rows_ = rows;
}

bool IsAvailable(SimdLevel level) {
  switch (level) {
    case SimdLevel::kScalar:
      return true;
    case SimdLevel::kAvx2:
      return (HWY_TARGETS & hwy::SupportedTargets() & HWY_AVX2) != 0;
    case SimdLevel::kAvx512:
      return (HWY_TARGETS & hwy::SupportedTargets() & HWY_AVX3) != 0;
  }
  return false;
}

const Kernels& KernelsOf(SimdLevel level) {
#if (HWY_TARGETS & HWY_AVX3) != 0
  if (level == SimdLevel::kAvx512) return N_AVX3::Table();
#endif
#if (HWY_TARGETS & HWY_AVX2) != 0
  if (level == SimdLevel::kAvx2) return N_AVX2::Table();
#endif
  static_cast<void>(level);
  return HWY_STATIC_DISPATCH(Table)();
}

std::vector<SimdLevel> AvailableSimdLevels() {
  std::vector<SimdLevel> levels;
  for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
    if (IsAvailable(level)) levels.push_back(level);
  }
  return levels;
}

SimdLevel BestSimdLevel() { return AvailableSimdLevels().back(); }

std::string_view Name(SimdLevel level) {
  switch (level) {
    case SimdLevel::kScalar:
      return "scalar";
    case SimdLevel::kAvx2:
      return "avx2";
    case SimdLevel::kAvx512:
      return "avx512";
  }
  return "scalar";
}

std::optional<SimdLevel> SimdLevelOf(std::string_view name) {
  for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
    if (Name(level) == name) return level;
  }
  return std::nullopt;
}

}  // namespace throng

#endif  // HWY_ONCE
