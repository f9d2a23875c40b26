// WorldRunner: the part of a hosted world that ticks. One runner of the scheduler at a time calls Run, which does about
// a millisecond of work and says when it wants to go on:
//
//   border   what is in the inbox is done, in the order of its arrival
//   step     the engine's step, in slices
//   publish  frames are encoded and offered to the streams, in pieces
//
// then the border again. Between two ticks the world rests at the border; what is urgent is done there at once.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/host/batch_run.h"
#include "server/host/inbox.h"
#include "server/host/input_apply.h"
#include "server/host/load_meter.h"
#include "server/host/pacer.h"
#include "server/host/publisher.h"
#include "server/host/request_cache.h"
#include "server/host/run_queue.h"
#include "server/host/slice_meter.h"
#include "server/host/world_host.h"
#include "throng/world.h"

namespace throng::server {

class WorldRunner {
 public:
  // How long a slice takes, about.
  static constexpr Duration kSlice = std::chrono::microseconds(700);
  // For how long a tick under way gives way to others, and how long a world does that missed its last deadline.
  static constexpr Duration kGrace = std::chrono::milliseconds(5);
  static constexpr Duration kLateGrace = std::chrono::milliseconds(10);

  WorldRunner(WorldHost* host, std::unique_ptr<World> world, const HostSettings& settings);

  RunNext Run(Time now);

  // For control work, at a border.
  void Read(ReadReply& reply) const;
  // INVALID_ARGUMENT with a Violation, and nothing changes: defaults that do not suit the world.
  absl::Status Update(const HostSettingsPatch& patch);
  void SetPaused(bool paused);
  // Looks for warnings again, if what they depend on has changed.
  void Advise();
  void Subscribe(Subscription subscription);
  void Unsubscribe(const Subscriber* subscriber) { publisher_.Unsubscribe(subscriber); }
  void TellAll() { publisher_.TellAll(host_->Info()); }
  // OK, or why the world does nothing any more.
  absl::Status fault() const;

 private:
  enum class Stage : std::uint8_t { kBorder, kStep, kPublish };

  // A step order under way.
  struct Order {
    StepWork work;
    std::uint32_t ticks_left = 0;
  };
  // Whether the step under way, or just done, is one of no time.
  bool zero() const { return order_ && order_->work.order.zero; }

  RunNext Continue(Time now);
  RunNext End();
  void Fault(const char* reason);

  // Border.
  bool DrainInbox();
  bool DrainOne();  // false: out of time
  void DoControls();
  bool ContinueBatch();
  bool AnswerRepeat(CommandWork& work);
  void ApplyInput(InputWork& work);
  void BeginOrder(StepWork work);
  void Settle();
  void AnswerBatches();
  void PublishInfo();
  bool TickIsDue(Time now) const;
  // Whether no tick comes by itself.
  bool Waits() const;
  bool Stopped() const { return paused_ || faulted_; }
  // Whether a frame of the world can be made.
  bool Readable() const { return world_->phase() == Phase::kIdle; }

  // Step.
  void BeginTick(Time now);
  bool ContinueStep();

  // Publish.
  void BeginPublish(bool to_all);
  bool ContinuePublish();
  std::shared_ptr<const AgentEvents> TakeAgentEvents();
  void EndTick();
  void CountStep();
  void CountAgents(std::uint64_t stranded, std::uint64_t stalled);
  void AnswerOrder();

  RunNext Rest();
  RunNext Busy() const;  // there is more to do now
  bool OutOfTime() const;
  const std::shared_ptr<const Membership>& CurrentMembership();

  WorldHost* const host_;
  const HostEnvironment& env_;
  const std::unique_ptr<World> world_;
  HostSettings settings_;

  // What was taken out of the inbox and is not done yet.
  std::deque<Work> queue_;
  std::optional<BatchRun> batch_;  // of the command at the front
  struct DoneBatch {
    std::shared_ptr<CommandBatchResult> result;
    CommandReply reply;
    bool repeat = false;  // the result is complete already
    absl::Status refused{};
  };
  std::vector<DoneBatch> done_batches_;  // wait for their versions
  RequestCache requests_;                // of unary services; sessions have their own
  InputApplier inputs_;
  std::shared_ptr<const Membership> membership_;  // null: to be asked for again
  std::optional<Order> order_;

  Stage stage_ = Stage::kBorder;
  bool paused_ = false;
  bool faulted_ = false;
  std::string fault_;
  bool refresh_ = false;        // commands changed what streams of a waiting world see
  std::uint64_t revision_ = 1;  // changes with all that a frame shows
  std::uint64_t published_revision_ = 1;
  std::uint32_t frames_of_tick_ = 0;  // published before, of the same tick
  Publisher publisher_;
  bool publishing_tick_ = false;

  Pacer pacer_;
  SliceMeter slices_;
  Time slice_ends_{0};
  Time run_began_{0};  // of the work since the world last rested
  bool resting_ = true;
  bool missed_ = false;  // the last tick's deadline

  // Of the tick under way.
  Time tick_began_{0};
  Phase last_phase_ = Phase::kIdle;
  std::size_t phase_agents_ = 0;  // done of the phase under way
  std::array<Duration, kTickPhases> phase_times_{};

  std::shared_ptr<const std::vector<Warning>> warnings_;
  std::uint64_t advised_obstacles_ = 0;  // version of obstacles that they are of

  std::vector<AgentId> removed_;  // since the last publishing to all, where streams want to know

  // Since creation.
  std::uint64_t cut_moves_ = 0;
  // In the metrics.
  std::int64_t counted_agents_ = 0;
  std::int64_t counted_stranded_ = 0;
  std::int64_t counted_stalled_ = 0;
};

}  // namespace throng::server
