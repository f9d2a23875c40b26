// Answers to questions about a world, see World. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "throng/client/types.h"

namespace throng::client {

// Which agents and obstacles are looked at, as an agent would see them that has these values. Unset: all.
struct SightFilter {
  std::optional<std::uint32_t> avoids{};  // bits of layers
  std::optional<float> z{};               // [m] the height band is [z, z + height]
  float height = 0.0f;                    // [m] of no account without z
};

struct FoundAgent {
  AgentId id = 0;
  Vector2 position{};
  float distance = 0.0f;  // [m] from the point asked about to its centre
};

// In ascending (distance, id).
struct FoundAgents {
  std::uint64_t tick = 0;  // after which they stood so
  std::vector<FoundAgent> agents{};
  bool truncated = false;  // more were inside than the limit; these are the nearest
};

struct Visibility {
  std::uint64_t tick = 0;
  bool visible = false;
  // In the way, if not: the one met first, of equally far ones the lowest id; 0: the world's bounds.
  ObstacleId obstacle = 0;
};

// What stops a ray; at least one of the two.
struct RayOptions {
  bool agents = true;     // at the rims of their discs
  bool obstacles = true;  // at their edges, from either side; the world's bounds never do
  AgentId ignored = 0;    // an agent that does not
  SightFilter filter{};   // of both
};

// The first thing on a ray; of equally far ones an obstacle before an agent, then the lowest id.
struct RayHit {
  std::uint64_t tick = 0;
  bool hit = false;
  Vector2 point{};        // where; the ray's end if nothing was hit
  Vector2 normal{};       // of unit length, towards where the ray comes from; zero if nothing was hit
  float distance = 0.0f;  // [m] from the ray's beginning
  float fraction = 1.0f;  // the same as part of the way, [0, 1]
  // At most one of the two.
  AgentId agent = 0;
  ObstacleId obstacle = 0;
};

// Of what a half-plane keeps an agent.
enum class HalfPlaneSource : std::uint8_t {
  kUnknown = 0,
  kAgent = 1,     // `id` is an agent
  kObstacle = 2,  // `id` is an obstacle
  kBounds = 3,    // the world's
  kDrive = 4,     // what a differential drive can do
};

// Permitted velocities w have (w - point) . normal >= 0.
struct HalfPlane {
  Vector2 point{};   // [m/s]
  Vector2 normal{};  // of unit length
  HalfPlaneSource source = HalfPlaneSource::kUnknown;
  std::uint32_t id = 0;
  float share = 1.0f;      // of the avoidance that the agent takes; 1 for what is hard
  bool hard = false;       // never relaxed
  float violation = 0.0f;  // [m/s] by which the solved velocity violates it; 0 if not
  bool binding = false;    // the solved velocity lies on it, or where it was relaxed to: it held the agent back
};

enum class SolveOutcome : std::uint8_t {
  kUnknown = 0,
  kFree = 1,         // what was preferred was permitted
  kConstrained = 2,  // the nearest permitted velocity
  kRelaxed = 3,      // nothing was permitted: half-planes of agents were relaxed evenly
  kKinematic = 4,    // it moves as it is told: nothing was solved
};

// The step to come of one agent, if no input or edit comes before it: then it gives `velocity` to the bit. Velocities
// in m/s.
struct Explanation {
  std::uint64_t tick = 0;
  Agent agent{};                         // as it stands
  std::vector<FoundAgent> neighbors{};   // considered, in ascending (distance, id)
  bool truncated = false;                // max_neighbors were found: there may be more in range
  std::vector<HalfPlane> half_planes{};  // in the order in which the program takes them: hard ones first
  Vector2 wanted_velocity{};             // by what it was told: input, goal or path
  Vector2 preferred_velocity{};          // given to the program
  Vector2 solved_velocity{};             // what it gave
  Vector2 limited_velocity{};            // after the extensions: the move but for containment
  Vector2 velocity{};                    // after the step
  Vector2 position{};                    // [m] after the step
  SolveOutcome outcome = SolveOutcome::kUnknown;
  bool stepped_aside = false;  // symmetry breaking pushes it
  bool rested = false;         // rest stops it
  bool recovered = false;      // it is put on free ground first, and all but `agent` begins there
  bool cut = false;            // containment cuts the move short
};

}  // namespace throng::client
