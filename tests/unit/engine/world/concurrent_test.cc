// Several worlds of different sizes stepped at once in one arena, in slices that go from thread to thread, with blocks
// of each spread over the arena: no world sees another, and each gets the bits that it gets alone. The thread sanitizer
// watches (preset tsan).
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/extended_scene.h"
#include "tests/support/scenes.h"
#include "throng/world.h"

namespace throng {
namespace {

using testing::Scene;
using testing::Shape;

#if defined(__SANITIZE_THREAD__)
constexpr int kTicks = 12;
#else
constexpr int kTicks = 40;
#endif

std::vector<Scene> Scenes() {
  std::vector<Scene> scenes = {
      testing::Crossing({.agents = 3'000}),
      testing::Town(1'200, 5, 1),
      testing::RandomCrowd(Shape::kClustered, 1'500, 1),
      testing::RandomCrowd(Shape::kMixed, 700, 2),
      testing::RandomCrowd(Shape::kObstacles, 300, 3),
      testing::RandomCrowd(Shape::kUniform, 40, 4),
      testing::RandomCrowd(Shape::kCoincident, 1, 5),
      Scene{},
      testing::Everything(900, 4),
  };
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    scenes[i].settings.parallel_grain = 1;
    if (i % 2 == 0) scenes[i].settings.stale_input = {StaleInputPolicy::kDecay, 3, 0.5f};
    scenes[i].settings.simd_level = AvailableSimdLevels()[i % AvailableSimdLevels().size()];
  }
  return scenes;
}

struct Job {
  std::unique_ptr<World> world;
  std::size_t slice;
  std::vector<std::uint64_t> hashes;  // after each tick
};

std::vector<Job> MakeJobs() {
  std::vector<Job> jobs;
  for (const Scene& scene : Scenes()) {
    auto world = World::Create(scene.settings);
    EXPECT_TRUE(world.ok()) << world.status();
    for (const ObstacleSpec& obstacle : scene.obstacles) EXPECT_TRUE((*world)->AddObstacle(obstacle).ok());
    for (const AgentSpec& agent : scene.agents) EXPECT_TRUE((*world)->AddAgent(agent).ok());
    jobs.push_back({*std::move(world), 100 + 400 * (jobs.size() % 4), {}});
  }
  return jobs;
}

// Hands out worlds, each to one thread at a time.
class Round {
 public:
  explicit Round(std::vector<Job>& jobs) {
    for (Job& job : jobs) waiting_.push_back(&job);
  }

  // Runs slices of whatever waits until nothing does. `run` calls its argument.
  template <class Run>
  void Serve(const Run& run) {
    while (Job* const job = Take()) {
      run([job] {
        World& world = *job->world;
        if (world.phase() == Phase::kIdle) {
          ASSERT_TRUE(world.BeginStep().ok());
        }
        if (world.Advance(job->slice) == Phase::kIdle) job->hashes.push_back(world.StateHash());
      });
      GiveBack(job);
    }
  }

 private:
  Job* Take() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return nullptr;
    Job* const job = waiting_.front();
    waiting_.pop_front();
    return job;
  }
  void GiveBack(Job* job) {
    const std::lock_guard lock(mutex_);
    if (job->world->tick() < kTicks) waiting_.push_back(job);
  }

  std::mutex mutex_;
  std::deque<Job*> waiting_;
};

std::vector<std::vector<std::uint64_t>> HashesOf(const std::vector<Job>& jobs) {
  std::vector<std::vector<std::uint64_t>> hashes;
  for (const Job& job : jobs) hashes.push_back(job.hashes);
  return hashes;
}

std::vector<std::vector<std::uint64_t>> SerialHashes() {
  std::vector<Job> jobs = MakeJobs();
  tbb::task_arena alone(1);
  alone.execute([&] {
    for (Job& job : jobs) {
      for (int tick = 0; tick < kTicks; ++tick) {
        EXPECT_TRUE(job.world->Step().ok());
        job.hashes.push_back(job.world->StateHash());
      }
    }
  });
  return HashesOf(jobs);
}

class ConcurrentWorlds : public ::testing::Test {
 protected:
  static constexpr int kServers = 3;
  // Room for two threads of oneTBB beside those that serve.
  const tbb::global_control more_{tbb::global_control::max_allowed_parallelism, kServers + 2};
  tbb::task_arena arena_{kServers + 2, kServers};
};

TEST_F(ConcurrentWorlds, OnSeveralThreadsInOneArena) {
  const auto expected = SerialHashes();
  std::vector<Job> jobs = MakeJobs();
  Round round(jobs);
  std::vector<std::thread> servers;
  for (int i = 0; i < kServers; ++i) {
    servers.emplace_back([&] { round.Serve([&](const auto& slice) { arena_.execute(slice); }); });
  }
  for (std::thread& server : servers) server.join();
  EXPECT_EQ(HashesOf(jobs), expected);
}

TEST_F(ConcurrentWorlds, InSeveralTasksOfOneArena) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer does not see what a loop of oneTBB's library orders";
#endif
  const auto expected = SerialHashes();
  std::vector<Job> jobs = MakeJobs();
  Round round(jobs);
  arena_.execute(
      [&] { tbb::parallel_for(0, kServers, [&](int) { round.Serve([](const auto& slice) { slice(); }); }); });
  EXPECT_EQ(HashesOf(jobs), expected);
}

// As a server does it: worlds that end and begin while others step.
TEST_F(ConcurrentWorlds, WhileOthersAreMadeAndDestroyed) {
  const auto expected = SerialHashes();
  std::vector<std::thread> servers;
  for (int i = 0; i < kServers; ++i) {
    servers.emplace_back([&] {
      for (int life = 0; life < 2; ++life) {
        std::vector<Job> jobs = MakeJobs();
        Round round(jobs);
        round.Serve([&](const auto& slice) { arena_.execute(slice); });
        EXPECT_EQ(HashesOf(jobs), expected);
      }
    });
  }
  for (std::thread& server : servers) server.join();
}

}  // namespace
}  // namespace throng
