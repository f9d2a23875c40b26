// Half-planes of velocities that an agent with a differential drive can follow.
#pragma once

#include <cstddef>

#include "solve/half_plane.h"

namespace throng {

inline constexpr std::size_t kDriveLines = 3;

// Alonso-Mora, Breitenmoser, Rufli, Beardsley, Siegwart, Optimal Reciprocal Collision Avoidance for Multiple
// Non-Holonomic Robots (DARS 2010): a robot that turns towards a velocity v at `turn_rate` while it drives by its part
// along its heading falls behind v by no more than |v| * angle / turn_rate, the angle being that from the heading to v.
// Velocities with |v| * angle <= E = tracking_error * turn_rate are permitted, or rather a convex part of them: in the
// heading's frame x >= -0.05 E and |y| <= 0.6 E. (For x >= 0, |v| * angle = |y| * angle / sin(angle) <= 0.6 E * pi / 2;
// at the corners behind it is 0.996 E.)
inline void DriveHalfPlanes(Vec2 heading, float tracking_error, float turn_rate, HalfPlane* lines) {
  const float slip = tracking_error * turn_rate;  // [m/s]
  const float back = 0.05f * slip, side = 0.6f * slip;
  const Vec2 left = TurnedLeft(heading);
  lines[0] = {-back * heading, TurnedRight(heading)};
  lines[1] = {side * left, -heading};
  lines[2] = {-side * left, heading};
}

}  // namespace throng
