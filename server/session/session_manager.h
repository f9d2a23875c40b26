// All sessions, and the streams of sessions and watchers.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/base/metrics.h"
#include "server/base/options.h"
#include "server/host/mutex.h"
#include "server/host/world_registry.h"
#include "server/session/stream_sink.h"
#include "server/session/stream_writer.h"
#include "server/session/streams.h"

namespace throng::server {

class Session;
class StreamTable;

// Safe from any thread. Errors are of the whole call; what concerns an item stands in the response. Requests that name
// a world check that it is the session's: INVALID_ARGUMENT; unknown sessions are NOT_FOUND, a wrong token is
// PERMISSION_DENIED.
class SessionManager {
 public:
  // `stall_limit`: a write that hangs for longer ends its stream. What is pointed to outlives this.
  SessionManager(WorldRegistry* worlds, const HostEnvironment& environment, Duration stall_limit);
  // All streams must have ended.
  ~SessionManager();
  SessionManager(const SessionManager&) = delete;
  SessionManager& operator=(const SessionManager&) = delete;

  absl::StatusOr<v1::OpenSessionResponse> Open(const v1::OpenSessionRequest& request);
  absl::Status Close(const v1::CloseSessionRequest& request);

  void SendInput(const v1::SendInputRequest& request, Callback<absl::StatusOr<v1::SendInputResponse>> reply);
  void Step(const v1::StepRequest& request, Callback<absl::StatusOr<v1::StepResponse>> reply);
  void ApplyCommands(const v1::ApplyCommandsRequest& request,
                     Callback<absl::StatusOr<v1::ApplyCommandsResponse>> reply);

  std::shared_ptr<ConnectStream> NewConnect(std::shared_ptr<StreamSink> sink);
  std::shared_ptr<WatchStream> NewWatch(std::shared_ptr<StreamSink> sink);

  std::size_t session_count() const;
  std::size_t stream_count() const;

  // Ends leases that ran out and streams that hang. Called now and then by the scheduler.
  void Sweep(Time now);
  // From now on no session or stream begins (UNAVAILABLE), and those that are there are told and ended.
  void Drain();

 private:
  friend class SessionStream;
  friend class WatcherStream;

  absl::StatusOr<std::shared_ptr<Session>> FindSession(std::string_view world, std::string_view session_id,
                                                       std::string_view resume_token);
  // `request`: one with these three fields.
  template <class Request>
  absl::StatusOr<std::shared_ptr<Session>> FindSession(const Request& request) {
    return FindSession(request.world(), request.session_id(), request.resume_token());
  }
  absl::Status AdmitSession();
  void End(const std::shared_ptr<Session>& session, v1::ClosingReason reason, const std::string& message,
           const absl::Status& status);

  WorldRegistry* const worlds_;
  const HostEnvironment environment_;
  const StreamWriter::Environment writer_environment_;
  const std::shared_ptr<StreamTable> streams_;

  mutable Mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Session>> sessions_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace throng::server
