// Time per agent and step of the engine, of its textbook twin and of what a row is compared with, side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/bench/cases.h"
#include "tests/bench/edges.h"

namespace throng::bench {

struct Row {
  Case measured;
  std::string clock;  // "thread-cpu", or "wall" where the engine has more threads than one
  // [ns] per agent and step, median of the repeats.
  double engine_ns = 0.0;
  double cpu_ns = 0.0;  // of all the engine's threads: twice engine_ns with two that are never idle
  std::optional<double> twin_ns;
  std::optional<double> base_ns;
  // engine_ns / base_ns, the median of each repeat's own, which wavers less than the quotient of the medians.
  std::optional<double> relative;
  double bytes_per_agent = 0.0;       // as World::memory_bytes() counts them, the most after any turn
  double heap_bytes_per_agent = 0.0;  // that malloc gave out for the worlds, after the warm-up
  double edges_in_range = 0.0;        // of an agent, in the last step
  std::size_t edges = 0;              // in all worlds
  std::optional<EdgeTimes> edge_times;
  std::uint64_t state_hash = 0;  // at the end
  std::string fault;             // empty, or who came to another state than the engine
};

// Each repeat starts all of them afresh and lets them take turns of a few steps, so that they see the same machine.
Row Measure(const Case& measured);

}  // namespace throng::bench
