// What is told about a world, copied at its last tick border; reading it never touches a running step.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/host/settings.h"
#include "throng/advice.h"

namespace throng::server {

enum class WorldState : std::uint8_t { kRunning = 1, kPaused = 2, kFaulted = 3 };

inline constexpr std::size_t kMaxWorldWarnings = 16;

// Over about the last second.
struct WorldLoad {
  double tick_rate = 0.0;      // [1/s] achieved
  double tick_cost = 0.0;      // [s] mean time spent on a tick, all phases
  double lateness_mean = 0.0;  // [s] from when a tick was due to its begin; real-time worlds only
  double lateness_max = 0.0;
  std::uint64_t missed_deadlines = 0;  // since creation: ticks that ended after the next one was due
};

struct WorldInfo {
  std::string name;
  std::uint64_t uid = 0;
  HostSettings settings;  // as in force
  WorldState state = WorldState::kRunning;
  std::string fault;
  std::uint64_t tick = 0;        // ticks finished
  double simulation_time = 0.0;  // [s]
  std::uint32_t agents = 0;
  std::uint32_t obstacles = 0;
  std::uint32_t obstacle_vertices = 0;
  std::uint64_t membership_version = 0;
  std::uint64_t obstacle_version = 0;
  std::uint32_t sessions = 0;
  std::uint32_t streams = 0;
  WorldLoad load;
  std::shared_ptr<const std::vector<Warning>> warnings{};  // as they were last looked for; null: none
  // See MotionSettings::containment.
  std::uint64_t recoveries = 0;       // since creation
  std::uint64_t cut_moves = 0;        // since creation
  std::uint32_t stranded_agents = 0;  // after the last tick
  std::uint32_t stalled_agents = 0;   // after the last tick; see MotionSettings::stall_detection
};

}  // namespace throng::server
