#include "tests/support/speed_scenes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/random.h"

namespace throng::testing {
namespace {

constexpr float kSpeed = 1.3f;   // [m/s] preferred
constexpr float kStreet = 3.0f;  // [m] wide
constexpr float kBlock = 3.7f;   // [m] side: with the street, 25 % of the streets are under ten agents a block
constexpr float kPitch = kStreet + kBlock;
// Places for agents in a street, of which some stay empty: two lanes, and so far apart that agents of radius 0.5 which
// are off their place by kPlaceJitter neither overlap nor touch a block.
constexpr float kPlace = 1.5f;
constexpr float kPlaceJitter = 0.2f;
// [m] that no agent covers and sees: 220 steps of 1/30 s at 2 m/s, and the range of 2.5 m.
constexpr float kOutOfRange = 20.0f;

std::size_t SideOf(std::size_t count) {
  return static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
}

// Off the rectangle's corners inwards, so that edges are not parallel and streets only get wider.
std::vector<Vec2> AskewBlock(Vec2 low, Random& random) {
  constexpr float kAskew = 0.3f;
  const Vec2 high{low.x + kBlock, low.y + kBlock};
  const auto inwards = [&] { return random.InBox({0.0f, 0.0f}, {kAskew, kAskew}); };
  const Vec2 a = inwards();
  const Vec2 b = inwards();
  const Vec2 c = inwards();
  const Vec2 d = inwards();
  return {{low.x + a.x, low.y + a.y},
          {high.x - b.x, low.y + b.y},
          {high.x - c.x, high.y - c.y},
          {low.x + d.x, high.y - d.y}};
}

void AddAgent(Scene& scene, Vec2 position, Vec2 heading) {
  AgentSpec spec;
  spec.position = position;
  spec.velocity = {kSpeed * heading.x, kSpeed * heading.y};
  spec.preferred_velocity = spec.velocity;
  scene.agents.push_back(spec);
}

void ShuffleIds(Scene& scene, Random& random) {
  std::vector<AgentId> ids(scene.agents.size());
  std::iota(ids.begin(), ids.end(), AgentId{1});
  random.Shuffle(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) scene.agents[i].id = ids[i];
}

struct Place {
  Vec2 position;
  bool along_x;  // the way of its street
};

// All places in streets between blocks in `columns` and `rows`: streets along x from end to end, of those along y the
// parts between.
std::vector<Place> StreetPlaces(std::size_t columns, std::size_t rows) {
  constexpr float kLanes[] = {0.5f * kPlace, 1.5f * kPlace};
  constexpr float kFirst = kStreet + 0.5f * (kBlock - kPlace);  // of the two beside a block
  std::vector<Place> places;
  const float width = static_cast<float>(columns) * kPitch + kStreet;
  for (std::size_t row = 0; row <= rows; ++row) {
    const float y = static_cast<float>(row) * kPitch;
    for (float x = 0.5f * kPlace; x < width - 0.5f * kPlace; x += kPlace) {
      for (const float lane : kLanes) places.push_back({{x, y + lane}, true});
    }
    if (row == rows) break;
    for (std::size_t column = 0; column <= columns; ++column) {
      const float x = static_cast<float>(column) * kPitch;
      for (const float lane : kLanes) {
        places.push_back({{x + lane, y + kFirst}, false});
        places.push_back({{x + lane, y + kFirst + kPlace}, false});
      }
    }
  }
  return places;
}

}  // namespace

std::vector<ObstacleSpec> BlocksAround(float clear, std::size_t edges, std::uint64_t seed) {
  Random random(seed);
  std::vector<ObstacleSpec> blocks;
  const std::size_t count = edges / 4;
  // The smallest lattice around the square that has room for all.
  const auto hole = static_cast<std::size_t>(std::ceil(2.0f * clear / kPitch)) + 1;
  std::size_t side = std::max(hole + 2, SideOf(hole * hole + count));
  side += (side - hole) % 2;
  const std::size_t rim = (side - hole) / 2;
  const float low = -0.5f * static_cast<float>(side) * kPitch + 0.5f * kStreet;
  for (std::size_t i = 0; i < side * side && blocks.size() < count; ++i) {
    const std::size_t column = i % side;
    const std::size_t row = i / side;
    if (column >= rim && column < rim + hole && row >= rim && row < rim + hole) continue;
    const Vec2 corner{low + static_cast<float>(column) * kPitch, low + static_cast<float>(row) * kPitch};
    const auto id = static_cast<ObstacleId>(blocks.size() + 1);
    blocks.push_back({id, ObstacleKind::kSolid, AskewBlock(corner, random)});
  }
  return blocks;
}

Scene StreetTown(std::size_t agents, std::uint64_t seed) {
  Random random(seed);
  Scene scene;
  scene.settings = CrossingSettings();
  const std::size_t blocks = std::max<std::size_t>(1, agents / 10);
  const std::size_t columns = SideOf(blocks);
  const std::size_t rows = (blocks + columns - 1) / columns;
  const Vec2 end{static_cast<float>(columns) * kPitch + kStreet, static_cast<float>(rows) * kPitch + kStreet};
  scene.obstacles.push_back({1, ObstacleKind::kEnclosure, {{0.0f, 0.0f}, {end.x, 0.0f}, end, {0.0f, end.y}}});
  for (std::size_t i = 0; i < blocks; ++i) {
    const Vec2 low{kStreet + kPitch * static_cast<float>(i % columns),
                   kStreet + kPitch * static_cast<float>(i / columns)};
    const auto id = static_cast<ObstacleId>(scene.obstacles.size() + 1);
    scene.obstacles.push_back({id, ObstacleKind::kSolid, AskewBlock(low, random)});
  }
  std::vector<Place> places = StreetPlaces(columns, rows);
  random.Shuffle(places);
  for (std::size_t i = 0; i < agents; ++i) {
    const Vec2 off = random.InBox({-kPlaceJitter, -kPlaceJitter}, {kPlaceJitter, kPlaceJitter});
    const float way = random.Chance(0.5f) ? 1.0f : -1.0f;
    const Place& place = places[i];
    AddAgent(scene, {place.position.x + off.x, place.position.y + off.y},
             place.along_x ? Vec2{way, 0.0f} : Vec2{0.0f, way});
  }
  ShuffleIds(scene, random);
  return scene;
}

Scene CrossingBesideEdges(std::size_t agents, std::size_t edges, std::uint64_t seed) {
  Scene scene = Crossing({.agents = agents, .shuffle_ids = true, .seed = seed});
  float side = 0.0f;
  for (const AgentSpec& agent : scene.agents) side = std::max({side, agent.position->x, agent.position->y});
  for (AgentSpec& agent : scene.agents) {
    agent.position = Vec2{agent.position->x - 0.5f * side, agent.position->y - 0.5f * side};
  }
  scene.obstacles = BlocksAround(0.5f * side + kOutOfRange, edges, seed);
  return scene;
}

Scene OnePoint(std::size_t agents, std::uint64_t seed) {
  Random random(seed);
  Scene scene;
  scene.settings = CrossingSettings();
  for (std::size_t i = 0; i < agents; ++i) AddAgent(scene, {}, random.UnitVector());
  ShuffleIds(scene, random);
  return scene;
}

Scene Line(std::size_t agents, std::uint64_t seed) {
  constexpr float kApart = 1.5f;
  Random random(seed);
  Scene scene;
  scene.settings = CrossingSettings();
  const float first = -0.5f * kApart * static_cast<float>(agents);
  for (std::size_t i = 0; i < agents; ++i) {
    AddAgent(scene, {first + kApart * static_cast<float>(i), 0.0f}, random.UnitVector());
  }
  ShuffleIds(scene, random);
  return scene;
}

Scene TightClusters(std::size_t agents, std::size_t clusters, std::uint64_t seed) {
  constexpr float kRadius = 2.0f;
  Random random(seed);
  Scene scene;
  scene.settings = CrossingSettings();
  const float extent = 0.5f * std::sqrt(static_cast<float>(agents) * 3.14159265f);  // 25 % under radius 0.5
  std::vector<Vec2> centers(clusters);
  for (Vec2& center : centers) center = random.InBox({-extent, -extent}, {extent, extent});
  for (std::size_t i = 0; i < agents; ++i) {
    const Vec2 center = centers[i % clusters];
    const float distance = kRadius * std::sqrt(random.Uniform(0.0f, 1.0f));
    const Vec2 outward = random.UnitVector();
    AddAgent(scene, {center.x + distance * outward.x, center.y + distance * outward.y}, random.UnitVector());
  }
  ShuffleIds(scene, random);
  return scene;
}

Scene FarPair(std::size_t agents, std::uint64_t seed) {
  Scene scene = Crossing({.agents = agents - 1, .shuffle_ids = true, .seed = seed});
  const Vec2 first = *scene.agents.front().position;
  AddAgent(scene, {first.x + 1.0e6f, first.y}, {-1.0f, 0.0f});
  scene.agents.back().id = static_cast<AgentId>(agents);
  return scene;
}

}  // namespace throng::testing
