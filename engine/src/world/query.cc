#include "world/query.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "base/bounds.h"
#include "base/sight.h"
#include "solve/sweep.h"

namespace throng {
namespace {

double SquaredWay(Vec2 a, Vec2d b) {
  const double x = a.x - b.x, y = a.y - b.y;
  return x * x + y * y;
}

Vec2 ToFloat(Vec2d v) { return {static_cast<float>(v.x), static_cast<float>(v.y)}; }

// Not less than `value` in floats.
float RoundedUp(double value) {
  return std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity());
}

// The nearest so far, at most `most` of them, as a heap whose front is the farthest.
class Collector {
 public:
  explicit Collector(std::size_t most) : most_(most) {}

  void Clear() {
    found_.clear();
    truncated_ = false;
  }
  bool full() const { return found_.size() == most_; }

  void Add(double distance_squared, AgentId id, Vec2 position) {
    const Found found{distance_squared, id, position};
    if (!full()) {
      found_.push_back(found);
      std::push_heap(found_.begin(), found_.end());
      return;
    }
    truncated_ = true;
    if (!(found < found_.front())) return;
    std::pop_heap(found_.begin(), found_.end());
    found_.back() = found;
    std::push_heap(found_.begin(), found_.end());
  }

  FoundAgents Take() {
    std::sort_heap(found_.begin(), found_.end());
    FoundAgents result;
    result.truncated = truncated_;
    result.agents.reserve(found_.size());
    for (const Found& found : found_) {
      result.agents.push_back({found.id, found.position, static_cast<float>(std::sqrt(found.distance_squared))});
    }
    return result;
  }

 private:
  struct Found {
    double distance_squared;
    AgentId id;
    Vec2 position;
    bool operator<(const Found& other) const {
      return std::tie(distance_squared, id) < std::tie(other.distance_squared, other.id);
    }
  };

  const std::size_t most_;
  std::vector<Found> found_;
  bool truncated_ = false;
};

// Calls visit(box, end) for pieces of the way, whose boxes hold all within `reach` of them, until it returns false;
// `end` is the part of the way that is behind then. So a long slanted way does not look at all that lies beside it.
template <class Visit>
void VisitPieces(Vec2 from, Vec2 to, double reach, Visit&& visit) {
  constexpr double kPiece = 64.0;  // [m]
  constexpr int kMostPieces = 256;
  const Vec2d start{from.x, from.y}, way{to.x - double{from.x}, to.y - double{from.y}};
  const int pieces = std::clamp(static_cast<int>(std::hypot(way.x, way.y) / kPiece), 1, kMostPieces);
  // Places and edges were rounded to floats.
  const float wide =
      RoundedUp(reach + 1e-6 * std::max({std::abs(from.x), std::abs(from.y), std::abs(to.x), std::abs(to.y)}));
  const auto at = [&](int piece) {
    const double part = piece / static_cast<double>(pieces);
    return Vec2{static_cast<float>(start.x + part * way.x), static_cast<float>(start.y + part * way.y)};
  };
  for (int piece = 0; piece < pieces; ++piece) {
    const Vec2 begin = at(piece), end = at(piece + 1);
    Bounds box = Bounds::Of(begin.x, begin.y);
    box.Include(end.x, end.y);
    if (!visit(box.Widened(wide), (piece + 1) / static_cast<double>(pieces))) return;
  }
}

Sweep SweepOf(Vec2 from, Vec2 to, float radius) {
  return {{from.x, from.y}, {to.x - double{from.x}, to.y - double{from.y}}, radius};
}

// Of unit length and towards `to`; where both are the same place, or it is none, the other.
Vec2 Towards(Vec2d from, Vec2d to, Vec2d other) {
  const auto unit = [](Vec2d v) {
    const double length = std::hypot(v.x, v.y);
    return length > 0.0 ? Vec2d{v.x / length, v.y / length} : Vec2d{};
  };
  const Vec2d direction = unit({to.x - from.x, to.y - from.y});
  return ToFloat(direction.x != 0.0 || direction.y != 0.0 ? direction : unit(other));
}

// Of an edge, on the side that the way comes from.
Vec2 NormalOf(const ObstacleEdge& edge, const Sweep& sweep) {
  const EdgeFrame frame(edge);
  const double before = frame.Before(sweep.from);
  if (before == 0.0) return Towards({}, {}, {-sweep.way.x, -sweep.way.y});
  const double side = before > 0.0 ? 1.0 : -1.0;
  return ToFloat({side * frame.front.x, side * frame.front.y});
}

// Of a capsule, where the way is at `part`.
Vec2 NormalOf(const Capsule& capsule, const Sweep& sweep, double part) {
  const Vec2d at = sweep.At(part), start{capsule.start.x, capsule.start.y};
  const Vec2d along{double{capsule.end.x} - start.x, double{capsule.end.y} - start.y};
  const double squared = along.x * along.x + along.y * along.y;
  const double way = (at.x - start.x) * along.x + (at.y - start.y) * along.y;
  const double nearest = squared > 0.0 ? std::clamp(way / squared, 0.0, 1.0) : 0.0;
  return Towards({start.x + nearest * along.x, start.y + nearest * along.y}, at, {-sweep.way.x, -sweep.way.y});
}

}  // namespace

