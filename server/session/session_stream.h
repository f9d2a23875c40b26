// SessionStream: the stream of SessionService.Connect.
#pragma once

#include <cstddef>
#include <memory>

#include "server/session/managed_stream.h"
#include "server/session/session.h"
#include "server/session/streams.h"

namespace throng::server {

class SessionManager;

class SessionStream final : public ConnectStream, public ManagedStream {
 public:
  // Requests that may wait for their answers before the next one is read.
  static constexpr std::size_t kMaxPending = 32;

  SessionStream(SessionManager* manager, std::shared_ptr<StreamSink> sink, const StreamWriter::Environment& environment,
                std::shared_ptr<StreamTable> table)
      : ManagedStream(std::move(sink), environment, std::move(table)), manager_(manager) {}

  void OnRequest(const v1::ConnectRequest& request, Callback<> next) override;
  void OnHalfClose() override;
  void OnWriteDone(bool ok) override { writer().OnWriteDone(ok); }
  void OnCancelled() override { writer().OnCancelled(); }
  void Fail(absl::Status status) override { writer().Fail(std::move(status)); }

 private:
  absl::Status Open(const v1::ConnectRequest& request);
  void Serve(const v1::ConnectRequest& request, Session& session);
  void ServeInput(const v1::Input& input, Session& session);
  void ServeStep(const v1::StepOrder& order, Session& session);
  void ServeCommands(const v1::CommandBatch& batch, Session& session);
  void ServeSubscribe(const v1::Subscription& subscription, Session& session);

  std::shared_ptr<SessionStream> Self() { return std::static_pointer_cast<SessionStream>(shared_from_this()); }
  std::shared_ptr<Session> session();
  void Send(const v1::ConnectResponse& response) { writer().OfferEvent(response.SerializeAsString()); }
  // About the request that came last.
  void SendError(const absl::Status& status);

  // A request waits for its answer; it has been answered.
  void BeginPending();
  void EndPending();
  void ReadOn(Callback<> next);
  void CloseByClient();

  void OnEnding() override;

  SessionManager* const manager_;
  // Touched by OnRequest alone.
  std::uint64_t requests_ = 0;
  std::uint64_t subscriptions_ = 0;
  bool without_frames_ = false;

  Mutex mutex_;
  std::shared_ptr<Session> session_ ABSL_GUARDED_BY(mutex_);
  std::size_t pending_ ABSL_GUARDED_BY(mutex_) = 0;
  Callback<> next_ ABSL_GUARDED_BY(mutex_);  // while too many are pending
  bool half_closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace throng::server
