// Containment, engine against twin: the same bits, and no centre of an agent crosses an edge that it has before it,
// nor any disc leaves the world's bounds, whatever the crowd, the input, the step or the edits: agents that are put
// elsewhere, obstacles that are put on top of agents or moved there, capsules and kinematic agents that push into
// others. THRONG_CONTAIN_STEPS says how many agent-steps; ctest runs half a million, and many under the label `long`.
#include <absl/strings/str_format.h>
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
    if (state.kind == ObstacleKind::kCapsule) continue;  // no move is cut at one
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
  bool moves = false;  // obstacles that move, and kinematic agents
};

// What was tried, so that it is seen to be.
struct Tally {
  std::uint64_t agent_steps = 0;  // of agents that are contained
  std::uint64_t cut = 0;          // moves
  std::uint64_t recovered = 0;    // agents
  std::uint64_t put = 0;          // agents that were put elsewhere
  std::uint64_t moved = 0;        // obstacles, at once
  std::uint64_t pushed = 0;       // agent-steps that end within reach of a capsule
  std::uint64_t put_on = 0;  // polygons that came, or were moved, while the agents that they were put on stood there
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
  for (std::size_t i = options.moves ? 5 : 0; i > 0; --i) {
    ObstacleSpec capsule = RandomCapsule(random, options.center, options.extent);
    capsule.id = static_cast<ObstacleId>(scene.obstacles.size() + 1);
    const float far = options.extent / (100.0f * options.time_step);  // goes so far within a trial
    capsule.velocity = random.InBox({-far, -far}, {far, far});
    scene.obstacles.push_back(capsule);
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
    if (!random.Chance(part) || twin.agent(id).kinematic) continue;
    const Vec2 way = random.Chance(0.3f) ? AtTurns(0.25 * static_cast<double>(random.Below(4))) : random.UnitVector();
    edit.ids.push_back(id);
    edit.x.push_back(1e6f * way.x);
    edit.y.push_back(1e6f * way.y);
  }
  for (const auto& world : worlds) Apply(edit, *world);
  Apply(edit, twin);
}

class Trial {
 public:
  Trial(const Options& options, std::uint64_t seed, Tally& tally)
      : options_(options),
        tally_(tally),
        scene_(HostileScene(options, seed)),
        worlds_(MakeWorldsOfEachLevel(scene_)),
        twin_(MakeTwin(scene_)),
        random_(seed + 1),
        editor_(scene_, seed, {.kinematics = options.moves, .sights = options.sights, .moves = options.moves}) {}

  // Returns whether it held.
  bool Step() {
    if (options_.edits && random_.Chance(0.4f)) ApplyEdits();
    Push(random_, worlds_, twin_, random_.Chance(0.3f) ? 1.0f : 0.1f);
    const std::vector<Directed> edges = EdgesOf(*worlds_[0]);
    const std::map<AgentId, Vec2> before = PlacesOf(*worlds_[0]);
    std::map<AgentId, bool> stood;
    for (const auto& [id, place] : before) stood[id] = IsFree(id, place);
    const Foretold foretold(*worlds_.back(), 1, random_);
    twin_.Step();
    for (const auto& world : worlds_) {
      StepIn(*world, {random_.Chance(0.2f) ? 3 : 1, random_.Chance(0.2f) ? 100u : 0u});
    }
    foretold.Expect(*worlds_.back());
    for (const auto& world : worlds_) {
      if (!IsAsTwin(*world)) return false;
    }
    const auto lost =
        static_cast<std::uint64_t>(std::count_if(stood.begin(), stood.end(), [](auto& s) { return !s.second; }));
    EXPECT_EQ(worlds_[0]->stats().recovered + worlds_[0]->stats().stranded, lost);
    tally_.cut += worlds_[0]->stats().cut;
    tally_.recovered += worlds_[0]->stats().recovered;
    capsules_.clear();
    for (const ObstacleId id : worlds_[0]->obstacle_ids()) {
      ObstacleState state = worlds_[0]->GetObstacle(id).value();
      if (state.kind == ObstacleKind::kCapsule) capsules_.push_back(std::move(state));
    }
    for (const auto& [id, place] : PlacesOf(*worlds_[0])) {
      if (twin_.agent(id).kinematic) continue;
      if (!IsContained(id, before.at(id), place, stood.at(id), edges)) return false;
      ++tally_.agent_steps;
      tally_.pushed += IsAtCapsule(place, twin_.agent(id).params.radius) ? 1 : 0;
    }
    return true;
  }

 private:
  void ApplyEdits() {
    for (const Edit& edit : editor_.Next()) {
      if (const auto* update = std::get_if<UpdateAgentEdit>(&edit)) tally_.put += update->update.position ? 1 : 0;
      if (const auto* move = std::get_if<MoveObstacleEdit>(&edit)) tally_.moved += move->move.translation ? 1 : 0;
      const std::size_t free = PutsPolygon(edit) ? CountFree() : 0;
      for (const auto& world : worlds_) Apply(edit, *world);
      Apply(edit, twin_);
      tally_.put_on += free > 0 && CountFree() < free ? 1 : 0;
    }
  }

