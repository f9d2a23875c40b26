// StreamWriter: what goes out on one stream, in which order, and what is dropped when its reader is slow.
//
//   - one write is in flight; behind it waits at most one frame, the latest, and a bounded queue of events;
//   - a frame's parts are sent without anything between them, all or none;
//   - a frame that must be sent stands in the queue, so what is said about it follows it;
//   - events go before the waiting frame, but none before a stream's first frame where one is to come;
//   - events of agents wait together, as one message that goes out before the frame of their tick.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "server/base/metrics.h"
#include "server/host/callback.h"
#include "server/host/clock.h"
#include "server/host/mutex.h"
#include "server/host/subscriber.h"
#include "server/session/stream_sink.h"
#include "throng/v1/frame.pb.h"

namespace throng::server {

// Safe from any thread.
class StreamWriter {
 public:
  static constexpr std::size_t kMaxEvents = 256;
  // Frames that must be sent. A client has one order under way, so a second waits only where it does not read answers.
  static constexpr std::size_t kMaxMustSend = 2;

  struct Environment {
    const Clock* clock = nullptr;
    Metrics* metrics = nullptr;
    Duration stall_limit{0};
  };

  // `on_ending` is called once, when the stream begins to end by whatever cause, `on_finished` once right
  // before StreamSink::Finish; both without a lock.
  StreamWriter(std::shared_ptr<StreamSink> sink, const Environment& environment, Callback<> on_ending,
               Callback<> on_finished);
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  // The first event of a stream. `frame_follows`: what is offered after it waits for the first frame.
  void Open(std::string bytes, bool frame_follows);
  // One without a frame says that none comes for now.
  void OfferFrame(FrameOffer offer);
  // `bytes`: a ConnectResponse or WatchResponse with an event. Too many of them end the stream with OVERFLOW.
  void OfferEvent(std::string bytes);
  // The same for an event that is out of date once a newer one of its kind is there: only the latest waits.
  void OfferLatestEvent(std::string bytes);

  // Joins those that wait. Those before the first frame are dropped: it shows their outcome. Too many end the stream
  // with OVERFLOW.
  void OfferAgentEvents(const std::shared_ptr<const AgentEvents>& events);

  // Ends the stream: what waits in the queue is sent, then a closing event, then `status`. The first call counts.
  // CLOSING_REASON_UNSPECIFIED: without an event.
  void Close(v1::ClosingReason reason, const std::string& message, absl::Status status);
  // Ends it with `status` alone, as soon as no write is in flight.
  void Fail(absl::Status status);
  void OnWriteDone(bool ok);
  void OnCancelled();
  // Breaks the stream off if a write hangs for longer than the stall limit.
  void CheckStall(Time now);

  bool ending() const;

 private:
  using Queued = std::variant<std::string, FrameOffer>;
  struct Ending {
    std::string closing;  // empty: none, or sent
    absl::Status status;
  };
  // What is to be done once the lock is free.
  struct Action {
    std::shared_ptr<StreamSink> sink;  // null: nothing
    OutgoingMessage message;
    std::optional<absl::Status> finish;
    bool ending = false;
  };

  Action Next() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool AgentEventsAreNext() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  OutgoingMessage NextAgentEvents() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  OutgoingMessage NextPart() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Enqueue(Queued item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndHold() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BeginQueuedFrame() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BeginFrame(FrameOffer offer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Overflow(const std::string& what = "more events") ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Break(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Do(Action action) ABSL_LOCKS_EXCLUDED(mutex_);

  const Environment env_;
  Callback<> on_ending_;    // called by whoever sets ending_
  Callback<> on_finished_;  // called by whoever finishes

  mutable Mutex mutex_;
  std::shared_ptr<StreamSink> sink_ ABSL_GUARDED_BY(mutex_);  // null once finished
  bool in_flight_ ABSL_GUARDED_BY(mutex_) = false;
  Time write_began_ ABSL_GUARDED_BY(mutex_){0};
  bool stalled_ ABSL_GUARDED_BY(mutex_) = false;

  std::optional<FrameOffer> sending_ ABSL_GUARDED_BY(mutex_);  // between its first and last part
  std::size_t next_part_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t sending_skipped_ ABSL_GUARDED_BY(mutex_) = 0;
  bool sending_ids_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Queued> queue_ ABSL_GUARDED_BY(mutex_);
  std::size_t must_send_ ABSL_GUARDED_BY(mutex_) = 0;  // frames in the queue
  bool hold_ ABSL_GUARDED_BY(mutex_) = false;          // until the first frame
  std::deque<Queued> held_ ABSL_GUARDED_BY(mutex_);
  std::string latest_event_ ABSL_GUARDED_BY(mutex_);                         // empty: none
  std::shared_ptr<const AgentEvents> agent_events_ ABSL_GUARDED_BY(mutex_);  // null: none
  // The last message was of agent events, so that answers, which must not wait for ever, come before the next.
  bool answers_first_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<FrameOffer> slot_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t skipped_ ABSL_GUARDED_BY(mutex_) = 0;                     // ticks since the last frame sent
  std::optional<std::uint64_t> membership_sent_ ABSL_GUARDED_BY(mutex_);  // version that the peer has
  std::optional<Ending> ending_ ABSL_GUARDED_BY(mutex_);
  bool ending_told_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace throng::server
