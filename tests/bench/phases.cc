// throng_bench_phases: each phase of a step by itself, on every SIMD level that the machine has, and the obstacle
// index. Options and JSON are Google Benchmark's (--benchmark_filter, --benchmark_out); times are of the wall clock,
// one thread.
//
//   index/sort      agents sorted by place, and a list of agents nearby to be made for each
//   index/keep      a step between two sorts
//   index/edges     the same in a town, after an obstacle changed: edges near each group found anew
//   solve/sort      neighbours, half-planes and programs, where lists are made
//   solve/keep      where they serve on, as in most steps
//   move            positions, state hash
#include <benchmark/benchmark.h>
#include <oneapi/tbb/task_arena.h>

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "index/obstacle_index.h"
#include "tests/bench/cases.h"
#include "tests/bench/clock.h"
#include "tests/support/scenes.h"
#include "tests/support/speed_scenes.h"
#include "throng/world.h"

namespace {

using throng::AgentId;
using throng::ObstacleSpec;
using throng::Phase;
using throng::SimdLevel;
using throng::World;
using throng::testing::Scene;

constexpr std::size_t kAgents = 10'000;
constexpr int kWarmUp = 20;  // steps
// Fixed, since all phases of a step run to time one of them, and Google Benchmark counts the timed one only.
constexpr int kIterations = 20;
constexpr int kKept = 4;  // steps after a sort that keep its order: fewer than any scene here needs for the next

// [s] by phase.
using PhaseTimes = std::array<double, 5>;
double& At(PhaseTimes& times, Phase phase) { return times[static_cast<std::size_t>(phase)]; }

PhaseTimes TimedStep(World& world) {
  PhaseTimes times{};
  if (!world.BeginStep().ok()) std::abort();
  while (world.phase() != Phase::kIdle) {
    const Phase phase = world.phase();
    const double begin = throng::bench::Now(CLOCK_THREAD_CPUTIME_ID);
    world.Advance(std::numeric_limits<std::size_t>::max());
    At(times, phase) += (throng::bench::Now(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e-9;
  }
  return times;
}

std::unique_ptr<World> WarmWorld(const Scene& scene) {
  auto world = World::Create(scene.settings);
  if (!world.ok()) std::abort();
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    if (!(*world)->AddObstacle(obstacle).ok()) std::abort();
  }
  for (const throng::AgentSpec& agent : scene.agents) {
    if (!(*world)->AddAgent(agent).ok()) std::abort();
  }
  for (int i = 0; i < kWarmUp; ++i) TimedStep(**world);
  return *std::move(world);
}

// An agent leaves and comes back as it was, so that the next step sorts.
void ForceSort(World& world) {
  const throng::AgentState state = *world.GetAgent(AgentId{1});
  throng::AgentSpec spec{state.id, state.position, state.velocity, state.preferred_velocity, {}};
  if (!world.RemoveAgent(state.id).ok() || !world.AddAgent(spec).ok()) std::abort();
}

void ChangeObstacle(World& world, const Scene& scene) {
  const ObstacleSpec& obstacle = scene.obstacles.back();
  if (!world.RemoveObstacle(*obstacle.id).ok() || !world.AddObstacle(obstacle).ok()) std::abort();
}

void SetAgentTime(benchmark::State& state) {
  state.counters["agent"] = benchmark::Counter(
      static_cast<double>(kAgents), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void SortedStep(benchmark::State& state, const Scene& scene, Phase phase) {
  const auto world = WarmWorld(scene);
  for (auto _ : state) {
    ForceSort(*world);
    PhaseTimes times = TimedStep(*world);
    state.SetIterationTime(At(times, phase));
    for (int i = 0; i < kKept; ++i) TimedStep(*world);
  }
  SetAgentTime(state);
}

void KeptStep(benchmark::State& state, const Scene& scene, Phase phase) {
  const auto world = WarmWorld(scene);
  for (auto _ : state) {
    ForceSort(*world);
    TimedStep(*world);
    double sum = 0.0;
    for (int i = 0; i < kKept; ++i) {
      PhaseTimes times = TimedStep(*world);
      sum += At(times, phase);
    }
    state.SetIterationTime(sum / kKept);
  }
  SetAgentTime(state);
}

void EditedStep(benchmark::State& state, const Scene& scene) {
  const auto world = WarmWorld(scene);
  for (auto _ : state) {
    ForceSort(*world);
    TimedStep(*world);
    ChangeObstacle(*world, scene);
    PhaseTimes times = TimedStep(*world);
    state.SetIterationTime(At(times, Phase::kIndex));
  }
  SetAgentTime(state);
}

// Time of one edge, over all of them.
void InsertEdges(benchmark::State& state, std::size_t edges) {
  const std::vector<ObstacleSpec> blocks = throng::testing::BlocksAround(0.0f, edges);
  for (auto _ : state) {
    throng::ObstacleIndex index;
    throng::EdgeHandle handle = 0;
    for (const ObstacleSpec& block : blocks) {
      for (std::size_t i = 0; i < block.vertices.size(); ++i) {
        index.Insert(handle++, block.vertices[i], block.vertices[(i + 1) % block.vertices.size()]);
      }
    }
    benchmark::DoNotOptimize(index.empty());
  }
  state.counters["edge"] = benchmark::Counter(
      static_cast<double>(edges), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void Register(const std::string& name, const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->Iterations(kIterations)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

void RegisterPhases(const std::string& scene_name, SimdLevel level) {
  const auto scene =
      std::make_shared<const Scene>(std::move(throng::bench::MakeScenes({scene_name, kAgents, level}).front()));
  const std::string end = "/" + scene_name + "/" + std::string(throng::Name(level));
  const auto add = [&](const char* name, auto* run, Phase phase) {
    Register(name + end, [scene, run, phase](benchmark::State& state) { run(state, *scene, phase); });
  };
  add("index/sort", SortedStep, Phase::kIndex);
  add("index/keep", KeptStep, Phase::kIndex);
  add("solve/sort", SortedStep, Phase::kSolve);
  add("solve/keep", KeptStep, Phase::kSolve);
  add("move", KeptStep, Phase::kMove);
  if (scene->obstacles.empty()) return;
  Register("index/edges" + end, [scene](benchmark::State& state) { EditedStep(state, *scene); });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const SimdLevel level : throng::AvailableSimdLevels()) {
    RegisterPhases("crossing-25", level);
    RegisterPhases("crossing-60", level);
    RegisterPhases("town", level);
  }
  for (const std::size_t edges : {std::size_t{40'000}, std::size_t{400'000}}) {
    benchmark::RegisterBenchmark(("edges/insert/" + std::to_string(edges)).c_str(), [edges](benchmark::State& state) {
      InsertEdges(state, edges);
    })->Unit(benchmark::kMicrosecond);
  }
  tbb::task_arena(1).execute([] { benchmark::RunSpecifiedBenchmarks(); });
  benchmark::Shutdown();
  return 0;
}
