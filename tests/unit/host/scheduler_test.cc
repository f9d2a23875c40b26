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

// Lets a test wait until the dispatcher has come round so many times more.
class Sweeps {
 public:
  void Count() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void Await(int more) {
    std::unique_lock lock(mutex_);
    const int until = count_ + more;
    changed_.wait(lock, [&] { return count_ >= until; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

// Counts what is started on the threads of another.
class CountingExecutor final : public Executor {
 public:
  explicit CountingExecutor(int workers) : threads_(workers) {}
  void Start(std::function<void()> task) override {
    ++starts_;
    threads_.Start(std::move(task));
  }
  int workers() const override { return threads_.workers(); }
  int starts() const { return starts_; }

 private:
  std::atomic<int> starts_{0};
  ThreadExecutor threads_;
};

// Idle worlds cost nothing: however long they wait to be woken, no thread is started for them. Sweeps tell the time.
TEST(SchedulerTest, WorldsThatWaitStartNobody) {
  SystemClock clock;
  CountingExecutor executor(3);
  Scheduler scheduler(&clock, &executor);
  constexpr int kWorlds = 1'000;
  Countdown ran(kWorlds);
  std::atomic<int> runs{0};
  std::vector<std::shared_ptr<Scripted>> worlds;
  for (int i = 0; i < kWorlds; ++i) {
    worlds.push_back(std::make_shared<Scripted>([&](Time) -> RunNext {
      ++runs;
      ran.Down();
      return {RunNext::Kind::kWoken, {}};
    }));
    scheduler.Add(worlds.back());
  }
  Sweeps sweeps;
  scheduler.AddSweep(microseconds(200), [&](Time) { sweeps.Count(); });
  scheduler.Start();
  ran.Wait();
  sweeps.Await(2);  // the dispatcher's, so that a start that it had decided on has been made
  const int before = executor.starts();
  sweeps.Await(50);
  EXPECT_EQ(executor.starts(), before);
  EXPECT_EQ(runs, kWorlds);
  // One that is woken is run, and nobody else.
  scheduler.Wake(worlds[7].get());
  while (runs == kWorlds) sweeps.Await(1);
  sweeps.Await(5);
  EXPECT_LE(executor.starts(), before + executor.workers());
  EXPECT_EQ(runs, kWorlds + 1);
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
