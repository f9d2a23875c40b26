#include "server/session/session_stream.h"

#include <utility>

#include "server/convert/command_convert.h"
#include "server/convert/input_convert.h"
#include "server/convert/status.h"
#include "server/session/session_manager.h"
#include "throng/limits.h"

namespace throng::server {
namespace {

// A batch that was refused as a whole is answered like one whose every item was refused.
v1::CommandBatchResult Refused(const std::string& request_id, int commands, const absl::Status& status) {
  v1::CommandBatchResult result;
  result.set_request_id(request_id);
  for (int i = 0; i < commands; ++i) *result.add_results()->mutable_error() = ToErrorProto(status);
  return result;
}

}  // namespace

void SessionStream::OnRequest(const v1::ConnectRequest& request, Callback<> next) {
  ++requests_;
  if (const std::shared_ptr<Session> open = session()) {
    Serve(request, *open);
  } else if (absl::Status status = Open(request); !status.ok()) {
    return writer().Fail(std::move(status));
  }
  ReadOn(std::move(next));
}

void SessionStream::OnHalfClose() {
  bool idle = false;
  bool open = false;
  {
    const MutexLock lock(mutex_);
    half_closed_ = true;
    idle = pending_ == 0;
    open = session_ != nullptr;
  }
  if (!open) return writer().Fail(absl::InvalidArgumentError("the first request must be open"));
  if (idle) CloseByClient();
}

absl::Status SessionStream::Open(const v1::ConnectRequest& request) {
  if (absl::Status status = Admit(); !status.ok()) return status;
  if (!request.has_open()) return ViolationError({"request", "not open", "open, as the first request"});
  const v1::ConnectOpen& open = request.open();
  absl::StatusOr<std::shared_ptr<Session>> found = manager_->FindSession(open);
  if (!found.ok()) return found.status();
  const std::shared_ptr<Session> session = *std::move(found);
  {
    const MutexLock lock(mutex_);
    session_ = session;
  }
  if (absl::Status status = session->Drive(shared_from_this()); !status.ok()) return status;
  if (writer().ending()) session->Leave(this);  // its own leaving may have come too early

  without_frames_ = open.without_frames();
  v1::ConnectResponse response;
  *response.mutable_opened() = session->Opened();
  writer().Open(response.SerializeAsString(), !without_frames_);
  const FrameColumns columns = FromProto(open.subscription());
  Subscribe(session->world(), without_frames_ ? std::nullopt : std::optional(columns),
            open.subscription().agent_events(), session->memory());
  return absl::OkStatus();
}

void SessionStream::Serve(const v1::ConnectRequest& request, Session& session) {
  switch (request.request_case()) {
    case v1::ConnectRequest::kInput:
      return ServeInput(request.input(), session);
    case v1::ConnectRequest::kStep:
      return ServeStep(request.step(), session);
    case v1::ConnectRequest::kCommands:
      return ServeCommands(request.commands(), session);
    case v1::ConnectRequest::kSubscribe:
      return ServeSubscribe(request.subscribe(), session);
    case v1::ConnectRequest::kOpen:
      return SendError(ViolationError({"request", "open", "another request: the stream is open already"}));
    case v1::ConnectRequest::REQUEST_NOT_SET:
      break;
  }
  SendError(ViolationError({"request", "nothing set", "one of its fields"}));
}

void SessionStream::ServeInput(const v1::Input& input, Session& session) {
  BeginPending();
  session.ApplyInput(input, [self = Self(), always = without_frames_](const InputOutcome& outcome) {
    if (always || !outcome.status.ok() || outcome.rejected > 0) {
      v1::ConnectResponse response;
      *response.mutable_input_result() = ToProto(outcome);
      self->Send(response);
    }
    self->EndPending();
  });
}

void SessionStream::ServeStep(const v1::StepOrder& order, Session& session) {
  BeginPending();
  session.Step(order, [self = Self(), sequence = order.sequence(),
                       world = session.world()](const absl::StatusOr<StepOutcome>& outcome) {
    v1::ConnectResponse response;
    v1::StepResult& result = *response.mutable_step_result();
    result.set_sequence(sequence);
    if (outcome.ok()) {
      result.set_tick(outcome->tick);
      result.set_state_hash(outcome->state_hash);
    } else {
      result.set_tick(world->Info().tick);
      *result.mutable_error() = ToErrorProto(outcome.status());
    }
    self->Send(response);
    self->EndPending();
  });
}

void SessionStream::ServeCommands(const v1::CommandBatch& batch, Session& session) {
  BeginPending();
  session.ApplyCommands(batch,
                        [self = Self(), request_id = batch.request_id(), commands = batch.commands_size(),
                         request = requests_](const absl::StatusOr<std::shared_ptr<const CommandBatchResult>>& result) {
                          v1::ConnectResponse response;
                          if (result.ok()) {
                            *response.mutable_command_result() = ToProto(**result);
                          } else if (commands > 0) {
                            *response.mutable_command_result() = Refused(request_id, commands, result.status());
                          } else {
                            response.mutable_request_error()->set_request(request);
                            *response.mutable_request_error()->mutable_error() = ToErrorProto(result.status());
                          }
                          self->Send(response);
                          self->EndPending();
                        });
}

void SessionStream::ServeSubscribe(const v1::Subscription& subscription, Session& session) {
  without_frames_ = false;
  Subscribe(session.world(), FromProto(subscription), subscription.agent_events(), session.memory(), ++subscriptions_);
}

std::shared_ptr<Session> SessionStream::session() {
  const MutexLock lock(mutex_);
  return session_;
}

void SessionStream::SendError(const absl::Status& status) {
  v1::ConnectResponse response;
  response.mutable_request_error()->set_request(requests_);
  *response.mutable_request_error()->mutable_error() = ToErrorProto(status);
  Send(response);
}

void SessionStream::BeginPending() {
  const MutexLock lock(mutex_);
  ++pending_;
}

void SessionStream::EndPending() {
  Callback<> next;
  bool close = false;
  {
    const MutexLock lock(mutex_);
    --pending_;
    if (pending_ < kMaxPending) next = std::exchange(next_, nullptr);
    close = half_closed_ && pending_ == 0;
  }
  if (next) next();
  if (close) CloseByClient();
}

void SessionStream::ReadOn(Callback<> next) {
  if (writer().ending()) return;
  {
    const MutexLock lock(mutex_);
    if (pending_ >= kMaxPending) {
      next_ = std::move(next);
      return;
    }
  }
  next();
}

// No closing event: CLOSING_REASON_CLIENT would say that the session is over.
void SessionStream::CloseByClient() { End(v1::CLOSING_REASON_UNSPECIFIED, "", absl::OkStatus()); }

void SessionStream::OnEnding() {
  Callback<> dropped;
  std::shared_ptr<Session> session;
  {
    const MutexLock lock(mutex_);
    dropped = std::exchange(next_, nullptr);
    session = session_;
  }
  if (session != nullptr) session->Leave(this);
}

}  // namespace throng::server
