#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <mutex>
#include <utility>

#include "clients/cpp/src/convert.h"
#include "clients/cpp/src/watcher_core.h"

namespace throng::client {

// One Watch call; the core drops it in its last reaction.
class Watcher::Core::Stream final : public grpc::ClientReadReactor<v1::WatchResponse> {
 public:
  explicit Stream(std::shared_ptr<Core> core) : core_(std::move(core)), stub_(core_->channel_->grpc) {}

  void Start() {
    NameWorld(context_, core_->request_.world());
    stub_.async()->Watch(&context_, &core_->request_, this);
    StartRead(&response_);
    StartCall();
  }
  void Cancel() { context_.TryCancel(); }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    core_->Received(response_);
    StartRead(&response_);
  }
  void OnDone(const grpc::Status& status) override {
    const auto core = core_;  // lives on in here, though this stream does not
    core->Ended(FromGrpc(status));
  }

 private:
  const std::shared_ptr<Core> core_;
  v1::WatchService::Stub stub_;
  grpc::ClientContext context_;
  v1::WatchResponse response_;
};

std::shared_ptr<Watcher::Core> Watcher::Core::Open(std::shared_ptr<Channel> channel, const std::string& world,
                                                   const WatchOptions& options) {
  auto core = std::make_shared<Core>(std::move(channel), options);
  core->request_.set_world(world);
  ToProto(options.columns, *core->request_.mutable_subscription());
  core->request_.mutable_subscription()->set_agent_events(options.agent_events);
  const std::lock_guard lock(core->mutex_);
  core->ConnectLocked();
  return core;
}

Watcher::Core::Core(std::shared_ptr<Channel> channel, const WatchOptions& options)
    : channel_(std::move(channel)), may_resume_(options.resume), retry_(options.resume_for) {}
Watcher::Core::~Core() = default;

void Watcher::Core::ConnectLocked() {
  stream_ = std::make_unique<Stream>(shared_from_this());
  stream_->Start();
}

void Watcher::Core::Received(const v1::WatchResponse& response) {
  bool closing = false;
  {
    const std::lock_guard lock(mutex_);
    closing = closing_;
    if (response.has_closing()) closing_event_ = response.closing();
    if (response.has_world()) world_ = FromProto(response.world());
    if (response.has_opened()) world_ = FromProto(response.opened().world());
  }
  if (response.has_agent_events() && !closing) events_.Offer(FromProto(response.agent_events()));
  if (!response.has_frame()) return;
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
    resumptions_ += std::exchange(broken_, false);
    began_ = true;
    retry_.Succeeded();
  }
  frames_.Offer(*std::move(frame));
}

void Watcher::Core::Ended(const absl::Status& status) {
  assembler_.Reset();
  const std::lock_guard lock(mutex_);
  stream_.reset();
  const auto closing = std::exchange(closing_event_, std::nullopt);
  const bool over = closing && closing->reason() != v1::CLOSING_REASON_DRAINING;
  if (may_resume_ && began_ && !closing_ && end_.ok() && !over && IsBreak(status)) {
    broken_ = true;
    // Weak, since the alarm keeps its function, and this keeps the alarm.
    const bool scheduled = retry_.Schedule([weak = weak_from_this()](bool fired) {
      const auto self = weak.lock();
      if (self == nullptr) return;
      const std::lock_guard again(self->mutex_);
      if (fired && !self->closing_) return self->ConnectLocked();
      self->EndLocked(absl::CancelledError("the watcher was closed"));
    });
    if (scheduled) return;
  }
  EndLocked(EndOf(status, closing ? closing->message() : ""));
}

void Watcher::Core::EndLocked(absl::Status status) {
  if (end_.ok()) end_ = std::move(status);
  done_ = true;
  frames_.End(end_);
  events_.End(end_);
  changed_.notify_all();
}

WorldInfo Watcher::Core::world() const {
  const std::lock_guard lock(mutex_);
  return world_;
}

std::uint64_t Watcher::Core::resumptions() const {
  const std::lock_guard lock(mutex_);
  return resumptions_;
}

void Watcher::Core::Close() {
  const bool in_callback = frames_.InCallback() || events_.InCallback();
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(closing_, true)) {
      if (stream_ != nullptr) stream_->Cancel();
      retry_.Cancel();
      if (end_.ok()) end_ = absl::CancelledError("the watcher was closed");
    }
  }
  frames_.End(absl::CancelledError("the watcher was closed"));
  events_.End(absl::CancelledError("the watcher was closed"));
  if (in_callback) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_; });
  lock.unlock();
  frames_.WaitForCallback();
  events_.WaitForCallback();
}

Watcher::Watcher(std::shared_ptr<Core> core) : core_(std::move(core)) {}
Watcher::Watcher(Watcher&&) noexcept = default;
Watcher& Watcher::operator=(Watcher&& other) noexcept {
  if (this != &other) {
    Close();
    core_ = std::move(other.core_);
  }
  return *this;
}
Watcher::~Watcher() { Close(); }

absl::StatusOr<Frame> Watcher::NextFrame(std::chrono::milliseconds timeout) {
  return core_->frames().Next(std::chrono::steady_clock::now() + timeout);
}
Frame Watcher::LatestFrame() const { return core_->frames().Latest(); }
void Watcher::OnFrame(FrameCallback callback) { core_->frames().SetCallback(std::move(callback)); }
absl::StatusOr<AgentEvents> Watcher::NextAgentEvents(std::chrono::milliseconds timeout) {
  return core_->events().Next(std::chrono::steady_clock::now() + timeout);
}
void Watcher::OnAgentEvents(AgentEventsCallback callback) { core_->events().SetCallback(std::move(callback)); }
WorldInfo Watcher::world() const { return core_->world(); }
std::uint64_t Watcher::resumptions() const { return core_->resumptions(); }
absl::Status Watcher::status() const { return core_->frames().status(); }
void Watcher::Close() {
  if (core_ != nullptr) core_->Close();
}

}  // namespace throng::client
