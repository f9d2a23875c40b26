// Conformance data as tests/data/FORMAT.md describes it, read from files of one JSON record a line, plain or gzipped.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "throng/types.h"

namespace throng::testing {

struct ConformanceObstacle {
  ObstacleKind kind = ObstacleKind::kSolid;  // by the direction of the vertices; two make a wall
  std::vector<Vec2> vertices;
};

struct ConformanceAgent {
  Vec2 position;
  Vec2 velocity;
  Vec2 preferred_velocity;  // one-step scenes
  Vec2 goal;                // trajectories
  float goal_speed = 0.0f;
  AgentParams params;
};

struct ExpectedAgent {
  Vec2 position;
  Vec2 velocity;
  std::uint32_t neighbors = 0;
  bool skip = false;  // flagged ill_conditioned, edge_cut or over_speed
};

struct ExpectedState {
  std::uint32_t step = 0;
  std::vector<Vec2> positions;
  std::vector<Vec2> velocities;
};

// A one-step scene has `expected`, a trajectory `states`.
struct ConformanceRecord {
  std::string name;
  float time_step = 0.0f;
  std::vector<ConformanceObstacle> obstacles;
  std::vector<ConformanceAgent> agents;
  std::vector<ExpectedAgent> expected;
  std::vector<ExpectedState> states;
  std::uint32_t compare_until = 0;
};

// Errors: NOT_FOUND if the file cannot be opened, INVALID_ARGUMENT with "path:line: reason" for what is not such data.
absl::StatusOr<std::vector<ConformanceRecord>> ReadConformanceFile(const std::string& path);

}  // namespace throng::testing
