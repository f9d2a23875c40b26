// The optimisation of ORCA: the velocity nearest to the preferred one within all half-planes and the disc of maximal
// speed, by exact linear programs in two dimensions, and in three where the half-planes leave nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/twin_orca.h"

namespace throng::twin {

// Shortens v to at most max_speed; |result| <= max_speed * (1 + 4e-7). One division, then two products.
Vec2 ClampSpeed(Vec2 v, float max_speed);

// Where on the boundary of `line` the optimum lies, given the earlier lines and the disc; nothing if they leave no
// point of it. The optimum is the point nearest to `target`, or with `along` the furthest in the direction `target`.
std::optional<Vec2> SolveOnLine(std::span<const HalfPlane> earlier, const HalfPlane& line, float max_speed, Vec2 target,
                                bool along);

// Adds the lines one by one to `result`, which must hold the optimum of the disc alone. Returns how many lines were
// added: lines.size(), or the index of the line at which nothing was left; `result` is then the optimum before it.
// `last_moved`, where asked for, becomes the index of the last line that moved the result.
std::size_t SolvePlane(std::span<const HalfPlane> lines, float max_speed, Vec2 target, bool along, Vec2& result,
                       std::optional<std::size_t>* last_moved = nullptr);

// How far `v` lies outside of the half-plane; <= 0 inside.
float Violation(const HalfPlane& line, Vec2 v);

class Program {
 public:
  // The new velocity. The first `obstacle_lines` of `lines` are hard; the others give way evenly if need be.
  Vec2 Solve(std::span<const HalfPlane> lines, std::size_t obstacle_lines, float max_speed, Vec2 preferred);
  // Whether the last Solve had to relax lines.
  bool infeasible() const { return infeasible_; }
  // Whether agents' lines decided the last Solve: the last line that moved the result was one, or lines were relaxed.
  bool held_by_agents() const { return held_by_agents_; }
  // Whether any line moved it.
  bool held() const { return held_; }
  // The last that did, of a Solve without relaxation.
  std::size_t last_moved() const { return last_moved_; }

 private:
  void Relax(std::span<const HalfPlane> lines, std::size_t obstacle_lines, std::size_t begin, float max_speed,
             Vec2& result);

  std::vector<HalfPlane> projected_;  // scratch
  bool infeasible_ = false;
  bool held_by_agents_ = false;
  bool held_ = false;
  std::size_t last_moved_ = 0;
};

}  // namespace throng::twin
