#include "clients/cpp/src/session_core.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/cpp/src/convert.h"

namespace throng::client {
namespace {

absl::Status SessionClosed() { return absl::CancelledError("the session was closed"); }

absl::Status InCallbackError() {
  return absl::FailedPreconditionError("a frame callback must not wait: call this from another thread");
}

// What of an input was refused, as one status.
absl::Status ToStatus(const v1::InputResult& result) {
  if (result.has_error()) return FromProto(result.error());
  if (result.items().empty()) return absl::UnknownError(absl::StrCat(result.rejected(), " agents of an input refused"));
  const auto& first = result.items(0);
  const absl::Status cause = FromProto(first.error());
  absl::Status status(cause.code(), absl::StrCat(result.rejected(), " of ", result.rejected() + result.applied(),
                                                 " agents of an input refused; the first, agent ", first.id(),
                                                 " at index ", first.index(), ": ", cause.message()));
  cause.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { status.SetPayload(url, payload); });
  return status;
}

}  // namespace

// One Connect call; the core drops it in its last reaction. A hold keeps that away while user threads may start writes:
// it is let go when reading fails, after which none starts.
class Session::Core::Stream final : public grpc::ClientBidiReactor<v1::ConnectRequest, v1::ConnectResponse> {
 public:
  explicit Stream(std::shared_ptr<Core> core) : core_(std::move(core)), stub_(core_->channel_->grpc) {}

  void Start() {
    NameWorld(context_, core_->name_);
    stub_.async()->Connect(&context_, this);
    AddHold();
    StartRead(&response_);
    StartCall();
  }
  void Cancel() { context_.TryCancel(); }
  // False once the stream is ending, when no write may start.
  bool writable() const { return writable_; }

  void OnReadDone(bool ok) override {
    if (ok) {
      core_->Received(response_);
      StartRead(&response_);
      return;
    }
    {
      const std::lock_guard lock(core_->mutex_);
      writable_ = false;
    }
    RemoveHold();
  }
  void OnWriteDone(bool ok) override { core_->Written(ok); }
  void OnDone(const grpc::Status& status) override {
    const auto core = core_;  // lives on in here, though this stream does not
    core->Ended(FromGrpc(status));
  }

 private:
  const std::shared_ptr<Core> core_;
  v1::SessionService::Stub stub_;
  grpc::ClientContext context_;
  v1::ConnectResponse response_;
  bool writable_ = true;  // guarded by the core's mutex
};

absl::StatusOr<std::shared_ptr<Session::Core>> Session::Core::Open(std::shared_ptr<Channel> channel,
                                                                   const std::string& world,
                                                                   const SessionOptions& options) {
  const Deadline deadline = std::chrono::steady_clock::now() + channel->options.timeout;
  v1::OpenSessionRequest request;
  request.set_world(world);
  request.set_lease(options.lease);
  request.set_stepper(options.stepper);
  auto opened = Call(*channel, world, &v1::SessionService::Stub::OpenSession, request);
  if (!opened.ok()) return opened.status();

  auto core = std::make_shared<Core>(std::move(channel), options, *opened);
  std::unique_lock lock(core->mutex_);
  core->ConnectLocked();
  const bool answered =
      core->changed_.wait_until(lock, deadline, [&] { return core->streams_opened_ > 0 || core->done_; });
  // One that opened and has ended since tells why where frames are waited for.
  if (core->streams_opened_ > 0) return core;
  const absl::Status status = answered ? core->end_ : absl::DeadlineExceededError("the stream did not open in time");
  lock.unlock();
  core->Close();
  return status;
}

Session::Core::Core(std::shared_ptr<Channel> channel, const SessionOptions& options,
                    const v1::OpenSessionResponse& opened)
    : channel_(std::move(channel)),
      session_id_(opened.session_id()),
      resume_token_(opened.resume_token()),
      name_(opened.world().name()),
      may_resume_(options.resume),
      agent_events_(options.agent_events),
      world_(FromProto(opened.world())),
      columns_(options.columns),
      retry_(std::chrono::milliseconds(static_cast<std::int64_t>(opened.lease() * 1e3))) {}

Session::Core::~Core() = default;

// --- user threads ---

absl::StatusOr<std::uint64_t> Session::Core::Steer(std::shared_ptr<const Membership> membership,
                                                   std::span<const float> x, std::span<const float> y, WishKind kind) {
  if (x.size() != membership->ids.size() || y.size() != membership->ids.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("x has ", x.size(), " values, y ", y.size(), ", the frame ", membership->ids.size(), " agents"));
  }
  const std::lock_guard lock(mutex_);
  if (!end_.ok()) return end_;
  input_sequence_ += InputBuffer::kStride;
  pending_.PutColumns(input_sequence_, std::move(membership), {x.begin(), x.end()}, {y.begin(), y.end()}, kind);
  PumpLocked();
  return input_sequence_;
}

