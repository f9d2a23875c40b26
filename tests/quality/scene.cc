#include "tests/quality/scene.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/quality/scenes_json.h"
#include "tests/quality/streets.h"
#include "tests/support/random.h"

namespace throng::quality {
namespace {

using nlohmann::json;
using testing::AtTurns;
using testing::Random;

constexpr double kClosestPacking = 0.9068996821171089;  // part of the plane under discs: pi / sqrt(12)
constexpr double kCrowd = 1.3;                          // closest packings within which a crowd has arrived
constexpr float kFarthest = 300.0f;                     // [m] that a run is moved

Vec2 VecOf(const json& value) { return {value.at(0).get<float>(), value.at(1).get<float>()}; }

std::vector<Vec2> VecsOf(const json& values) {
  std::vector<Vec2> points;
  for (const json& value : values) points.push_back(VecOf(value));
  return points;
}

Vec2 Sum(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }

// A number, or two between which one is drawn.
float Draw(const json& group, const char* key, float unsaid, Random& random) {
  if (!group.contains(key)) return unsaid;
  const json& value = group[key];
  return value.is_array() ? random.Uniform(value.at(0).get<float>(), value.at(1).get<float>()) : value.get<float>();
}

// Places of a group ------------------------------------------------------------------------------------------------

std::vector<Vec2> RingPlaces(const json& group) {
  const auto count = group.at("count").get<std::size_t>();
  const float circle = group.at("circle").get<float>();
  std::vector<Vec2> places;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2 outward = AtTurns(static_cast<double>(i) / static_cast<double>(count));
    places.push_back({circle * outward.x, circle * outward.y});
  }
  return places;
}

std::vector<Vec2> GridPlaces(const json& group) {
  const auto count = group.at("count").get<std::size_t>();
  const auto columns = group.at("columns").get<std::size_t>();
  const std::size_t rows = (count + columns - 1) / columns;
  const Vec2 low = VecOf(group.at("low"));
  const Vec2 high = VecOf(group.at("high"));
  const auto at = [](float from, float to, std::size_t i, std::size_t of) {
    return of < 2 ? 0.5f * (from + to) : from + (to - from) * static_cast<float>(i) / static_cast<float>(of - 1);
  };
  std::vector<Vec2> places;
  for (std::size_t i = 0; i < count; ++i) {
    places.push_back({at(low.x, high.x, i % columns, columns), at(low.y, high.y, i / columns, rows)});
  }
  return places;
}

// Each in a cell of its own, so that none overlap where cells have room.
std::vector<Vec2> ScatterPlaces(const json& group, float radius, Random& random) {
  const auto count = group.at("count").get<std::size_t>();
  const Vec2 low = VecOf(group.at("low"));
  const Vec2 high = VecOf(group.at("high"));
  const float width = high.x - low.x;
  const float height = high.y - low.y;
  const auto columns =
      static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count) * double{width} / double{height})));
  const std::size_t rows = (count + columns - 1) / columns;
  const float cell_x = width / static_cast<float>(columns);
  const float cell_y = height / static_cast<float>(rows);
  const float free_x = std::max(0.0f, 0.5f * cell_x - radius);
  const float free_y = std::max(0.0f, 0.5f * cell_y - radius);
  std::vector<Vec2> places;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2 middle{low.x + cell_x * (static_cast<float>(i % columns) + 0.5f),
                      low.y + cell_y * (static_cast<float>(i / columns) + 0.5f)};
    places.push_back(Sum(middle, random.InBox({-free_x, -free_y}, {free_x, free_y})));
  }
  return places;
}

std::vector<Vec2> PlacesOf(const json& group, Random& random) {
  const std::string layout = group.at("layout");
  if (layout == "ring") return RingPlaces(group);
  if (layout == "grid") return GridPlaces(group);
  if (layout == "scatter") return ScatterPlaces(group, group.value("radius", AgentParams{}.radius), random);
  if (layout == "list") return VecsOf(group.at("positions"));
  return std::vector<Vec2>(group.at("count").get<std::size_t>(), VecOf(group.at("position")));  // "point"
}

// Walkers ------------------------------------------------------------------------------------------------------------

Vec2 GoalOf(const json& goal, Vec2 place, Random& random) {
  if (goal.contains("opposite")) return {-place.x, -place.y};
  if (goal.contains("shift")) return Sum(place, VecOf(goal["shift"]));
  if (goal.contains("point")) return VecOf(goal["point"]);
  return random.InBox(VecOf(goal.at("box").at(0)), VecOf(goal["box"].at(1)));
}

