// SliceMeter: how many agents' worth of work fits into a slice of a step, from what the last ones took.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "server/host/clock.h"
#include "throng/world.h"

namespace throng::server {

class SliceMeter {
 public:
  static constexpr std::size_t kMinAgents = 256;
  static constexpr std::size_t kMaxAgents = 1 << 20;

  std::size_t AgentsIn(Phase phase, Duration time) const {
    const double agents = static_cast<double>(time.count()) / Cost(phase);
    return static_cast<std::size_t>(
        std::clamp(agents, static_cast<double>(kMinAgents), static_cast<double>(kMaxAgents)));
  }

  // Work on so many agents took so long. Small amounts say more about the call than about the agents.
  void Count(Phase phase, std::size_t agents, Duration time) {
    if (agents < kMinAgents) return;
    const double cost = static_cast<double>(time.count()) / static_cast<double>(agents);
    double& mean = Cost(phase);
    mean = std::max(mean + 0.25 * (cost - mean), kMinCost);
  }

 private:
  static constexpr double kMinCost = 0.1;  // [ns]
  static constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::kMove) + 1;

  double Cost(Phase phase) const { return costs_[static_cast<std::size_t>(phase)]; }
  double& Cost(Phase phase) { return costs_[static_cast<std::size_t>(phase)]; }

  std::array<double, kPhases> costs_{1000, 1000, 1000, 1000, 1000};  // [ns] an agent, means over the last slices
};

}  // namespace throng::server
