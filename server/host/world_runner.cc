#include "server/host/world_runner.h"

#include <absl/strings/str_cat.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <new>
#include <utility>

#include "server/host/errors.h"

namespace throng::server {

WorldRunner::WorldRunner(WorldHost* host, std::unique_ptr<World> world, const HostSettings& settings)
    : host_(host),
      env_(host->environment_),
      world_(std::move(world)),
      settings_(settings),
      paused_(settings.start_paused),
      pacer_(settings.Period(), env_.clock->Now()) {
  Advise();
  PublishInfo();
}

RunNext WorldRunner::Run(Time now) {
  if (host_->deleted()) return End();
  if (resting_) {
    resting_ = false;
    run_began_ = now;
  }
  slice_ends_ = now + kSlice;
  RunNext next;
  try {
    next = Continue(now);
  } catch (const std::bad_alloc&) {
    Fault("out of memory");
    next = Busy();
  }
  return next;
}

RunNext WorldRunner::Continue(Time now) {
  while (true) {
    switch (stage_) {
      case Stage::kBorder:
        if (!DrainInbox()) return Busy();
        Settle();
        if (TickIsDue(now)) {
          BeginTick(now);
        } else if (Readable() && ((refresh_ && Waits()) || publisher_.someone_waits())) {
          BeginPublish(refresh_ && Waits());
        } else {
          return Rest();
        }
        break;
      case Stage::kStep:
        if (!ContinueStep()) return Busy();
        BeginPublish(true);
        break;
      case Stage::kPublish:
        if (!ContinuePublish()) return Busy();
        stage_ = Stage::kBorder;
        if (!publishing_tick_) break;
        EndTick();
        return Rest();  // others that are due come before the next tick, also of a world that is late
    }
  }
}

RunNext WorldRunner::Rest() {
  resting_ = true;
  const bool waits = Waits();
  bool more = false;
  {
    const MutexLock lock(host_->mutex_);
    host_->waits_ = waits;
    // What an order held back is in the queue.
    more = !queue_.empty() || (waits && !host_->inbox_.empty());
  }
  const Time now = env_.clock->Now();
  if (more) return {RunNext::Kind::kDeadline, now};
  if (waits) return {RunNext::Kind::kWoken, {}};
  if (settings_.clock == WorldClock::kFree) return {RunNext::Kind::kDeadline, kNever};
  if (settings_.clock == WorldClock::kLockstep) return {RunNext::Kind::kDeadline, now};
  if (pacer_.due() > now) return {RunNext::Kind::kTimer, pacer_.due()};
  // Being late does not make a world more urgent: one that overruns would take the time of those that do not.
  return {RunNext::Kind::kDeadline, missed_ ? now + kLateGrace : now};
}

// A tick under way is to be done by when the next one is due, but gives way to all that becomes due within the grace
// after its last slice, so that one that takes long delays only itself. Where others leave it no time at all, the grace
// runs out while it waits, and it gets a slice.
RunNext WorldRunner::Busy() const {
  const Time now = env_.clock->Now();
  if (settings_.clock == WorldClock::kFree) return {RunNext::Kind::kDeadline, kNever};
  if (missed_) return {RunNext::Kind::kDeadline, now + kLateGrace};
  return {RunNext::Kind::kDeadline, std::max(run_began_ + pacer_.period(), now + std::min(pacer_.period(), kGrace))};
}

bool WorldRunner::OutOfTime() const { return env_.clock->Now() >= slice_ends_; }

RunNext WorldRunner::End() {
  const absl::Status gone = WorldDeleted(host_->name());
  Callback<absl::StatusOr<std::uint64_t>> reply;
  {
    const MutexLock lock(host_->mutex_);
    for (Work& work : host_->inbox_.Take()) queue_.push_back(std::move(work));
    reply = std::move(host_->delete_reply_);
  }
  for (DoneBatch& done : done_batches_) done.reply(gone);
  done_batches_.clear();
  if (order_) order_->work.reply(gone);
  order_.reset();
  for (Work& work : queue_) Fail(work, gone);
  queue_.clear();
  publisher_.EndAll();
  env_.metrics->agents.Add(-counted_agents_);
  CountAgents(0, 0);
  if (reply) reply(world_->tick());
  return {RunNext::Kind::kGone, {}};
}

// Whatever the engine was doing is left as it is: nobody steps or edits this world again.
void WorldRunner::Fault(const char* reason) {
  faulted_ = true;
  fault_ = reason;
  stage_ = Stage::kBorder;
  env_.metrics->world_faults.Add();
  const absl::Status status = fault();
  // What had been begun is answered here, what waits is when its turn comes.
  if (batch_) {
    Fail(queue_.front(), status);
    queue_.pop_front();
    batch_.reset();
  }
  for (DoneBatch& done : std::exchange(done_batches_, {})) done.reply(status);
  if (order_) order_->work.reply(status);
  order_.reset();
  PublishInfo();
  TellAll();
}

absl::Status WorldRunner::fault() const {
  if (!faulted_) return absl::OkStatus();
  return WithReason(absl::FailedPreconditionError(absl::StrCat("world ", host_->name(), " is FAULTED: ", fault_)),
                    "WORLD_FAULTED");
}

// Step ---------------------------------------------------------------------------------------------------------------

bool WorldRunner::TickIsDue(Time now) const {
  if (Stopped()) return false;
  switch (settings_.clock) {
    case WorldClock::kRealtime:
      return pacer_.due() <= std::max(now, env_.clock->Now());
    case WorldClock::kLockstep:
      return order_.has_value();
    case WorldClock::kFree:
      return true;
  }
  return false;
}

bool WorldRunner::Waits() const {
  return Stopped() || (settings_.clock == WorldClock::kLockstep && !order_.has_value());
}

void WorldRunner::BeginTick(Time now) {
  if (!world_->BeginStep(zero()).ok()) return Fault("a step was refused");
  stage_ = Stage::kStep;
  tick_began_ = std::max(now, env_.clock->Now());
  last_phase_ = Phase::kIdle;
}

bool WorldRunner::ContinueStep() {
  const std::size_t agents = world_->agent_count();
  Time began = env_.clock->Now();
  for (Phase phase = world_->phase(); phase != Phase::kIdle; phase = world_->phase()) {
    if (phase != last_phase_) phase_agents_ = 0;
    last_phase_ = phase;
    const std::size_t asked = slices_.AgentsIn(phase, slice_ends_ - began);
    // Without isolation a thread that waits in the engine's loops might take up another world's runner.
    tbb::this_task_arena::isolate([&] { world_->Advance(asked); });
    const Time ended = env_.clock->Now();
    const std::size_t done = std::min(asked, agents - std::min(agents, phase_agents_));
    slices_.Count(phase, done, ended - began);
    phase_agents_ += done;
    phase_times_[static_cast<std::size_t>(phase) - static_cast<std::size_t>(Phase::kApply)] += ended - began;
    began = ended;
    if (ended >= slice_ends_ && world_->phase() != Phase::kIdle) return false;
  }
  return true;
}

// Publish ------------------------------------------------------------------------------------------------------------

void WorldRunner::BeginPublish(bool to_all) {
  publishing_tick_ = stage_ == Stage::kStep;
  stage_ = Stage::kPublish;
  if (publishing_tick_) {
    ++revision_;
    frames_of_tick_ = zero() ? frames_of_tick_ + 1 : 0;
    if (order_) --order_->ticks_left;
  } else if (revision_ != published_revision_) {
    ++frames_of_tick_;
  }
  published_revision_ = revision_;
  if (to_all) refresh_ = false;
  inputs_.Remember(CurrentMembership());
  const FrameHead head{.world_uid = host_->uid(),
                       .tick = world_->tick(),
                       .simulation_time = world_->simulation_time(),
                       .server_time = env_.clock->WallSeconds(),
                       .time_scale = settings_.time_scale,
                       .membership_version = CurrentMembership()->version,
                       .agents = static_cast<std::uint32_t>(world_->agent_count()),
                       .revision = frames_of_tick_,
                       .state_hash = publisher_.wants_state_hash() ? world_->StateHash() : 0};
  const bool of_order = publishing_tick_ && order_.has_value();
  publisher_.Begin(head, CurrentMembership(), revision_, to_all, of_order ? order_->work.order.session.get() : nullptr,
                   of_order && order_->ticks_left == 0, to_all ? TakeAgentEvents() : nullptr);
}

// What happened since the last publishing to all.
std::shared_ptr<const AgentEvents> WorldRunner::TakeAgentEvents() {
  std::vector<AgentId> removed = std::exchange(removed_, {});
  if (!publisher_.wants_agent_events()) return nullptr;
  return GatherAgentEvents(*world_, publishing_tick_ && !zero(), std::move(removed));
}

bool WorldRunner::ContinuePublish() {
  const Time began = env_.clock->Now();
  const bool done = publisher_.Continue(*world_, *env_.clock, slice_ends_);
  if (publishing_tick_) phase_times_[static_cast<std::size_t>(TickPhase::kEncode)] += env_.clock->Now() - began;
  return done;
}

void WorldRunner::EndTick() {
  const Time now = env_.clock->Now();
  Duration cost{0};
  for (std::size_t i = 0; i < kTickPhases; ++i) {
    env_.metrics->tick_phase(static_cast<TickPhase>(i)).Observe(phase_times_[i]);
    cost += phase_times_[i];
  }
  phase_times_ = {};
  if (!zero()) CountStep();
  Pacer::Outcome outcome;
  if (settings_.clock == WorldClock::kRealtime) {
    outcome = pacer_.Finish(tick_began_, now);
    env_.metrics->tick_lateness.Observe(outcome.lateness);
    missed_ = outcome.missed;
    if (missed_) env_.metrics->missed_deadlines.Add();
  }
  {
    const MutexLock lock(host_->mutex_);
    host_->load_.Count(now, cost, outcome);
  }
  PublishInfo();
  if (order_ && order_->ticks_left == 0) AnswerOrder();
}

void WorldRunner::CountStep() {
  env_.metrics->ticks.Add();
  const StepStats& stats = world_->stats();
  cut_moves_ += stats.cut;
  env_.metrics->cut_moves.Add(stats.cut);
  env_.metrics->recoveries.Add(stats.recovered);
  CountAgents(stats.stranded, stats.stalled);
}

// Gauges of all worlds: what this one adds to them changes.
void WorldRunner::CountAgents(std::uint64_t stranded, std::uint64_t stalled) {
  const auto count = [](Gauge& gauge, std::uint64_t now, std::int64_t& counted) {
    gauge.Add(static_cast<std::int64_t>(now) - counted);
    counted = static_cast<std::int64_t>(now);
  };
  count(env_.metrics->stranded_agents, stranded, counted_stranded_);
  count(env_.metrics->stalled_agents, stalled, counted_stalled_);
}

void WorldRunner::AnswerOrder() {
  StepReply reply = std::move(order_->work.reply);
  order_.reset();
  reply(StepOutcome{world_->tick(), world_->StateHash()});
}

const std::shared_ptr<const Membership>& WorldRunner::CurrentMembership() {
  if (membership_ == nullptr) membership_ = world_->membership();
  return membership_;
}

}  // namespace throng::server
