#include "tests/support/twin_program.h"

#include <cmath>

#include "tests/support/twin_math.h"

namespace throng::twin {
namespace {

// The half-plane, relative to `line`, in which `line` is violated at least as much as `other`: its boundary is where
// both are violated alike. Nothing if they run the same way, where one of the two always gives more.
std::optional<HalfPlane> EqualViolation(const HalfPlane& line, const HalfPlane& other) {
  const float determinant = Det(line.direction, other.direction);
  HalfPlane result;
  if (std::abs(determinant) <= kParallel) {
    if (Dot(line.direction, other.direction) > 0.0f) return std::nullopt;
    result.point = 0.5f * (line.point + other.point);
  } else {
    const float t = Det(other.direction, line.point - other.point) / determinant;
    result.point = line.point + t * line.direction;
  }
  // Not zero: the directions differ by more than kParallel here.
  result.direction = NormalizeOr(other.direction - line.direction, line.direction);
  return result;
}

}  // namespace

float Violation(const HalfPlane& line, Vec2 v) { return Det(line.direction, line.point - v); }

Vec2 ClampSpeed(Vec2 v, float max_speed) {
  const float squared = LengthSquared(v);
  float scale = 1.0f;
  if (squared > max_speed * max_speed) scale = max_speed / std::sqrt(squared);
  if (max_speed < kTiny) scale = 0.0f;  // where the squares underflow and compare nothing
  return scale * v;
}

// The line is point + t * direction; disc and earlier lines narrow t to [low, high]. Minima and maxima do not depend on
// the order of lines, and a range once empty stays so: lanes may test it at the end alone.
std::optional<Vec2> SolveOnLine(std::span<const HalfPlane> earlier, const HalfPlane& line, float max_speed, Vec2 target,
                                bool along) {
  const float middle = Dot(line.point, line.direction);
  const float discriminant = (middle * middle + max_speed * max_speed) - LengthSquared(line.point);
  if (discriminant < 0.0f) return std::nullopt;
  const float root = std::sqrt(discriminant);
  float low = -middle - root;
  float high = -middle + root;

  for (const HalfPlane& other : earlier) {
    const float denominator = Det(line.direction, other.direction);
    const float numerator = Det(other.direction, line.point - other.point);
    if (std::abs(denominator) <= kParallel) {
      if (numerator < 0.0f) return std::nullopt;
      continue;
    }
    const float t = numerator / denominator;
    if (denominator > 0.0f) {
      high = Min(t, high);
    } else {
      low = Max(t, low);
    }
    if (low > high) return std::nullopt;
  }

  float t = 0.0f;
  if (along) {
    t = Dot(target, line.direction) > 0.0f ? high : low;
  } else {
    t = Dot(line.direction, target - line.point);
    t = t < low ? low : (t > high ? high : t);
  }
  return line.point + t * line.direction;
}

std::size_t SolvePlane(std::span<const HalfPlane> lines, float max_speed, Vec2 target, bool along, Vec2& result,
                       std::optional<std::size_t>* last_moved) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!(Violation(lines[i], result) > 0.0f)) continue;
    const std::optional<Vec2> moved = SolveOnLine(lines.first(i), lines[i], max_speed, target, along);
    if (!moved) return i;
    result = *moved;
    if (last_moved != nullptr) *last_moved = i;
  }
  return lines.size();
}

Vec2 Program::Solve(std::span<const HalfPlane> lines, std::size_t obstacle_lines, float max_speed, Vec2 preferred) {
  Vec2 result = ClampSpeed(preferred, max_speed);
  std::optional<std::size_t> last_moved;
  const std::size_t done = SolvePlane(lines, max_speed, preferred, /*along=*/false, result, &last_moved);
  infeasible_ = done < lines.size();
  held_by_agents_ = infeasible_ || (last_moved && *last_moved >= obstacle_lines);
  held_ = infeasible_ || last_moved;
  last_moved_ = last_moved.value_or(0);
  if (infeasible_) Relax(lines, obstacle_lines, done, max_speed, result);
  return ClampSpeed(result, max_speed);
}

// Minimises the largest violation of the agents' lines. For each line that is violated more than all before it, the
// optimum lies where it is violated alike with one of those: a program in the plane, with the direction into the
// half-plane as target. That such a program finds nothing is rounding alone; the result then stays as it was.
void Program::Relax(std::span<const HalfPlane> lines, std::size_t obstacle_lines, std::size_t begin, float max_speed,
                    Vec2& result) {
  float worst = 0.0f;
  for (std::size_t i = begin; i < lines.size(); ++i) {
    const HalfPlane& line = lines[i];
    if (!(Violation(line, result) > worst)) continue;

    projected_.assign(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(obstacle_lines));
    for (std::size_t j = obstacle_lines; j < i; ++j) {
      if (const auto projected = EqualViolation(line, lines[j])) projected_.push_back(*projected);
    }
    const Vec2 inward = LeftNormal(line.direction);
    Vec2 relaxed = max_speed * inward;
    if (SolvePlane(projected_, max_speed, inward, /*along=*/true, relaxed) == projected_.size()) result = relaxed;
    worst = Violation(line, result);
  }
}

}  // namespace throng::twin
