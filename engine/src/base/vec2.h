// Arithmetic on Vec2. Every function states its order of operations, since results must be the same bits everywhere.
#pragma once

#include <cmath>

#include "throng/types.h"

namespace throng {

constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
constexpr Vec2 operator-(Vec2 a) { return {-a.x, -a.y}; }
constexpr Vec2 operator*(float s, Vec2 a) { return {s * a.x, s * a.y}; }
constexpr Vec2 operator/(Vec2 a, float s) { return {a.x / s, a.y / s}; }
constexpr float Dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
// Of the matrix with rows a and b: positive if b points to the left of a.
constexpr float Det(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
constexpr float AbsSq(Vec2 a) { return Dot(a, a); }
// A vector whose square is not above this has no direction. Squares this small are still normal floats, so that no
// division by them overflows.
inline constexpr float kTinySquared = 1e-30f;
inline constexpr float kTiny = 1e-15f;

inline Vec2 DirectionOr(Vec2 v, Vec2 fallback) {
  const float length_squared = AbsSq(v);
  if (!(length_squared > kTinySquared)) return fallback;
  return (1.0f / std::sqrt(length_squared)) * v;
}

}  // namespace throng
