#include "world/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "base/fp_environment.h"

namespace throng {

// An arena for one thread has two places all the same, so that what is enqueued runs while the other is taken, and a
// lone thread may sit in the second.
std::size_t MaxWorkers() { return static_cast<std::size_t>(std::max(tbb::this_task_arena::max_concurrency(), 2)); }

void RunBlocks(std::size_t begin, std::size_t end, bool threads,
               absl::FunctionRef<void(std::size_t block, std::size_t worker)> run) {
  if (!threads || end - begin < 2) {
    const FpEnvironment modes;
    for (std::size_t block = begin; block < end; ++block) run(block, 0);
    return;
  }
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(begin, end, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          const FpEnvironment modes;
          const auto worker = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
          for (std::size_t block = range.begin(); block < range.end(); ++block) run(block, worker);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace throng