Walker MakeWalker(const json& group, const Pace& pace, Random& random) {
  Walker walker;
  walker.radius = Draw(group, "radius", AgentParams{}.radius, random);
  walker.speed = Draw(group, "speed", pace.speed, random);
  walker.max_speed = std::max(AgentParams{}.max_speed, walker.speed);
  walker.arrival_radius = walker.counts_within = group.value("arrival_radius", 0.1f);
  walker.pass_radius = group.value("pass_radius", std::max(walker.radius, walker.arrival_radius));
  walker.leaves = group.value("leaves", false);
  walker.kinematic = group.value("kinematic", false);
  walker.spec.params.radius = walker.radius;
  walker.spec.params.max_speed = walker.max_speed;
  return walker;
}

void AddStreetWalkers(const Scene& scene, const json& group, const Pace& pace, Random& random, Play& play) {
  const Streets streets(scene.data.at("town"));
  for (const Streets::Trip& trip : streets.DrawTrips(group.at("count").get<std::size_t>(), random)) {
    Walker walker = MakeWalker(group, pace, random);
    walker.spec.position = trip.start;
    walker.route = trip.route;
    walker.has_goal = true;
    play.walkers.push_back(walker);
  }
}

void AddGroup(const json& group, const Pace& pace, bool shaken, Random& random, Play& play) {
  const float jitter = shaken ? group.value("jitter", 0.0f) : 0.0f;
  const std::vector<Vec2> way = VecsOf(group.value("way", json::array()));
  for (const Vec2 place : PlacesOf(group, random)) {
    Walker walker = MakeWalker(group, pace, random);
    walker.spec.position = place;
    if (jitter > 0.0f) walker.spec.position = Sum(place, random.InBox({-jitter, -jitter}, {jitter, jitter}));
    if (group.contains("goal")) {
      const json& goal = group["goal"];
      walker.has_goal = true;
      if (goal.contains("follow")) {
        walker.leader = 0;
        walker.offset = place;  // the leader begins at (0, 0)
      } else {
        walker.route = way;
        walker.route.push_back(GoalOf(goal, place, random));
      }
      walker.crowd = goal.value("crowd", false);
    }
    play.walkers.push_back(walker);
  }
}

std::vector<ObstacleSpec> ObstaclesOf(const json& data) {
  std::vector<ObstacleSpec> obstacles;
  if (data.contains("town")) obstacles = Streets(data["town"]).Obstacles();
  for (const json& obstacle : data.value("obstacles", json::array())) {
    const bool wall = obstacle.at("kind") == "wall";
    obstacles.push_back(
        {std::nullopt, wall ? ObstacleKind::kWall : ObstacleKind::kSolid, VecsOf(obstacle.at("vertices"))});
  }
  for (std::size_t i = 0; i < obstacles.size(); ++i) obstacles[i].id = static_cast<ObstacleId>(i + 1);
  return obstacles;
}

// A run's own view ---------------------------------------------------------------------------------------------------

class Placement {
 public:
  Placement(std::uint64_t run, Random& random) {
    if (run == 0) return;
    constexpr std::array<double, 9> kDegrees = {7, 23, 45, 61, 90, 133, 180, 222, 301};
    const double turns = run <= kDegrees.size() ? kDegrees[run - 1] / 360.0 : double{random.Uniform(0.0f, 1.0f)};
    const Vec2 axis = AtTurns(turns);
    cos_ = double{axis.x};
    sin_ = double{axis.y};
    offset_ = random.InBox({-kFarthest, -kFarthest}, {kFarthest, kFarthest});
  }
  Vec2 Turn(Vec2 v) const {
    return {static_cast<float>(cos_ * double{v.x} - sin_ * double{v.y}),
            static_cast<float>(sin_ * double{v.x} + cos_ * double{v.y})};
  }
  Vec2 Put(Vec2 p) const {
    return {static_cast<float>(cos_ * double{p.x} - sin_ * double{p.y} + double{offset_.x}),
            static_cast<float>(sin_ * double{p.x} + cos_ * double{p.y} + double{offset_.y})};
  }

 private:
  double cos_ = 1.0, sin_ = 0.0;
  Vec2 offset_;
};

void Put(const Placement& placement, Play& play) {
  for (ObstacleSpec& obstacle : play.obstacles) {
    for (Vec2& vertex : obstacle.vertices) vertex = placement.Put(vertex);
  }
  if (play.opening) play.opening = Edge{placement.Put(play.opening->a), placement.Put(play.opening->b)};
  for (Walker& walker : play.walkers) {
    walker.spec.position = placement.Put(*walker.spec.position);
    for (Vec2& point : walker.route) point = placement.Put(point);
    walker.offset = placement.Turn(walker.offset);
  }
  play.center = placement.Put({});
}

