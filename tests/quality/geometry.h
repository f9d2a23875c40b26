// Plane geometry that measures rest on. What decides a crossing is exact: no rounding can hide or make up one.
#pragma once

#include <vector>

#include "throng/types.h"

namespace throng::quality {

struct Edge {
  Vec2 a, b;
};

double Distance(Vec2 p, Vec2 q);

// Sign of the area of the triangle: 1 if counter-clockwise, -1 if clockwise, 0 if the three lie on a line exactly.
int Orientation(Vec2 a, Vec2 b, Vec2 c);

// Whether the way from `from` to `to` leads from one side of the edge to the other, between its ends. A way that only
// touches does not; of the edges that meet at a vertex, a way through it crosses one.
bool Crosses(Vec2 from, Vec2 to, const Edge& edge);

bool IsOn(Vec2 point, const Edge& edge);  // exactly

double Distance(Vec2 point, const Edge& edge);

// The edges of an obstacle: closed for polygons, open for walls.
std::vector<Edge> EdgesOf(const ObstacleSpec& obstacle);

}  // namespace throng::quality
