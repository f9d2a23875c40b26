// Containment, engine against twin: the same bits, and no centre of an agent crosses an edge that it has before it,
// nor any disc leaves the world's bounds, whatever the crowd, the input, the step or the edits. THRONG_CONTAIN_STEPS
// says how many agent-steps; ctest runs half a million, and many under the label `long`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "tests/differential/compare.h"
#include "tests/differential/edits.h"
#include "tests/differential/foretold.h"

namespace throng::testing {
namespace {

std::uint64_t StepsToTry() {
  const char* text = std::getenv("THRONG_CONTAIN_STEPS");
  return text == nullptr ? 500'000 : std::strtoull(text, nullptr, 10);
}

// Exact for floats of like size: products of their differences have fewer than 113 bits.
using Exact = __float128;

Exact Turn(Vec2 a, Vec2 b, Vec2 c) {
  return (Exact{b.x} - a.x) * (Exact{c.y} - a.y) - (Exact{b.y} - a.y) * (Exact{c.x} - a.x);
}

// Whether the way from p, before the edge, reaches it or passes it. Who begins on the line has no side.
bool Crosses(Vec2 p, Vec2 q, Vec2 start, Vec2 end) {
  const Exact before = Turn(start, end, p), after = Turn(start, end, q);  // negative: in front
  const double size = double{std::max({std::abs(start.x), std::abs(start.y), std::abs(p.x), std::abs(p.y)})};
  const double length = std::hypot(double{end.x} - start.x, double{end.y} - start.y);
  if (before >= -1e-13 * (size + length) * length || after < 0) return false;
  const Exact a = Turn(p, q, start), b = Turn(p, q, end);
  return (a <= 0 && b >= 0) || (a >= 0 && b <= 0);
}

struct Directed {
  Vec2 start, end;
  std::uint32_t layer;
  std::optional<HeightBand> band;
};

bool Sees(const AgentParams& agent, const Directed& edge) {
  if ((agent.avoids & edge.layer) == 0) return false;
  return !edge.band || (agent.z <= edge.band->z + edge.band->height && edge.band->z <= agent.z + agent.height);
}

std::vector<Directed> EdgesOf(const World& world) {
  std::vector<Directed> edges;
  for (const ObstacleId id : world.obstacle_ids()) {
    const ObstacleState state = world.GetObstacle(id).value();
    const std::size_t count = state.vertices.size();
    const bool wall = state.kind == ObstacleKind::kWall;
    const auto add = [&](Vec2 start, Vec2 end) { edges.push_back({start, end, state.layer, state.band}); };
    for (std::size_t i = 0; i + 1 < count; ++i) {
      add(state.vertices[i], state.vertices[i + 1]);
      if (wall) add(state.vertices[i + 1], state.vertices[i]);
    }
    if (!wall) add(state.vertices.back(), state.vertices.front());
  }
  return edges;
}

std::map<AgentId, Vec2> PlacesOf(const World& world) {
  std::map<AgentId, Vec2> places;
  for (const AgentId id : world.membership()->ids) places[id] = world.GetAgent(id)->position;
  return places;
}

struct Options {
  Vec2 center;
  float extent;  // [m]
  float time_step;
  std::size_t agents;
  bool edits;
  bool sights = false;  // not everyone sees all
  bool bounds = false;
};

Scene HostileScene(const Options& options, std::uint64_t seed) {
  Random random(seed);
  Scene scene;
  scene.settings.time_step = options.time_step;
  scene.settings.preset = Preset::kBase;
  scene.settings.motion.containment = true;
  scene.settings.parallel_grain = 1;
  const auto add = [&](ObstacleKind kind, const std::vector<Vec2>& vertices) {
    scene.obstacles.push_back({static_cast<ObstacleId>(scene.obstacles.size() + 1), kind, vertices});
  };
  const auto at = [&](float x, float y) {
    return Vec2{options.center.x + x * options.extent, options.center.y + y * options.extent};
  };
  // A room, a comb of acute corners, two walls with a narrow gap, solids that touch, and what chance adds.
  if (options.bounds) {
    scene.settings.bounds = Rectangle{at(-.95f, -.95f), at(.95f, .7f)};
  } else {
    add(ObstacleKind::kEnclosure, {at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)});
  }
  add(ObstacleKind::kWall, {at(-.9f, .5f), at(-.5f, .55f), at(-.9f, .6f), at(-.5f, .62f)});
  const float gap = random.Chance(0.5f) ? 1e-4f : 0.02f;
  add(ObstacleKind::kWall, {at(.1f, -.7f), at(.1f, .1f)});
  add(ObstacleKind::kWall, {at(.1f + gap, -.7f), at(.1f + gap, .1f)});
  add(ObstacleKind::kSolid, {at(-.6f, -.6f), at(-.3f, -.6f), at(-.3f, -.3f), at(-.6f, -.3f)});
  add(ObstacleKind::kSolid, {at(-.3f, -.6f), at(0, -.45f), at(-.3f, -.3f)});
  for (std::size_t i = random.Below(8); i > 0; --i) {
    const ObstacleSpec spec = RandomObstacle(random, options.center, options.extent);
    add(spec.kind, spec.vertices);
  }
  for (std::size_t i = 0; i < options.agents; ++i) {
    AgentSpec agent;
    agent.id = static_cast<AgentId>(i + 1);
    agent.position = random.InBox(at(-1, -1), at(1, 1));
    agent.params.radius = random.Uniform(0.01f, 0.03f) * options.extent;
    agent.params.max_speed = std::min(1000.0f, random.Uniform(0.02f, 0.5f) * options.extent);
    agent.params.neighbor_distance = 0.2f * options.extent;
    const float horizon = random.Chance(0.3f) ? 0.01f : random.Uniform(0.05f, 2.0f);
    agent.params.time_horizon_obstacles = std::max(horizon, options.time_step);
    scene.agents.push_back(agent);
  }
  if (!options.sights) return scene;
  for (AgentSpec& agent : scene.agents) DrawSight(random, agent.params);
  for (ObstacleSpec& obstacle : scene.obstacles) DrawSight(random, obstacle);
  return scene;
}

// By a reckoning of its own. A disc that is wider than the bounds need not fit; see BoundsTest for where it is then.
bool IsInBounds(const Scene& scene, const twin::Agent& agent) {
  if (!scene.settings.bounds) return true;
  const auto& [min, max] = *scene.settings.bounds;
  const Exact radius = agent.params.radius;
  const auto fits = [&](Exact low, Exact high, Exact centre) {
    return high - low < 2 * radius || (centre - radius >= low && centre + radius <= high);
  };
  return fits(min.x, max.x, agent.position.x) && fits(min.y, max.y, agent.position.y);
}

// Every agent for itself and for some steps at full speed, towards walls as likely as not; some along the axes.
void Push(Random& random, const std::vector<std::unique_ptr<World>>& worlds, twin::Twin& twin, float part) {
  InputEdit edit;
  for (const AgentId id : worlds[0]->membership()->ids) {
    if (!random.Chance(part)) continue;
    const Vec2 way = random.Chance(0.3f) ? AtTurns(0.25 * static_cast<double>(random.Below(4))) : random.UnitVector();
    edit.ids.push_back(id);
    edit.x.push_back(1e6f * way.x);
    edit.y.push_back(1e6f * way.y);
  }
  for (const auto& world : worlds) Apply(edit, *world);
  Apply(edit, twin);
}

std::uint64_t Try(const Options& options, std::uint64_t seed, int steps) {
  const Scene scene = HostileScene(options, seed);
  const auto worlds = MakeWorldsOfEachLevel(scene);
  twin::Twin twin = MakeTwin(scene);
  Random random(seed + 1);
  Editor editor(scene, seed, {.sights = options.sights});
  std::uint64_t tried = 0;
  for (int step = 1; step <= steps; ++step) {
    if (options.edits && random.Chance(0.2f)) {
      for (const Edit& edit : editor.Next()) {
        for (const auto& world : worlds) Apply(edit, *world);
        Apply(edit, twin);
      }
    }
    Push(random, worlds, twin, random.Chance(0.3f) ? 1.0f : 0.1f);
    const std::vector<Directed> edges = EdgesOf(*worlds[0]);
    const std::map<AgentId, Vec2> before = PlacesOf(*worlds[0]);
    std::map<AgentId, bool> stood;
    const auto walkable = [&](AgentId id, Vec2 place) {
      return twin::IsWalkable(place, twin.Seen(twin.agent(id).params), twin.kinds());
    };
    for (const auto& [id, place] : before) stood[id] = IsInBounds(scene, twin.agent(id)) && walkable(id, place);
    const Foretold foretold(*worlds.back(), 1, random);
    twin.Step();
    for (const auto& world : worlds) StepIn(*world, {random.Chance(0.2f) ? 3 : 1, random.Chance(0.2f) ? 100u : 0u});
    foretold.Expect(*worlds.back());
    for (const auto& world : worlds) {
      const bool same = world->stats().cut == twin.counters().cut &&
                        world->stats().recovered == twin.counters().recovered &&
                        world->stats().stranded == twin.counters().stranded && world->StateHash() == twin.StateHash();
      if (same) continue;
      ADD_FAILURE() << LevelOf(*world) << " step " << step << ": " << FirstDifference(*world, twin).value_or("hash");
      return tried;
    }
    const auto lost =
        static_cast<std::uint64_t>(std::count_if(stood.begin(), stood.end(), [](auto& s) { return !s.second; }));
    EXPECT_EQ(worlds[0]->stats().recovered + worlds[0]->stats().stranded, lost);
    for (const auto& [id, place] : PlacesOf(*worlds[0])) {
      const Vec2 from = before.at(id);
      if (!twin.agent(id).stranded && !walkable(id, place)) {
        ADD_FAILURE() << "step " << step << ": agent " << id << " stands on no walkable ground";
        return tried;
      }
      EXPECT_TRUE(!twin.agent(id).stranded || options.bounds || place == from);
      EXPECT_TRUE(IsInBounds(scene, twin.agent(id))) << "step " << step << ": agent " << id;
      ++tried;
      if (!stood.at(id)) continue;
      for (const Directed& edge : edges) {
        if (!Sees(twin.agent(id).params, edge) || !Crosses(from, place, edge.start, edge.end)) continue;
        ADD_FAILURE() << "step " << step << ": agent " << id << " from " << from.x << " " << from.y << " to " << place.x
                      << " " << place.y << " crosses " << edge.start.x << " " << edge.start.y << " - " << edge.end.x
                      << " " << edge.end.y;
        return tried;
      }
    }
  }
  return tried;
}

TEST(ContainTest, NoCentreCrossesAnEdge) {
  const std::vector<Options> kinds = {
      {{0, 0}, 10, 1.0f / 30, 60, false},
      {{300, -200}, 20, 0.1f, 80, true},
      {{0, 0}, 5, 1.0f, 60, true},
      {{1e6f, -1e6f}, 300, 0.5f, 60, true},
      {{40'000, 3}, 50, 0.001f, 60, false},
      {{0, 0}, 1'000, 1.0f, 60, false},
      {{7, 7}, 0.01f, 0.1f, 60, true},
      {{5, 5}, 12, 0.1f, 80, true, true},
      {{0, 0}, 10, 1.0f / 30, 60, true, false, true},
      {{-300, 2}, 30, 1.0f, 60, true, true, true},
      {{1e6f, 1e6f}, 200, 0.5f, 60, true, false, true},
  };
  std::uint64_t tried = 0, seed = 1;
  while (tried < StepsToTry()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    tried += Try(kinds[seed % kinds.size()], seed, 100);
    if (HasFailure()) return;
    ++seed;
  }
}

TEST(ContainTest, SameBitsAsTheTwinInATown) {
  Scene scene = Town(400, 5, 1);
  scene.settings.motion.containment = true;
  const auto worlds = MakeWorldsOfEachLevel(scene);
  twin::Twin twin = MakeTwin(scene);
  for (int step = 1; step <= 200; ++step) {
    twin.Step();
    for (const auto& world : worlds) {
      StepIn(*world, {step % 3 + 1, 0});
      ASSERT_EQ(world->StateHash(), twin.StateHash()) << LevelOf(*world) << ": " << *FirstDifference(*world, twin);
    }
  }
}

}  // namespace
}  // namespace throng::testing
