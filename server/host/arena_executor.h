// One long-lived oneTBB arena for all worlds, so that runners and the loops inside a step share the same threads.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "server/host/executor.h"

namespace throng::server {

class ArenaExecutor final : public Executor {
 public:
  explicit ArenaExecutor(int workers);  // >= 1
  void Start(std::function<void()> task) override;
  int workers() const override { return workers_; }

 private:
  const int workers_;
  tbb::global_control threads_;
  tbb::task_arena arena_;
};

}  // namespace throng::server
