// WorldHost: one world being served. The part of it that any thread may call; nothing here waits or steps. What is
// asked for is put into the world's inbox, and a runner of the scheduler does it at a tick border (world_runner.h).
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "server/base/metrics.h"
#include "server/host/callback.h"
#include "server/host/clock.h"
#include "server/host/command.h"
#include "server/host/frame.h"
#include "server/host/inbox.h"
#include "server/host/input.h"
#include "server/host/load_meter.h"
#include "server/host/mutex.h"
#include "server/host/scheduler.h"
#include "server/host/settings.h"
#include "server/host/subscriber.h"
#include "server/host/world_info.h"
#include "throng/world.h"

namespace throng::server {

class WorldRunner;

// What a world is served with. All outlive it.
struct HostEnvironment {
  const Clock* clock = nullptr;
  Scheduler* scheduler = nullptr;
  Metrics* metrics = nullptr;
  std::optional<SimdLevel> simd_level = std::nullopt;  // as in WorldSettings
};

using InfoReply = Callback<absl::StatusOr<WorldInfo>>;
// The pointer is good during the call only. FAILED_PRECONDITION: the world is FAULTED in the middle of a step.
using ReadReply = Callback<absl::StatusOr<const World*>>;

// Every reply comes once: NOT_FOUND if the world is deleted before its turn.
class WorldHost final : public Runnable, public std::enable_shared_from_this<WorldHost> {
 public:
  // Made and scheduled by the registry. `settings` are valid.
  static absl::StatusOr<std::shared_ptr<WorldHost>> Create(std::string name, std::uint64_t uid,
                                                           const HostSettings& settings,
                                                           const HostEnvironment& environment);
  ~WorldHost() override;
  WorldHost(const WorldHost&) = delete;
  WorldHost& operator=(const WorldHost&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t uid() const { return uid_; }
  WorldClock clock() const { return clock_mode_; }
  WorldInfo Info() const;
  bool deleted() const;

  // In the order of their arrival, all three together. What arrives while a step order runs waits for its end.
  void ApplyCommands(CommandBatch batch, CommandReply reply);
  void ApplyInput(Input input, InputReply reply);
  // kLockstep only; the caller holds the stepper's role and has no other order outstanding. The reply comes after the
  // last tick's frame was offered. FAILED_PRECONDITION: the world is paused, or another order is outstanding.
  void Step(StepOrder order, StepReply reply);

  // Between two ticks, after what came before, but also in the midst of a step order.
  void Read(ReadReply reply);
  void Update(HostSettingsPatch patch, InfoReply reply);
  // Info, with warnings as of now.
  void Describe(InfoReply reply);
  // No tick begins after the reply.
  void Pause(InfoReply reply);
  void Resume(InfoReply reply);

  // Replaces what the subscriber asked for before. The current frame comes at once.
  void Subscribe(Subscription subscription);
  void Unsubscribe(std::shared_ptr<Subscriber> subscriber);

  // The stepper's role of a kLockstep world, of one session at a time. FAILED_PRECONDITION: another holds it, or the
  // world's clock is another.
  absl::Status ClaimStepper(const SessionMemory* session);
  void ReleaseStepper(const SessionMemory* session);
  bool IsStepper(const SessionMemory* session) const;

  // How many there are, for WorldInfo and for the idle time-to-live.
  void CountSession(int change);
  void CountStream(int change);
  // Called for every call on the world.
  void Touch();
  // Whether nobody used it for longer than its idle time-to-live.
  bool Expired(Time now) const;

  // Ends the world: subscribers are told, all that waits is answered NOT_FOUND. `reply` gets the ticks it had finished.
  // A second call gets NOT_FOUND.
  void Delete(Callback<absl::StatusOr<std::uint64_t>> reply);

  // Runnable, for the scheduler.
  RunNext Run(Time now) override;

 private:
  friend class WorldRunner;

  WorldHost(std::string name, std::uint64_t uid, const HostSettings& settings, std::unique_ptr<World> world,
            const HostEnvironment& environment);
  // Puts work into the inbox, or answers it with an error. `wake`: it is not to wait for the next tick.
  void Submit(Work work, bool wake);
  void SetPaused(bool paused, InfoReply reply);

  const std::string name_;
  const std::uint64_t uid_;
  const WorldClock clock_mode_;
  const HostEnvironment environment_;

  std::atomic<int> sessions_{0};
  std::atomic<int> streams_{0};
  std::atomic<Time::rep> last_use_;

  mutable Mutex mutex_;
  Inbox inbox_ ABSL_GUARDED_BY(mutex_);
  WorldInfo info_ ABSL_GUARDED_BY(mutex_);  // without load, sessions and streams
  LoadMeter load_ ABSL_GUARDED_BY(mutex_);
  // True while no tick comes by itself, so that inputs are applied at once.
  bool waits_ ABSL_GUARDED_BY(mutex_) = true;
  bool deleted_ ABSL_GUARDED_BY(mutex_) = false;
  Callback<absl::StatusOr<std::uint64_t>> delete_reply_ ABSL_GUARDED_BY(mutex_);
  const SessionMemory* stepper_ ABSL_GUARDED_BY(mutex_) = nullptr;

  const std::unique_ptr<WorldRunner> runner_;  // touched in Run only; the last to be made, since it fills in info_
};

}  // namespace throng::server
