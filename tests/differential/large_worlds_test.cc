// Worlds large or odd enough that the cadence of sorting, lists, the choice of the index and the split among threads
// matter, engine against twin in every step: at every SIMD level, with one thread and with several, whole and sliced.
// THRONG_LARGE_FACTOR multiplies agents and steps; ctest does so under the label `long`.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/differential/compare.h"
#include "tests/support/random.h"
#include "tests/support/speed_scenes.h"

namespace throng::testing {
namespace {

struct LargeCase {
  std::string name;
  Scene (*make)(std::size_t agents);
  std::size_t agents;
  int steps;
};
void PrintTo(const LargeCase& large, std::ostream* out) { *out << large.name; }

std::size_t Factor() {
  const char* text = std::getenv("THRONG_LARGE_FACTOR");
  return text == nullptr ? 1 : static_cast<std::size_t>(std::atoi(text));
}

template <Shape kShape>
Scene OfShape(std::size_t agents) {
  return RandomCrowd(kShape, agents, 71);
}

// Every agent looks at so many.
template <Shape kShape, std::uint32_t kMost>
Scene WithNeighbors(std::size_t agents) {
  Scene scene = RandomCrowd(kShape, agents, 72);
  for (AgentSpec& agent : scene.agents) {
    agent.params.max_neighbors = kMost;
    if (kMost > 14) agent.params.neighbor_distance = 9.0f;
  }
  return scene;
}

// Neighbour counts that differ from agent to agent, side by side in every vector.
Scene WithAnyNeighbors(std::size_t agents) {
  constexpr std::array<std::uint32_t, 7> kMost = {0, 1, 14, 15, 32, 64, 10};
  Scene scene = Crossing({.agents = agents, .cover = 0.4f, .shuffle_ids = true});
  for (std::size_t i = 0; i < scene.agents.size(); ++i)
    scene.agents[i].params.max_neighbors = kMost[i * 5 % kMost.size()];
  return scene;
}

// So fast that lists hardly last, and cells are left within few steps.
Scene Fast(std::size_t agents) {
  Scene scene = Crossing({.agents = agents, .cover = 0.1f, .shuffle_ids = true});
  Random random(73);
  for (AgentSpec& agent : scene.agents) {
    agent.params.max_speed = random.Uniform(2.0f, 30.0f);
    const float speed = random.Uniform(0.0f, 30.0f);
    const Vec2 heading = random.UnitVector();
    agent.preferred_velocity = Vec2{speed * heading.x, speed * heading.y};
  }
  return scene;
}

// Small agents that all go to one point: the index takes from the grid to the tree.
Scene Gathering(std::size_t agents) {
  Scene scene = RandomCrowd(Shape::kUniform, agents, 74);
  for (AgentSpec& agent : scene.agents) {
    agent.preferred_velocity = Vec2{-0.15f * agent.position->x, -0.15f * agent.position->y};
    agent.params.radius = 0.02f;
  }
  return scene;
}

// The reverse.
Scene Scattering(std::size_t agents) {
  Scene scene = TightClusters(agents, 4, 75);
  Random random(76);
  for (AgentSpec& agent : scene.agents) {
    agent.params.max_speed = 8.0f;
    const float speed = random.Uniform(0.0f, 8.0f);
    const Vec2 heading = random.UnitVector();
    agent.preferred_velocity = Vec2{speed * heading.x, speed * heading.y};
  }
  return scene;
}

// Two crowds as far from each other as coordinates allow.
Scene TwoCrowds(std::size_t agents) {
  Scene scene = Crossing({.agents = agents, .shuffle_ids = true});
  for (std::size_t i = 0; i < scene.agents.size(); ++i) {
    Vec2& position = *scene.agents[i].position;
    position.x += i % 2 == 0 ? -1.0e6f : 1.0e6f;
    position.y += i % 2 == 0 ? -1.0e6f : 1.0e6f;
  }
  return scene;
}

Scene SlantedLine(std::size_t agents) {
  Scene scene = Line(agents, 77);
  for (AgentSpec& agent : scene.agents) agent.position->y = 0.37f * agent.position->x;
  return scene;
}

// So long and narrow that agents of the next row of cells stand farther off in memory than a list can say.
Scene LongStreet(std::size_t agents) {
  Random random(78);
  Scene scene = Line(agents, 79);
  for (AgentSpec& agent : scene.agents) agent.position = Vec2{0.5f * agent.position->x, random.Uniform(0.0f, 8.0f)};
  return scene;
}

const std::vector<LargeCase>& Cases() {
  static const std::vector<LargeCase> cases = {
      {"Crossing", [](std::size_t n) { return Crossing({.agents = n, .shuffle_ids = true}); }, 10'000, 60},
      {"DenseCrossing", [](std::size_t n) { return Crossing({.agents = n, .cover = 0.6f}); }, 3'000, 120},
      {"SparseCrossing", [](std::size_t n) { return Crossing({.agents = n, .cover = 0.05f}); }, 3'000, 120},
      {"StreetTown", [](std::size_t n) { return StreetTown(n); }, 2'000, 120},
      {"BesideEdges", [](std::size_t n) { return CrossingBesideEdges(n, 400); }, 2'000, 60},
      {"Obstacles", OfShape<Shape::kObstacles>, 1'500, 120},
      {"Uniform", OfShape<Shape::kUniform>, 2'000, 200},
      {"Clustered", OfShape<Shape::kClustered>, 2'500, 150},
      {"Coincident", OfShape<Shape::kCoincident>, 2'000, 200},
      {"Far", OfShape<Shape::kFar>, 2'000, 150},
      {"Mixed", OfShape<Shape::kMixed>, 2'000, 120},
      {"OnePoint", [](std::size_t n) { return OnePoint(n); }, 1'200, 120},
      {"Line", [](std::size_t n) { return Line(n); }, 3'000, 120},
      {"SlantedLine", SlantedLine, 3'000, 120},
      {"TightClusters", [](std::size_t n) { return TightClusters(n, 20); }, 2'000, 100},
      {"ManyClusters", [](std::size_t n) { return TightClusters(n, n / 45); }, 9'000, 20},
      {"LongStreet", LongStreet, 45'000, 5},
      {"FarPair", [](std::size_t) { return FarPair(2); }, 2, 300},
      {"FarAgent", [](std::size_t n) { return FarPair(n); }, 2'000, 100},
      {"TwoCrowds", TwoCrowds, 3'000, 120},
      {"Fast", Fast, 2'000, 150},
      {"Gathering", Gathering, 1'500, 150},
      {"Scattering", Scattering, 2'000, 150},
      {"Neighbors0", WithNeighbors<Shape::kUniform, 0>, 600, 200},
      {"Neighbors1", WithNeighbors<Shape::kUniform, 1>, 600, 200},
      {"Neighbors14", WithNeighbors<Shape::kUniform, 14>, 600, 200},
      {"Neighbors15", WithNeighbors<Shape::kUniform, 15>, 600, 200},
      {"Neighbors32", WithNeighbors<Shape::kUniform, 32>, 600, 120},
      {"Neighbors64", WithNeighbors<Shape::kUniform, 64>, 600, 100},
      {"CoincidentNeighbors14", WithNeighbors<Shape::kCoincident, 14>, 500, 150},
      {"ClusteredNeighbors64", WithNeighbors<Shape::kClustered, 64>, 500, 80},
      {"AnyNeighbors", WithAnyNeighbors, 2'000, 120},
  };
  return cases;
}

class LargeWorldTest : public ::testing::TestWithParam<LargeCase> {};

TEST_P(LargeWorldTest, SameBits) {
  struct Stepped {
    std::unique_ptr<World> world;
    StepMode mode;
  };
  Scene scene = GetParam().make(GetParam().agents * Factor());
  scene.settings.parallel_grain = 1;
  std::vector<Stepped> all;
  for (const SimdLevel level : AvailableSimdLevels()) {
    scene.settings.simd_level = level;
    all.push_back({MakeWorld(scene), {}});
    if (level == BestSimdLevel()) {
      for (const StepMode& mode : {StepMode{4, 0}, StepMode{3, 700}, StepMode{1, 1}}) {
        all.push_back({MakeWorld(scene), mode});
      }
    }
  }
  twin::Twin twin = MakeTwin(scene);
  const int steps = GetParam().steps * static_cast<int>(Factor());
  for (int step = 1; step <= steps; ++step) {
    twin.Step();
    for (const Stepped& stepped : all) {
      StepIn(*stepped.world, stepped.mode);
      if (stepped.world->StateHash() == twin.StateHash() && step != 1 && step != steps) continue;
      const auto difference = FirstDifference(*stepped.world, twin);
      ASSERT_FALSE(difference.has_value())
          << LevelOf(*stepped.world) << ", " << ToString(stepped.mode) << ", step " << step << ": " << *difference;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, LargeWorldTest, ::testing::ValuesIn(Cases()),
                         [](const auto& large) { return large.param.name; });

}  // namespace
}  // namespace throng::testing
