#include "world/recover.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/memory.h"
#include "base/room.h"
#include "solve/cut.h"
#include "throng/limits.h"

namespace throng {
namespace {

constexpr double kOff = 0x1p-20;         // of coordinates and radius: twice the skin of the cut
constexpr double kSharpest = 0x1p-9;     // 1 - cos of the sharpest corner that is looked into, 3.6 degrees
constexpr double kParallel = 1e-6;       // sine of an angle
constexpr std::size_t kCrossed = 64;     // edges
constexpr double kFarthest = 0x1p22;     // [m] twice across the range of coordinates
constexpr std::size_t kManyEdited = 16;  // obstacles, from which on the index is the better way

// An edge of a solid or an enclosure near the place.
struct Side {
  EdgeFrame frame;
  double along;             // [m] from start, of what is nearest on the edge's line
  double distance_squared;  // [m^2] of the edge
  ObstacleId obstacle;
  std::uint32_t index;
};

class GroundSearch {
 public:
  GroundSearch(Vec2 place, float radius, const ObstacleStore& obstacles, const ObstacleIndex& index,
               const Ground& ground, const Sight* sight, const Bounds* room)
      : place_{place.x, place.y},
        radius_(radius),
        obstacles_(obstacles),
        index_(index),
        ground_(ground),
        sight_(sight),
        room_(room) {}

  std::optional<Vec2> Run() {
    for (double reach = std::max(4.0 * radius_, 1.0);; reach *= 2.0) {
      best_.reset();
      FindSides(reach);
      for (const Side& side : sides_) {
        if (side.along > 0.0 && side.along < side.frame.length)
          Consider(OnSide(side, side.along), side.frame.front, 1.0);
      }
      ConsiderCrossings(reach);
      if (room_ != nullptr) ConsiderRoom();
      if ((best_ && best_->distance_squared <= reach * reach) || reach >= kFarthest) break;
    }
    return best_ ? std::optional(best_->place) : std::nullopt;
  }

 private:
  struct Candidate {
    double distance_squared;
    Vec2 place;
    bool operator<(const Candidate& other) const {
      return std::tie(distance_squared, place.x, place.y) <
             std::tie(other.distance_squared, other.place.x, other.place.y);
    }
  };

  static Vec2d OnSide(const Side& side, double along) {
    return {side.frame.start.x + along * side.frame.along.x, side.frame.start.y + along * side.frame.along.y};
  }

  void FindSides(double reach) {
    sides_.clear();
    const auto wide = static_cast<float>(1.0001 * reach + 1e-6 * std::max(std::abs(place_.x), std::abs(place_.y)));
    const Bounds box = Bounds::Of(static_cast<float>(place_.x), static_cast<float>(place_.y)).Widened(wide);
    index_.Search(box, [&](EdgeHandle handle) {
      const ObstacleEdge& edge = obstacles_.edge(handle);
      // Those of the bounds are farther out than the room.
      if (edge.obstacle == kInvalidId || obstacles_.Find(edge.obstacle)->kind == ObstacleKind::kWall) return;
      if (sight_ != nullptr && !Sees(*sight_, obstacles_.sight(handle))) return;
      const EdgeFrame frame(edge);
      const double along = frame.Along(place_);
      const double nearest = std::min(std::max(along, 0.0), frame.length);
      const double x = frame.start.x + nearest * frame.along.x - place_.x;
      const double y = frame.start.y + nearest * frame.along.y - place_.y;
      const double distance_squared = x * x + y * y;
      if (distance_squared <= reach * reach) {
        sides_.push_back({frame, along, distance_squared, edge.obstacle, edge.index});
      }
    });
    std::sort(sides_.begin(), sides_.end(), [](const Side& a, const Side& b) {
      return std::tie(a.distance_squared, a.obstacle, a.index) < std::tie(b.distance_squared, b.obstacle, b.index);
    });
  }

  // Corners are crossings of edges that follow each other.
  void ConsiderCrossings(double reach) {
    const std::size_t count = std::min(sides_.size(), kCrossed);
    const double slack = 0x1p-13 * (std::max(std::abs(place_.x), std::abs(place_.y)) + radius_ + reach);
    for (std::size_t j = 1; j < count; ++j) {
      // What lies on this edge or a later one is farther than the best.
      if (best_ && std::sqrt(sides_[j].distance_squared) > std::sqrt(best_->distance_squared) + slack) break;
      for (std::size_t i = 0; i < j; ++i) ConsiderCrossing(sides_[i], sides_[j]);
    }
  }

  void ConsiderCrossing(const Side& a, const Side& b) {
    const Vec2d u = a.frame.along, v = b.frame.along;
    const double sine = u.x * v.y - u.y * v.x;
    if (std::abs(sine) < kParallel) return;
    const double x = b.frame.start.x - a.frame.start.x, y = b.frame.start.y - a.frame.start.y;
    const double on_a = (x * v.y - y * v.x) / sine, on_b = (x * u.y - y * u.x) / sine;
    const double slack = Off(a.frame.start);
    if (on_a < -slack || on_a > a.frame.length + slack || on_b < -slack || on_b > b.frame.length + slack) return;
    const Vec2d m = a.frame.front, n = b.frame.front;
    const double scale = 1.0 + (m.x * n.x + m.y * n.y);
    if (scale < kSharpest) return;
    Consider(OnSide(a, on_a), {m.x + n.x, m.y + n.y}, scale);
  }

