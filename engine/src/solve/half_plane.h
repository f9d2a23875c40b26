// Half-planes of permitted velocities, and the tolerances with which they are compared.
#pragma once

#include "base/vec2.h"

namespace throng {

// Permitted is what lies on or to the left of the line through `point` [m/s] along `direction` (unit length).
struct HalfPlane {
  Vec2 point;
  Vec2 direction;
};

// Determinant of two unit directions up to which lines count as parallel: the reference's value. Larger, and corners
// of narrow angles are lost; smaller, and dividing by it amplifies rounding without bound.
inline constexpr float kParallel = 1e-5f;
inline Vec2 TurnedLeft(Vec2 v) { return {-v.y, v.x}; }
inline Vec2 TurnedRight(Vec2 v) { return {v.y, -v.x}; }

// The square of a sum of radii, never so small that squares of distances under it underflow.
inline float ContactSquared(float radius) {
  const float squared = radius * radius;
  return squared > kTinySquared ? squared : kTinySquared;
}

// > 0: how far `v` is outside.
inline float Outside(const HalfPlane& line, Vec2 v) { return Det(line.direction, line.point - v); }

}  // namespace throng
