#include "tests/bench/measure.h"

#include <malloc.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/bench/clock.h"
#include "tests/support/crowd.h"

namespace throng::bench {
namespace {

using testing::Crowd;
using testing::CrowdKind;
using testing::Scene;

constexpr int kTurns = 20;

// Who takes turns: an engine or a twin, on worlds of its own.
class Contestant {
 public:
  Contestant(CrowdKind kind, const std::vector<Scene>& scenes, std::size_t agents, int threads, clockid_t clock)
      : clock_(clock), arena_(threads), threads_(threads), agents_(agents) {
    for (const Scene& scene : scenes) crowds_.push_back(MakeCrowd(kind, scene));
  }

  void WarmUp(int steps) {
    arena_.execute([&] { Step(steps); });
  }
  // Steps until `total` of them are done since the warm-up. The time to enter the arena is not measured.
  void AdvanceTo(int total) {
    arena_.execute([&] {
      const double cpu_begin = Now(CLOCK_PROCESS_CPUTIME_ID);
      const double begin = Now(clock_);
      Step(total - done_);
      spent_ += Now(clock_) - begin;
      cpu_spent_ += Now(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
    });
    done_ = total;
  }

  // Per agent and step, by the clock given, and of all threads' CPU.
  double Nanoseconds() const { return spent_ / (static_cast<double>(agents_) * done_); }
  double CpuNanoseconds() const { return cpu_spent_ / (static_cast<double>(agents_) * done_); }
  std::uint64_t StateHash() const {
    std::uint64_t sum = 0;
    for (const auto& crowd : crowds_) sum += crowd->StateHash();
    return sum;
  }
  double BytesPerAgent() const {
    std::size_t bytes = 0;
    for (const auto& crowd : crowds_) bytes += crowd->MemoryBytes();
    return static_cast<double>(bytes) / static_cast<double>(agents_);
  }
  double EdgesPerAgent() const {
    std::uint64_t edges = 0;
    for (const auto& crowd : crowds_) edges += crowd->EdgeCount();
    return static_cast<double>(edges) / static_cast<double>(agents_);
  }

 private:
  // Worlds one after the other, or as tasks where there are threads.
  void Step(int steps) {
    for (int i = 0; i < steps; ++i) {
      if (threads_ == 1 || crowds_.size() == 1) {
        for (const auto& crowd : crowds_) crowd->Step();
      } else {
        tbb::parallel_for(std::size_t{0}, crowds_.size(), [&](std::size_t world) { crowds_[world]->Step(); });
      }
    }
  }

  clockid_t clock_;
  tbb::task_arena arena_;
  int threads_;
  std::size_t agents_;
  std::vector<std::unique_ptr<Crowd>> crowds_;
  int done_ = 0;
  double spent_ = 0.0;      // [ns]
  double cpu_spent_ = 0.0;  // [ns]
};

double HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// Steps that are done after a turn, of `steps` in all.
int DoneAfter(int turn, int turns, int steps) {
  return static_cast<int>(static_cast<long long>(steps) * (turn + 1) / turns);
}

// One repeat.
class Match {
 public:
  Match(const Case& measured, const std::vector<Scene>& scenes, const std::vector<Scene>& base_scenes, bool with_twin,
        Row& row)
      : measured_(measured),
        row_(row),
        clock_(measured.subject.threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) {
    const double before = HeapBytes();
    engine_ = Enter(CrowdKind::kEngine, scenes, measured.subject);
    const double agents = static_cast<double>(measured.subject.agents);
    row.heap_bytes_per_agent = std::max(row.heap_bytes_per_agent, (HeapBytes() - before) / agents);
    if (measured.base) base_ = Enter(CrowdKind::kEngine, base_scenes, measured.base->subject);
    if (with_twin) twin_ = Enter(CrowdKind::kTwin, scenes, measured.subject);
  }

