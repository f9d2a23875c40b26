// The optimisation of ORCA: the velocity nearest to the preferred one within all half-planes and the disc of maximal
// speed. Exact programs in two dimensions; where the half-planes leave nothing, the agents' ones are relaxed evenly.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solve/half_plane.h"

namespace throng {

// `v` shortened to at most max_speed, up to a few roundings.
Vec2 WithinSpeed(Vec2 v, float max_speed);

// What a program optimises: nearness to a point, or distance along a direction.
enum class Objective { kNearest, kFurthest };

// The optimum on the line's boundary within the disc and `earlier`. False: no point of it is left.
bool SolveOnLine(std::span<const HalfPlane> earlier, const HalfPlane& line, float max_speed, Vec2 target,
                 Objective objective, Vec2& result);

// Adds lines one by one; `result` begins as the optimum within the disc alone. Returns lines.size(), or the first line
// that cannot be met, `result` then being the optimum before it.
std::size_t SolveInPlane(std::span<const HalfPlane> lines, float max_speed, Vec2 target, Objective objective,
                         Vec2& result);

struct ProgramResult {
  Vec2 velocity;
  bool infeasible = false;  // the agents' half-planes had to be relaxed
};

// The first `hard` lines, those of obstacles, are never relaxed. `scratch` keeps its memory between calls.
ProgramResult SolveVelocity(std::span<const HalfPlane> lines, std::size_t hard, float max_speed, Vec2 preferred,
                            std::vector<HalfPlane>& scratch);

}  // namespace throng
