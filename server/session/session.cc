#include "server/session/session.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "server/convert/command_convert.h"
#include "server/convert/input_convert.h"
#include "server/convert/world_info_convert.h"
#include "server/host/errors.h"
#include "server/host/limit_error.h"
#include "server/host/random.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

absl::Status SessionIsOver() { return SessionNotFound("the session has ended"); }

}  // namespace

Session::Session(std::shared_ptr<WorldHost> world, std::shared_ptr<SessionMemory> memory, Duration lease, bool stepper,
                 std::uint32_t max_batch_items, const Clock* clock)
    : id_(RandomToken()),
      token_(RandomToken()),
      world_(std::move(world)),
      memory_(std::move(memory)),
      lease_(lease),
      stepper_(stepper),
      max_batch_items_(max_batch_items),
      clock_(clock),
      idle_since_(clock->Now()) {
  world_->CountSession(1);
}

void Session::ApplyInput(const v1::Input& input, InputReply reply) {
  absl::Status status;
  bool new_one = false;
  {
    const MutexLock lock(mutex_);
    if (ended_) {
      status = SessionIsOver();
    } else if (input.sequence() == 0) {
      status = ViolationError({"input.sequence", "0", "counted up from 1"});
    } else if (input.sequence() > last_input_) {
      last_input_ = input.sequence();
      new_one = true;
    }
  }
  if (!new_one) {
    return reply(InputOutcome{
        .sequence = input.sequence(), .tick = world_->Info().tick, .status = status, .superseded = status.ok()});
  }
  if (status = BeginCall(); !status.ok()) return reply(InputOutcome{.sequence = input.sequence(), .status = status});
  world_->ApplyInput(FromProto(input, memory_),
                     [self = shared_from_this(), reply = std::move(reply)](InputOutcome outcome) mutable {
                       self->EndCall();
                       reply(std::move(outcome));
                     });
}

void Session::ApplyCommands(const v1::CommandBatch& batch, CommandReply reply) {
  if (absl::Status status = BeginCall(); !status.ok()) return reply(status);
  absl::StatusOr<CommandBatch> commands;
  if (static_cast<std::uint32_t>(batch.commands_size()) > max_batch_items_) {
    commands = LimitError("max_batch_items", max_batch_items_);
  } else {
    commands = FromProto(batch);
  }
  if (!commands.ok()) {
    EndCall();
    return reply(commands.status());
  }
  commands->session = memory_;
  world_->ApplyCommands(*std::move(commands),
                        [self = shared_from_this(), reply = std::move(reply)](
                            absl::StatusOr<std::shared_ptr<const CommandBatchResult>> result) mutable {
                          self->EndCall();
                          reply(std::move(result));
                        });
}

void Session::Step(const v1::StepOrder& order, StepReply reply) {
  if (absl::Status status = BeginCall(); !status.ok()) return reply(status);
  absl::StatusOr<StepOutcome> known;
  {
    const MutexLock lock(mutex_);
    if (absl::Status status = CheckOrder(order); !status.ok()) {
      known = status;
    } else if (order_) {
      order_->waiting.push_back(std::move(reply));
      return;
    } else if (order.sequence() == last_step_) {
      known = last_outcome_;
    } else {
      order_ = Order{order.sequence(), {}};
      order_->waiting.push_back(std::move(reply));
      reply = nullptr;
    }
  }
  if (reply) {
    EndCall();
    return reply(std::move(known));
  }
  world_->Step({memory_, order.ticks(), order.has_time_step() && order.time_step() == 0.0f},
               [self = shared_from_this(), sequence = order.sequence()](const absl::StatusOr<StepOutcome>& outcome) {
                 self->OrderDone(sequence, outcome);
               });
}