absl::StatusOr<std::uint64_t> Session::Core::Steer(std::span<const AgentId> ids, std::span<const float> x,
                                                   std::span<const float> y, WishKind kind) {
  if (x.size() != ids.size() || y.size() != ids.size()) {
    return absl::InvalidArgumentError(absl::StrCat("x has ", x.size(), " values, y ", y.size(), ", ids ", ids.size()));
  }
  const std::lock_guard lock(mutex_);
  if (!end_.ok()) return end_;
  input_sequence_ += InputBuffer::kStride;
  pending_.PutAgents(input_sequence_, ids, x, y, kind);
  PumpLocked();
  return input_sequence_;
}

absl::StatusOr<Frame> Session::Core::Step(std::uint32_t ticks, Deadline deadline, bool zero) {
  if (InCallback()) return InCallbackError();
  std::unique_lock lock(mutex_);
  if (!changed_.wait_until(lock, deadline, [&] { return step_ == nullptr || !end_.ok(); })) {
    return absl::DeadlineExceededError("the step before this one is not done");
  }
  if (!end_.ok()) return end_;
  v1::ConnectRequest request;
  request.mutable_step()->set_sequence(++step_sequence_);
  request.mutable_step()->set_ticks(ticks);
  if (zero) request.mutable_step()->set_time_step(0.0f);
  const auto order = step_ = PlaceLocked(std::move(request));
  if (const absl::Status status = WaitLocked(lock, *order, deadline); !status.ok()) return status;
  lock.unlock();
  if (order->step_result.has_error()) return FromProto(order->step_result.error());
  return frames_.AtTick(order->step_result.tick(), deadline);
}

absl::StatusOr<v1::CommandBatchResult> Session::Core::Apply(v1::CommandBatch batch, Deadline deadline) {
  if (InCallback()) return InCallbackError();
  std::unique_lock lock(mutex_);
  if (!end_.ok()) return end_;
  v1::ConnectRequest request;
  *request.mutable_commands() = std::move(batch);
  const auto order = PlaceLocked(std::move(request));
  if (const absl::Status status = WaitLocked(lock, *order, deadline); !status.ok()) return status;
  return std::move(order->command_result);
}

absl::Status Session::Core::Subscribe(const Columns& columns) {
  const std::lock_guard lock(mutex_);
  if (!end_.ok()) return end_;
  columns_ = columns;
  v1::ConnectRequest request;
  ToProto(columns, *request.mutable_subscribe());
  request.mutable_subscribe()->set_agent_events(agent_events_);
  PlaceLocked(std::move(request));
  return absl::OkStatus();
}

void Session::Core::OnError(std::function<void(const absl::Status&)> callback) {
  const std::lock_guard lock(mutex_);
  on_error_ =
      callback ? std::make_shared<const std::function<void(const absl::Status&)>>(std::move(callback)) : nullptr;
}

WorldInfo Session::Core::world() const {
  const std::lock_guard lock(mutex_);
  return world_;
}

std::uint64_t Session::Core::resumptions() const {
  const std::lock_guard lock(mutex_);
  return resumptions_;
}

bool Session::Core::InCallback() const {
  {
    const std::lock_guard lock(mutex_);
    if (reacting_ == std::this_thread::get_id()) return true;
  }
  return frames_.InCallback() || events_.InCallback();
}

void Session::Core::Close() {
  const bool in_callback = InCallback();
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = !std::exchange(closing_, true);
    if (first) {
      closed_on_server_ = done_;  // what ended by itself needs no call
      if (stream_ != nullptr) stream_->Cancel();
      retry_.Cancel();
      if (end_.ok()) end_ = SessionClosed();
      changed_.notify_all();
    }
  }
  frames_.End(SessionClosed());
  events_.End(SessionClosed());
  if (first) CloseOnServer();
  if (in_callback) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ && closed_on_server_; });
  lock.unlock();
  frames_.WaitForCallback();
  events_.WaitForCallback();
}

