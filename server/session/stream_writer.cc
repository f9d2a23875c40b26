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
  } else if (!queue_.empty()) {
    Queued next = std::move(queue_.front());
    queue_.pop_front();
    if (auto* event = std::get_if<std::string>(&next)) {
      action.message.tail = std::move(*event);
    } else {
      --must_send_;
      BeginFrame(std::move(std::get<FrameOffer>(next)));
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

void StreamWriter::Overflow() {
  queue_.clear();
  held_.clear();
  must_send_ = 0;
  ending_ = Ending{ClosingBytes(v1::CLOSING_REASON_OVERFLOW, "more events waited than a stream may hold"),
                   absl::ResourceExhaustedError("more events waited than a stream may hold")};
}

// Nothing more can be said, or is to be.
void StreamWriter::Break(absl::Status status) {
  sending_.reset();
  queue_.clear();
  held_.clear();
  must_send_ = 0;
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
