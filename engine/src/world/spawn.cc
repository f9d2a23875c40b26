#include "world/spawn.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/bounds.h"
#include "base/room.h"
#include "solve/cut.h"
#include "throng/limits.h"

namespace throng {
namespace {

constexpr double kTouch = 0x1p-20;  // of coordinates and radii: discs overlap by no more where rounding alone makes it
constexpr double kOff = 0x1p-20;    // of coordinates and radius: twice the skin of the cut
constexpr double kSharpest = 512;   // distances before an edge that a place may be beyond its end, at a sharp corner
constexpr double kParallel = 1e-6;  // sine of an angle
constexpr std::size_t kMostFeatures = 256;

double Length(double x, double y) { return std::sqrt(x * x + y * y); }

float Wide(double reach, Vec2 place) {
  return static_cast<float>(1.0001 * reach + 1e-6 * std::max(std::abs(place.x), std::abs(place.y)));
}

// On which the newcomer touches the disc of an agent.
struct Circle {
  Vec2d center;
  double radius = 0.0;
};

// A part of a line where it is clear of an edge, or in a side of its room.
struct Side {
  Vec2d start, along;
  double length = 0.0;
  double beyond = 0.0;  // [m] by which its crossings may lie beyond its ends

  double Along(double x, double y) const { return (x - start.x) * along.x + (y - start.y) * along.y; }
  Vec2d At(double where) const { return {start.x + where * along.x, start.y + where * along.y}; }
  bool Has(double where) const { return where >= -beyond && where <= length + beyond; }
};

// What bounds free places, by its distance from the newcomer's position.
struct Feature {
  double distance = 0.0;
  bool is_side = false;
  std::uint32_t id = kInvalidId;
  std::uint32_t index = 0;
  Circle circle;
  Side side;
  bool operator<(const Feature& other) const {
    return std::tie(distance, is_side, id, index) < std::tie(other.distance, other.is_side, other.id, other.index);
  }
};

struct Candidate {
  double distance_squared;
  Vec2 place;
  bool operator<(const Candidate& other) const {
    return std::tie(distance_squared, place.x, place.y) <
           std::tie(other.distance_squared, other.place.x, other.place.y);
  }
};

class Spawner {
 public:
  Spawner(const SpawnView& world, const Newcomer& newcomer)
      : world_(world),
        newcomer_(newcomer),
        at_{newcomer.position.x, newcomer.position.y},
        bounded_(world.bounds != nullptr && !newcomer.kinematic),
        room_(bounded_ ? RoomFor(*world.bounds, newcomer.radius) : Bounds{}) {}

  std::optional<InTheWay> Find() {
    if (bounded_ && !Holds(room_, newcomer_.position)) return InTheWay{};
    if (const ObstacleId id = BlockingAt(newcomer_.position); id != kInvalidId) {
      return InTheWay{InTheWay::Kind::kObstacle, id};
    }
    std::optional<std::pair<double, AgentId>> nearest;
    VisitCircles(0.0, [&](AgentId id, const Circle& circle) {
      const double distance = Length(circle.center.x - at_.x, circle.center.y - at_.y);
      if (!Overlaps(circle, at_)) return;
      const std::pair<double, AgentId> found{distance, id};
      if (!nearest || found < *nearest) nearest = found;
    });
    if (!nearest) return std::nullopt;
    return InTheWay{InTheWay::Kind::kAgent, nearest->second};
  }

  std::optional<Vec2> FindPlace(double distance) {
    for (double reach = std::max(4.0 * newcomer_.radius, 1.0);; reach *= 2.0) {
      limit_ = std::min(reach, distance);
      FindFeatures();
      const bool all = limit_ < std::min(reach, distance) || reach >= distance;
      MakeCandidates();
      std::sort(candidates_.begin(), candidates_.end());
      for (const Candidate& candidate : candidates_) {
        if (IsFree(candidate.place)) return candidate.place;
      }
      if (all) return std::nullopt;
    }
  }

 private:
  bool Meets(const Sight& other) const { return Sees(newcomer_.sight, other) || Sees(other, newcomer_.sight); }

