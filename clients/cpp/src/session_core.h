// What stands behind a Session: its state, which outlives single streams, and the stream of the moment.
//
// Threads: user threads call in; gRPC's threads bring reactions of the stream. One mutex guards all but the frames,
// which have the slot's. No user code runs under either.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "clients/cpp/src/channel.h"
#include "clients/cpp/src/event_slot.h"
#include "clients/cpp/src/frame_slot.h"
#include "clients/cpp/src/input_buffer.h"
#include "clients/cpp/src/retry.h"
#include "throng/client/session.h"
#include "throng/v1/session_service.grpc.pb.h"

namespace throng::client {

using Deadline = std::chrono::steady_clock::time_point;

// A command batch, a step or a subscription, kept until it is answered (a subscription: sent), so that it can go out
// again on the next stream.
struct Order {
  v1::ConnectRequest request;
  std::uint64_t after_input = 0;  // goes out once inputs up to this number have
  bool sent = false;
  std::uint64_t number = 0;  // among the requests of the stream it was sent on
  bool answered = false;
  v1::CommandBatchResult command_result;
  v1::StepResult step_result;
  absl::Status refused;  // as a whole
};

class Session::Core : public std::enable_shared_from_this<Session::Core> {
 public:
  static absl::StatusOr<std::shared_ptr<Core>> Open(std::shared_ptr<Channel> channel, const std::string& world,
                                                    const SessionOptions& options);
  Core(std::shared_ptr<Channel> channel, const SessionOptions& options, const v1::OpenSessionResponse& opened);
  ~Core();

  absl::StatusOr<std::uint64_t> Steer(std::shared_ptr<const Membership> membership, std::span<const float> x,
                                      std::span<const float> y, WishKind kind = WishKind::kVelocity);
  absl::StatusOr<std::uint64_t> Steer(std::span<const AgentId> ids, std::span<const float> x, std::span<const float> y,
                                      WishKind kind = WishKind::kVelocity);
  absl::StatusOr<Frame> Step(std::uint32_t ticks, Deadline deadline, bool zero = false);
  absl::StatusOr<v1::CommandBatchResult> Apply(v1::CommandBatch batch, Deadline deadline);
  absl::Status Subscribe(const Columns& columns);
  void OnError(std::function<void(const absl::Status&)> callback);
  void Close();

  FrameSlot& frames() { return frames_; }
  EventSlot& events() { return events_; }
  WorldInfo world() const;
  std::uint64_t resumptions() const;

 private:
  class Stream;
  friend class Stream;

  // Reactions of the stream.
  void Received(const v1::ConnectResponse& response);
  void Written(bool ok);
  void Ended(const absl::Status& status);

  void React(const v1::ConnectResponse& response);
  void ReceivedFrame(const v1::ConnectResponse& response);
  void ReceivedOpened(const v1::Opened& opened);
  void ReceivedAgentEvents(const v1::AgentEvents& events);
  void ReceivedError(const absl::Status& error);
  void Answered(const v1::CommandBatchResult& result);
  void Answered(const v1::StepResult& result);
  void Refused(const v1::RequestError& error);
  void AnsweredLocked(const std::shared_ptr<Order>& order);

  void ConnectLocked();
  void PumpLocked();
  const v1::ConnectRequest* NextRequestLocked();
  void EndLocked(absl::Status status);
  std::shared_ptr<Order> PlaceLocked(v1::ConnectRequest request);
  absl::Status WaitLocked(std::unique_lock<std::mutex>& lock, const Order& order, Deadline deadline);
  void CloseOnServer();
  // Whether the calling thread runs one of the user's callbacks, in which nothing may wait.
  bool InCallback() const;

  const std::shared_ptr<Channel> channel_;
  const std::string session_id_;
  const std::string resume_token_;
  const std::string name_;  // of the world
  const bool may_resume_;
  const bool agent_events_;
  FrameSlot frames_;
  EventSlot events_;
  FrameAssembler assembler_;  // touched by reactions only, one stream at a time

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  WorldInfo world_;
  Columns columns_;
  std::unique_ptr<Stream> stream_;
  bool opened_ = false;  // this stream was
  bool writing_ = false;
  std::uint64_t requests_ = 0;  // on this stream
  std::thread::id reacting_;    // the thread in Received; none by default
  bool closing_ = false;
  bool done_ = false;  // no stream, and none to come
  bool closed_on_server_ = true;
  std::optional<v1::Closing> closing_event_;
  absl::Status end_;
  Retry retry_;
  std::uint64_t resumptions_ = 0;
  std::uint64_t streams_opened_ = 0;

  std::uint64_t input_sequence_ = 0;       // the last that was given out
  std::uint64_t input_sequence_sent_ = 0;  // on this stream
  std::uint64_t membership_version_ = 0;   // of the newest frame
  InputBuffer pending_;                    // not sent
  InputBuffer unconfirmed_;                // sent, but not seen in a frame
  std::deque<v1::Input> cut_;              // messages of what was pending when the last went out

  std::uint64_t step_sequence_ = 0;
  std::shared_ptr<Order> step_;  // the one outstanding
  std::list<std::shared_ptr<Order>> orders_;
  v1::ConnectRequest request_;  // being written
  std::shared_ptr<const std::function<void(const absl::Status&)>> on_error_;
};

}  // namespace throng::client
