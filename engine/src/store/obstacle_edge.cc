#include "store/obstacle_edge.h"

#include <algorithm>
#include <cmath>

#include "base/polygon.h"

namespace throng {
std::vector<Vec2> MakeOutline(ObstacleKind kind, std::vector<Vec2> vertices) {
  if (kind == ObstacleKind::kWall) {
    const std::size_t count = vertices.size();
    for (std::size_t back = 2; back < count; ++back) vertices.push_back(vertices[count - back]);
  } else if ((SignedArea(vertices) < 0.0) != (kind == ObstacleKind::kEnclosure)) {
    std::reverse(vertices.begin(), vertices.end());
  }
  return vertices;
}

std::vector<Vec2> MakeBoundsOutline(const Rectangle& bounds) {
  const auto& [min, max] = bounds;
  const Vec2 corners[] = {{min.x, max.y}, max, {max.x, min.y}, min};
  std::vector<Vec2> outline;
  for (int side = 0; side < 4; ++side) {
    const Vec2 from = corners[side], to = corners[(side + 1) % 4];
    const double x = double{to.x} - from.x, y = double{to.y} - from.y;
    const double length = std::max(std::abs(x), std::abs(y));
    const int pieces = std::min(kMostOfBounds, static_cast<int>(std::ceil(length / kLongestOfBounds)));
    for (int piece = 0; piece < pieces; ++piece) {
      const double part = piece / static_cast<double>(pieces);
      outline.push_back({static_cast<float>(from.x + part * x), static_cast<float>(from.y + part * y)});
    }
  }
  return outline;
}

void AppendEdges(ObstacleId obstacle, const std::vector<Vec2>& outline, std::vector<ObstacleEdge>& all) {
  const std::size_t count = outline.size();
  all.resize(all.size() + count);
  ObstacleEdge* const edges = all.data() + all.size() - count;
  for (std::size_t i = 0; i < count; ++i) {
    ObstacleEdge& edge = edges[i];
    edge.start = outline[i];
    edge.end = outline[i + 1 == count ? 0 : i + 1];
    edge.vector = edge.end - edge.start;
    edge.length_squared = AbsSq(edge.vector);
    edge.direction = DirectionOr(edge.vector, {1.0f, 0.0f});
    edge.obstacle = obstacle;
    edge.index = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    ObstacleEdge& arriving = edges[i];
    ObstacleEdge& leaving = edges[i + 1 == count ? 0 : i + 1];
    // Zero, hence convex, at the ends of a wall, where the outline turns back.
    const bool convex = Det(arriving.vector, leaving.vector) >= 0.0f;
    arriving.end_convex = leaving.start_convex = convex;
    arriving.next_direction = leaving.direction;
    leaving.previous_direction = arriving.direction;
  }
}

}  // namespace throng
