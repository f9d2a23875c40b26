// Replays conformance records on an engine and compares what comes out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/conformance_data.h"
#include "tests/support/crowd.h"

namespace throng::testing {

struct ReplayReport {
  std::size_t scenes = 0;
  std::size_t checked = 0;  // records: an agent of a one-step scene, or an agent in one state of a trajectory
  std::size_t skipped = 0;  // flagged, or past compare_until
  std::size_t mismatched = 0;
  // Of a one-step record: velocity and position, as a part of max(1, max_speed) [m/s and m]; tolerance 1e-4.
  double largest_step_error = 0.0;
  // Of a trajectory: position [m] and velocity [m/s]; tolerance 0.005.
  double largest_trajectory_error = 0.0;
  std::vector<std::string> examples;  // of mismatches, the first few
};

ReplayReport Replay(const std::vector<ConformanceRecord>& records, CrowdKind kind);

}  // namespace throng::testing