  bool IsAtCapsule(Vec2 place, float radius) const {
    for (const ObstacleState& capsule : capsules_) {
      const Vec2 a = capsule.vertices[0], b = capsule.vertices[1];
      const double x = double{b.x} - a.x, y = double{b.y} - a.y, length_squared = x * x + y * y;
      const double along = (double{place.x} - a.x) * x + (double{place.y} - a.y) * y;
      const double part = length_squared > 0.0 ? std::clamp(along / length_squared, 0.0, 1.0) : 0.0;
      const double distance = std::hypot(place.x - (a.x + part * x), place.y - (a.y + part * y));
      if (distance < double{*capsule.radius} + radius) return true;
    }
    return false;
  }

  static bool PutsPolygon(const Edit& edit) {
    return std::holds_alternative<SetObstacleEdit>(edit) || std::holds_alternative<MoveObstacleEdit>(edit);
  }

  std::size_t CountFree() {
    const std::map<AgentId, Vec2> places = PlacesOf(*worlds_[0]);
    return static_cast<std::size_t>(
        std::count_if(places.begin(), places.end(), [&](const auto& at) { return IsFree(at.first, at.second); }));
  }

  bool IsWalkable(AgentId id, Vec2 place) {
    return twin::IsWalkable(place, twin_.Seen(twin_.agent(id).params), twin_.kinds());
  }
  bool IsFree(AgentId id, Vec2 place) {
    const twin::Agent& agent = twin_.agent(id);
    return agent.kinematic || (IsInBounds(scene_, agent) && IsWalkable(id, place));
  }

  bool IsAsTwin(const World& world) {
    const bool same = world.stats().cut == twin_.counters().cut &&
                      world.stats().recovered == twin_.counters().recovered &&
                      world.stats().stranded == twin_.counters().stranded && world.StateHash() == twin_.StateHash();
    if (!same) ADD_FAILURE() << LevelOf(world) << ": " << FirstDifference(world, twin_).value_or("hash");
    return same;
  }

  bool IsContained(AgentId id, Vec2 from, Vec2 place, bool stood, const std::vector<Directed>& edges) {
    const twin::Agent& agent = twin_.agent(id);
    if (!agent.stranded && !IsWalkable(id, place)) {
      ADD_FAILURE() << "agent " << id << " stands on no walkable ground";
      return false;
    }
    EXPECT_TRUE(!agent.stranded || options_.bounds || place == from);
    EXPECT_TRUE(IsInBounds(scene_, agent)) << "agent " << id;
    if (!stood) return true;
    for (const Directed& edge : edges) {
      if (!Sees(agent.params, edge) || !Crosses(from, place, edge.start, edge.end)) continue;
      ADD_FAILURE() << "agent " << id << " from " << from.x << " " << from.y << " to " << place.x << " " << place.y
                    << " crosses " << edge.start.x << " " << edge.start.y << " - " << edge.end.x << " " << edge.end.y;
      return false;
    }
    return true;
  }

  Options options_;
  Tally& tally_;
  Scene scene_;
  std::vector<std::unique_ptr<World>> worlds_;
  twin::Twin twin_;
  Random random_;
  Editor editor_;
  std::vector<ObstacleState> capsules_;  // after the step
};

TEST(ContainTest, NoCentreCrossesAnEdge) {
  const std::vector<Options> kinds = {
      {{0, 0}, 10, 1.0f / 30, 60, false},
      {{300, -200}, 20, 0.1f, 80, true},
      {{0, 0}, 5, 1.0f, 60, true, false, false, true},
      {{1e6f, -1e6f}, 300, 0.5f, 60, true},
      {{40'000, 3}, 50, 0.001f, 60, false},
      {{0, 0}, 1'000, 1.0f, 60, false},
      {{7, 7}, 0.01f, 0.1f, 60, true, false, false, true},
      {{5, 5}, 12, 0.1f, 80, true, true},
      {{0, 0}, 10, 1.0f / 30, 60, true, false, true},
      {{-300, 2}, 30, 1.0f, 60, true, true, true},
      {{1e6f, 1e6f}, 200, 0.5f, 60, true, false, true},
      {{0, 0}, 15, 0.1f, 70, true, false, false, true},
      {{-40, 10}, 10, 1.0f / 30, 60, true, true, false, true},
      {{500, 500}, 20, 0.5f, 60, true, true, true, true},
  };
  Tally tally;
  for (std::uint64_t seed = 1; tally.agent_steps < StepsToTry(); ++seed) {
    Trial trial(kinds[seed % kinds.size()], seed, tally);
    for (int step = 1; step <= 100; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      ASSERT_TRUE(trial.Step());
      ASSERT_FALSE(HasFailure());
    }
  }
  std::string tried;
  const auto expect = [&](const char* what, std::uint64_t count, std::uint64_t least) {
    EXPECT_GE(count, least) << what;
    tried += absl::StrFormat("%s%d %s", tried.empty() ? "" : ", ", count, what);
  };
  // About half of what comes up, and the same part of more.
  const std::uint64_t whole = StepsToTry();
  expect("agent-steps", tally.agent_steps, whole);
  expect("moves cut", tally.cut, whole / 100);
  expect("agents recovered", tally.recovered, whole / 200);
  expect("agents put elsewhere", tally.put, whole / 800);
  expect("obstacles moved", tally.moved, whole / 4'000);
  expect("obstacles put on agents", tally.put_on, whole / 10'000);
  expect("agent-steps at capsules", tally.pushed, whole / 100);
  RecordProperty("tried", tried);
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
