// The transport of a stream: a gRPC reactor that is the StreamSink of a session's or watcher's stream.
//
// gRPC wants: one write in flight; Finish once and nothing started after it; the object alive until OnDone, after which
// the call's context is gone. The stream keeps the first two (stream_sink.h). What may come from elsewhere at any time,
// breaking off and reading on, is begun only before Finish, and Finish waits for it to be begun.
#pragma once

#include <absl/status/status.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "server/rpc/call.h"
#include "server/session/stream_sink.h"

namespace throng::server {

// The message in slices: shared ones are not copied, and are kept until the transport lets go of them.
grpc::ByteBuffer ToByteBuffer(OutgoingMessage message);

// False if the bytes are not a message of that type.
bool Parse(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message);

// `Reactor`: a server reactor with StartWrite and Finish. Objects are made by shared_ptr and held by themselves from
// Hold until OnDone.
template <class Reactor>
class StreamReactor : public Reactor, public StreamSink, public std::enable_shared_from_this<StreamReactor<Reactor>> {
 public:
  // Precondition: `environment.calls` was entered; OnDone leaves it.
  StreamReactor(const RpcEnvironment& environment, grpc::CallbackServerContext* context)
      : environment_(environment), context_(context) {}

  void Hold(std::shared_ptr<StreamReactor> self) { self_ = std::move(self); }

  // StreamSink
  void Write(OutgoingMessage message) override {
    outgoing_ = ToByteBuffer(std::move(message));
    this->StartWrite(&outgoing_);
  }

  void Finish(absl::Status status) override {
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
      if (beginning_ > 0) {
        waiting_finish_ = std::move(status);
        return;
      }
    }
    FinishNow(status);
  }

  void Cancel() override {
    Begin([this] { context_->TryCancel(); });
  }

  void OnDone() override {
    environment_.calls->Leave();
    Released();
    self_.reset();  // the last statement: it may be the end of this object
  }

 protected:
  const RpcEnvironment& environment() const { return environment_; }
  const grpc::CallbackServerContext& context() const { return *context_; }

  // Does `operation` unless Finish was called before. No lock is held meanwhile, since reactions may run within it.
  template <class Operation>
  void Begin(Operation&& operation) {
    {
      const std::lock_guard lock(mutex_);
      if (finished_) return;
      ++beginning_;
    }
    operation();
    absl::Status status;
    {
      const std::lock_guard lock(mutex_);
      if (--beginning_ > 0 || !waiting_finish_) return;
      status = *std::exchange(waiting_finish_, std::nullopt);
    }
    FinishNow(status);
  }

  // The call is over: let go of the stream.
  virtual void Released() = 0;

 private:
  void FinishNow(const absl::Status& status) {
    if (!status.ok()) environment_.metrics->CountRpcError(static_cast<int>(status.code()));
    Reactor::Finish(ToGrpc(status));
  }

  const RpcEnvironment& environment_;
  grpc::CallbackServerContext* const context_;
  grpc::ByteBuffer outgoing_;  // of the write in flight
  std::shared_ptr<StreamReactor> self_;

  std::mutex mutex_;
  int beginning_ = 0;  // operations being begun
  bool finished_ = false;
  std::optional<absl::Status> waiting_finish_;
};

}  // namespace throng::server
