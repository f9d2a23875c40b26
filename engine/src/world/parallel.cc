#include "world/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "base/fp_environment.h"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>

// What oneTBB's own headers, the closure below that they carry from thread to thread, and the library's releases of
// memory share with the library, which is not built for the sanitizer. Only their own accesses are passed over:
// race_top looks at the innermost frame alone.
extern "C" const char* __tsan_default_suppressions() {
  return "race_top:oneapi/tbb/\nrace_top:bits/atomic_base.h\nrace_top:world/"
         "parallel.cc\nrace_top:tsan_new_delete.cpp\n";
}
#endif

namespace throng {
namespace {

// Tells the thread sanitizer what a loop's begin and end order; the library that does it is opaque to it.
class LoopOrder {
 public:
#if defined(__SANITIZE_THREAD__)
  void Fork() { __tsan_release(&fork_); }
  void BeginBlocks() { __tsan_acquire(&fork_); }
  void EndBlocks() { __tsan_release(&join_); }
  void Join() { __tsan_acquire(&join_); }

 private:
  char fork_ = 0;
  char join_ = 0;
#else
  void Fork() {}
  void BeginBlocks() {}
  void EndBlocks() {}
  void Join() {}
#endif
};

// Blocks of a loop, shared out among threads. A thread begins with the share of its own number, whose data its cache
// holds since the last loop over the same blocks, and helps with the others then.
class Shares {
 public:
  Shares(std::size_t begin, std::size_t end, std::size_t count) : count_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      shares_[i].next = begin + (end - begin) * i / count;
      shares_[i].end = begin + (end - begin) * (i + 1) / count;
    }
  }

  template <class Run>
  void Work(std::size_t thread, Run&& run) {
    for (std::size_t i = 0; i < count_; ++i) {
      Share& share = shares_[(thread + i) % count_];
      for (;;) {
        const std::size_t block = share.next.fetch_add(1, std::memory_order_relaxed);
        if (block >= share.end) break;
        run(block);
      }
    }
  }

  static constexpr std::size_t kMost = 64;

 private:
  struct alignas(64) Share {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  std::size_t count_;
  Share shares_[kMost];
};

}  // namespace

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
  const std::size_t threads_at_once = std::min({MaxWorkers(), end - begin, Shares::kMost});
  Shares shares(begin, end, threads_at_once);
  LoopOrder order;
  order.Fork();
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, threads_at_once, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          order.BeginBlocks();
          {
            const FpEnvironment modes;
            const auto worker = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
            for (std::size_t i = range.begin(); i < range.end(); ++i) {
              shares.Work(worker, [&](std::size_t block) { run(block, worker); });
            }
          }
          order.EndBlocks();
        },
        tbb::simple_partitioner());
  });
  order.Join();
}

}  // namespace throng
