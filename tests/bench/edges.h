// Times of building and editing obstacles.
#pragma once

#include <cstddef>
#include <string>

#include "tests/support/scenes.h"
#include "throng/simd.h"

namespace throng::bench {

// [ms] of the thread's CPU, medians of the repeats. The first and the third take in a whole step, the last is one
// alone.
struct EdgeTimes {
  double build_ms = 0.0;  // all obstacles of the scene added to its agents, who had none, and a step
  double add_ms = 0.0;    // of it, the adding
  double edit_ms = 0.0;   // 100 edges removed, or added again, and a step, all others being kept
  double step_ms = 0.0;   // a step without an edit
};
// The scene has 25 obstacles at least; those edited have four edges.
EdgeTimes TimeEdges(const testing::Scene& scene, int repeats);

// A row that is about edges alone: blocks around one agent.
struct BuildRow {
  std::string scene;  // of BuildSceneNames()
  SimdLevel level = BestSimdLevel();
  std::size_t edges = 0;
  int repeats = 0;
  EdgeTimes times;
};
BuildRow MeasureBuild(const std::string& scene, SimdLevel level, int repeats);

}  // namespace throng::bench