void Session::Core::CloseOnServer() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_on_server_) return;
  }
  struct Closing {
    grpc::ClientContext context;
    v1::CloseSessionRequest request;
    v1::CloseSessionResponse response;
  };
  auto call = std::make_shared<Closing>();
  call->context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2));
  NameWorld(call->context, name_);
  call->request.set_world(name_);
  call->request.set_session_id(session_id_);
  call->request.set_resume_token(resume_token_);
  v1::SessionService::Stub stub(channel_->grpc);
  // Whatever the answer: without the call the session's lease ends it.
  stub.async()->CloseSession(&call->context, &call->request, &call->response,
                             [call, self = shared_from_this()](const grpc::Status&) {
                               const std::lock_guard lock(self->mutex_);
                               self->closed_on_server_ = true;
                               self->changed_.notify_all();
                             });
}

std::shared_ptr<Order> Session::Core::PlaceLocked(v1::ConnectRequest request) {
  auto order = std::make_shared<Order>();
  order->request = std::move(request);
  order->after_input = input_sequence_;
  orders_.push_back(order);
  PumpLocked();
  return order;
}

absl::Status Session::Core::WaitLocked(std::unique_lock<std::mutex>& lock, const Order& order, Deadline deadline) {
  const bool ready = changed_.wait_until(lock, deadline, [&] { return order.answered || !end_.ok(); });
  if (order.answered) return order.refused;
  return ready ? end_ : absl::DeadlineExceededError("no answer came in time");
}

// --- the stream ---

void Session::Core::ConnectLocked() {
  opened_ = false;
  writing_ = true;
  requests_ = 1;
  request_.Clear();
  auto& open = *request_.mutable_open();
  open.set_world(name_);
  open.set_session_id(session_id_);
  open.set_resume_token(resume_token_);
  ToProto(columns_, *open.mutable_subscription());
  open.mutable_subscription()->set_agent_events(agent_events_);
  stream_ = std::make_unique<Stream>(shared_from_this());
  stream_->Start();
  stream_->StartWrite(&request_);
}

void Session::Core::PumpLocked() {
  if (stream_ == nullptr || !opened_ || writing_ || !stream_->writable()) return;
  if (const v1::ConnectRequest* next = NextRequestLocked()) {
    writing_ = true;
    ++requests_;
    stream_->StartWrite(next);
  }
}

// Orders go out in their order, each after the inputs given before it; inputs when no order is due.
const v1::ConnectRequest* Session::Core::NextRequestLocked() {
  const auto order = std::find_if(orders_.begin(), orders_.end(), [](const auto& o) { return !o->sent; });
  if (order != orders_.end() && (*order)->after_input <= input_sequence_sent_) {
    (*order)->sent = true;
    (*order)->number = requests_ + 1;
    request_ = (*order)->request;
    if (request_.has_subscribe()) orders_.erase(order);
    return &request_;
  }
  if (cut_.empty() && !pending_.empty()) {
    for (auto& message : pending_.ToMessages(membership_version_)) cut_.push_back(std::move(message));
    unconfirmed_.Put(pending_);
    pending_.Clear();
  }
  if (cut_.empty()) {
    // Inputs without agents leave nothing to send.
    input_sequence_sent_ = input_sequence_;
    return order != orders_.end() ? NextRequestLocked() : nullptr;
  }
  *request_.mutable_input() = std::move(cut_.front());
  cut_.pop_front();
  input_sequence_sent_ = request_.input().sequence();
  return &request_;
}

void Session::Core::Received(const v1::ConnectResponse& response) {
  {
    const std::lock_guard lock(mutex_);
    reacting_ = std::this_thread::get_id();
  }
  React(response);
  const std::lock_guard lock(mutex_);
  reacting_ = std::thread::id();
}

void Session::Core::React(const v1::ConnectResponse& response) {
  if (response.has_frame()) ReceivedFrame(response);
  switch (response.event_case()) {
    case v1::ConnectResponse::kOpened:
      return ReceivedOpened(response.opened());
    case v1::ConnectResponse::kInputResult:
      return ReceivedError(ToStatus(response.input_result()));
    case v1::ConnectResponse::kCommandResult:
      return Answered(response.command_result());
    case v1::ConnectResponse::kStepResult:
      return Answered(response.step_result());
    case v1::ConnectResponse::kRequestError:
      return Refused(response.request_error());
    case v1::ConnectResponse::kWorld: {
      const std::lock_guard lock(mutex_);
      world_ = FromProto(response.world());
      return;
    }
    case v1::ConnectResponse::kClosing: {
      const std::lock_guard lock(mutex_);
      closing_event_ = response.closing();
      return;
    }
    case v1::ConnectResponse::kAgentEvents:
      return ReceivedAgentEvents(response.agent_events());
    case v1::ConnectResponse::EVENT_NOT_SET:
      return;
  }
}

