#include "tests/support/twin_spawn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <variant>

namespace throng::twin {
namespace {

struct Point {
  double x, y;
};
double Norm(double x, double y) { return std::sqrt(x * x + y * y); }

struct Ring {
  Point center;
  double radius;
};

struct Line {
  Point start, unit;
  double length, spare;
  Point At(double s) const { return {start.x + s * unit.x, start.y + s * unit.y}; }
  double Foot(Point p) const { return (p.x - start.x) * unit.x + (p.y - start.y) * unit.y; }
  bool Reaches(double s) const { return -spare <= s && s <= length + spare; }
};

using Shape = std::variant<Ring, Line>;

struct Near {
  std::tuple<double, bool, std::uint32_t, std::uint32_t> rank;
  Shape shape;
  bool operator<(const Near& other) const { return rank < other.rank; }
};

bool Overlap(const Surroundings::Disc& disc, Vec2 place, float radius) {
  const double radii = double{radius} + double{disc.radius};
  const double size = std::max(std::abs(double{disc.center.x}), std::abs(double{disc.center.y})) + radii;
  const double least = radii - 0x1p-20 * size;
  const double x = double{disc.center.x} - place.x, y = double{disc.center.y} - place.y;
  return least > 0.0 && x * x + y * y < least * least;
}

std::vector<Near> ShapesWithin(double reach, Vec2 place, float radius, const Surroundings& around) {
  const Point p{place.x, place.y};
  std::vector<Near> shapes;
  for (const Surroundings::Disc& disc : around.discs) {
    const Ring ring{{disc.center.x, disc.center.y}, double{radius} + double{disc.radius}};
    const double x = ring.center.x - p.x, y = ring.center.y - p.y, far = reach + ring.radius;
    if (!(x * x + y * y < far * far)) continue;
    shapes.push_back({{std::max(0.0, Norm(x, y) - ring.radius), false, disc.id, 0}, ring});
  }
  if (around.kinematic) return shapes;
  for (const auto& [id, edges] : around.outlines) {
    if (id == kInvalidId || around.kinds.at(id) == ObstacleKind::kWall) continue;
    for (const Edge& edge : edges) {
      const double dx = double{edge.end.x} - edge.start.x, dy = double{edge.end.y} - edge.start.y;
      const double length = Norm(dx, dy);
      const Line on{{edge.start.x, edge.start.y}, {dx / length, dy / length}, length, 0.0};
      const Point nearest = on.At(std::min(std::max(on.Foot(p), 0.0), length));
      const double distance = Norm(nearest.x - p.x, nearest.y - p.y);
      if (distance > reach) continue;
      const double size = std::max(std::abs(on.start.x), std::abs(on.start.y)) + length + radius;
      const double off = 0x1p-20 * size;
      const Point start{on.start.x + off * on.unit.y, on.start.y - off * on.unit.x};
      shapes.push_back({{distance, true, id, edge.index}, Line{start, on.unit, length, 512.0 * off}});
    }
  }
  return shapes;
}

class Candidates {
 public:
  Candidates(Vec2 place, double limit, const std::optional<Room>& room)
      : p_{place.x, place.y}, limit_(limit), room_(room) {}

  void Add(Point where) {
    Vec2 place{static_cast<float>(where.x), static_cast<float>(where.y)};
    if (room_) place = room_->Nearest(place);
    if (std::abs(place.x) > 1048576.0f || std::abs(place.y) > 1048576.0f) return;
    const double x = place.x - p_.x, y = place.y - p_.y;
    if (x * x + y * y <= limit_ * limit_) found_.emplace_back(x * x + y * y, place.x, place.y);
  }

  void AddFeet(const Shape& shape) {
    if (const Line* const line = std::get_if<Line>(&shape)) {
      if (line->Reaches(line->Foot(p_))) Add(line->At(line->Foot(p_)));
      return;
    }
    const auto& [c, radius] = std::get<Ring>(shape);
    const double x = p_.x - c.x, y = p_.y - c.y, length = Norm(x, y);
    if (length >= radius) return;
    if (length > 0.0) return Add({c.x + radius / length * x, c.y + radius / length * y});
    for (const Point& to : {Point{-radius, 0}, Point{radius, 0}, Point{0, -radius}, Point{0, radius}}) {
      Add({c.x + to.x, c.y + to.y});
    }
  }

