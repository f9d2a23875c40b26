#include "server/session/stream_writer.h"

#include <array>
#include <utility>

#include "server/host/wire.h"
#include "throng/v1/session_service.pb.h"

namespace throng::server {
namespace {

// What stands beside a frame, under the same numbers in ConnectResponse and WatchResponse.
std::string FrameTail(const FrameOffer& offer, std::uint64_t ticks_skipped) {
  std::array<char, 3 * (1 + kMaxVarintBytes)> bytes;
  WireWriter writer(bytes.data());
  writer.VarintField(2, offer.last_input_applied);
  writer.VarintField(3, ticks_skipped);
  writer.VarintField(5, offer.subscription);
  return {bytes.data(), static_cast<std::size_t>(writer.position() - bytes.data())};
}

// Field 12 of ConnectResponse and WatchResponse alike.
std::string ClosingBytes(v1::ClosingReason reason, const std::string& message) {
  if (reason == v1::CLOSING_REASON_UNSPECIFIED) return {};
  v1::ConnectResponse response;
  response.mutable_closing()->set_reason(reason);
  response.mutable_closing()->set_message(message);
  return response.SerializeAsString();
}

// Field 15 of ConnectResponse and WatchResponse alike.
std::string AgentEventsBytes(const AgentEvents& events) {
  v1::ConnectResponse response;
  v1::AgentEvents& out = *response.mutable_agent_events();
  out.set_tick(events.tick);
  out.set_truncated(events.truncated);
  const auto count = static_cast<int>(events.entries.size());
  out.mutable_ids()->Reserve(count);
  out.mutable_kinds()->Reserve(count);
  out.mutable_reasons()->Reserve(count);
  for (const AgentEventEntry& entry : events.entries) {
    out.add_ids(entry.id);
    out.add_kinds(static_cast<v1::AgentEventKind>(entry.kind));
    out.add_reasons(static_cast<v1::AgentStatusReason>(entry.reason));
  }
  return response.SerializeAsString();
}

std::size_t Bytes(const OutgoingMessage& message) {
  return (message.frame == nullptr ? 0 : message.frame->size()) +
         (message.membership == nullptr ? 0 : message.membership->size()) + message.tail.size();
}

}  // namespace

StreamWriter::StreamWriter(std::shared_ptr<StreamSink> sink, const Environment& environment, Callback<> on_ending,
                           Callback<> on_finished)
    : env_(environment),
      on_ending_(std::move(on_ending)),
      on_finished_(std::move(on_finished)),
      sink_(std::move(sink)) {}

void StreamWriter::Open(std::string bytes, bool frame_follows) {
  Action action;
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    queue_.emplace_back(std::move(bytes));
    hold_ = frame_follows;
    action = Next();
  }
  Do(std::move(action));
}

void StreamWriter::OfferFrame(FrameOffer offer) {
  std::optional<FrameOffer> dropped;  // let go of without the lock
  Action action;
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    if (offer.frame != nullptr) {
      dropped = std::exchange(slot_, std::nullopt);
      if (dropped && !dropped->in_between && dropped->frame->tick != offer.frame->tick) {
        ++skipped_;
        env_.metrics->frames_skipped.Add();
      }
      if (hold_ || offer.must_send) {
        Enqueue(std::move(offer));
      } else {
        slot_ = std::move(offer);
      }
    }
    if (hold_) EndHold();
    action = Next();
  }
  Do(std::move(action));
}

void StreamWriter::OfferEvent(std::string bytes) {
  Action action;
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    if (hold_ && held_.size() < kMaxEvents) {
      held_.emplace_back(std::move(bytes));
    } else {
      Enqueue(std::move(bytes));
    }
    action = Next();
  }
  Do(std::move(action));
}

void StreamWriter::OfferLatestEvent(std::string bytes) {
  Action action;
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    latest_event_ = std::move(bytes);
    action = Next();
  }
  Do(std::move(action));
}

void StreamWriter::OfferAgentEvents(const std::shared_ptr<const AgentEvents>& events) {
  Action action;
  {
    const MutexLock lock(mutex_);
    if (ending_ || hold_) return;
    agent_events_ = agent_events_ == nullptr ? events : Merge(*agent_events_, *events);
    if (agent_events_->entries.size() > kMaxAgentEvents) Overflow("more events of agents");
    action = Next();
  }
  Do(std::move(action));
}

void StreamWriter::Close(v1::ClosingReason reason, const std::string& message, absl::Status status) {
  Action action;
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    ending_ = Ending{ClosingBytes(reason, message), std::move(status)};
    EndHold();
    action = Next();
  }
  Do(std::move(action));
}

void StreamWriter::Fail(absl::Status status) {
  Action action;
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    Break(std::move(status));
    action = Next();
  }
  Do(std::move(action));
}

void StreamWriter::OnWriteDone(bool ok) {
  Action action;
  {
    const MutexLock lock(mutex_);
    in_flight_ = false;
    if (!ok) Break(absl::CancelledError("the peer is gone"));
    action = Next();
  }
  Do(std::move(action));
}

void StreamWriter::OnCancelled() {
  Action action;
  {
    const MutexLock lock(mutex_);
    Break(absl::CancelledError("the call was cancelled"));
    action = Next();
  }
  Do(std::move(action));
}