  void Run() {
    const int turns = std::clamp(measured_.steps, 1, kTurns);
    for (int turn = 0; turn < turns; ++turn) {
      // Whoever comes after another finds its own data gone from the caches, so each comes first in turn.
      for (int i = 0; i < 3; ++i) TakeTurn((turn + i) % 3, turn, turns);
      if (twin_ && turn == TwinTurns(turns) - 1) Check("the twin", *twin_);
      row_.bytes_per_agent = std::max(row_.bytes_per_agent, engine_->BytesPerAgent());
    }
    if (base_ && measured_.base->same_state && measured_.base->steps == measured_.steps) {
      Check("the engine " + measured_.base->what, *base_);
    }
    row_.state_hash = engine_->StateHash();
    row_.edges_in_range = engine_->EdgesPerAgent();
  }

  const Contestant& engine() const { return *engine_; }
  const Contestant* base() const { return base_.get(); }
  const Contestant* twin() const { return twin_.get(); }

 private:
  std::unique_ptr<Contestant> Enter(CrowdKind kind, const std::vector<Scene>& scenes, const Subject& subject) {
    const int threads = kind == CrowdKind::kTwin ? 1 : subject.threads;
    auto contestant = std::make_unique<Contestant>(kind, scenes, subject.agents, threads, clock_);
    contestant->WarmUp(measured_.warm_up);
    return contestant;
  }

  // The twin keeps step with the engine for whole turns.
  int TwinTurns(int turns) const {
    int count = 1;
    while (count < turns && DoneAfter(count - 1, turns, measured_.steps) < measured_.twin_steps) ++count;
    return count;
  }

  void TakeTurn(int who, int turn, int turns) {
    if (who == 0) engine_->AdvanceTo(DoneAfter(turn, turns, measured_.steps));
    if (who == 1 && base_) base_->AdvanceTo(DoneAfter(turn, turns, measured_.base->steps));
    if (who == 2 && twin_ && turn < TwinTurns(turns)) twin_->AdvanceTo(DoneAfter(turn, turns, measured_.steps));
  }

  void Check(const std::string& who, const Contestant& other) {
    if (engine_->StateHash() != other.StateHash()) row_.fault = who + " came to another state";
  }

  const Case& measured_;
  Row& row_;
  clockid_t clock_;
  std::unique_ptr<Contestant> engine_;
  std::unique_ptr<Contestant> base_;
  std::unique_ptr<Contestant> twin_;
};

std::size_t CountEdges(const std::vector<Scene>& scenes) {
  std::size_t edges = 0;
  for (const Scene& scene : scenes) {
    for (const ObstacleSpec& obstacle : scene.obstacles) edges += obstacle.vertices.size();
  }
  return edges;
}

}  // namespace

Row Measure(const Case& measured) {
  Row row;
  row.measured = measured;
  row.clock = measured.subject.threads == 1 ? "thread-cpu" : "wall";
  const std::vector<Scene> scenes = MakeScenes(measured.subject);
  const std::vector<Scene> base_scenes = measured.base ? MakeScenes(measured.base->subject) : std::vector<Scene>{};
  row.edges = CountEdges(scenes);
  if (row.edges > 0) row.edge_times = TimeEdges(scenes.front(), measured.repeats);
  std::vector<double> engine, cpu, twin, base, relative;
  for (int repeat = 0; repeat < measured.repeats; ++repeat) {
    Match match(measured, scenes, base_scenes, repeat < measured.twin_repeats, row);
    match.Run();
    engine.push_back(match.engine().Nanoseconds());
    cpu.push_back(match.engine().CpuNanoseconds());
    if (match.twin()) twin.push_back(match.twin()->Nanoseconds());
    if (!match.base()) continue;
    base.push_back(match.base()->Nanoseconds());
    relative.push_back(engine.back() / base.back());
  }
  row.engine_ns = Median(engine);
  row.cpu_ns = Median(cpu);
  if (!twin.empty()) row.twin_ns = Median(twin);
  if (!base.empty()) {
    row.base_ns = Median(base);
    row.relative = Median(relative);
  }
  return row;
}

}  // namespace throng::bench
