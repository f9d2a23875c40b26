// Time per agent and step of the engine and of its textbook twin, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/scenes.h"
#include "throng/simd.h"

namespace throng::bench {

struct Case {
  std::string scene;  // of SceneNames()
  std::size_t agents = 0;
  SimdLevel level = BestSimdLevel();  // of the engine
  int threads = 1;                    // of the engine; the twin has one
  int steps = 200;                    // measured, after kWarmUpSteps
  int repeats = 5;
};

inline constexpr int kWarmUpSteps = 20;

struct Row {
  Case measured;
  std::string clock;  // "thread-cpu", or "wall" where the engine has more threads than one
  // [ns] per agent and step, median of the repeats.
  double engine_ns = 0.0;
  double twin_ns = 0.0;
  std::uint64_t engine_hash = 0;  // state at the end
  std::uint64_t twin_hash = 0;
};

const std::vector<std::string>& SceneNames();
testing::Scene MakeScene(std::string_view name, std::size_t agents);

// Each repeat starts both afresh and lets them take turns of a few steps, so that both see the same machine.
Row Measure(const Case& measured);

}  // namespace throng::bench