  void ConsiderRoom() {
    const Vec2 place{static_cast<float>(place_.x), static_cast<float>(place_.y)};
    Judge(Clamped(*room_, place));
    for (const Side& side : sides_) {
      ConsiderRoomAt(side, {1.0, 0.0}, room_->min_x);
      ConsiderRoomAt(side, {1.0, 0.0}, room_->max_x);
      ConsiderRoomAt(side, {0.0, 1.0}, room_->min_y);
      ConsiderRoomAt(side, {0.0, 1.0}, room_->max_y);
    }
  }

  // Where an edge crosses a side of the room, which are the places with place . normal = at; before the edge on that
  // side.
  void ConsiderRoomAt(const Side& side, Vec2d normal, double at) {
    const Vec2d u = side.frame.along, m = side.frame.front;
    const double slope = u.x * normal.x + u.y * normal.y;  // the sine of the angle between them
    if (slope * slope < kSharpest) return;
    const double on = (at - (side.frame.start.x * normal.x + side.frame.start.y * normal.y)) / slope;
    const double slack = Off(side.frame.start);
    if (on < -slack || on > side.frame.length + slack) return;
    const Vec2d crossing = OnSide(side, on);
    const double across = m.x * normal.x + m.y * normal.y;
    const double off = Off(crossing) / (slope * slope);
    const Vec2 place{static_cast<float>(crossing.x + off * (m.x - across * normal.x)),
                     static_cast<float>(crossing.y + off * (m.y - across * normal.y))};
    // On the side to the bit, whatever rounding made of it.
    Judge(normal.x != 0.0 ? Vec2{static_cast<float>(at), place.y} : Vec2{place.x, static_cast<float>(at)});
  }

  double Off(Vec2d place) const { return kOff * (std::max(std::abs(place.x), std::abs(place.y)) + radius_); }

  // The place at so much before an edge, or before two.
  void Consider(Vec2d on_edge, Vec2d outwards, double scale) {
    const double off = Off(on_edge) / scale;
    const Vec2 place{static_cast<float>(on_edge.x + off * outwards.x),
                     static_cast<float>(on_edge.y + off * outwards.y)};
    Judge(place);
  }

  void Judge(Vec2 place) {
    if (!(std::abs(place.x) <= kMaxCoordinate && std::abs(place.y) <= kMaxCoordinate)) return;
    if (room_ != nullptr && !Holds(*room_, place)) return;
    const double x = place.x - place_.x, y = place.y - place_.y;
    const Candidate candidate{x * x + y * y, place};
    if (best_ && !(candidate < *best_)) return;
    if (ground_.Contains(obstacles_, place, sight_)) best_ = candidate;
  }

