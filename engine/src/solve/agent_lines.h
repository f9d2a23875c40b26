// The half-plane that an agent takes because of another agent (DESIGN.md, 3.1).
#pragma once

#include "solve/half_plane.h"

namespace throng {

// What an agent's half-planes depend on.
struct Disc {
  AgentId id = kInvalidId;
  Vec2 position;
  Vec2 velocity;
  float radius = 0.0f;
  float responsibility = 1.0f;
};

// Direction in which agent `self` parts from `other` where geometry gives none: of unit length, made from the ids
// alone, and exactly opposite for the two.
Vec2 PartingDirection(AgentId self, AgentId other);

// Of `self`, whose share of the avoidance is its responsibility over the sum of both; of room to spare it has the
// other's share, but at least one half, and all of both where the other has no responsibility. Its own must not be 0.
// Inverse times in 1/s: of self's time horizon, and of the time step, which stands in where the discs overlap.
// `overlapping` is set if they do.
HalfPlane AgentHalfPlane(const Disc& self, const Disc& other, float inverse_horizon, float inverse_time_step,
                         bool& overlapping);

}  // namespace throng
