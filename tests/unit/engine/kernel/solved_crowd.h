// A crowd without a world, for tests of the solve kernels: it is indexed, and shows the half-planes that a solve made.
#pragma once

#include <cstddef>
#include <vector>

#include "index/crowd_index.h"
#include "kernel/kernels.h"
#include "solve/agent_lines.h"
#include "solve/half_plane.h"
#include "store/agents.h"
#include "throng/types.h"

namespace throng::testing {

class SolvedCrowd {
 public:
  AgentStore store;
  CrowdIndex index;
  float inverse_time_step = 30.0f;

  // Ids 1, 2, ... in the order of the specs, if they have none.
  void Add(const std::vector<AgentSpec>& specs, const AgentParams& defaults);
  // Indexes the crowd, which sorts the store: the order of places changes.
  void Sort();
  // After moves, as a step does it when it does not sort; a worn tree is sorted all the same.
  void Refit();

  // Of the store as it is. Searches for neighbours, where lists do not serve, are by brute force.
  SolveView View();
  Disc At(std::size_t place) const;
  // By brute force: the nearest within reach, in order, as places.
  std::vector<std::uint32_t> Neighbors(std::size_t place) const;
  // The lines that plain code makes of them.
  std::vector<HalfPlane> NeighborLines(std::size_t place) const;

 private:
  void FinishIndex();
};

// Solves for all agents at a level and returns each agent's half-planes in order, without what is inert. `counts` are
// those of one solve of all.
std::vector<std::vector<HalfPlane>> Solve(const SolveView& view, SimdLevel level, SolveCounts& counts);

}  // namespace throng::testing
