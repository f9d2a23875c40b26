// Everything at once, on threads: worlds that come and go, streams that break, stall and take over. What is checked is
// that streams end in order (FakeSink), that nothing is left over, and, under the sanitizers, that memory and threads
// are handled well.
#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "server/host/world_registry.h"
#include "server/session/session_manager.h"
#include "tests/support/session_client.h"
#include "tests/support/thread_executor.h"

namespace throng::server {
namespace {

using std::chrono::milliseconds;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  unsigned operator()() { return static_cast<unsigned>(engine_()); }

 private:
  std::mt19937 engine_;
};

class ThreadedServing {
 public:
  ThreadedServing() {
    scheduler.AddSweep(milliseconds(2), [this](Time now) {
      sessions.Sweep(now);
      worlds.Sweep(now);
    });
    scheduler.Start();
  }
  HostEnvironment environment() { return {&clock, &scheduler, &metrics}; }

  void Delete(const std::string& world) {
    ++deleting;
    worlds.Delete(world, 0, [this](auto) {
      --deleting;
      deleting.notify_all();
    });
  }
  // A deleted world answers what still waits in it at its last turn, which a stopped scheduler would not give it.
  void AwaitDeletions() {
    for (int left = deleting; left > 0; left = deleting) deleting.wait(left);
  }

  std::atomic<int> deleting{0};
  SystemClock clock;
  Metrics metrics;
  ThreadExecutor executor{3};
  Scheduler scheduler{&clock, &executor};
  WorldRegistry worlds{Limits(), environment()};
  SessionManager sessions{&worlds, environment(), milliseconds(20)};
};

HostSettings SettingsFor(unsigned random) {
  HostSettings settings;
  settings.world.time_step = 0.001f;
  settings.clock = random % 3 == 0   ? WorldClock::kLockstep
                   : random % 3 == 1 ? WorldClock::kRealtime
                                     : WorldClock::kFree;
  settings.start_paused = random % 7 == 0;
  return settings;
}

CommandBatch Crowd(unsigned random) {
  CommandBatch batch;
  batch.all_or_nothing = random % 2 == 0;
  if (random % 5 == 0) batch.request_id = absl::StrCat("r", random % 11);
  for (unsigned i = 0; i < 20; ++i) {
    AgentSpec spec;
    if (i % 2 == 0) spec.id = (random + i) % 200 + 1;
    spec.position = Vec2{static_cast<float>(random % 100), static_cast<float>(i)};
    batch.commands.push_back(AddAgent{spec});
  }
  if (random % 4 == 0) batch.commands.push_back(RemoveAllAgents{});
  return batch;
}

// A runner may be writing at this moment.
void AwaitFinish(FakeSink& sink) {
  while (!sink.finished()) {
    sink.Release();
    std::this_thread::yield();
  }
}

// One client that lives for some messages, drives, watches, breaks off in one of several ways.
void RunClient(ThreadedServing& serving, Dice& random, const std::string& world) {
  v1::OpenSessionRequest request;
  request.set_world(world);
  request.set_stepper(random() % 2 == 0);
  absl::StatusOr<v1::OpenSessionResponse> session = serving.sessions.Open(request);
  if (!session.ok()) {
    request.set_stepper(false);
    session = serving.sessions.Open(request);
  }
  if (!session.ok()) return;
  const auto client = std::make_unique<ConnectClient>(serving.sessions, random() % 4 == 0);
  client->Open(*session, random() % 8 == 0);
  std::unique_ptr<ConnectClient> second;
  for (unsigned i = 0; i < 20; ++i) {
    client->Input(i + 1, 20, 1.0f, 0.5f);
    if (random() % 3 == 0) client->Step(i + 1, 1 + static_cast<std::uint32_t>(random() % 4));
    if (random() % 5 == 0) client->AddAgent("", static_cast<std::uint32_t>(random() % 300));
    if (random() % 4 == 0) client->sink->Answer(random() % 9 != 0);
    if (random() % 30 == 0 && second == nullptr) {
      second = std::make_unique<ConnectClient>(serving.sessions);
      second->Open(*session);
    }
    std::this_thread::yield();
  }
  switch (random() % 4) {
    case 0:
      client->stream->OnHalfClose();
      break;
    case 1: {
      v1::CloseSessionRequest close;
      close.set_world(world);
      close.set_session_id(session->session_id());
      close.set_resume_token(session->resume_token());
      serving.sessions.Close(close).IgnoreError();
      break;
    }
    default:
      break;
  }
  client->sink->Release();
  client->stream->OnCancelled();
  AwaitFinish(*client->sink);
  if (second == nullptr) return;
  second->stream->OnCancelled();
  AwaitFinish(*second->sink);
}

void RunWatcher(ThreadedServing& serving, Dice& random, const std::string& world) {
  WatchClient client(serving.sessions, random() % 2 == 0);
  client.Start(world);
  for (int i = 0; i < 30; ++i) {
    client.sink->Answer(true);
    std::this_thread::yield();
  }
  client.stream->OnCancelled();
  AwaitFinish(*client.sink);
}

void RunOperator(ThreadedServing& serving, Dice& random, const std::string& world) {
  const auto found = serving.worlds.Find(world);
  if (!found.ok()) {
    serving.worlds.Create(world, SettingsFor(random())).IgnoreError();
    return;
  }
  HostSettingsPatch patch;
  patch.time_scale = 1.0 + static_cast<double>(random() % 4);
  switch (random() % 8) {
    case 0:
      serving.Delete(world);
      break;
    case 1:
      (*found)->Pause([](auto) {});
      break;
    case 2:
      (*found)->Resume([](auto) {});
      break;
    case 3:
      (*found)->Update(patch, [](auto) {});
      break;
    case 4:
      (*found)->Read([](auto result) {
        if (result.ok()) (*result)->StateHash();
      });
      break;
    case 5:
      serving.worlds.List("w", 2, "").IgnoreError();
      break;
    default:
      (*found)->ApplyCommands(Crowd(random()), [](auto) {});
      break;
  }
}

TEST(ChaosTest, NothingIsLeftOver) {
  ThreadedServing serving;
  constexpr unsigned kThreads = 4, kRounds = 60;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&serving, i] {
      Dice random(i);
      for (unsigned round = 0; round < kRounds; ++round) {
        const std::string world = absl::StrCat("w", random() % 4);
        for (int j = 0; j < 4; ++j) RunOperator(serving, random, world);
        if (random() % 2 == 0) {
          RunClient(serving, random, world);
        } else {
          RunWatcher(serving, random, world);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(serving.sessions.stream_count(), 0u);
  EXPECT_EQ(serving.metrics.streams.value(), 0);
  for (int i = 0; i < 4; ++i) serving.Delete(absl::StrCat("w", i));
  serving.AwaitDeletions();
  serving.scheduler.Stop();
  EXPECT_EQ(serving.metrics.worlds.value(), 0);
}

}  // namespace
}  // namespace throng::server
