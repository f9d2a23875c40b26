#include "server/host/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "server/host/arena_executor.h"
#include "tests/support/manual_clock.h"
#include "tests/support/thread_executor.h"

namespace throng::server {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

class Scripted final : public Runnable {
 public:
  explicit Scripted(std::function<RunNext(Time)> run) : run_(std::move(run)) {}
  RunNext Run(Time now) override { return run_(now); }

 private:
  std::function<RunNext(Time)> run_;
};

// Counts down once per call, and lets a test wait for the end.
class Countdown {
 public:
  explicit Countdown(int count) : count_(count) {}
  void Down() {
    const std::lock_guard lock(mutex_);
    if (--count_ == 0) changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_;
};

TEST(SchedulerTest, ByHandItRunsWhatIsDue) {
  ManualClock clock;
  Scheduler scheduler(&clock, nullptr);
  int runs = 0;
  const auto world = std::make_shared<Scripted>([&](Time now) -> RunNext {
    ++runs;
    return {RunNext::Kind::kTimer, now + milliseconds(10)};
  });
  scheduler.Add(world);
  EXPECT_TRUE(scheduler.RunOne());
  EXPECT_FALSE(scheduler.RunOne());
  EXPECT_EQ(scheduler.NextTimer(), clock.Now() + milliseconds(10));
  clock.Advance(milliseconds(10));
  EXPECT_TRUE(scheduler.RunOne());
  scheduler.Wake(world.get());
  EXPECT_TRUE(scheduler.RunOne());
  EXPECT_EQ(runs, 3);
}

void RunManyWorlds(Executor& executor) {
  SystemClock clock;
  Scheduler scheduler(&clock, &executor);
  constexpr int kWorlds = 50, kTicks = 40;
  Countdown done(kWorlds);
  std::vector<std::atomic<bool>> inside(kWorlds);
  std::vector<int> ticks(kWorlds, 0);
  std::atomic<int> together{0};
  for (int i = 0; i < kWorlds; ++i) {
    scheduler.Add(std::make_shared<Scripted>([&, i](Time now) -> RunNext {
      const auto n = static_cast<std::size_t>(i);
      if (inside[n].exchange(true)) ++together;
      const bool last = ++ticks[n] == kTicks;
      inside[n] = false;
      if (last) {
        done.Down();
        return {RunNext::Kind::kGone, {}};
      }
      if (i % 3 == 0) return {RunNext::Kind::kDeadline, now + milliseconds(1)};
      return {RunNext::Kind::kTimer, now + microseconds(300)};
    }));
    if (i == kWorlds / 2) scheduler.Start();
  }
  done.Wait();
  scheduler.Stop();
  EXPECT_EQ(together, 0) << "a world was run by two runners at once";
  for (const int n : ticks) EXPECT_EQ(n, kTicks);
}

TEST(SchedulerTest, ManyWorldsOnThreads) {
  ThreadExecutor executor(3);
  RunManyWorlds(executor);
}

#if !defined(__SANITIZE_THREAD__)
TEST(SchedulerTest, ManyWorldsInTheArena) {
  ArenaExecutor executor(2);
  RunManyWorlds(executor);
}
#endif

TEST(SchedulerTest, AWakeIsNeverLost) {
  SystemClock clock;
  ThreadExecutor executor(2);
  Scheduler scheduler(&clock, &executor);
  constexpr int kWakes = 2'000;
  std::atomic<int> asked{0};
  Countdown done(1);
  const auto world = std::make_shared<Scripted>([&](Time) -> RunNext {
    if (asked == kWakes) {
      done.Down();
      return {RunNext::Kind::kGone, {}};
    }
    return {RunNext::Kind::kWoken, {}};
  });
  scheduler.Add(world);
  scheduler.Start();
  std::thread waker([&] {
    for (int i = 0; i < kWakes; ++i) {
      ++asked;
      scheduler.Wake(world.get());
    }
  });
  done.Wait();
  waker.join();
}

TEST(SchedulerTest, StopsThoughThereIsAlwaysSomethingToDo) {
  SystemClock clock;
  ThreadExecutor executor(2);
  Scheduler scheduler(&clock, &executor);
  Countdown runs(100);
  for (int i = 0; i < 4; ++i) {
    scheduler.Add(std::make_shared<Scripted>([&](Time) -> RunNext {
      runs.Down();
      return {RunNext::Kind::kDeadline, kNever};
    }));
  }
  scheduler.Start();
  runs.Wait();
  scheduler.Stop();
}

TEST(SchedulerTest, SweepsComeWithoutAnyWorld) {
  SystemClock clock;
  ThreadExecutor executor(1);
  Scheduler scheduler(&clock, &executor);
  Countdown sweeps(5);
  scheduler.AddSweep(milliseconds(1), [&](Time) { sweeps.Down(); });
  scheduler.AddSweep(hours(1), [](Time) {});
  scheduler.Start();
  sweeps.Wait();
}

}  // namespace
}  // namespace throng::server