  // visit(id, circle) for all that the position, or a place within `reach` of it, may be in.
  template <class Visit>
  void VisitCircles(double reach, Visit&& visit) {
    const Bounds box = Bounds::Of(newcomer_.position.x, newcomer_.position.y)
                           .Widened(Wide(reach + newcomer_.radius, newcomer_.position));
    const auto consider = [&](AgentId id, Vec2d center, float radius, const Sight& sight) {
      const Circle circle{center, double{newcomer_.radius} + double{radius}};
      const double x = center.x - at_.x, y = center.y - at_.y;
      const double far = reach + circle.radius;
      if (x * x + y * y < far * far && Meets(sight)) visit(id, circle);
    };
    const bool keeps_sights = world_.agents.keeps_sights();
    world_.occupancy.VisitDiscs(world_.agents, world_.stepper, box, [&](Index place) {
      const Body& body = world_.agents.body[place];
      consider(world_.agents.id[place], {body.x, body.y}, world_.agents.radius[place],
               keeps_sights ? world_.agents.sight[place] : Sight{});
    });
    for (const ForeseenAgent& agent : world_.foreseen) {
      consider(agent.id, {agent.position.x, agent.position.y}, agent.radius,
               {agent.layer, agent.avoids, agent.z, agent.height});
    }
  }

  static bool Overlaps(const Circle& circle, Vec2d place) {
    const double size = std::max(std::abs(circle.center.x), std::abs(circle.center.y)) + circle.radius;
    const double x = circle.center.x - place.x, y = circle.center.y - place.y;
    const double least = circle.radius - kTouch * size;
    return least > 0.0 && x * x + y * y < least * least;
  }

  ObstacleId BlockingAt(Vec2 place) const {
    if (newcomer_.kinematic) return kInvalidId;
    if (world_.ground != nullptr) return world_.ground->BlockingAt(world_.obstacles, place, &newcomer_.sight);
    for (const auto& [id, obstacle] : world_.obstacles.all()) {
      if (!Ground::Allows(obstacle, place, &newcomer_.sight)) return id;
    }
    return kInvalidId;
  }

  // Precondition: it is within limit_, so that all circles that it may be in are among the features.
  bool IsFree(Vec2 place) const {
    if (bounded_ && !Holds(room_, place)) return false;
    for (const Feature& feature : features_) {
      if (!feature.is_side && Overlaps(feature.circle, {place.x, place.y})) return false;
    }
    return BlockingAt(place) == kInvalidId;
  }

  // Within limit_, which becomes less if they are too many.
  void FindFeatures() {
    features_.clear();
    VisitCircles(limit_, [&](AgentId id, const Circle& circle) {
      const double way = Length(circle.center.x - at_.x, circle.center.y - at_.y);
      features_.push_back({std::max(0.0, way - circle.radius), false, id, 0, circle, {}});
    });
    if (!newcomer_.kinematic) FindSides();
    std::sort(features_.begin(), features_.end());
    if (features_.size() <= kMostFeatures) return;
    limit_ = std::min(limit_, features_[kMostFeatures].distance);
    features_.resize(kMostFeatures);
  }

  void FindSides() {
    const Bounds box = Bounds::Of(newcomer_.position.x, newcomer_.position.y).Widened(Wide(limit_, newcomer_.position));
    world_.obstacle_index.Search(box, [&](EdgeHandle handle) {
      const ObstacleEdge& edge = world_.obstacles.edge(handle);
      if (edge.obstacle == kInvalidId || world_.obstacles.Find(edge.obstacle)->kind == ObstacleKind::kWall) return;
      if (!Sees(newcomer_.sight, world_.obstacles.sight(handle))) return;
      const EdgeFrame frame(edge);
      const double along = std::clamp(frame.Along(at_), 0.0, frame.length);
      const double distance =
          Length(frame.start.x + along * frame.along.x - at_.x, frame.start.y + along * frame.along.y - at_.y);
      if (distance > limit_) return;
      const double off =
          kOff * (std::max(std::abs(frame.start.x), std::abs(frame.start.y)) + frame.length + newcomer_.radius);
      const Vec2d start{frame.start.x + off * frame.front.x, frame.start.y + off * frame.front.y};
      features_.push_back(
          {distance, true, edge.obstacle, edge.index, {}, {start, frame.along, frame.length, kSharpest * off}});
    });
  }

  void MakeCandidates() {
    candidates_.clear();
    for (std::size_t j = 0; j < features_.size(); ++j) {
      const Feature& feature = features_[j];
      feature.is_side ? AddFoot(feature.side) : AddFeet(feature.circle);
      for (std::size_t i = 0; i < j; ++i) AddCrossings(features_[i], feature);
    }
    if (bounded_) AddRoom();
  }

