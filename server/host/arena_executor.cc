#include "server/host/arena_executor.h"

#include <utility>

namespace throng::server {

// oneTBB counts the thread that makes the arena among those allowed, though it never works in it.
ArenaExecutor::ArenaExecutor(int workers)
    : workers_(workers),
      threads_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers) + 1),
      arena_(workers, 0) {
  arena_.initialize();
}

void ArenaExecutor::Start(std::function<void()> task) { arena_.enqueue(std::move(task)); }

}  // namespace throng::server