void Session::Core::ReceivedFrame(const v1::ConnectResponse& response) {
  auto frame = assembler_.Add(response);
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    if (!frame.ok()) {
      if (end_.ok()) end_ = frame.status();
      stream_->Cancel();
      return;
    }
    if (*frame == nullptr) return;
    membership_version_ = (*frame)->membership->version;
    if ((*frame)->last_input_applied >= unconfirmed_.sequence()) unconfirmed_.Clear();
  }
  frames_.Offer(*std::move(frame));
}

void Session::Core::ReceivedOpened(const v1::Opened& opened) {
  const std::lock_guard lock(mutex_);
  opened_ = true;
  if (opened.has_world()) world_ = FromProto(opened.world());
  resumptions_ += streams_opened_++ > 0;
  retry_.Succeeded();
  input_sequence_ = std::max(input_sequence_, opened.last_input_received());
  step_sequence_ = std::max(step_sequence_, opened.last_step());
  input_sequence_sent_ = opened.last_input_received();
  if (opened.last_input_received() < unconfirmed_.sequence()) {
    unconfirmed_.Put(pending_);
    pending_ = std::exchange(unconfirmed_, {});
  }
  changed_.notify_all();
  PumpLocked();
}

void Session::Core::ReceivedAgentEvents(const v1::AgentEvents& events) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
  }
  events_.Offer(FromProto(events));
}

void Session::Core::ReceivedError(const absl::Status& error) {
  std::shared_ptr<const std::function<void(const absl::Status&)>> callback;
  {
    const std::lock_guard lock(mutex_);
    callback = on_error_;
  }
  if (callback != nullptr) (*callback)(error);
}

void Session::Core::Answered(const v1::CommandBatchResult& result) {
  const std::lock_guard lock(mutex_);
  const auto order = std::find_if(orders_.begin(), orders_.end(), [&](const auto& o) {
    return o->request.has_commands() && o->request.commands().request_id() == result.request_id();
  });
  if (order == orders_.end()) return;
  (*order)->command_result = result;
  AnsweredLocked(*order);
}

void Session::Core::Answered(const v1::StepResult& result) {
  const std::lock_guard lock(mutex_);
  if (step_ == nullptr || step_->request.step().sequence() != result.sequence()) return;
  step_->step_result = result;
  AnsweredLocked(step_);
}

void Session::Core::Refused(const v1::RequestError& error) {
  {
    const std::lock_guard lock(mutex_);
    const auto order = std::find_if(orders_.begin(), orders_.end(),
                                    [&](const auto& o) { return o->sent && o->number == error.request(); });
    if (order != orders_.end()) {
      (*order)->refused = FromProto(error.error());
      return AnsweredLocked(*order);
    }
  }
  ReceivedError(FromProto(error.error()));
}

void Session::Core::AnsweredLocked(const std::shared_ptr<Order>& order) {
  const std::shared_ptr<Order> kept = order;  // the argument may stand in what changes here
  kept->answered = true;
  if (step_ == kept) step_ = nullptr;
  orders_.remove(kept);
  changed_.notify_all();
}

void Session::Core::Written(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  if (ok) PumpLocked();
}

void Session::Core::Ended(const absl::Status& status) {
  assembler_.Reset();
  std::unique_lock lock(mutex_);
  stream_.reset();
  opened_ = writing_ = false;
  cut_.clear();
  for (const auto& order : orders_) order->sent = false;
  const auto closing = std::exchange(closing_event_, std::nullopt);
  // A closing event other than draining says that this session is over, whatever the status.
  const bool over = closing && closing->reason() != v1::CLOSING_REASON_DRAINING;
  const bool resume = may_resume_ && !closing_ && end_.ok() && !over && streams_opened_ > 0 && IsBreak(status);
  // Weak, since the alarm keeps its function, and this keeps the alarm.
  if (resume && retry_.Schedule([weak = weak_from_this()](bool fired) {
        const auto self = weak.lock();
        if (self == nullptr) return;
        const std::lock_guard again(self->mutex_);
        if (fired && !self->closing_) return self->ConnectLocked();
        self->EndLocked(SessionClosed());
      })) {
    return;
  }
  EndLocked(EndOf(status, closing ? closing->message() : ""));
}

void Session::Core::EndLocked(absl::Status status) {
  if (end_.ok()) end_ = std::move(status);
  done_ = true;
  frames_.End(end_);
  events_.End(end_);
  changed_.notify_all();
}

}  // namespace throng::client
