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
};

// Of a disc that goes straight from one point to another.
struct Visibility {
  bool visible = false;
  ObstacleId obstacle = kInvalidId;  // in the way, if not: the one met first, of equally far ones the lowest id
};

struct RayQuery {
  bool agents = true;            // whether agents stop it, at the rims of their discs
  bool obstacles = true;         // whether edges of obstacles do, from either side
  AgentId ignored = kInvalidId;  // an agent that does not
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

}  // namespace throng
