// The half-plane that an agent takes because of a capsule, of which it does all of the avoiding.
#pragma once

#include "base/vec2.h"
#include "solve/agent_lines.h"
#include "solve/half_plane.h"
#include "store/capsules.h"

namespace throng {

// [m] From a place to the surface of a capsule; less than 0 inside.
float SurfaceDistance(const Capsule& capsule, Vec2 place);

// What an agent may not have as its velocity relative to the capsule's is all that brings the two into contact within
// the horizon: the capsule, grown by the agent's radius, seen from the agent and shrunk by every time in it. It is
// bounded by two legs and, between them, by the near side of the capsule shrunk by the whole horizon. The half-plane
// touches it where the relative velocity is nearest to that boundary. Of a capsule whose ends coincide, or one of whose
// ends hides the other, it is that of an agent without responsibility which stands at that end, to the bit.
//
// Inverse times in 1/s, as of AgentHalfPlane.
HalfPlane CapsuleHalfPlane(const Disc& self, const Capsule& capsule, float inverse_horizon, float inverse_time_step);

}  // namespace throng
