// A serving core without threads, on a clock that the test turns: worlds run when the test says so.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/base/metrics.h"
#include "server/host/world_registry.h"
#include "tests/support/manual_clock.h"

namespace throng::server {

class ManualServing {
 public:
  explicit ManualServing(const Limits& limits = {}) : worlds(limits, environment()) {}

  HostEnvironment environment() { return {&clock, &scheduler, &metrics}; }

  // Runs what is due until nothing is.
  void Pump() {
    while (scheduler.RunOne()) {
    }
  }
  // Turns the clock and runs what becomes due on the way, each at its time.
  void Advance(Duration by) {
    const Time end = clock.Now() + by;
    Pump();
    while (scheduler.NextTimer() <= end) {
      clock.Advance(scheduler.NextTimer() - clock.Now());
      Pump();
    }
    clock.Advance(end - clock.Now());
    Pump();
  }

  std::shared_ptr<WorldHost> Create(const std::string& name, const HostSettings& settings = {}) {
    const absl::StatusOr<WorldInfo> info = worlds.Create(name, settings);
    EXPECT_TRUE(info.ok()) << info.status();
    Pump();
    return *worlds.Find(name);
  }
  CommandBatchResult Apply(WorldHost& world, CommandBatch batch) {
    CommandBatchResult answer;
    bool answered = false;
    world.ApplyCommands(std::move(batch), [&](auto result) {
      ASSERT_TRUE(result.ok()) << result.status();
      answer = **result;
      answered = true;
    });
    Pump();
    EXPECT_TRUE(answered);
    return answer;
  }
  // Ids 1 to `count`, on a line.
  void AddAgents(WorldHost& world, std::uint32_t count) {
    CommandBatch batch;
    for (std::uint32_t i = 0; i < count; ++i) {
      AgentSpec spec;
      spec.id = i + 1;
      spec.position = Vec2{2.0f * static_cast<float>(i % 1000), 2.0f * static_cast<float>(i / 1000)};
      batch.commands.push_back(AddAgent{spec});
    }
    EXPECT_TRUE(Apply(world, std::move(batch)).applied);
  }

  ManualClock clock;
  Metrics metrics;
  Scheduler scheduler{&clock, nullptr};
  WorldRegistry worlds;
};

// Steps on the calling thread alone: ThreadSanitizer does not see through oneTBB's library.
inline HostSettings SingleThreaded() {
  HostSettings settings;
  settings.world.parallel_grain = 1'000'000;
  return settings;
}
inline HostSettings Lockstep() {
  HostSettings settings = SingleThreaded();
  settings.clock = WorldClock::kLockstep;
  return settings;
}
inline HostSettings Paused() {
  HostSettings settings;
  settings.start_paused = true;
  return settings;
}

}  // namespace throng::server
