// The half-plane that an agent takes because of an obstacle edge. The agent takes all of the avoidance; such
// half-planes are hard.
#pragma once

#include <vector>

#include "solve/agent_lines.h"
#include "solve/half_plane.h"
#include "store/obstacle_edge.h"

namespace throng {

// Appends it to `lines`, which hold those of nearer edges. Nothing is appended where one of these covers the edge, or
// where the edge leaves the matter to the one beside it. inverse_horizon [1/s]: of the horizon towards obstacles.
void AddObstacleHalfPlane(const Disc& self, const ObstacleEdge& edge, float inverse_horizon,
                          std::vector<HalfPlane>& lines);

}  // namespace throng
