#include "tests/support/twin_contain.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/support/twin_math.h"

namespace throng::twin {
namespace {

constexpr double kRange = 1048576.0;  // 2^20

struct Point {
  double x, y;
};

Point PointOf(Vec2 v) { return {v.x, v.y}; }
Point OnWay(Point p, Point q, double t) { return {p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)}; }
Vec2 ToFloat(Point p) {
  return {static_cast<float>(std::min(std::max(p.x, -kRange), kRange)),
          static_cast<float>(std::min(std::max(p.y, -kRange), kRange))};
}

// Coordinates of an edge: `ahead` [m] before its line, on the side where it is in force; `along` [m] from its start.
struct Frame {
  Point origin, unit;
  double length;

  explicit Frame(const Edge& edge) : origin(PointOf(edge.start)) {
    const double dx = edge.end.x - origin.x, dy = edge.end.y - origin.y;
    length = std::sqrt(dx * dx + dy * dy);
    unit = {dx / length, dy / length};
  }
  double Ahead(Point p) const { return (p.x - origin.x) * unit.y - (p.y - origin.y) * unit.x; }
  double Along(Point p) const { return (p.x - origin.x) * unit.x + (p.y - origin.y) * unit.y; }
  double Width(double skin) const {
    return skin + 0x1p-40 * (std::max(std::abs(origin.x), std::abs(origin.y)) + length);
  }
};

struct Hit {
  bool any = false;
  double t = 0.0;           // part of the way
  bool at_the_end = false;  // of the edge: at the short side of its box
};

// Whether and where the way from p to q enters the box of a width, or goes on into it. Who is in it may go nearer to
// the edge by 1/64 of the width in a move, so that a slide that rounding bent is no entry. The core, up to 1/16 of the
// width from the line, is closed from the ends too, lest an agent walks into the edge lengthwise.
Hit EnterBox(const Frame& edge, Point p, Point q, double width) {
  const double ahead_p = edge.Ahead(p), ahead_q = edge.Ahead(q);
  if (ahead_p < 0.0) return {};
  if (ahead_p > width && ahead_q > width) return {};  // never near
  const double along_p = edge.Along(p), along_q = edge.Along(q);
  const double low = -width, high = edge.length + width;

  // The part [in, out] of the way between the ends of the box.
  double in = 0.0, out = 1.0;
  if ((along_p < low && along_q < low) || (along_p > high && along_q > high)) return {};
  if (along_p < low) in = (low - along_p) / (along_q - along_p);
  if (along_p > high) in = (along_p - high) / (along_p - along_q);
  if (along_q < low) out = (along_p - low) / (along_p - along_q);
  if (along_q > high) out = (high - along_p) / (along_q - along_p);
  const double ahead_in = ahead_p + in * (ahead_q - ahead_p);
  const double ahead_out = ahead_p + out * (ahead_q - ahead_p);

  if (ahead_in < -width) return {};  // past the end and around
  if (ahead_in >= 0.0625 * width) {
    if (!(ahead_out < std::min(ahead_in, width) - 0.015625 * width)) return {};
    return {true, ahead_in <= width ? in : (ahead_p - width) / (ahead_p - ahead_q), false};
  }
  // The core.
  if (in > 0.0) return {true, in, true};
  if (along_p < 0.0) return {along_q > along_p, 0.0, true};
  if (along_p > edge.length) return {along_q < along_p, 0.0, true};
  if (ahead_p == 0.0) return {};  // on the edge itself: neither side is its front
  return {ahead_q < ahead_p, 0.0, false};
}

struct FirstHit {
  const Edge* edge = nullptr;
  Hit hit;
};
FirstHit FindFirst(Point p, Point q, double skin, const Outlines& outlines, const Edge* ignored) {
  FirstHit first;
  for (const auto& [id, edges] : outlines) {
    for (const Edge& edge : edges) {
      if (&edge == ignored) continue;
      const Frame frame(edge);
      const Hit hit = EnterBox(frame, p, q, frame.Width(skin));
      if (hit.any && (first.edge == nullptr || hit.t < first.hit.t)) first = {&edge, hit};
    }
  }
  return first;
}

bool KeepsOut(Point p, Point q, double skin, const Outlines& outlines) {
  for (const auto& [id, edges] : outlines) {
    for (const Edge& edge : edges) {
      const Frame frame(edge);
      if (EnterBox(frame, p, q, 0.25 * frame.Width(skin)).any) return false;
    }
  }
  return true;
}

// Where what is left of the way from p to q after `stop` leads to along the side that was hit. Who is deeper in the box
// than half its width, which rounding may bring about, is let out.
Point Slide(const FirstHit& first, Point p, Point q, Point stop, double skin) {
  const Frame frame(*first.edge);
  const Point normal{frame.unit.y, -frame.unit.x};
  const Point side = first.hit.at_the_end ? normal : frame.unit;
  const double left = (1.0 - first.hit.t) * ((q.x - p.x) * side.x + (q.y - p.y) * side.y);
  Point end{stop.x + left * side.x, stop.y + left * side.y};
  const double depth = frame.Width(skin) - frame.Ahead(stop);
  if (!first.hit.at_the_end && frame.Ahead(stop) < 0.5 * frame.Width(skin)) {
    end = {end.x + depth * normal.x, end.y + depth * normal.y};
  }
  return end;
}

// An edge as seen from a place.
struct SeenEdge {
  Frame frame;
  double along, distance_squared;

