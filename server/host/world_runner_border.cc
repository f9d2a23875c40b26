// The border between two ticks: what is in the inbox is done here.
#include <utility>
#include <variant>

#include "server/host/errors.h"
#include "server/host/fingerprint.h"
#include "server/host/world_runner.h"

namespace throng::server {

// While an order runs, what arrives waits for its end, but for what is no part of the world's history.
bool WorldRunner::DrainInbox() {
  while (true) {
    {
      const MutexLock lock(host_->mutex_);
      for (Work& work : host_->inbox_.Take()) queue_.push_back(std::move(work));
    }
    if (order_ && !Stopped()) {
      DoControls();
      if (order_ && !Stopped()) return true;
    }
    if (queue_.empty()) return true;
    const Time began = env_.clock->Now();
    const bool done = DrainOne();
    phase_times_[static_cast<std::size_t>(TickPhase::kApply)] += env_.clock->Now() - began;
    if (!done || OutOfTime()) return false;
  }
}

bool WorldRunner::DrainOne() {
  if (std::holds_alternative<CommandWork>(queue_.front())) return ContinueBatch();
  Work work = std::move(queue_.front());
  queue_.pop_front();
  if (auto* control = std::get_if<ControlWork>(&work)) {
    (*control)(this);
  } else if (faulted_) {
    Fail(work, fault());
  } else if (auto* input = std::get_if<InputWork>(&work)) {
    ApplyInput(*input);
  } else {
    BeginOrder(std::move(std::get<StepWork>(work)));
  }
  return true;
}

// In the midst of an order. A second order is refused here too, not kept until the first is done.
void WorldRunner::DoControls() {
  std::deque<Work> rest;
  for (Work& work : std::exchange(queue_, {})) {
    if (auto* control = std::get_if<ControlWork>(&work)) {
      (*control)(this);
    } else if (auto* step = std::get_if<StepWork>(&work)) {
      BeginOrder(std::move(*step));
    } else {
      rest.push_back(std::move(work));
    }
  }
  queue_ = std::move(rest);
}

bool WorldRunner::ContinueBatch() {
  auto& work = std::get<CommandWork>(queue_.front());
  if (faulted_) {
    Fail(queue_.front(), fault());
  } else if (batch_ || !AnswerRepeat(work)) {
    if (!batch_) batch_.emplace(std::move(work.batch));
    std::vector<AgentId>* const removed = publisher_.wants_agent_events() ? &removed_ : nullptr;
    if (!batch_->Continue(*world_, *env_.clock, slice_ends_, removed)) return false;
    std::shared_ptr<CommandBatchResult> result = batch_->result();
    result->tick = world_->tick();
    batch_->Remember(requests_);
    env_.metrics->commands_applied.Add(batch_->applied());
    env_.metrics->commands_rejected.Add(batch_->rejected());
    batch_.reset();
    if (result->applied) {
      membership_ = nullptr;
      refresh_ = true;
      ++revision_;
    }
    done_batches_.push_back({std::move(result), std::move(work.reply)});
  }
  queue_.pop_front();
  return true;
}

// A repeat gets the first answer, in its turn.
bool WorldRunner::AnswerRepeat(CommandWork& work) {
  const CommandBatch& batch = work.batch;
  if (batch.request_id.empty()) return false;
  const RequestCache& requests = batch.session == nullptr ? requests_ : batch.session->requests;
  const RequestCache::Answer* const answer = requests.Find(batch.request_id);
  if (answer == nullptr) return false;
  const absl::Status status = answer->fingerprint == Fingerprint(batch) ? absl::OkStatus() : RequestIdReused();
  done_batches_.push_back({answer->result, std::move(work.reply), true, status});
  return true;
}

void WorldRunner::ApplyInput(InputWork& work) {
  InputOutcome outcome = inputs_.Apply(*world_, *CurrentMembership(), work.input);
  env_.metrics->inputs_applied.Add(outcome.applied);
  env_.metrics->inputs_rejected.Add(outcome.rejected);
  ++revision_;
  work.reply(std::move(outcome));
}

void WorldRunner::BeginOrder(StepWork work) {
  if (order_) {
    return work.reply(WithReason(absl::FailedPreconditionError("another step order is under way"), "STEP_OUTSTANDING"));
  }
  if (paused_) {
    return work.reply(WithReason(absl::FailedPreconditionError("the world is paused"), "WORLD_PAUSED"));
  }
  const std::uint32_t ticks = work.order.ticks;
  order_ = Order{std::move(work), ticks};
}

// Answers follow the application: versions are asked for once, not per batch.
void WorldRunner::Settle() {
  if (!done_batches_.empty()) AnswerBatches();
  PublishInfo();
}

void WorldRunner::AnswerBatches() {
  for (DoneBatch& done : done_batches_) {
    if (done.repeat) continue;
    done.result->membership_version = CurrentMembership()->version;
    done.result->obstacle_version = world_->obstacle_version();
  }
  PublishInfo();
  for (DoneBatch& done : std::exchange(done_batches_, {})) {
    if (!done.refused.ok()) {
      done.reply(done.refused);
    } else {
      done.reply(std::shared_ptr<const CommandBatchResult>(std::move(done.result)));
    }
  }
}

void WorldRunner::PublishInfo() {
  const auto agents = static_cast<std::int64_t>(world_->agent_count());
  env_.metrics->agents.Add(agents - counted_agents_);
  counted_agents_ = agents;
  if (!faulted_) CurrentMembership();

  const MutexLock lock(host_->mutex_);
  WorldInfo& info = host_->info_;
  info.settings = settings_;
  info.state = faulted_ ? WorldState::kFaulted : paused_ ? WorldState::kPaused : WorldState::kRunning;
  info.fault = fault_;
  info.tick = world_->tick();
  info.simulation_time = world_->simulation_time();
  info.agents = static_cast<std::uint32_t>(agents);
  info.obstacles = static_cast<std::uint32_t>(world_->obstacle_count());
  info.obstacle_vertices = static_cast<std::uint32_t>(world_->obstacle_vertex_count());
  if (membership_ != nullptr) info.membership_version = membership_->version;
  info.obstacle_version = world_->obstacle_version();
  info.warnings = warnings_;
  info.recoveries = world_->recoveries();
  info.cut_moves = cut_moves_;
  info.stranded_agents = static_cast<std::uint32_t>(counted_stranded_);
  info.stalled_agents = static_cast<std::uint32_t>(counted_stalled_);
}

void WorldRunner::Read(ReadReply& reply) const {
  if (!Readable()) return reply(fault());
  reply(world_.get());
}

absl::Status WorldRunner::Update(const HostSettingsPatch& patch) {
  HostSettings changed = settings_;
  Apply(patch, changed);
  if (absl::Status status = Validate(changed); !status.ok()) return InSettings(status);
  settings_ = changed;
  // They were validated; they are refused only in the middle of a step, where a faulted world may have stopped.
  world_->SetAgentDefaults(settings_.world.agent_defaults).IgnoreError();
  world_->SetStaleInput(settings_.world.stale_input).IgnoreError();
  pacer_.SetPeriod(settings_.Period());
  PublishInfo();
  if (Readable()) warnings_ = nullptr;
  Advise();
  TellAll();
  return absl::OkStatus();
}

void WorldRunner::Advise() {
  if (!Readable() || (warnings_ != nullptr && advised_obstacles_ == world_->obstacle_version())) return;
  warnings_ = std::make_shared<const std::vector<Warning>>(world_->Advise(kMaxWorldWarnings));
  advised_obstacles_ = world_->obstacle_version();
  PublishInfo();
}

void WorldRunner::SetPaused(bool paused) {
  if (paused_ && !paused) pacer_.Resume(env_.clock->Now());
  const bool changes = paused != paused_;
  paused_ = paused;
  PublishInfo();
  if (changes) TellAll();
}

void WorldRunner::Subscribe(Subscription subscription) {
  if (subscription.columns && !Readable()) subscription.subscriber->OnFrame({.subscription = subscription.number});
  publisher_.Subscribe(std::move(subscription));
}

}  // namespace throng::server
