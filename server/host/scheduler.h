// The scheduler: a dispatcher thread that sleeps until the next world is due, and runners that serve due worlds slice
// by slice, the most urgent first. A world is run by one runner at a time.
//
// Which world is the most urgent is decided by RunQueue (run_queue.h). Without Start() the scheduler has no threads,
// and RunOne() does by hand what a runner does, for tests.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "server/host/clock.h"
#include "server/host/executor.h"
#include "server/host/mutex.h"
#include "server/host/run_queue.h"

namespace throng::server {

// Safe from any thread.
class Scheduler {
 public:
  // `executor` may be null where Start is not called. Both outlive the scheduler.
  Scheduler(const Clock* clock, Executor* executor);
  ~Scheduler();  // as Stop
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // It is due at once. It is held until its Run says kGone, or the scheduler is destroyed.
  void Add(std::shared_ptr<Runnable> runnable);
  // Makes it due at once, also if it is being run: then its Run is called once more.
  void Wake(const Runnable* runnable);

  // `sweep` is called by the dispatcher about every `interval`. Before Start.
  void AddSweep(Duration interval, std::function<void(Time)> sweep);
  // The clock must be a SystemClock.
  void Start();
  // Returns once no runner runs any more; nothing runs afterwards.
  void Stop();

  // Runs one slice of the most urgent world on this thread; false if none is due.
  bool RunOne();
  // When the next world is due by itself; kNever if none.
  Time NextTimer() const;

 private:
  struct Sweep {
    Duration interval;
    std::function<void(Time)> run;
    Time next{0};
  };

  void Dispatch();              // the dispatcher's thread
  void RunUntilNothingIsDue();  // a runner
  // As many as due worlds and free workers allow.
  void StartRunners() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns when the next sweep is due.
  Time RunSweeps(Time now);

  const Clock* const clock_;
  Executor* const executor_;
  std::vector<Sweep> sweeps_;  // of the dispatcher
  std::thread dispatcher_;

  mutable Mutex mutex_;
  CondVar changed_;  // for the dispatcher, and for Stop
  RunQueue queue_ ABSL_GUARDED_BY(mutex_);
  int runners_ ABSL_GUARDED_BY(mutex_) = 0;
  Time dispatcher_sleeps_until_ ABSL_GUARDED_BY(mutex_) = kNever;
  bool started_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace throng::server
