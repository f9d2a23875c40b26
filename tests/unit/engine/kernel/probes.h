// Doors into the parts of the kernels, at every SIMD level, so that each part is tested by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "kernel/kernels.h"
#include "solve/half_plane.h"

namespace throng::testing {

struct Program {
  std::vector<HalfPlane> lines;
  float max_speed = 0.0f;
  Vec2 preferred;
};

struct Solution {
  Vec2 velocity;
  bool infeasible = false;
};

struct KernelProbes {
  std::size_t lanes;
  // Neighbours of the agents at `first` and in the lanes after it, as places in order, found in view.tree.
  std::vector<std::vector<std::uint32_t>> (*find_in_tree)(const SolveView& view, std::size_t first);
  // Side by side, at most one a lane; the first `hard` lines of each are never relaxed.
  std::vector<Solution> (*solve)(std::span<const Program> programs, std::size_t hard);
};

// Precondition: IsAvailable(level).
const KernelProbes& ProbesOf(SimdLevel level);

}  // namespace throng::testing

namespace throng {

// For gtest.
inline void PrintTo(SimdLevel level, std::ostream* out) { *out << Name(level); }

}  // namespace throng