// OK: it is the order under way, the last one, or a new one.
absl::Status Session::CheckOrder(const v1::StepOrder& order) const {
  if (order.sequence() == 0) return ViolationError({"step.sequence", "0", "counted up from 1"});
  if (order.ticks() < 1 || order.ticks() > kMaxTicksPerOrder) {
    return ViolationError({"step.ticks", absl::StrCat(order.ticks()), absl::StrCat("[1, ", kMaxTicksPerOrder, "]")});
  }
  if (absl::Status status = CheckTimeStep(order); !status.ok()) return status;
  if (world_->clock() != WorldClock::kLockstep) {
    return WithReason(absl::FailedPreconditionError("the world's clock is not WORLD_CLOCK_LOCKSTEP"), "WRONG_CLOCK");
  }
  if (!stepper_) {
    return WithReason(absl::PermissionDeniedError("the session is not the world's stepper"), "NOT_STEPPER");
  }
  if (order_ && order_->sequence != order.sequence()) {
    return WithReason(absl::FailedPreconditionError(absl::StrCat("step order ", order_->sequence, " is under way")),
                      "STEP_OUTSTANDING");
  }
  if (!order_ && order.sequence() < last_step_) {
    return WithReason(absl::FailedPreconditionError(absl::StrCat("the last step order was ", last_step_)),
                      "STEP_SEQUENCE");
  }
  return absl::OkStatus();
}

absl::Status Session::CheckTimeStep(const v1::StepOrder& order) const {
  if (!order.has_time_step()) return absl::OkStatus();
  const float usual = world_->Info().settings.world.time_step;
  if (order.time_step() != 0.0f && order.time_step() != usual) {
    return ViolationError({"step.time_step", absl::StrCat(order.time_step()), absl::StrCat("0 or ", usual)});
  }
  if (order.time_step() != 0.0f || order.ticks() == 1) return absl::OkStatus();
  return ViolationError({"step.ticks", absl::StrCat(order.ticks()), "1, for a step of zero"});
}

void Session::OrderDone(std::uint64_t sequence, const absl::StatusOr<StepOutcome>& outcome) {
  std::vector<StepReply> waiting;
  {
    const MutexLock lock(mutex_);
    if (outcome.ok()) {
      last_step_ = sequence;
      last_outcome_ = *outcome;
    }
    waiting = std::move(order_->waiting);
    order_.reset();
  }
  for (StepReply& reply : waiting) {
    EndCall();
    reply(outcome);
  }
}

absl::Status Session::Drive(const std::shared_ptr<ManagedStream>& stream) {
  std::shared_ptr<ManagedStream> before;
  {
    const MutexLock lock(mutex_);
    if (ended_) return SessionIsOver();
    before = driver_.lock();
    driver_ = stream;
    streams_.emplace_back(stream.get(), stream);
  }
  if (before != nullptr) {
    before->End(v1::CLOSING_REASON_SUPERSEDED, "another stream took the session over",
                absl::AbortedError("another stream took the session over"));
  }
  return absl::OkStatus();
}

absl::Status Session::Watch(const std::shared_ptr<ManagedStream>& stream) {
  const MutexLock lock(mutex_);
  if (ended_) return SessionIsOver();
  streams_.emplace_back(stream.get(), stream);
  return absl::OkStatus();
}

void Session::Leave(const ManagedStream* stream) {
  const MutexLock lock(mutex_);
  std::erase_if(streams_, [&](const auto& item) { return item.first == stream; });
  idle_since_ = clock_->Now();
}

v1::Opened Session::Opened() const {
  v1::Opened opened;
  *opened.mutable_world() = ToProto(world_->Info());
  const MutexLock lock(mutex_);
  opened.set_last_input_received(last_input_);
  opened.set_last_step(order_ ? order_->sequence : last_step_);
  return opened;
}

bool Session::Expired(Time now) const {
  if (world_->deleted()) return true;
  const MutexLock lock(mutex_);
  return ended_ || (streams_.empty() && calls_ == 0 && now - idle_since_ > lease_);
}

bool Session::End(v1::ClosingReason reason, const std::string& message, const absl::Status& status) {
  std::vector<std::shared_ptr<ManagedStream>> streams;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(ended_, true)) return false;
    for (const auto& [key, weak] : streams_) {
      if (auto stream = weak.lock()) streams.push_back(std::move(stream));
    }
  }
  world_->ReleaseStepper(memory_.get());
  world_->CountSession(-1);
  for (const auto& stream : streams) {
    stream->End(reason, message, status);
  }
  return true;
}

absl::Status Session::BeginCall() {
  world_->Touch();
  const MutexLock lock(mutex_);
  if (ended_) return SessionIsOver();
  ++calls_;
  return absl::OkStatus();
}

void Session::EndCall() {
  const MutexLock lock(mutex_);
  --calls_;
  idle_since_ = clock_->Now();
}

}  // namespace throng::server
