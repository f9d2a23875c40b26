// Capsules: obstacles that move, and what agents take because of them. Every function is pure.
#pragma once

#include <optional>

#include "tests/support/twin_orca.h"
#include "throng/types.h"

namespace throng::twin {

// All within `radius` of the segment from a to b.
struct Capsule {
  ObstacleId id = kInvalidId;
  Vec2 home_a, home_b;  // [m] where it was put
  double way_x = 0.0;   // [m] gone since then
  double way_y = 0.0;
  float radius = 0.0f;  // [m]
  Vec2 velocity;        // [m/s]
  std::uint32_t layer = 1;
  std::optional<HeightBand> band;

  Vec2 a() const { return At(home_a); }
  Vec2 b() const { return At(home_b); }
  // By its velocity; it stops where an end would leave the range of coordinates.
  void Go(float time_step);

 private:
  Vec2 At(Vec2 home) const {
    return {static_cast<float>(double{home.x} + way_x), static_cast<float>(double{home.y} + way_y)};
  }
};

// [m] Of a place from the capsule's rim; negative inside.
float DistanceOf(const Capsule& capsule, Vec2 place);

// The agent does all of the avoiding. The velocity obstacle is the union of the capsule, grown by the agent's radius
// and seen from the agent, divided by every time up to the horizon; where both overlap, the one divided by the time
// step alone. Where one end hides the other, or both are the same place, it is that of a disc.
HalfPlane CapsuleHalfPlane(const Body& self, const Capsule& capsule, float inverse_horizon, float inverse_time_step);

}  // namespace throng::twin
