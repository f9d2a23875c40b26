// Doors into the parts of the kernels, at every SIMD level, so that each part is tested by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "kernel/kernels.h"
#include "solve/agent_lines.h"
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

// An agent and another one, for their half-plane.
struct PairCase {
  Disc self;
  Disc other;
  float time_horizon = 1.0f;
};

struct PairLine {
  HalfPlane line;
  bool overlap = false;
  bool undirected = false;  // then `line` is to be made by plain code
};

// What an agent looks for, and where it stands.
struct Seeker {
  std::uint32_t place = 0;
  Vec2 position;
  std::uint32_t most = 0;
  float range_squared = 0.0f;
};

// What it may find: of place k, the k-th of these.
struct Candidate {
  Vec2 position;
  AgentId id = kInvalidId;
};

struct NearestPlaces {
  std::vector<std::vector<std::uint32_t>> of_lane;
  bool certain = true;  // false: ids would have to decide
};

struct RankedEntry {
  float distance_squared = 0.0f;
  std::int32_t entry = 0;
};

struct KernelProbes {
  std::size_t lanes;
  // Neighbours of the agents at `first` and in the lanes after it, as places in order, found in view.tree.
  std::vector<std::vector<std::uint32_t>> (*find_in_tree)(const SolveView& view, std::size_t first);
  // Side by side, at most one a lane; the first `hard` lines of each are never relaxed.
  std::vector<Solution> (*solve)(std::span<const Program> programs, std::size_t hard);
  // Side by side, at most one a lane.
  std::vector<PairLine> (*pair_lines)(std::span<const PairCase> pairs, float inverse_time_step);
  // The half-planes that a solve left in a buffer, for each lane without its inert ones: rows [0, rows).
  std::vector<std::vector<HalfPlane>> (*lines)(LineBuffer& buffer, std::size_t rows);
  // The lists of the agents at `first` and in the lanes after it, ranked.
  std::vector<std::vector<RankedEntry>> (*rank)(const SolveView& view, std::size_t first);
  // The nearest of the candidates, offered in order of their places; at most one seeker a lane. few: by the rows that
  // leave ids out, for at most `most_of_few` neighbours.
  NearestPlaces (*nearest)(std::span<const Seeker> seekers, std::span<const Candidate> candidates, bool few);
  std::uint32_t most_of_few;
};

// Precondition: IsAvailable(level).
const KernelProbes& ProbesOf(SimdLevel level);

}  // namespace throng::testing

namespace throng {

// For gtest.
inline void PrintTo(SimdLevel level, std::ostream* out) { *out << Name(level); }

}  // namespace throng