  SeenEdge(const Edge& edge, Point p) : frame(edge), along(frame.Along(p)) {
    const double nearest = std::min(std::max(along, 0.0), frame.length);
    const Point on = At(nearest);
    const double dx = on.x - p.x, dy = on.y - p.y;
    distance_squared = dx * dx + dy * dy;
  }
  Point At(double a) const { return {frame.origin.x + a * frame.unit.x, frame.origin.y + a * frame.unit.y}; }
  Point Normal() const { return {frame.unit.y, -frame.unit.x}; }
};

struct Candidates {
  Point p;
  double radius;
  std::vector<std::tuple<double, float, float>> found;  // distance^2, x, y

  double Off(Point on) const { return 0x1p-20 * (std::max(std::abs(on.x), std::abs(on.y)) + radius); }
  void Add(Point on, Point outwards, double divisor) {
    const double off = Off(on) / divisor;
    AddPlace({static_cast<float>(on.x + off * outwards.x), static_cast<float>(on.y + off * outwards.y)});
  }
  void AddPlace(Vec2 place) {
    if (std::abs(place.x) > kRange || std::abs(place.y) > kRange) return;
    const double dx = place.x - p.x, dy = place.y - p.y;
    found.emplace_back(dx * dx + dy * dy, place.x, place.y);
  }
  void AddCrossing(const SeenEdge& a, const SeenEdge& b) {
    const Point u = a.frame.unit, v = b.frame.unit, m = a.Normal(), n = b.Normal();
    const double sine = u.x * v.y - u.y * v.x;
    if (std::abs(sine) < 1e-6) return;
    const double dx = b.frame.origin.x - a.frame.origin.x, dy = b.frame.origin.y - a.frame.origin.y;
    const double s = (dx * v.y - dy * v.x) / sine, t = (dx * u.y - dy * u.x) / sine;
    const double slack = Off(a.frame.origin);
    if (s < -slack || t < -slack || s > a.frame.length + slack || t > b.frame.length + slack) return;
    const double divisor = 1.0 + (m.x * n.x + m.y * n.y);
    if (divisor < 0x1p-9) return;
    Add(a.At(s), {m.x + n.x, m.y + n.y}, divisor);
  }
};

// The crossing of an edge with the line on which one coordinate, that of `axis` 0 (x) or 1 (y), is `at`.
void AddRoomCrossing(const SeenEdge& edge, int axis, float at, Candidates& candidates) {
  const Point u = edge.frame.unit, n = edge.Normal();
  const double slope = axis == 0 ? u.x : u.y;
  if (slope * slope < 0x1p-9) return;
  const double s = (at - (axis == 0 ? edge.frame.origin.x : edge.frame.origin.y)) / slope;
  const double slack = candidates.Off(edge.frame.origin);
  if (s < -slack || s > edge.frame.length + slack) return;
  const Point crossing = edge.At(s);
  const double off = candidates.Off(crossing) / (slope * slope);
  Vec2 place{at, at};
  if (axis == 0) place.y = static_cast<float>(crossing.y + off * n.y);
  if (axis == 1) place.x = static_cast<float>(crossing.x + off * n.x);
  candidates.AddPlace(place);
}

}  // namespace

