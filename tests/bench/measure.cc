#include "tests/bench/measure.h"

#include <oneapi/tbb/task_arena.h>
#include <time.h>

#include <algorithm>

#include "tests/support/crowd.h"
#include "tests/support/speed_scenes.h"

namespace throng::bench {
namespace {

using testing::Crowd;
using testing::CrowdKind;

constexpr int kTurn = 10;  // steps

double Now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Time that `steps` steps take, inside the arena, so that entering it is not measured.
double TimeSteps(tbb::task_arena& arena, Crowd& crowd, int steps, clockid_t clock) {
  double spent = 0.0;
  arena.execute([&] {
    const double begin = Now(clock);
    for (int i = 0; i < steps; ++i) crowd.Step();
    spent = Now(clock) - begin;
  });
  return spent;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

}  // namespace

const std::vector<std::string>& SceneNames() {
  static const std::vector<std::string> names = {"crossing-25", "crossing-60", "crossing-5", "town"};
  return names;
}

testing::Scene MakeScene(std::string_view name, std::size_t agents) {
  if (name == "town") return testing::StreetTown(agents);
  float cover = 0.25f;
  if (name == "crossing-60") cover = 0.60f;
  if (name == "crossing-5") cover = 0.05f;
  return testing::Crossing({.agents = agents, .cover = cover, .shuffle_ids = true});
}

Row Measure(const Case& measured) {
  const clockid_t clock = measured.threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  Row row{.measured = measured, .clock = measured.threads == 1 ? "thread-cpu" : "wall"};
  testing::Scene scene = MakeScene(measured.scene, measured.agents);
  scene.settings.simd_level = measured.level;
  tbb::task_arena engine_arena(measured.threads);
  tbb::task_arena twin_arena(1);
  std::vector<double> engine_ns;
  std::vector<double> twin_ns;
  for (int repeat = 0; repeat < measured.repeats; ++repeat) {
    const auto engine = MakeCrowd(CrowdKind::kEngine, scene);
    const auto twin = MakeCrowd(CrowdKind::kTwin, scene);
    TimeSteps(engine_arena, *engine, kWarmUpSteps, clock);
    TimeSteps(twin_arena, *twin, kWarmUpSteps, clock);
    double engine_time = 0.0;
    double twin_time = 0.0;
    for (int done = 0; done < measured.steps; done += kTurn) {
      const int turn = std::min(kTurn, measured.steps - done);
      engine_time += TimeSteps(engine_arena, *engine, turn, clock);
      twin_time += TimeSteps(twin_arena, *twin, turn, clock);
    }
    const double agent_steps = static_cast<double>(measured.agents) * measured.steps;
    engine_ns.push_back(engine_time / agent_steps);
    twin_ns.push_back(twin_time / agent_steps);
    row.engine_hash = engine->StateHash();
    row.twin_hash = twin->StateHash();
  }
  row.engine_ns = Median(engine_ns);
  row.twin_ns = Median(twin_ns);
  return row;
}

}  // namespace throng::bench
