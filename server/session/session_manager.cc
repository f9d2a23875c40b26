#include "server/session/session_manager.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "server/convert/command_convert.h"
#include "server/convert/input_convert.h"
#include "server/convert/world_info_convert.h"
#include "server/host/errors.h"
#include "server/host/limit_error.h"
#include "server/host/random.h"
#include "server/session/session.h"
#include "server/session/session_stream.h"
#include "server/session/watcher_stream.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

constexpr double kDefaultLease = 10.0;
constexpr double kMinLease = 1.0;
constexpr double kMaxLease = 3600.0;

}  // namespace

SessionManager::SessionManager(WorldRegistry* worlds, const HostEnvironment& environment, Duration stall_limit)
    : worlds_(worlds),
      environment_(environment),
      writer_environment_{environment.clock, environment.metrics, stall_limit},
      streams_(std::make_shared<StreamTable>(worlds->limits().max_streams, environment.metrics)) {}

SessionManager::~SessionManager() = default;

absl::StatusOr<v1::OpenSessionResponse> SessionManager::Open(const v1::OpenSessionRequest& request) {
  const double lease = request.has_lease() ? request.lease() : kDefaultLease;
  if (!(lease >= kMinLease && lease <= kMaxLease)) return ViolationError({"lease", absl::StrCat(lease), "[1, 3600]"});
  absl::StatusOr<std::shared_ptr<WorldHost>> world = worlds_->Find(request.world());
  if (!world.ok()) return world.status();
  if (absl::Status status = AdmitSession(); !status.ok()) return status;

  const auto memory = std::make_shared<SessionMemory>();
  if (request.stepper()) {
    if (absl::Status status = (*world)->ClaimStepper(memory.get()); !status.ok()) return status;
  }
  const auto session = std::make_shared<Session>(*world, memory, FromSeconds(lease), request.stepper(),
                                                 worlds_->limits().max_batch_items, environment_.clock);
  environment_.metrics->sessions.Add(1);
  {
    const MutexLock lock(mutex_);
    sessions_.emplace(session->id(), session);
  }
  v1::OpenSessionResponse response;
  response.set_session_id(session->id());
  response.set_resume_token(session->token());
  response.set_lease(lease);
  *response.mutable_world() = ToProto((*world)->Info());
  return response;
}

// The count may pass the limit by as many as are being opened at this moment, which is harmless.
absl::Status SessionManager::AdmitSession() {
  const std::uint32_t max_sessions = worlds_->limits().max_sessions;
  const MutexLock lock(mutex_);
  if (draining_) return ServerIsDraining();
  if (sessions_.size() >= max_sessions) return LimitError("max_sessions", max_sessions);
  return absl::OkStatus();
}

absl::Status SessionManager::Close(const v1::CloseSessionRequest& request) {
  const absl::StatusOr<std::shared_ptr<Session>> session = FindSession(request);
  if (!session.ok()) return session.status();
  End(*session, v1::CLOSING_REASON_CLIENT, "the client closed the session", absl::OkStatus());
  return absl::OkStatus();
}

void SessionManager::SendInput(const v1::SendInputRequest& request,
                               Callback<absl::StatusOr<v1::SendInputResponse>> reply) {
  const absl::StatusOr<std::shared_ptr<Session>> session = FindSession(request);
  if (!session.ok()) return reply(session.status());
  (*session)->ApplyInput(request.input(), [reply = std::move(reply)](const InputOutcome& outcome) mutable {
    if (!outcome.status.ok()) return reply(outcome.status);
    v1::SendInputResponse response;
    response.set_tick(outcome.tick);
    if (!outcome.superseded) *response.mutable_result() = ToProto(outcome);
    reply(std::move(response));
  });
}

void SessionManager::Step(const v1::StepRequest& request, Callback<absl::StatusOr<v1::StepResponse>> reply) {
  const absl::StatusOr<std::shared_ptr<Session>> session = FindSession(request);
  if (!session.ok()) return reply(session.status());
  (*session)->Step(request.step(), [reply = std::move(reply), sequence = request.step().sequence()](
                                       const absl::StatusOr<StepOutcome>& outcome) mutable {
    if (!outcome.ok()) return reply(outcome.status());
    v1::StepResponse response;
    response.mutable_result()->set_sequence(sequence);
    response.mutable_result()->set_tick(outcome->tick);
    response.mutable_result()->set_state_hash(outcome->state_hash);
    reply(std::move(response));
  });
}

void SessionManager::ApplyCommands(const v1::ApplyCommandsRequest& request,
                                   Callback<absl::StatusOr<v1::ApplyCommandsResponse>> reply) {
  const absl::StatusOr<std::shared_ptr<Session>> session = FindSession(request);
  if (!session.ok()) return reply(session.status());
  (*session)->ApplyCommands(
      request.commands(),
      [reply = std::move(reply)](const absl::StatusOr<std::shared_ptr<const CommandBatchResult>>& result) mutable {
        if (!result.ok()) return reply(result.status());
        v1::ApplyCommandsResponse response;
        *response.mutable_result() = ToProto(**result);
        reply(std::move(response));
      });
}

std::shared_ptr<ConnectStream> SessionManager::NewConnect(std::shared_ptr<StreamSink> sink) {
  auto stream = std::make_shared<SessionStream>(this, std::move(sink), writer_environment_, streams_);
  streams_->Add(stream);
  return stream;
}

std::shared_ptr<WatchStream> SessionManager::NewWatch(std::shared_ptr<StreamSink> sink) {
  auto stream = std::make_shared<WatcherStream>(this, std::move(sink), writer_environment_, streams_);
  streams_->Add(stream);
  return stream;
}

absl::StatusOr<std::shared_ptr<Session>> SessionManager::FindSession(std::string_view world,
                                                                     std::string_view session_id,
                                                                     std::string_view resume_token) {
  std::shared_ptr<Session> session;
  {
    const MutexLock lock(mutex_);
    const auto found = sessions_.find(std::string(session_id));
    if (found == sessions_.end()) return SessionNotFound();
    session = found->second;
  }
  if (!EqualSecrets(resume_token, session->token())) {
    return WithReason(absl::PermissionDeniedError("the resume_token is not that of the session"), "WRONG_TOKEN");
  }
  if (session->world()->name() != world) {
    return ViolationError({"world", std::string(world.substr(0, 128)), "the session's world"});
  }
  return session;
}

std::size_t SessionManager::session_count() const {
  const MutexLock lock(mutex_);
  return sessions_.size();
}

std::size_t SessionManager::stream_count() const { return streams_->count(); }

void SessionManager::Sweep(Time now) {
  std::vector<std::shared_ptr<Session>> all;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, session] : sessions_) all.push_back(session);
  }
  for (const auto& session : all) {
    if (!session->Expired(now)) continue;
    End(session, v1::CLOSING_REASON_SESSION_ENDED, "the session's lease ran out",
        SessionNotFound("the session's lease ran out"));
  }
  streams_->Check(now);
}

void SessionManager::Drain() {
  {
    const MutexLock lock(mutex_);
    draining_ = true;
  }
  streams_->Drain();
}

void SessionManager::End(const std::shared_ptr<Session>& session, v1::ClosingReason reason, const std::string& message,
                         const absl::Status& status) {
  {
    const MutexLock lock(mutex_);
    sessions_.erase(session->id());
  }
  if (session->End(reason, message, status)) environment_.metrics->sessions.Add(-1);
}

}  // namespace throng::server
