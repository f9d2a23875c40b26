#include "server/host/scheduler.h"

#include <algorithm>
#include <utility>

namespace throng::server {

Scheduler::Scheduler(const Clock* clock, Executor* executor) : clock_(clock), executor_(executor) {}

Scheduler::~Scheduler() { Stop(); }

void Scheduler::Add(std::shared_ptr<Runnable> runnable) {
  {
    const MutexLock lock(mutex_);
    queue_.Add(std::move(runnable), clock_->Now());
  }
  StartRunners();
}

void Scheduler::Wake(const Runnable* runnable) {
  {
    const MutexLock lock(mutex_);
    queue_.Wake(runnable, clock_->Now());
  }
  StartRunners();
}

void Scheduler::AddSweep(Duration interval, std::function<void(Time)> sweep) {
  sweeps_.push_back({interval, std::move(sweep)});
}

void Scheduler::Start() {
  {
    const MutexLock lock(mutex_);
    started_ = true;
  }
  dispatcher_ = std::thread([this] { Dispatch(); });
}

void Scheduler::Stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (dispatcher_.joinable()) dispatcher_.join();
  const MutexLock lock(mutex_);
  while (runners_ > 0) changed_.Wait(mutex_);
}

bool Scheduler::RunOne() {
  std::shared_ptr<Runnable> runnable;
  {
    const MutexLock lock(mutex_);
    if (stopping_) return false;
    runnable = queue_.Pick(clock_->Now());
  }
  if (runnable == nullptr) return false;
  const RunNext next = runnable->Run(clock_->Now());
  const MutexLock lock(mutex_);
  queue_.Done(runnable.get(), next, clock_->Now());
  if (queue_.NextTimer() < dispatcher_sleeps_until_) changed_.NotifyAll();
  return true;
}

Time Scheduler::NextTimer() const {
  const MutexLock lock(mutex_);
  return queue_.NextTimer();
}

void Scheduler::RunUntilNothingIsDue() {
  while (true) {
    if (RunOne()) continue;
    const MutexLock lock(mutex_);
    if (!stopping_ && queue_.ReadyCount(clock_->Now()) > 0) continue;
    --runners_;
    changed_.NotifyAll();
    return;
  }
}

void Scheduler::StartRunners() {
  int count = 0;
  {
    const MutexLock lock(mutex_);
    if (!started_ || stopping_) return;
    const int due = static_cast<int>(queue_.ReadyCount(clock_->Now()));
    count = std::min(executor_->workers() - runners_, due);
    runners_ += std::max(count, 0);
  }
  for (int i = 0; i < count; ++i) executor_->Start([this] { RunUntilNothingIsDue(); });
}

void Scheduler::Dispatch() {
  while (true) {
    const Time next_sweep = RunSweeps(clock_->Now());
    StartRunners();
    const MutexLock lock(mutex_);
    if (stopping_) return;
    // While every worker runs, they look for due worlds themselves; the first that stops tells.
    const Time next_timer = runners_ < executor_->workers() ? queue_.NextTimer() : kNever;
    dispatcher_sleeps_until_ = std::min(next_sweep, next_timer);
    if (dispatcher_sleeps_until_ > clock_->Now()) changed_.WaitUntil(mutex_, dispatcher_sleeps_until_);
    dispatcher_sleeps_until_ = Time::min();
  }
}

Time Scheduler::RunSweeps(Time now) {
  Time next = kNever;
  for (Sweep& sweep : sweeps_) {
    if (sweep.next <= now) {
      sweep.run(now);
      sweep.next = now + sweep.interval;
    }
    next = std::min(next, sweep.next);
  }
  return next;
}

}  // namespace throng::server