void StreamWriter::CheckStall(Time now) {
  Action action;
  std::shared_ptr<StreamSink> hanging;
  {
    const MutexLock lock(mutex_);
    if (!in_flight_ || stalled_ || now - write_began_ <= env_.stall_limit) return;
    stalled_ = true;
    env_.metrics->streams_stalled.Add();
    Break(absl::DeadlineExceededError("the reader took nothing for longer than the stall limit"));
    hanging = sink_;
    action = Next();
  }
  Do(std::move(action));
  hanging->Cancel();
}

bool StreamWriter::ending() const {
  const MutexLock lock(mutex_);
  return ending_.has_value();
}

StreamWriter::Action StreamWriter::Next() {
  Action action;
  action.ending = ending_.has_value() && !std::exchange(ending_told_, ending_.has_value());
  if (in_flight_ || sink_ == nullptr) return action;
  if (sending_) {
    action.message = NextPart();
  } else if (AgentEventsAreNext()) {
    action.message = NextAgentEvents();
  } else if (!queue_.empty()) {
    answers_first_ = false;
    if (auto* event = std::get_if<std::string>(&queue_.front())) {
      action.message.tail = std::move(*event);
      queue_.pop_front();
    } else {
      BeginQueuedFrame();
      action.message = NextPart();
    }
  } else if (!latest_event_.empty() && !hold_ && !ending_) {
    action.message.tail = std::exchange(latest_event_, {});
  } else if (ending_) {
    if (ending_->closing.empty()) {
      action.finish = ending_->status;
      action.sink = std::exchange(sink_, nullptr);
      slot_.reset();
      return action;
    }
    action.message.tail = std::exchange(ending_->closing, {});
  } else if (slot_) {
    BeginFrame(*std::exchange(slot_, std::nullopt));
    action.message = NextPart();
  } else {
    return action;
  }
  in_flight_ = true;
  write_began_ = env_.clock->Now();
  action.sink = sink_;
  return action;
}

bool StreamWriter::AgentEventsAreNext() const {
  if (agent_events_ == nullptr || hold_) return false;
  return !(answers_first_ && !queue_.empty() && std::holds_alternative<std::string>(queue_.front()));
}

// The frame that would be next follows at once: new events that come meanwhile must not hold it up again, and it must
// not be replaced by a later one, whose events they are.
OutgoingMessage StreamWriter::NextAgentEvents() {
  OutgoingMessage message;
  message.tail = AgentEventsBytes(*std::exchange(agent_events_, nullptr));
  answers_first_ = true;
  if (!queue_.empty() && std::holds_alternative<FrameOffer>(queue_.front())) {
    BeginQueuedFrame();
  } else if (queue_.empty() && slot_ && !ending_) {
    BeginFrame(*std::exchange(slot_, std::nullopt));
  }
  return message;
}

void StreamWriter::BeginQueuedFrame() {
  FrameOffer offer = std::move(std::get<FrameOffer>(queue_.front()));
  queue_.pop_front();
  --must_send_;
  BeginFrame(std::move(offer));
}

void StreamWriter::BeginFrame(FrameOffer offer) {
  sending_ids_ = membership_sent_ != offer.frame->membership->version;
  sending_skipped_ = std::exchange(skipped_, 0);
  next_part_ = 0;
  sending_ = std::move(offer);
}

OutgoingMessage StreamWriter::NextPart() {
  const EncodedFrame& frame = *sending_->frame;
  OutgoingMessage message;
  message.frame = frame.parts[next_part_];
  if (sending_ids_) message.membership = frame.membership->parts[next_part_];
  message.tail = FrameTail(*sending_, sending_skipped_);
  env_.metrics->frame_bytes.Add(Bytes(message));
  if (++next_part_ == frame.parts.size()) {
    membership_sent_ = frame.membership->version;
    env_.metrics->frames_sent.Add();
    sending_.reset();
  }
  return message;
}

void StreamWriter::Enqueue(Queued item) {
  const bool frame = std::holds_alternative<FrameOffer>(item);
  if (queue_.size() >= kMaxEvents || (frame && must_send_ >= kMaxMustSend)) return Overflow();
  must_send_ += frame ? 1 : 0;
  queue_.push_back(std::move(item));
}

// The frame that was waited for is in the queue, or none comes.
void StreamWriter::EndHold() {
  hold_ = false;
  for (Queued& item : std::exchange(held_, {})) queue_.push_back(std::move(item));
}

void StreamWriter::Overflow(const std::string& what) {
  queue_.clear();
  held_.clear();
  must_send_ = 0;
  agent_events_ = nullptr;
  const std::string message = what + " waited than a stream may hold";
  ending_ = Ending{ClosingBytes(v1::CLOSING_REASON_OVERFLOW, message), absl::ResourceExhaustedError(message)};
}

// Nothing more can be said, or is to be.
void StreamWriter::Break(absl::Status status) {
  sending_.reset();
  queue_.clear();
  held_.clear();
  must_send_ = 0;
  agent_events_ = nullptr;
  slot_.reset();
  if (ending_) {
    ending_->closing.clear();
  } else {
    ending_ = Ending{{}, std::move(status)};
  }
}

void StreamWriter::Do(Action action) {
  if (action.ending) on_ending_();
  if (action.sink == nullptr) return;
  if (!action.finish) return action.sink->Write(std::move(action.message));
  // The last thing done here: the sink's owner may let go of the stream within it.
  on_finished_();
  action.sink->Finish(*std::move(action.finish));
}

}  // namespace throng::server
