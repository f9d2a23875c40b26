// What throng_bench measures: a scene, with what it is compared, for how long, and what it is to reach.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/scenes.h"
#include "throng/simd.h"

namespace throng::bench {

struct Subject {
  std::string scene;       // of SceneNames()
  std::size_t agents = 0;  // in all worlds
  SimdLevel level = BestSimdLevel();
  int threads = 1;
  bool edges = true;  // false: the scene without its obstacles
};

// Another run of the engine, in the same process and in turns with the row's own.
struct Base {
  Subject subject;
  std::string what;         // in words
  bool same_state = false;  // it must come to the row's state hash
  int steps = 0;            // measured, spread over the row's turns
};

struct Case {
  Subject subject;
  std::optional<Base> base;
  int warm_up = 20;  // steps before those measured, of all who take part
  int steps = 200;
  int repeats = 7;
  // The twin takes part in the first of the steps measured and in the first of the repeats: it may be too slow for all.
  int twin_steps = 200;
  int twin_repeats = 7;
  // Issue's targets, where there is one for the row.
  std::optional<double> ratio_target;     // at least
  std::optional<double> relative_target;  // at most
  std::optional<double> bytes_target;     // an agent, at most
};

// Agents step in these scenes.
const std::vector<std::string>& SceneNames();
// Edges are built and changed in these: "build-40k", "build-400k".
const std::vector<std::string>& BuildSceneNames();
std::size_t EdgesOf(std::string_view build_scene);
double BuildTargetMs(std::string_view build_scene);

std::size_t DefaultAgents(std::string_view scene);
// The worlds of a subject: one, or one for each hundred agents of "worlds-1000".
std::vector<testing::Scene> MakeScenes(const Subject& subject);
// How a subject is measured, by the rules of README.md.
Case CaseOf(const Subject& subject);
// The default run on a machine whose fastest level is `best`, or on `level` alone.
std::vector<Case> DefaultCases(std::optional<SimdLevel> level);

}  // namespace throng::bench
