// Named scenes that tests and benchmarks share. Each is a pure function of its arguments, with the same bits on every
// machine, and valid in all its parts (throng/limits.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "throng/types.h"

namespace throng::testing {

struct Scene {
  WorldSettings settings;
  std::vector<ObstacleSpec> obstacles;  // with ids
  std::vector<AgentSpec> agents;        // with ids 1 .. n, in the order in which they are added
};

// Radius 0.5, maximum 2 m/s, neighbour distance 5, 10 neighbours, horizon 2 s, towards obstacles 1 s.
AgentParams WalkerParams();
// BASE, time step 1/30, agents of these parameters.
WorldSettings CrossingSettings();

// Agents of radius 0.5 all over a square, half of them walking along +x and half along -x at 1.3 m/s, mixed; maximum 2
// m/s, neighbour distance 5, 10 neighbours, horizon 2 s, time step 1/30. None overlap at the start.
struct CrossingOptions {
  std::size_t agents = 1000;
  float cover = 0.25f;       // part of the ground under agents, at most 0.7
  bool shuffle_ids = false;  // else ids run row by row, so that near agents have near ids
  std::uint64_t seed = 1;
};
Scene Crossing(const CrossingOptions& options);

// Agents on a circle, each walking to the opposite side.
Scene Ring(std::size_t agents);

// Rectangular blocks with streets between them inside an enclosure, a wall across some streets, agents in the streets.
Scene Town(std::size_t agents, std::size_t blocks_a_side, std::uint64_t seed);

enum class Shape {
  kUniform,     // evenly spread, some overlapping
  kClustered,   // most agents in a few dense heaps
  kCoincident,  // many agents share a place exactly, some also the velocity
  kLattice,     // exact rows and columns: ties of distance everywhere
  kFar,         // around a corner of the coordinate range, where a float resolves 6 cm
  kSparse,      // a few agents far from each other, some in pairs
  kMixed,       // radii, speeds, horizons, ranges and neighbour counts over most of their ranges
  kObstacles,   // among solids, walls and enclosures that may overlap each other and agents
  kTiny,        // lengths and speeds near the smallest float, where squares underflow
};
inline constexpr std::array kAllShapes = {Shape::kUniform, Shape::kClustered, Shape::kCoincident,
                                          Shape::kLattice, Shape::kFar,       Shape::kSparse,
                                          Shape::kMixed,   Shape::kObstacles, Shape::kTiny};
std::string ToString(Shape shape);
inline void PrintTo(Shape shape, std::ostream* out) { *out << ToString(shape); }  // for gtest

Scene RandomCrowd(Shape shape, std::size_t agents, std::uint64_t seed);

// Parts that editing tests draw from. `extent` is half the side of the square around `center` to stay in.
class Random;
ObstacleSpec RandomObstacle(Random& random, Vec2 center, float extent);
ObstacleSpec RandomCapsule(Random& random, Vec2 center, float extent);
// Their horizons fit this time step.
AgentParamsPatch RandomParams(Random& random, float time_step);

}  // namespace throng::testing
