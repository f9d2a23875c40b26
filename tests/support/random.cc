#include "tests/support/random.h"

namespace throng::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;

// For |angle| <= pi / 4, where twelve terms pass the resolution of a double.
double Series(double first, double angle, int power) {
  double term = first;
  double sum = first;
  for (int i = 0; i < 12; ++i) {
    term *= -(angle * angle) / static_cast<double>((power + 1) * (power + 2));
    power += 2;
    sum += term;
  }
  return sum;
}

}  // namespace

Vec2 AtTurns(double turns) {
  const double quarters = (turns + 2.0) * 4.0;  // not negative, so that the cast rounds down
  const int nearest = static_cast<int>(quarters + 0.5);
  const double angle = (quarters - nearest) * (kPi / 2.0);
  const auto cosine = static_cast<float>(Series(1.0, angle, 0));
  const auto sine = static_cast<float>(Series(angle, angle, 1));
  switch (nearest % 4) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

}  // namespace throng::testing
