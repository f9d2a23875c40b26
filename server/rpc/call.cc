#include "server/rpc/call.h"

#include <absl/strings/str_cat.h>

#include "server/convert/status.h"
#include "server/host/settings.h"

namespace throng::server {

bool OpenCalls::Enter(bool always) {
  const std::lock_guard lock(mutex_);
  if (closed_ && !always) return false;
  ++open_;
  return true;
}

void OpenCalls::Leave() {
  const std::lock_guard lock(mutex_);
  if (--open_ == 0) changed_.notify_all();
}

void OpenCalls::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

bool OpenCalls::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

bool OpenCalls::WaitUntilIdle(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [&] { return open_ == 0 || hastened_; });
  return open_ == 0;
}

void OpenCalls::Hasten() {
  const std::lock_guard lock(mutex_);
  hastened_ = true;
  changed_.notify_all();
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  WireStatus wire = ToWire(status);
  return {static_cast<grpc::StatusCode>(wire.code), std::move(wire.message), std::move(wire.details)};
}

absl::Status DrainingError() { return absl::UnavailableError("the server is going down; connect again"); }

absl::Status CheckWorld(const grpc::ServerContextBase& context, const std::string& world, std::string_view field) {
  if (absl::Status status = ValidateWorldName(world, field); !status.ok()) return status;
  const auto [first, last] = context.client_metadata().equal_range("throng-world");
  for (auto it = first; it != last; ++it) {
    const std::string named(it->second.data(), it->second.size());
    if (named != world) {
      return ViolationError(
          {std::string(field), world, absl::StrCat("\"", named, "\", as the metadata throng-world says")});
    }
  }
  return absl::OkStatus();
}

Answer::~Answer() {
  if (reactor_ != nullptr) (*this)(absl::InternalError("the call was given up without an answer"));
}

void Answer::operator()(const absl::Status& status) {
  // A world that ends because the server does is not gone by anybody's will.
  const bool draining = absl::IsNotFound(status) && environment_->calls->closed();
  const absl::Status said = draining ? DrainingError() : status;
  Metrics& metrics = *environment_->metrics;
  OpenCalls& calls = *environment_->calls;
  metrics.ObserveRpc(static_cast<std::size_t>(method_), std::chrono::steady_clock::now() - begin_);
  if (!said.ok()) metrics.CountRpcError(static_cast<int>(said.code()));
  std::exchange(reactor_, nullptr)->Finish(ToGrpc(said));
  calls.Leave();
}

}  // namespace throng::server