// What is met first, and where.
struct Searcher::Touch {
  double part;  // of the way
  std::uint32_t id;
  std::uint32_t place;               // of the agent or edge
  std::uint32_t index;               // of the edge in its obstacle
  const Capsule* capsule = nullptr;  // in place of an edge
  bool operator<(const Touch& other) const {
    return std::tie(part, id, index) < std::tie(other.part, other.id, other.index);
  }
};

bool Searcher::Passing(const SightFilter& filter, const Sight& sight) {
  if (filter.avoids && (*filter.avoids & sight.layer) == 0) return false;
  return !filter.band || BandsMeet({0, 0, filter.band->z, filter.band->height}, sight);
}

// Looks within a reach that doubles until it holds enough of them.
std::vector<FoundAgent> Searcher::Nearest(Vec2 point, const NearestQuery& query) const {
  const double farthest = query.max_distance.value_or(kMaxQueryRadius);
  const Vec2d center{point.x, point.y};
  Collector nearest(query.count);
  double reach = stepper_.IndexServes(agents_) ? std::min(farthest, stepper_.UsualReach(query.count)) : farthest;
  for (;; reach = std::min(2.0 * reach, farthest)) {
    nearest.Clear();
    VisitBox(Bounds::Of(point.x, point.y).Widened(RoundedUp(reach)), [&](Index place) {
      const Vec2 position{agents_.body[place].x, agents_.body[place].y};
      const double distance_squared = SquaredWay(position, center);
      if (distance_squared < reach * reach && Passes(query.filter, place))
        nearest.Add(distance_squared, agents_.id[place], position);
    });
    if (nearest.full() || !(reach < farthest)) break;
  }
  return nearest.Take().agents;
}

FoundAgents Searcher::InDisc(Vec2 center, float radius, std::size_t limit, const SightFilter& filter) const {
  Collector found(limit);
  const double radius_squared = double{radius} * double{radius};
  VisitBox(Bounds::Of(center.x, center.y).Widened(RoundedUp(radius)), [&](Index place) {
    const Vec2 position{agents_.body[place].x, agents_.body[place].y};
    const double distance_squared = SquaredWay(position, {center.x, center.y});
    if (distance_squared <= radius_squared && Passes(filter, place))
      found.Add(distance_squared, agents_.id[place], position);
  });
  return found.Take();
}

FoundAgents Searcher::InBox(Vec2 min, Vec2 max, std::size_t limit, const SightFilter& filter) const {
  Collector found(limit);
  const Vec2d middle{0.5 * (double{min.x} + double{max.x}), 0.5 * (double{min.y} + double{max.y})};
  VisitBox({min.x, min.y, max.x, max.y}, [&](Index place) {
    const Vec2 position{agents_.body[place].x, agents_.body[place].y};
    if (position.x < min.x || position.x > max.x || position.y < min.y || position.y > max.y) return;
    if (!Passes(filter, place)) return;
    found.Add(SquaredWay(position, middle), agents_.id[place], position);
  });
  return found.Take();
}

ObstacleId Searcher::BlockingAt(Vec2 place, const SightFilter& filter) const {
  if (ground_ != nullptr && !filter.avoids && !filter.band) return ground_->BlockingAt(obstacles_, place);
  for (const auto& [id, obstacle] : obstacles_.all()) {
    if (Passing(filter, obstacle.sight) && !Ground::Allows(obstacle, place)) return id;
  }
  return kInvalidId;
}

bool Searcher::InBounds(Vec2 place) const {
  if (bounds_ == nullptr) return true;
  return place.x > bounds_->min.x && place.x < bounds_->max.x && place.y > bounds_->min.y && place.y < bounds_->max.y;
}

std::optional<Searcher::Touch> Searcher::FirstEdge(Vec2 from, Vec2 to, float radius, const SightFilter& filter,
                                                   bool bounds) const {
  std::optional<Touch> first;
  const Sweep sweep = SweepOf(from, to, radius);
  VisitPieces(from, to, radius, [&](const Bounds& box, double end) {
    index_.Search(box, [&](EdgeHandle handle) {
      const ObstacleEdge& edge = obstacles_.edge(handle);
      const bool counts = edge.obstacle == kInvalidId ? bounds : Passing(filter, obstacles_.sight(handle));
      if (!counts) return;
      const auto part = FirstTouch(sweep, Vec2d{edge.start.x, edge.start.y}, Vec2d{edge.end.x, edge.end.y});
      if (!part) return;
      const Touch touch{*part, edge.obstacle, handle, edge.index};
      if (!first || touch < *first) first = touch;
    });
    return !first || first->part > end;
  });
  return first;
}

