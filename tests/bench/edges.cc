#include "tests/bench/edges.h"

#include <vector>

#include "tests/bench/cases.h"
#include "tests/bench/clock.h"
#include "tests/support/crowd.h"
#include "tests/support/speed_scenes.h"

namespace throng::bench {
namespace {

constexpr std::size_t kEdited = 25;  // obstacles of four edges

// Milliseconds that `work` takes.
template <class Work>
double Time(Work work) {
  const double begin = Now(CLOCK_THREAD_CPUTIME_ID);
  work();
  return (Now(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e-6;
}

// From all over. The first may be an enclosure and is left.
std::vector<ObstacleSpec> EditedOf(const std::vector<ObstacleSpec>& obstacles) {
  std::vector<ObstacleSpec> edited;
  for (std::size_t i = 1; i <= kEdited; ++i) edited.push_back(obstacles[i * (obstacles.size() - 1) / kEdited]);
  return edited;
}

}  // namespace

EdgeTimes TimeEdges(const testing::Scene& scene, int repeats) {
  testing::Scene agents = scene;
  agents.obstacles.clear();
  const std::vector<ObstacleSpec> edited = EditedOf(scene.obstacles);
  std::vector<double> build, add, edit, step;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto crowd = testing::MakeCrowd(testing::CrowdKind::kEngine, agents);
    for (int i = 0; i < 5; ++i) crowd->Step();
    add.push_back(Time([&] {
      for (const ObstacleSpec& obstacle : scene.obstacles) crowd->AddObstacle(obstacle);
    }));
    build.push_back(add.back() + Time([&] { crowd->Step(); }));
    step.push_back(Time([&] { crowd->Step(); }));
    edit.push_back(Time([&] {
      for (const ObstacleSpec& obstacle : edited) crowd->RemoveObstacle(*obstacle.id);
      crowd->Step();
    }));
    edit.push_back(Time([&] {
      for (const ObstacleSpec& obstacle : edited) crowd->AddObstacle(obstacle);
      crowd->Step();
    }));
  }
  return {Median(build), Median(add), Median(edit), Median(step)};
}

BuildRow MeasureBuild(const std::string& scene, SimdLevel level, int repeats) {
  testing::Scene one = testing::Crossing({.agents = 1});
  one.settings.simd_level = level;
  one.obstacles = testing::BlocksAround(20.0f, EdgesOf(scene));
  return {scene, level, EdgesOf(scene), repeats, TimeEdges(one, repeats)};
}

}  // namespace throng::bench
