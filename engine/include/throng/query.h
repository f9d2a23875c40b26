// Questions about a world as it stands, and their answers. Plain values; see World.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "throng/types.h"

namespace throng {

// Most agents that an answer holds.
inline constexpr std::size_t kMaxFoundAgents = 10'000;
inline constexpr float kMaxQueryRadius = 4194304.0f;    // [m] 2^22, more than the range of coordinates is across
inline constexpr float kMaxVisibilityRadius = 1000.0f;  // [m]

// Of all agents and obstacles, those that are looked at, as an agent would see them that has these; unset: all.
struct SightFilter {
  std::optional<std::uint32_t> avoids;  // as AgentParams::avoids
  std::optional<HeightBand> band;
};

struct FoundAgent {
  AgentId id = kInvalidId;
  Vec2 position;
  float distance = 0.0f;  // [m] from the point asked about to the agent's centre
  friend bool operator==(const FoundAgent&, const FoundAgent&) = default;
};

// In ascending (distance, id), where distances are compared before they are rounded, as in all answers.
struct FoundAgents {
  std::vector<FoundAgent> agents;
  bool truncated = false;  // more were found than asked for; those left out come after these in the order
};

struct NearestQuery {
  std::size_t count = 1;              // [1, kMaxFoundAgents]
  std::optional<float> max_distance;  // [m] only agents strictly nearer; [0, kMaxQueryRadius]. Unset: no bound
  SightFilter filter;
};

// Of a disc that goes straight from one point to another.
struct Visibility {
  bool visible = false;
  // In the way, if not: the one met first, of equally far ones the lowest id. kInvalidId: the world's bounds.
  ObstacleId obstacle = kInvalidId;
};

struct RayQuery {
  bool agents = true;            // whether agents stop it, at the rims of their discs
  bool obstacles = true;         // whether edges of obstacles do, from either side; those of the bounds never do
  AgentId ignored = kInvalidId;  // an agent that does not
  SightFilter filter;            // of both
};

// The first thing on a ray; of equally far ones an obstacle before an agent, then the lowest id.
struct RayHit {
  bool hit = false;
  Vec2 point;             // where; the ray's end if nothing was hit
  Vec2 normal;            // of what was hit, of unit length, towards where the ray comes from; zero if nothing was hit
  float distance = 0.0f;  // [m] from the ray's beginning
  float fraction = 1.0f;  // the same as part of the way, [0, 1]
  // At most one of the two.
  AgentId agent = kInvalidId;
  ObstacleId obstacle = kInvalidId;
};

// Of what a half-plane keeps an agent. Numbers of the wire.
enum class HalfPlaneSource : std::uint8_t {
  kAgent = 1,     // `id` is an agent
  kObstacle = 2,  // `id` is an obstacle
  kBounds = 3,    // the world's
  kDrive = 4,     // what a differential drive can do
};

// Permitted velocities w have (w - point) . normal >= 0.
struct ExplainedHalfPlane {
  Vec2 point;   // [m/s]
  Vec2 normal;  // of unit length
  HalfPlaneSource source = HalfPlaneSource::kAgent;
  std::uint32_t id = kInvalidId;  // also of bounds and drives
  float share = 1.0f;             // of the avoidance that the agent takes; 1 of all but agents
  bool hard = false;              // never relaxed
  float violation = 0.0f;         // [m/s] by which the solved velocity violates it; 0 if not
  bool binding = false;           // the solved velocity lies on it, or where it was relaxed to: it held the agent back
};

// Numbers of the wire.
enum class SolveOutcome : std::uint8_t {
  kFree = 1,         // what was preferred was permitted
  kConstrained = 2,  // the nearest permitted velocity
  kRelaxed = 3,      // nothing was permitted: half-planes of agents were relaxed evenly
  kKinematic = 4,    // it moves as it is told: nothing was solved
};

// The step that follows from the state as it stands, of one agent. Step() without an edit before it gives the agent
// `velocity` to the bit. Should edits since the last step be such that agents are to be put on free ground, those that
// would come from farther than neighbor_distance are overlooked in worlds of more than 16,384 agents.
struct Explanation {
  AgentState agent;
  std::vector<FoundAgent> neighbors;            // considered, in ascending (distance, id)
  bool truncated = false;                       // max_neighbors were found: there may be more in range
  std::vector<ExplainedHalfPlane> half_planes;  // in the order of the program: hard ones, capsules, agents
  Vec2 wanted;                                  // [m/s] by what it was told: input, goal or path
  Vec2 preferred;                               // [m/s] given to the program
  Vec2 solved;                                  // [m/s] what it gave
  Vec2 limited;                                 // [m/s] after the extensions: the move but for containment
  Vec2 velocity;                                // [m/s] after the step
  Vec2 position;                                // [m] after the step
  SolveOutcome outcome = SolveOutcome::kFree;
  bool stepped_aside = false;  // symmetry breaking pushed it
  bool rested = false;         // rest stopped it
  bool recovered = false;      // it was put on free ground first, and all of the above begins there
  bool cut = false;            // containment cut the move short
};

}  // namespace throng
