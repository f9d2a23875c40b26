// Scenes as data (scenes.json), and what a run plays of them.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/quality/geometry.h"
#include "throng/types.h"

namespace throng::quality {

// One way of playing a scene: every run index is played at every pace.
struct Pace {
  float time_step = 0.1f;
  float speed = 1.5f;  // [m/s] preferred, of agents whose group says none
};

// What is to be reached with extensions on, beside what holds for all scenes.
struct Bounds {
  std::optional<double> last_over_free;
  std::optional<double> packing;
  std::optional<double> parted;  // [s]
};

struct Scene {
  std::string name;
  std::string about;
  std::vector<Pace> paces;
  double limit = 0.0;          // in times the free time: a run ends then
  double limit_seconds = 0.0;  // [s] in place of that, where there is no free time
  double rest = 0.0;           // [s] that a run goes on after all have arrived
  bool way = true;             // whether there is one for all
  bool squeeze = false;        // whether it is through an opening
  bool all_rest = false;       // whether all are to be at rest in the end, not only those that have arrived
  double overlap_from = 0.0;   // [s]
  Bounds bounds;
  nlohmann::json data;  // obstacles, opening, groups
  std::size_t agents = 0;
};

// An agent and what its caller knows.
struct Walker {
  AgentSpec spec;
  std::size_t group = 0;
  float radius = 0.5f;
  float max_speed = 2.0f;
  float speed = 1.5f;  // [m/s] preferred
  bool has_goal = false;
  std::vector<Vec2> route;  // waypoints and, last, the goal
  float pass_radius = 0.5f;
  float arrival_radius = 0.1f;
  float counts_within = 0.1f;  // [m] of the goal, at which it counts as arrived
  bool crowd = false;          // that is far from where it would stop, and counts only while it is there
  bool leaves = false;
  bool kinematic = false;
  std::optional<std::size_t> leader;  // whose place plus `offset` is the goal
  Vec2 offset;
};

// A scene turned, moved, shaken and numbered for one run.
struct Play {
  WorldSettings settings;
  std::vector<ObstacleSpec> obstacles;
  std::optional<Edge> opening;
  std::vector<Walker> walkers;  // id i + 1 at index i
  double free_time = 0.0;       // [s] the longest straight way over its agent's preferred speed
  double packing_radius = 0.0;  // [m] of a disc that holds all agents at the closest packing
  Vec2 center;                  // where the scene's (0, 0) came to lie
};

// Those of scenes.json, which is built in, in its order.
const std::vector<Scene>& Scenes();
// Errors: INVALID_ARGUMENT that says where.
absl::StatusOr<std::vector<Scene>> ParseScenes(std::string_view json);

// Run 0 is the scene as it is written. The others are turned and moved, have their ids shuffled, and the odd ones are
// shaken by the group's jitter; the same bits on every machine.
Play MakePlay(const Scene& scene, const Pace& pace, std::uint64_t run);

}  // namespace throng::quality