std::optional<Searcher::Touch> Searcher::FirstCapsule(Vec2 from, Vec2 to, float radius,
                                                      const SightFilter& filter) const {
  std::optional<Touch> first;
  for (const Capsule& capsule : capsules_.all()) {
    if (!Passing(filter, capsule.sight)) continue;
    Sweep sweep = SweepOf(from, to, radius);
    sweep.radius += double{capsule.radius};
    const auto part = FirstTouch(sweep, Vec2d{capsule.start.x, capsule.start.y}, Vec2d{capsule.end.x, capsule.end.y});
    if (part && (!first || *part < first->part)) first = Touch{*part, capsule.id, 0, 0, &capsule};
  }
  return first;
}

std::optional<Searcher::Touch> Searcher::FirstObstacle(Vec2 from, Vec2 to, float radius, const SightFilter& filter,
                                                       bool bounds) const {
  const std::optional<Touch> edge = FirstEdge(from, to, radius, filter, bounds);
  const std::optional<Touch> capsule = FirstCapsule(from, to, radius, filter);
  if (!edge || !capsule) return edge ? edge : capsule;
  return *capsule < *edge ? capsule : edge;
}

std::optional<Searcher::Touch> Searcher::FirstAgent(Vec2 from, Vec2 to, const RayQuery& query) const {
  std::optional<Touch> first;
  const Sweep sweep = SweepOf(from, to, 0.0f);
  const auto consider = [&](Index place) {
    const Body& body = agents_.body[place];
    const auto part = FirstTouch(sweep, Vec2d{body.x, body.y}, agents_.radius[place]);
    if (!part || agents_.id[place] == query.ignored || !Passes(query.filter, place)) return;
    const Touch touch{*part, agents_.id[place], place, 0};
    if (!first || touch < *first) first = touch;
  };
  if (!stepper_.IndexServes(agents_)) {
    for (Index place = 0; place < agents_.size(); ++place) consider(place);
    return first;
  }
  float largest = 0.0f;
  for (Index place = 0; place < agents_.size(); ++place) largest = std::max(largest, agents_.radius[place]);
  VisitPieces(from, to, largest, [&](const Bounds& box, double end) {
    stepper_.VisitBox(box, consider);
    return !first || first->part > end;
  });
  return first;
}

Visibility Searcher::Visible(Vec2 from, Vec2 to, float radius, const SightFilter& filter) const {
  if (!InBounds(from)) return {false, kInvalidId};
  if (const ObstacleId blocking = BlockingAt(from, filter); blocking != kInvalidId) {
    const std::optional<Touch> capsule = FirstCapsule(from, from, radius, filter);
    return {false, capsule ? std::min(capsule->id, blocking) : blocking};
  }
  const std::optional<Touch> first = FirstObstacle(from, to, radius, filter, true);
  return first ? Visibility{false, first->id} : Visibility{true, kInvalidId};
}

RayHit Searcher::Cast(Vec2 from, Vec2 to, const RayQuery& query) const {
  const std::optional<Touch> edge = query.obstacles ? FirstObstacle(from, to, 0.0f, query.filter, false) : std::nullopt;
  std::optional<Touch> agent = query.agents ? FirstAgent(from, to, query) : std::nullopt;
  if (edge && agent && edge->part <= agent->part) agent.reset();
  RayHit hit;
  hit.point = to;
  const Sweep sweep = SweepOf(from, to, 0.0f);
  double part = 1.0;
  if (agent) {
    part = agent->part;
    hit.agent = agent->id;
    const Body& body = agents_.body[agent->place];
    hit.normal = Towards({body.x, body.y}, sweep.At(part), {-sweep.way.x, -sweep.way.y});
  } else if (edge) {
    part = edge->part;
    hit.obstacle = edge->id;
    hit.normal = edge->capsule != nullptr ? NormalOf(*edge->capsule, sweep, part)
                                          : NormalOf(obstacles_.edge(edge->place), sweep);
  }
  hit.hit = agent || edge;
  if (hit.hit) hit.point = ToFloat(sweep.At(part));
  hit.fraction = static_cast<float>(part);
  hit.distance = static_cast<float>(part * std::hypot(sweep.way.x, sweep.way.y));
  return hit;
}

}  // namespace throng
