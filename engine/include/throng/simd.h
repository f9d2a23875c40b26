// SIMD levels. All give the same bits; they differ in speed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace throng {

enum class SimdLevel : std::uint8_t {
  kScalar = 0,  // one agent at a time; every machine has it
  kAvx2 = 1,    // 8 agents at a time
  kAvx512 = 2,  // 16 agents at a time
};

bool IsAvailable(SimdLevel level);
// Those of this machine, the slowest first.
std::vector<SimdLevel> AvailableSimdLevels();
// The fastest one of this machine.
SimdLevel BestSimdLevel();

// "scalar", "avx2", "avx512", as flags and reports spell them.
std::string_view Name(SimdLevel level);
std::optional<SimdLevel> SimdLevelOf(std::string_view name);

}  // namespace throng
