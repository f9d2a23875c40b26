// Scenes in which speed is judged: streets, obstacles out of reach, and the crowds that are worst for an index. All
// have CrossingSettings(), ids shuffled against place, and are pure functions like those of scenes.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/scenes.h"

namespace throng::testing {

// `edges` / 4 solid blocks of about four by four metres, each a little askew, side by side around a square of half side
// `clear` [m] around the origin, in which there is none. `edges` is a multiple of 4.
std::vector<ObstacleSpec> BlocksAround(float clear, std::size_t edges, std::uint64_t seed = 1);

// A town inside an enclosure: streets three metres wide, a block for each ten agents, so that 10,000 agents have about
// 4,000 edges. Agents cover 25 % of the streets, stand clear of each other and of the blocks, and walk along their
// street at 1.3 m/s, half of them each way. Each has between two and three edges in range.
Scene StreetTown(std::size_t agents, std::uint64_t seed = 1);

// Crossing with 25 % covered, centred on the origin, and blocks around it that no agent comes into range of within 220
// steps.
Scene CrossingBesideEdges(std::size_t agents, std::size_t edges, std::uint64_t seed = 1);

// The pathological ones: headings are random, preferred speeds 1.3 m/s.
Scene OnePoint(std::size_t agents, std::uint64_t seed = 1);  // all on the origin
Scene Line(std::size_t agents, std::uint64_t seed = 1);      // along x, 1.5 m apart, none overlapping; y is 0 for all
// Heaps of two metres' radius over the ground that Crossing with 25 % covered takes. All overlap where agents / heaps
// is above 16.
Scene TightClusters(std::size_t agents, std::size_t clusters, std::uint64_t seed = 1);
// The first `agents` - 1 are Crossing with 25 % covered, the last is 1e6 metres from the first of them. Two agents are
// the pair alone.
Scene FarPair(std::size_t agents, std::uint64_t seed = 1);

}  // namespace throng::testing
