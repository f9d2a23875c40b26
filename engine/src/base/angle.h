// Angles, in double and of + - * / alone, since libraries' sines differ from machine to machine. Within 1e-14 of the
// true values, so that floats made from them are nearly always the nearest.
#pragma once

#include "base/vec2.h"

namespace throng {

inline constexpr double kPi = 3.141592653589793;

struct SineCosine {
  double sine;
  double cosine;
};

// |angle| <= 1e5 [rad]: the number of quarter turns must be short enough that its product with the first part of pi / 2
// is exact.
inline SineCosine SineCosineOf(double angle) {
  // pi / 2 in two parts, the first of 33 bits (Cody and Waite).
  constexpr double kHalfPiHigh = 1.57079632673412561417;
  constexpr double kHalfPiLow = 6.07710050650619224932e-11;
  const double turns = angle * (2.0 / kPi);
  const auto quarters = static_cast<int>(turns < 0.0 ? turns - 0.5 : turns + 0.5);
  const double x = (angle - quarters * kHalfPiHigh) - quarters * kHalfPiLow;
  // Taylor's series; |x| <= pi / 4.
  const double square = x * x;
  double sine = 1.0, cosine = 1.0;
  for (int n = 16; n > 0; n -= 2) {
    sine = 1.0 - square / static_cast<double>(n * (n + 1)) * sine;
    cosine = 1.0 - square / static_cast<double>((n - 1) * n) * cosine;
  }
  sine = x * sine;
  switch (quarters & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

// Of a tangent in [-(sqrt(2) - 1), sqrt(2) - 1].
inline double ArcTangentOfSmall(double tangent) {
  const double square = tangent * tangent;
  double sum = 0.0;
  for (int n = 33; n > 0; n -= 2) sum = 1.0 / static_cast<double>(n) - square * sum;
  return tangent * sum;
}

// Counter-clockwise from +x, in [-pi, pi]; 0 of a vector that is zero.
inline double AngleOf(double x, double y) {
  const double across = y < 0.0 ? -y : y;
  const double along = x < 0.0 ? -x : x;
  const bool steep = across > along;
  const double large = steep ? across : along, small = steep ? along : across;
  if (!(large > 0.0)) return 0.0;
  double angle;  // between the vector and the nearer axis
  constexpr double kTangentOfEighth = 0.41421356237309503;
  if (small > kTangentOfEighth * large) {
    angle = kPi / 4.0 + ArcTangentOfSmall((small - large) / (small + large));
  } else {
    angle = ArcTangentOfSmall(small / large);
  }
  if (steep) angle = kPi / 2.0 - angle;
  if (x < 0.0) angle = kPi - angle;
  return y < 0.0 ? -angle : angle;
}

inline Vec2 DirectionAt(double angle) {
  const SineCosine at = SineCosineOf(angle);
  return {static_cast<float>(at.cosine), static_cast<float>(at.sine)};
}

}  // namespace throng
