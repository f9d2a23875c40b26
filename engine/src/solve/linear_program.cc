#include "solve/linear_program.h"

#include <cmath>

namespace throng {
namespace {

// Comparisons as the vector instructions make them: the second operand where the test fails.
float Least(float a, float b) { return a < b ? a : b; }
float Greatest(float a, float b) { return a > b ? a : b; }

// Where `line` and `other` are violated alike: the boundary of the half-plane in which `line` is violated more.
// False where both run the same way, so that one is always the stricter.
bool BetweenViolations(const HalfPlane& line, const HalfPlane& other, HalfPlane& result) {
  const float determinant = Det(line.direction, other.direction);
  if (std::abs(determinant) <= kParallel) {
    if (Dot(line.direction, other.direction) > 0.0f) return false;
    result.point = 0.5f * (line.point + other.point);
  } else {
    const float t = Det(other.direction, line.point - other.point) / determinant;
    result.point = line.point + t * line.direction;
  }
  result.direction = DirectionOr(other.direction - line.direction, line.direction);
  return true;
}

// The three-dimensional program: from the first line that cannot be met, each line that is violated more than all
// before it is met as far as they allow evenly. A program that then finds nothing is due to rounding, and is ignored.
void Relax(std::span<const HalfPlane> lines, std::size_t hard, std::size_t begin, float max_speed, Vec2& result,
           std::vector<HalfPlane>& scratch) {
  float worst = 0.0f;
  for (std::size_t i = begin; i < lines.size(); ++i) {
    const HalfPlane& line = lines[i];
    if (!(Outside(line, result) > worst)) continue;
    scratch.clear();
    scratch.insert(scratch.end(), lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(hard));
    for (std::size_t j = hard; j < i; ++j) {
      HalfPlane between;
      if (BetweenViolations(line, lines[j], between)) scratch.push_back(between);
    }
    const Vec2 inward = TurnedLeft(line.direction);
    Vec2 candidate = max_speed * inward;
    const std::size_t met = SolveInPlane(scratch, max_speed, inward, Objective::kFurthest, candidate);
    if (met == scratch.size()) result = candidate;
    worst = Outside(line, result);
  }
}

}  // namespace

Vec2 WithinSpeed(Vec2 v, float max_speed) {
  const float squared = AbsSq(v);
  float scale = squared > max_speed * max_speed ? max_speed / std::sqrt(squared) : 1.0f;
  if (max_speed < kTiny) scale = 0.0f;  // its square underflows, and tells nothing
  return scale * v;
}

bool SolveOnLine(std::span<const HalfPlane> earlier, const HalfPlane& line, float max_speed, Vec2 target,
                 Objective objective, Vec2& result) {
  const float middle = Dot(line.point, line.direction);
  const float discriminant = (middle * middle + max_speed * max_speed) - AbsSq(line.point);
  if (discriminant < 0.0f) return false;
  const float half_chord = std::sqrt(discriminant);
  float low = -middle - half_chord;
  float high = -middle + half_chord;

  for (const HalfPlane& other : earlier) {
    const float denominator = Det(line.direction, other.direction);
    const float numerator = Det(other.direction, line.point - other.point);
    if (std::abs(denominator) <= kParallel) {
      if (numerator < 0.0f) return false;
      continue;
    }
    const float t = numerator / denominator;
    if (denominator > 0.0f) {
      high = Least(t, high);
    } else {
      low = Greatest(t, low);
    }
    if (low > high) return false;
  }

  float t;
  if (objective == Objective::kFurthest) {
    t = Dot(target, line.direction) > 0.0f ? high : low;
  } else {
    t = Dot(line.direction, target - line.point);
    t = t < low ? low : (t > high ? high : t);
  }
  result = line.point + t * line.direction;
  return true;
}

std::size_t SolveInPlane(std::span<const HalfPlane> lines, float max_speed, Vec2 target, Objective objective,
                         Vec2& result) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!(Outside(lines[i], result) > 0.0f)) continue;
    if (!SolveOnLine(lines.first(i), lines[i], max_speed, target, objective, result)) return i;
  }
  return lines.size();
}

ProgramResult SolveVelocity(std::span<const HalfPlane> lines, std::size_t hard, float max_speed, Vec2 preferred,
                            std::vector<HalfPlane>& scratch) {
  Vec2 velocity = WithinSpeed(preferred, max_speed);
  const std::size_t met = SolveInPlane(lines, max_speed, preferred, Objective::kNearest, velocity);
  const bool infeasible = met < lines.size();
  if (infeasible) Relax(lines, hard, met, max_speed, velocity, scratch);
  return {WithinSpeed(velocity, max_speed), infeasible};
}

}  // namespace throng
