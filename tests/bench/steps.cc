// throng_bench_steps SCENE AGENTS LEVEL WARM_UP STEPS: steps a scene of the benchmark and prints level and state hash,
// for tools that count what the steps do (instructions.sh).
#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/cases.h"
#include "tests/support/crowd.h"

namespace throng::bench {

using Crowds = std::vector<std::unique_ptr<testing::Crowd>>;

void Step(const Crowds& crowds, int steps) {
  for (int i = 0; i < steps; ++i) {
    for (const auto& crowd : crowds) crowd->Step();
  }
}

// Callgrind counts inside of this function alone, so it stays one.
[[gnu::noinline]] void MeasuredSteps(const Crowds& crowds, int steps) { Step(crowds, steps); }

}  // namespace throng::bench

int main(int argc, char** argv) {
  using namespace throng::bench;
  int agents = 0;
  int warm_up = 0;
  int steps = 0;
  const auto level = argc == 6 ? throng::SimdLevelOf(argv[3]) : std::nullopt;
  if (argc != 6 || std::ranges::count(SceneNames(), argv[1]) == 0 || !level || !throng::IsAvailable(*level) ||
      !absl::SimpleAtoi(argv[2], &agents) || !absl::SimpleAtoi(argv[4], &warm_up) ||
      !absl::SimpleAtoi(argv[5], &steps) || agents <= 0 || warm_up < 0 || steps < 0) {
    absl::FPrintF(stderr, "usage: throng_bench_steps SCENE AGENTS LEVEL WARM_UP STEPS, on a level that there is\n");
    return 2;
  }
  Crowds crowds;
  for (const auto& scene : MakeScenes({argv[1], static_cast<std::size_t>(agents), *level})) {
    crowds.push_back(MakeCrowd(throng::testing::CrowdKind::kEngine, scene));
  }
  // On one thread, since callgrind looks for the function in each.
  tbb::task_arena(1).execute([&] {
    Step(crowds, warm_up);
    MeasuredSteps(crowds, steps);
  });
  std::uint64_t hash = 0;
  for (const auto& crowd : crowds) hash += crowd->StateHash();
  absl::PrintF("%s %016x\n", throng::Name(*level), hash);
  return 0;
}