  // The order of two of a kind decides the last bits.
  void AddCrossings(const Shape& first, const Shape& second) {
    const Ring* const ring = std::get_if<Ring>(&first);
    const Ring* const other_ring = std::get_if<Ring>(&second);
    if (ring != nullptr && other_ring != nullptr) return AddCrossings(*ring, *other_ring);
    if (ring != nullptr) return AddCrossings(std::get<Line>(second), *ring);
    if (other_ring != nullptr) return AddCrossings(std::get<Line>(first), *other_ring);
    AddCrossing(std::get<Line>(first), std::get<Line>(second));
  }

  std::vector<std::tuple<double, float, float>> TakeSorted() {
    std::sort(found_.begin(), found_.end());
    return found_;
  }

 private:
  void AddCrossings(const Ring& a, const Ring& b) {
    const double x = b.center.x - a.center.x, y = b.center.y - a.center.y, squared = x * x + y * y;
    const double sum = a.radius + b.radius, difference = a.radius - b.radius;
    if (squared == 0.0 || squared > sum * sum || squared < difference * difference) return;
    const double length = std::sqrt(squared);
    const double s = (squared + a.radius * a.radius - b.radius * b.radius) / (2.0 * length);
    const double h = std::sqrt(std::max(0.0, a.radius * a.radius - s * s));
    const Point unit{x / length, y / length}, middle{a.center.x + s * unit.x, a.center.y + s * unit.y};
    Add({middle.x - h * unit.y, middle.y + h * unit.x});
    Add({middle.x + h * unit.y, middle.y - h * unit.x});
  }

  void AddCrossings(const Line& line, const Ring& ring) {
    const double s = line.Foot(ring.center);
    const Point foot = line.At(s);
    const double x = foot.x - ring.center.x, y = foot.y - ring.center.y;
    const double squared = ring.radius * ring.radius - (x * x + y * y);
    if (squared < 0.0) return;
    for (const double at : {s - std::sqrt(squared), s + std::sqrt(squared)}) {
      if (line.Reaches(at)) Add(line.At(at));
    }
  }

  void AddCrossing(const Line& a, const Line& b) {
    const double sine = a.unit.x * b.unit.y - a.unit.y * b.unit.x;
    if (std::abs(sine) < 1e-6) return;
    const double x = b.start.x - a.start.x, y = b.start.y - a.start.y;
    const double s = (x * b.unit.y - y * b.unit.x) / sine, t = (x * a.unit.y - y * a.unit.x) / sine;
    if (a.Reaches(s) && b.Reaches(t)) Add(a.At(s));
  }

  Point p_;
  double limit_;
  const std::optional<Room>& room_;
  std::vector<std::tuple<double, float, float>> found_;
};

std::array<Line, 4> SidesOf(const Room& room) {
  const double width = double{room.high.x} - room.low.x, height = double{room.high.y} - room.low.y;
  return {Line{{room.low.x, room.low.y}, {1, 0}, width, 0}, Line{{room.low.x, room.high.y}, {1, 0}, width, 0},
          Line{{room.low.x, room.low.y}, {0, 1}, height, 0}, Line{{room.high.x, room.low.y}, {0, 1}, height, 0}};
}

}  // namespace

bool IsFree(Vec2 place, float radius, const Surroundings& around) {
  if (around.room && !around.room->Has(place)) return false;
  if (!around.kinematic && !IsWalkable(place, around.outlines, around.kinds)) return false;
  return std::none_of(around.discs.begin(), around.discs.end(),
                      [&](const Surroundings::Disc& disc) { return Overlap(disc, place, radius); });
}

std::optional<Vec2> NearestFree(Vec2 place, float radius, float distance, const Surroundings& around) {
  for (double reach = std::max(4.0 * radius, 1.0);; reach *= 2.0) {
    double limit = std::min(reach, double{distance});
    std::vector<Near> shapes = ShapesWithin(limit, place, radius, around);
    std::sort(shapes.begin(), shapes.end());
    bool last = reach >= distance;
    if (shapes.size() > 256) {
      last |= std::get<0>(shapes[256].rank) < limit;
      limit = std::min(limit, std::get<0>(shapes[256].rank));
      shapes.resize(256);
    }
    Candidates candidates(place, limit, around.room);
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      candidates.AddFeet(shapes[j].shape);
      for (std::size_t i = 0; i < j; ++i) candidates.AddCrossings(shapes[i].shape, shapes[j].shape);
    }
    if (around.room) {
      candidates.Add({place.x, place.y});
      for (const Line& side : SidesOf(*around.room)) {
        for (const Near& near : shapes) candidates.AddCrossings(side, near.shape);
      }
    }
    for (const auto& [squared, x, y] : candidates.TakeSorted()) {
      if (IsFree({x, y}, radius, around)) return Vec2{x, y};
    }
    if (last) return std::nullopt;
  }
}

}  // namespace throng::twin
