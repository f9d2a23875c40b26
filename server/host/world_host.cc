#include "server/host/world_host.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "server/host/errors.h"
#include "server/host/world_runner.h"

namespace throng::server {
namespace {

WorldInfo FirstInfo(const std::string& name, std::uint64_t uid) {
  WorldInfo info;
  info.name = name;
  info.uid = uid;
  return info;
}

}  // namespace

absl::StatusOr<std::shared_ptr<WorldHost>> WorldHost::Create(std::string name, std::uint64_t uid,
                                                             const HostSettings& settings,
                                                             const HostEnvironment& environment) {
  absl::StatusOr<std::unique_ptr<World>> world = World::Create(settings.world);
  if (!world.ok()) return world.status();
  return std::shared_ptr<WorldHost>(new WorldHost(std::move(name), uid, settings, *std::move(world), environment));
}

WorldHost::WorldHost(std::string name, std::uint64_t uid, const HostSettings& settings, std::unique_ptr<World> world,
                     const HostEnvironment& environment)
    : name_(std::move(name)),
      uid_(uid),
      clock_mode_(settings.clock),
      environment_(environment),
      last_use_(environment.clock->Now().count()),
      info_(FirstInfo(name_, uid_)),
      load_(environment.clock->Now()),
      runner_(std::make_unique<WorldRunner>(this, std::move(world), settings)) {}

WorldHost::~WorldHost() = default;

WorldInfo WorldHost::Info() const {
  const Time now = environment_.clock->Now();
  const MutexLock lock(mutex_);
  WorldInfo info = info_;
  info.load = load_.Load(now);
  info.sessions = static_cast<std::uint32_t>(sessions_.load());
  info.streams = static_cast<std::uint32_t>(streams_.load());
  return info;
}

bool WorldHost::deleted() const {
  const MutexLock lock(mutex_);
  return deleted_;
}

void WorldHost::ApplyCommands(CommandBatch batch, CommandReply reply) {
  Submit(CommandWork{std::move(batch), std::move(reply)}, true);
}

// A world that ticks by itself takes inputs at its next tick: that is when they count.
void WorldHost::ApplyInput(Input input, InputReply reply) {
  Submit(InputWork{std::move(input), std::move(reply)}, false);
}

void WorldHost::Step(StepOrder order, StepReply reply) { Submit(StepWork{std::move(order), std::move(reply)}, true); }

void WorldHost::Read(ReadReply reply) {
  Submit(ControlWork([reply = std::move(reply)](absl::StatusOr<WorldRunner*> runner) mutable {
           if (!runner.ok()) return reply(runner.status());
           (*runner)->Read(reply);
         }),
         true);
}

void WorldHost::Update(HostSettingsPatch patch, InfoReply reply) {
  if (absl::Status status = Validate(patch); !status.ok()) return reply(status);
  Submit(ControlWork([this, patch, reply = std::move(reply)](absl::StatusOr<WorldRunner*> runner) mutable {
           if (!runner.ok()) return reply(runner.status());
           if (absl::Status status = (*runner)->Update(patch); !status.ok()) return reply(status);
           reply(Info());
         }),
         true);
}

void WorldHost::Describe(InfoReply reply) {
  Submit(ControlWork([this, reply = std::move(reply)](absl::StatusOr<WorldRunner*> runner) mutable {
           if (!runner.ok()) return reply(runner.status());
           (*runner)->Advise();
           reply(Info());
         }),
         true);
}

void WorldHost::Pause(InfoReply reply) { SetPaused(true, std::move(reply)); }
void WorldHost::Resume(InfoReply reply) { SetPaused(false, std::move(reply)); }

void WorldHost::SetPaused(bool paused, InfoReply reply) {
  Submit(ControlWork([this, paused, reply = std::move(reply)](absl::StatusOr<WorldRunner*> runner) mutable {
           if (!runner.ok()) return reply(runner.status());
           if (absl::Status fault = (*runner)->fault(); !fault.ok()) return reply(fault);
           (*runner)->SetPaused(paused);
           reply(Info());
         }),
         true);
}

void WorldHost::Subscribe(Subscription subscription) {
  Submit(ControlWork([subscription = std::move(subscription)](absl::StatusOr<WorldRunner*> runner) mutable {
           if (!runner.ok()) return subscription.subscriber->OnWorldDeleted();
           (*runner)->Subscribe(std::move(subscription));
         }),
         true);
}

void WorldHost::Unsubscribe(std::shared_ptr<Subscriber> subscriber) {
  Submit(ControlWork([subscriber = std::move(subscriber)](absl::StatusOr<WorldRunner*> runner) {
           if (runner.ok()) (*runner)->Unsubscribe(subscriber.get());
         }),
         true);
}

absl::Status WorldHost::ClaimStepper(const SessionMemory* session) {
  if (clock_mode_ != WorldClock::kLockstep) {
    return WithReason(
        absl::FailedPreconditionError(absl::StrCat("the clock of world ", name_, " is not WORLD_CLOCK_LOCKSTEP")),
        "WRONG_CLOCK");
  }
  const MutexLock lock(mutex_);
  if (stepper_ != nullptr && stepper_ != session) {
    return WithReason(absl::FailedPreconditionError(absl::StrCat("another session is the stepper of world ", name_)),
                      "STEPPER_TAKEN");
  }
  stepper_ = session;
  return absl::OkStatus();
}

void WorldHost::ReleaseStepper(const SessionMemory* session) {
  const MutexLock lock(mutex_);
  if (stepper_ == session) stepper_ = nullptr;
}

bool WorldHost::IsStepper(const SessionMemory* session) const {
  const MutexLock lock(mutex_);
  return stepper_ == session;
}

void WorldHost::CountSession(int change) {
  sessions_ += change;
  Touch();
}

void WorldHost::CountStream(int change) {
  streams_ += change;
  Touch();
}

void WorldHost::Touch() { last_use_ = environment_.clock->Now().count(); }

bool WorldHost::Expired(Time now) const {
  double time_to_live = 0.0;
  {
    const MutexLock lock(mutex_);
    time_to_live = info_.settings.idle_time_to_live;
  }
  if (time_to_live <= 0.0 || sessions_ > 0 || streams_ > 0) return false;
  return now - Time(last_use_) > FromSeconds(time_to_live);
}

void WorldHost::Delete(Callback<absl::StatusOr<std::uint64_t>> reply) {
  {
    const MutexLock lock(mutex_);
    if (!deleted_) {
      deleted_ = true;
      delete_reply_ = std::move(reply);
      reply = nullptr;
    }
  }
  if (reply) return reply(WorldDeleted(name_));
  environment_.scheduler->Wake(this);
}

RunNext WorldHost::Run(Time now) { return runner_->Run(now); }

void WorldHost::Submit(Work work, bool wake) {
  absl::Status refused;
  std::optional<InputWork> superseded;
  std::uint64_t tick = 0;
  {
    const MutexLock lock(mutex_);
    refused = deleted_ ? WorldDeleted(name_) : inbox_.Push(work, superseded);
    wake = wake || waits_;
    tick = info_.tick;
  }
  if (superseded) {
    superseded->reply(InputOutcome{.sequence = superseded->input.sequence, .tick = tick, .superseded = true});
  }
  if (!refused.ok()) return Fail(work, refused);
  if (wake) environment_.scheduler->Wake(this);
}

}  // namespace throng::server