  const Vec2d place_;
  const double radius_;
  const ObstacleStore& obstacles_;
  const ObstacleIndex& index_;
  const Ground& ground_;
  const Sight* const sight_;
  const Bounds* const room_;
  std::vector<Side> sides_;
  std::optional<Candidate> best_;
};

}  // namespace

std::optional<Vec2> FindGround(Vec2 place, float radius, const ObstacleStore& obstacles, const ObstacleIndex& index,
                               const Ground& ground, const Sight* sight, const Bounds* room) {
  return GroundSearch(place, radius, obstacles, index, ground, sight, room).Run();
}

void Recovery::NoteAgent(AgentId id) {
  if (all_touched_) return;
  touched_.push_back(id);
  if (touched_.size() <= kMostNoted) return;
  all_touched_ = true;
  Release(touched_);
}

void Recovery::Forget(AgentId id) {
  const auto found = std::lower_bound(recovered_.begin(), recovered_.end(), Recovered{id});
  if (found != recovered_.end() && found->id == id) recovered_.erase(found);
}

void Recovery::AddObstacle(ObstacleId id, const ObstacleStore::Obstacle& obstacle) {
  ground_.Add(id, obstacle);
  if (obstacle.kind == ObstacleKind::kWall) return;
  ground_changed_ = true;
  if (all_touched_) return;
  edited_.push_back(id);
  if (edited_.size() <= kMostNoted) return;
  all_touched_ = true;
  Release(edited_);
}

void Recovery::RemoveObstacle(ObstacleId id, const ObstacleStore::Obstacle& obstacle) {
  ground_.Remove(id, obstacle);
  ground_changed_ |= obstacle.kind != ObstacleKind::kWall;
}

void Recovery::Begin(AgentStore& agents, const ObstacleStore& obstacles, const ObstacleIndex& index) {
  agents_ = &agents;
  obstacles_ = &obstacles;
  index_ = &index;
  Release(recovered_);
  count_ = 0;
  places_.clear();
  if (ground_changed_) touched_.insert(touched_.end(), stranded_.begin(), stranded_.end());
  if (all_touched_) {
    stranded_.clear();
    Release(touched_);
    Release(edited_);
  }
  if (touched_.empty() && !looks_at_all()) {
    std::erase_if(stranded_, [&](AgentId id) { return !agents.Contains(id); });
    return;
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  std::erase_if(stranded_, [&](AgentId id) {
    return !agents.Contains(id) || std::binary_search(touched_.begin(), touched_.end(), id);
  });
  for (const AgentId id : touched_) {
    const Index place = agents.Find(id);
    if (place != kNoIndex) places_.push_back(place);
  }
  Release(touched_);
  std::sort(places_.begin(), places_.end());
  std::sort(edited_.begin(), edited_.end());
  edited_.erase(std::unique(edited_.begin(), edited_.end()), edited_.end());
  std::erase_if(edited_, [&](ObstacleId id) { return !obstacles.Contains(id); });
  ground_changed_ = false;
  count_ = looks_at_all() ? agents.size() : places_.size();
}

// Agents that were not touched stood on walkable ground of what was there before.
bool Recovery::Stands(std::size_t place, bool touched, const Sight* sight, const Bounds* room) const {
  const Vec2 position{agents_->body[place].x, agents_->body[place].y};
  if (room != nullptr && !Holds(*room, position)) return false;
  if (touched || edited_.size() > kManyEdited) return ground_.Contains(*obstacles_, position, sight);
  return std::all_of(edited_.begin(), edited_.end(),
                     [&](ObstacleId id) { return Ground::Allows(*obstacles_->Find(id), position, sight); });
}

void Recovery::RunBlock(std::size_t block, Found& found) {
  const std::size_t begin = block * kBlock, end = std::min(count_, begin + kBlock);
  const bool sighted = agents_->keeps_sights() || obstacles_->keeps_sights();
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t place = looks_at_all() ? i : places_[i];
    if (agents_->keeps_modes() && agents_->mode[place] != 0) continue;  // kinematic agents stand anywhere
    const bool touched = all_touched_ || !looks_at_all() || std::binary_search(places_.begin(), places_.end(), i);
    const Sight own = agents_->SightOf(static_cast<Index>(place));
    const Sight* const sight = sighted ? &own : nullptr;
    const float radius = agents_->radius[place];
    const Bounds room = bounds_ ? RoomFor(*bounds_, radius) : Bounds{};
    const Bounds* const in = bounds_ ? &room : nullptr;
    if (Stands(place, touched, sight, in)) continue;
    Body& body = agents_->body[place];
    const Vec2 from{body.x, body.y};
    std::optional<Vec2> to = FindGround(from, radius, *obstacles_, *index_, ground_, sight, in);
    if (to) {
      found.recovered.push_back({agents_->id[place], WhyNotAt(from, sight, in)});
    } else {
      found.stranded.push_back(agents_->id[place]);
      if (in == nullptr || Holds(room, from)) continue;
      to = Clamped(room, from);
      found.moved_stranded = true;
    }
    body.x = to->x;
    body.y = to->y;
  }
}

StatusReason Recovery::WhyNotAt(Vec2 place, const Sight* sight, const Bounds* room) const {
  if (room != nullptr && !Holds(*room, place)) return StatusReason::kOutOfBounds;
  const ObstacleId blocking = ground_.BlockingAt(*obstacles_, place, sight);
  const bool outside = obstacles_->Find(blocking)->kind == ObstacleKind::kEnclosure;
  return outside ? StatusReason::kOutOfEnclosure : StatusReason::kInSolid;
}

void Recovery::Take(Found& found) {
  recovered_.insert(recovered_.end(), found.recovered.begin(), found.recovered.end());
  stranded_.insert(stranded_.end(), found.stranded.begin(), found.stranded.end());
  Release(found.recovered);
  Release(found.stranded);
  moved_stranded_ |= std::exchange(found.moved_stranded, false);
}

void Recovery::Finish() {
  std::sort(stranded_.begin(), stranded_.end());
  std::sort(recovered_.begin(), recovered_.end());
  if (std::exchange(moved_stranded_, false) || !recovered_.empty()) agents_->NoteOrderChange();
  count_ = 0;
  all_touched_ = false;
  edited_.clear();
  Release(places_);
}

StatusReason Recovery::ReasonFor(AgentId id) const {
  const auto found = std::lower_bound(recovered_.begin(), recovered_.end(), Recovered{id});
  return found != recovered_.end() && found->id == id ? found->reason : StatusReason::kNone;
}

std::size_t Recovery::memory_bytes() const {
  return recovered_.capacity() * sizeof(Recovered) + ground_.memory_bytes() +
         (touched_.capacity() + stranded_.capacity()) * sizeof(AgentId) + edited_.capacity() * sizeof(ObstacleId) +
         places_.capacity() * sizeof(std::uint32_t);
}

}  // namespace throng