  void AddRoom() {
    Add(at_);
    const double width = double{room_.max_x} - room_.min_x, height = double{room_.max_y} - room_.min_y;
    const Side sides[] = {{{room_.min_x, room_.min_y}, {1.0, 0.0}, width, 0.0},
                          {{room_.min_x, room_.max_y}, {1.0, 0.0}, width, 0.0},
                          {{room_.min_x, room_.min_y}, {0.0, 1.0}, height, 0.0},
                          {{room_.max_x, room_.min_y}, {0.0, 1.0}, height, 0.0}};
    for (const Side& side : sides) {
      for (const Feature& feature : features_) {
        feature.is_side ? AddCrossing(side, feature.side) : AddCrossings(side, feature.circle);
      }
    }
  }

  void AddFoot(const Side& side) {
    const double along = side.Along(at_.x, at_.y);
    if (side.Has(along)) Add(side.At(along));
  }

  // Of who stands in its middle all four along the axes, of which it has more.
  void AddFeet(const Circle& circle) {
    const double x = at_.x - circle.center.x, y = at_.y - circle.center.y;
    const double length = Length(x, y);
    if (length >= circle.radius) return;
    if (length > 0.0) {
      const double scale = circle.radius / length;
      return Add({circle.center.x + scale * x, circle.center.y + scale * y});
    }
    for (const double way : {-circle.radius, circle.radius}) {
      Add({circle.center.x + way, circle.center.y});
      Add({circle.center.x, circle.center.y + way});
    }
  }

  void AddCrossings(const Feature& a, const Feature& b) {
    if (a.is_side && b.is_side) return AddCrossing(a.side, b.side);
    if (a.is_side) return AddCrossings(a.side, b.circle);
    b.is_side ? AddCrossings(b.side, a.circle) : AddCrossings(a.circle, b.circle);
  }

  void AddCrossings(const Circle& a, const Circle& b) {
    const double x = b.center.x - a.center.x, y = b.center.y - a.center.y;
    const double squared = x * x + y * y;
    const double sum = a.radius + b.radius, difference = a.radius - b.radius;
    if (squared == 0.0 || squared > sum * sum || squared < difference * difference) return;
    const double length = std::sqrt(squared);
    const double along = (squared + a.radius * a.radius - b.radius * b.radius) / (2.0 * length);
    const double aside = std::sqrt(std::max(0.0, a.radius * a.radius - along * along));
    const Vec2d unit{x / length, y / length};
    const Vec2d foot{a.center.x + along * unit.x, a.center.y + along * unit.y};
    Add({foot.x - aside * unit.y, foot.y + aside * unit.x});
    Add({foot.x + aside * unit.y, foot.y - aside * unit.x});
  }

  void AddCrossings(const Side& side, const Circle& circle) {
    const double along = side.Along(circle.center.x, circle.center.y);
    const Vec2d foot = side.At(along);
    const double x = foot.x - circle.center.x, y = foot.y - circle.center.y;
    const double half_squared = circle.radius * circle.radius - (x * x + y * y);
    if (half_squared < 0.0) return;
    const double half = std::sqrt(half_squared);
    for (const double where : {along - half, along + half}) {
      if (side.Has(where)) Add(side.At(where));
    }
  }

  void AddCrossing(const Side& a, const Side& b) {
    const double sine = a.along.x * b.along.y - a.along.y * b.along.x;
    if (std::abs(sine) < kParallel) return;
    const double x = b.start.x - a.start.x, y = b.start.y - a.start.y;
    const double on_a = (x * b.along.y - y * b.along.x) / sine, on_b = (x * a.along.y - y * a.along.x) / sine;
    if (a.Has(on_a) && b.Has(on_b)) Add(a.At(on_a));
  }

  void Add(Vec2d where) {
    Vec2 place{static_cast<float>(where.x), static_cast<float>(where.y)};
    if (bounded_) place = Clamped(room_, place);
    if (!(std::abs(place.x) <= kMaxCoordinate && std::abs(place.y) <= kMaxCoordinate)) return;
    const double x = place.x - at_.x, y = place.y - at_.y;
    if (x * x + y * y <= limit_ * limit_) candidates_.push_back({x * x + y * y, place});
  }

  const SpawnView world_;
  const Newcomer newcomer_;
  const Vec2d at_;
  const bool bounded_;
  const Bounds room_;
  double limit_ = 0.0;  // [m] within which places are looked for
  std::vector<Feature> features_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::optional<InTheWay> FindInTheWay(const SpawnView& world, const Newcomer& newcomer) {
  return Spawner(world, newcomer).Find();
}

std::optional<Vec2> FindFreePlace(const SpawnView& world, const Newcomer& newcomer, float distance) {
  return Spawner(world, newcomer).FindPlace(distance);
}

}  // namespace throng