// Ids by lot, so that nothing rests on who comes first.
void Number(bool shuffled, Random& random, Play& play) {
  std::vector<std::size_t> order(play.walkers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (shuffled) random.Shuffle(order);
  const std::vector<Walker> walkers = play.walkers;
  std::vector<std::size_t> place_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place_of[order[i]] = i;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Walker& walker = play.walkers[i] = walkers[order[i]];
    walker.spec.id = static_cast<AgentId>(i + 1);
    if (walker.leader) walker.leader = place_of[*walker.leader];
  }
}

double RouteLength(const Walker& walker) {
  double length = 0.0;
  Vec2 from = *walker.spec.position;
  for (const Vec2 point : walker.route) {
    length += Distance(from, point);
    from = point;
  }
  return length;
}

void FindScales(Play& play) {
  double squares = 0.0;
  for (const Walker& walker : play.walkers) {
    squares += double{walker.radius} * double{walker.radius};
    if (walker.route.empty()) continue;
    const double way = walker.kinematic ? RouteLength(walker) : Distance(*walker.spec.position, walker.route.back());
    play.free_time = std::max(play.free_time, way / double{walker.speed});
  }
  play.packing_radius = std::sqrt(squares / kClosestPacking);
}

std::vector<Pace> PacesOf(const json& data) {
  if (!data.contains("paces")) return {{0.1f, 1.5f}, {1.0f / 30, 1.5f}};
  if (data["paces"] == "ring") return {{0.1f, 1.5f}, {1.0f / 60, 1.5f}, {0.1f, 0.2f}, {0.005f, 0.2f}};
  std::vector<Pace> paces;
  for (const json& pace : data["paces"]) paces.push_back({pace.at("time_step"), pace.at("speed")});
  return paces;
}

std::optional<double> MaybeOf(const json& data, const char* key) {
  return data.contains(key) ? std::optional<double>(data[key].get<double>()) : std::nullopt;
}

Scene SceneOf(const json& data) {
  Scene scene;
  scene.name = data.at("name");
  scene.about = data.at("about");
  scene.paces = PacesOf(data);
  scene.limit = data.value("limit", 0.0);
  scene.limit_seconds = data.value("limit_s", 0.0);
  scene.rest = data.value("rest", 0.0);
  scene.way = data.value("way", true);
  scene.squeeze = data.value("squeeze", false);
  scene.all_rest = data.value("rests", "arrived") == "all";
  scene.overlap_from = data.value("overlap_from", 0.0);
  const json bounds = data.value("bounds", json::object());
  scene.bounds = {MaybeOf(bounds, "last_over_free"), MaybeOf(bounds, "packing"), MaybeOf(bounds, "parted")};
  scene.data = data;
  for (const json& group : data.at("groups")) {
    scene.agents += group.at("layout") == "list" ? group.at("positions").size() : group.at("count").get<std::size_t>();
  }
  return scene;
}

}  // namespace

absl::StatusOr<std::vector<Scene>> ParseScenes(std::string_view text) {
  std::vector<Scene> scenes;
  try {
    for (const json& data : json::parse(text)) {
      scenes.push_back(SceneOf(data));
      for (const Pace& pace : scenes.back().paces) MakePlay(scenes.back(), pace, 0);  // so that all of it is read
    }
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(scenes.empty() ? "the first scene" : scenes.back().name, ": ", error.what()));
  }
  return scenes;
}

const std::vector<Scene>& Scenes() {
  static const std::vector<Scene> scenes = ParseScenes(kScenesJson).value();
  return scenes;
}

Play MakePlay(const Scene& scene, const Pace& pace, std::uint64_t run) {
  Random random(1 + run);
  Play play;
  play.settings.time_step = pace.time_step;
  play.settings.seed = 1 + run;
  play.settings.parallel_grain = std::numeric_limits<std::size_t>::max();  // runs are played side by side
  play.obstacles = ObstaclesOf(scene.data);
  if (scene.data.contains("opening")) {
    const std::vector<Vec2> ends = VecsOf(scene.data["opening"]);
    play.opening = Edge{ends.at(0), ends.at(1)};
  }
  const Placement placement(run, random);
  std::size_t number = 0;
  for (const json& group : scene.data.at("groups")) {
    const std::size_t first = play.walkers.size();
    if (group.at("layout") == "streets") {
      AddStreetWalkers(scene, group, pace, random, play);
    } else {
      AddGroup(group, pace, run % 2 == 1, random, play);
    }
    for (std::size_t i = first; i < play.walkers.size(); ++i) play.walkers[i].group = number;
    ++number;
  }
  Put(placement, play);
  FindScales(play);
  for (Walker& walker : play.walkers) {
    if (walker.crowd) walker.counts_within = static_cast<float>(kCrowd * play.packing_radius) - walker.radius;
  }
  Number(run > 0, random, play);
  return play;
}

}  // namespace throng::quality
