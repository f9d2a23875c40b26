// Two-vectors and the few operations that the textbook twin is written in.
//
// The law of the bits. Engine, SIMD lanes and twin give the same bits because each result is made by the same IEEE
// single-precision operations (+ - * / and square root, rounded to nearest, nothing fused) in the same order. So every
// formula in the twin is meant as it stands: a*b + c*d is two products, then one sum; nothing is re-associated. What
// may differ is control flow: a branch may be a select, an early exit may be left out, since the comments of those
// places say that the outcome does not depend on it. Swapping the operands of one + or one *, and moving an exact
// negation through products and sums, changes no bit and is free.
#pragma once

#include <cmath>

#include "throng/types.h"

namespace throng::twin {

// |determinant| of two unit directions up to this counts as parallel; also the slack of the test for covered edges.
inline constexpr float kParallel = 1e-5f;
// [m] or [m/s] Lengths whose square lies under kTinySquared have no direction: under 1e-15, where squares are still
// normal floats. One division by such a length could overflow.
inline constexpr float kTiny = 1e-15f;
inline constexpr float kTinySquared = 1e-30f;

inline Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
inline Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
inline Vec2 operator-(Vec2 a) { return {-a.x, -a.y}; }
inline Vec2 operator*(float s, Vec2 a) { return {s * a.x, s * a.y}; }

inline float Dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
// Positive where b lies to the left of a.
inline float Det(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
inline float LengthSquared(Vec2 a) { return Dot(a, a); }

// As the SSE instructions define them: the second operand if the comparison is false.
inline float Min(float a, float b) { return a < b ? a : b; }
inline float Max(float a, float b) { return a > b ? a : b; }

// [m] With which others see it, and it keeps clear of them.
inline float EffectiveRadius(const AgentParams& params) {
  return params.drive == Drive::kDifferential ? params.radius + params.tracking_error : params.radius;
}

inline Vec2 LeftNormal(Vec2 direction) { return {-direction.y, direction.x}; }
inline Vec2 RightNormal(Vec2 direction) { return {direction.y, -direction.x}; }

// One division, then two products. Where a has no direction: `fallback`.
inline Vec2 NormalizeOr(Vec2 a, Vec2 fallback) {
  const float squared = LengthSquared(a);
  if (!(squared > kTinySquared)) return fallback;
  return (1.0f / std::sqrt(squared)) * a;
}

}  // namespace throng::twin
