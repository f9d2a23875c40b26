// What every call begins and ends with. A handler hands its body to ServeUnary and answers through the Answer that the
// body gets, at once or later, from any thread.
#pragma once

#include <absl/status/status.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

#include "server/base/metrics.h"
#include "server/base/options.h"
#include "server/rpc/methods.h"
#include "server/session/session_manager.h"

namespace throng::server {

// The calls that are open. Safe from any thread.
class OpenCalls {
 public:
  // False once Close was called, unless `always`: then the call is to be refused, and does not leave.
  bool Enter(bool always = false);
  void Leave();
  // From now on none enters.
  void Close();
  bool closed() const;
  // Waits until all have left, until `deadline`, or until Hasten. True: all have left.
  bool WaitUntilIdle(std::chrono::steady_clock::time_point deadline);
  // Ends WaitUntilIdle, now and later.
  void Hasten();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int open_ = 0;
  bool closed_ = false;
  bool hastened_ = false;
};

// What handlers work with. All outlives them.
struct RpcEnvironment {
  const Options* options = nullptr;
  WorldRegistry* worlds = nullptr;
  SessionManager* sessions = nullptr;
  Metrics* metrics = nullptr;
  OpenCalls* calls = nullptr;
};

grpc::Status ToGrpc(const absl::Status& status);

// UNAVAILABLE, of a server that is going down.
absl::Status DrainingError();

// INVALID_ARGUMENT: `world` is no name of a world (`field` is named), or the metadata `throng-world` says another.
absl::Status CheckWorld(const grpc::ServerContextBase& context, const std::string& world, std::string_view field);

// The answer to a unary call, given once. One that is dropped answers INTERNAL by itself, so that no call hangs.
class Answer {
 public:
  // Precondition: `environment.calls` was entered; the answer leaves it.
  Answer(const RpcEnvironment& environment, Method method, grpc::ServerUnaryReactor* reactor)
      : environment_(&environment), method_(method), reactor_(reactor), begin_(std::chrono::steady_clock::now()) {}
  Answer(Answer&& other) noexcept
      : environment_(other.environment_),
        method_(other.method_),
        reactor_(std::exchange(other.reactor_, nullptr)),
        begin_(other.begin_) {}
  Answer& operator=(Answer&&) = delete;
  ~Answer();

  // The response must be filled in before.
  void operator()(const absl::Status& status);

 private:
  const RpcEnvironment* environment_;
  Method method_;
  grpc::ServerUnaryReactor* reactor_;
  std::chrono::steady_clock::time_point begin_;
};

// The common beginning: a draining server refuses; then `check` does; then `body` gets the Answer.
template <class Check, class Body>
grpc::ServerUnaryReactor* ServeUnary(const RpcEnvironment& environment, Method method,
                                     grpc::CallbackServerContext* context, Check&& check, Body&& body) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  if (!environment.calls->Enter()) {
    const absl::Status status = DrainingError();
    environment.metrics->CountRpcError(static_cast<int>(status.code()));
    reactor->Finish(ToGrpc(status));
    return reactor;
  }
  Answer answer(environment, method, reactor);
  if (absl::Status status = check(); !status.ok()) {
    answer(status);
  } else {
    body(std::move(answer));
  }
  return reactor;
}

// For a call on the world that its request names in the field `world`.
template <class Request, class Body>
grpc::ServerUnaryReactor* ServeWorld(const RpcEnvironment& environment, Method method,
                                     grpc::CallbackServerContext* context, const Request* request, Body&& body) {
  return ServeUnary(
      environment, method, context, [&] { return CheckWorld(*context, request->world(), "world"); },
      std::forward<Body>(body));
}

}  // namespace throng::server