std::optional<ObstacleId> BlockingObstacle(Vec2 place, const Outlines& outlines, const Kinds& kinds) {
  const Point p = PointOf(place);
  for (const auto& [id, edges] : outlines) {
    if (kinds.at(id) == ObstacleKind::kWall) continue;
    int winding = 0;
    bool on_edge = false;
    for (const Edge& edge : edges) {
      const Point a = PointOf(edge.start), b = PointOf(edge.end);
      const double turn = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
      on_edge |= turn == 0.0 && std::min(a.x, b.x) <= p.x && std::max(a.x, b.x) >= p.x && std::min(a.y, b.y) <= p.y &&
                 std::max(a.y, b.y) >= p.y;
      if (a.y <= p.y && b.y > p.y && turn > 0.0) ++winding;
      if (a.y > p.y && b.y <= p.y && turn < 0.0) --winding;
    }
    if (on_edge || (winding != 0) != (kinds.at(id) == ObstacleKind::kEnclosure)) return id;
  }
  return std::nullopt;
}

bool IsWalkable(Vec2 place, const Outlines& outlines, const Kinds& kinds) {
  return !BlockingObstacle(place, outlines, kinds);
}

std::optional<Vec2> NearestGround(Vec2 place, float radius, const Outlines& outlines, const Kinds& kinds,
                                  const std::optional<Room>& room) {
  const Point p = PointOf(place);
  for (double reach = std::max(4.0 * radius, 1.0);; reach *= 2.0) {
    std::vector<SeenEdge> seen;
    for (const auto& [id, edges] : outlines) {
      if (id == kInvalidId || kinds.at(id) == ObstacleKind::kWall) continue;
      for (const Edge& edge : edges) {
        const SeenEdge view(edge, p);
        if (view.distance_squared <= reach * reach) seen.push_back(view);
      }
    }
    std::stable_sort(seen.begin(), seen.end(),
                     [](const SeenEdge& a, const SeenEdge& b) { return a.distance_squared < b.distance_squared; });
    Candidates candidates{p, radius, {}};
    for (const SeenEdge& edge : seen) {
      if (edge.along > 0.0 && edge.along < edge.frame.length) candidates.Add(edge.At(edge.along), edge.Normal(), 1.0);
    }
    for (std::size_t j = 0; j < std::min<std::size_t>(seen.size(), 64); ++j) {
      for (std::size_t i = 0; i < j; ++i) candidates.AddCrossing(seen[i], seen[j]);
    }
    if (room) {
      candidates.AddPlace(room->Nearest(place));
      for (const SeenEdge& edge : seen) {
        for (const float x : {room->low.x, room->high.x}) AddRoomCrossing(edge, 0, x, candidates);
        for (const float y : {room->low.y, room->high.y}) AddRoomCrossing(edge, 1, y, candidates);
      }
    }
    std::sort(candidates.found.begin(), candidates.found.end());
    for (const auto& [distance_squared, x, y] : candidates.found) {
      if (distance_squared > reach * reach && reach < 0x1p22) break;
      if (room && !room->Has({x, y})) continue;
      if (IsWalkable({x, y}, outlines, kinds)) return Vec2{x, y};
    }
    if (reach >= 0x1p22) return std::nullopt;
  }
}

Way CutMove(Vec2 from, Vec2 to, float radius, const Outlines& outlines, const std::optional<Room>& room) {
  const auto rounded = [&](Point place) { return room ? room->Nearest(ToFloat(place)) : ToFloat(place); };
  const Point p = PointOf(from), q = PointOf(to);
  const double path = std::abs(q.x - p.x) + std::abs(q.y - p.y);
  const double skin = 0x1p-21 * (std::max(std::abs(p.x), std::abs(p.y)) + path + radius);
  const FirstHit first = FindFirst(p, q, skin, outlines, nullptr);
  if (first.edge == nullptr) return {to, false};
  const Point stop = OnWay(p, q, first.hit.t);
  Point slide = Slide(first, p, q, stop, skin);
  FirstHit second = FindFirst(stop, slide, skin, outlines, first.edge);
  if (second.edge != nullptr && second.hit.t == 0.0) {
    second.hit.t = first.hit.t;
    slide = Slide(second, p, q, stop, skin);
    second = FindFirst(stop, slide, skin, outlines, second.edge);
  }
  const Vec2 end = rounded(second.edge == nullptr ? slide : OnWay(stop, slide, second.hit.t));
  if (KeepsOut(p, PointOf(end), skin, outlines)) return {end, true};
  const Vec2 rounded_stop = rounded(stop);
  return {KeepsOut(p, PointOf(rounded_stop), skin, outlines) ? rounded_stop : from, true};
}

Vec2 VelocityOfWay(Vec2 p, Vec2 q, float inverse_time_step, float max_speed) {
  const Vec2 velocity = inverse_time_step * (q - p);
  const float squared = LengthSquared(velocity);
  if (squared > max_speed * max_speed) return (max_speed / std::sqrt(squared)) * velocity;
  return velocity;
}

}  // namespace throng::twin
