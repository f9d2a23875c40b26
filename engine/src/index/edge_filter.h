// What the search for edges near a group of agents asks the kernels, which are of a higher layer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/body.h"
#include "store/obstacle_edge.h"

namespace throng {

// At most kGroup agents; columns are padded to a whole group.
struct EdgeQuery {
  std::size_t agents = 0;
  const Body* body = nullptr;
  const float* radius = nullptr;
  const float* max_speed = nullptr;
  const float* time_horizon_obstacles = nullptr;
  float margin = 0.0f;  // [m] by which each may move from where it is
};

// Keeps of the `count` edges at `places` those that an agent may have to consider, because it may see them in force and
// in range; also some others. Returns how many; they stay in order.
using KeepEdges = std::size_t (*)(const EdgeQuery& query, const ObstacleEdge* edges, std::uint32_t* places,
                                  std::size_t count);

}  // namespace throng
