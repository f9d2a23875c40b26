#include "clients/cpp/src/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "throng/v1/server_service.grpc.pb.h"

namespace throng::client {
namespace {

// Calls that act once however often they arrive are tried again when the server cannot be reached: reads, batches and
// creations, which carry a request id, and settings. Not: Delete, whose repeat would answer NOT_FOUND, and Step.
constexpr char kServiceConfig[] = R"({"methodConfig": [{
  "name": [
    {"service": "throng.v1.WorldService", "method": "CreateWorld"},
    {"service": "throng.v1.WorldService", "method": "GetWorld"},
    {"service": "throng.v1.WorldService", "method": "ListWorlds"},
    {"service": "throng.v1.WorldService", "method": "UpdateWorld"},
    {"service": "throng.v1.WorldService", "method": "PauseWorld"},
    {"service": "throng.v1.WorldService", "method": "ResumeWorld"},
    {"service": "throng.v1.AgentService"},
    {"service": "throng.v1.ObstacleService"},
    {"service": "throng.v1.QueryService"},
    {"service": "throng.v1.ServerService"}
  ],
  "retryPolicy": {
    "maxAttempts": 4, "initialBackoff": "0.05s", "maxBackoff": "0.5s", "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"]
  }
}]})";

// gRPC runs reactions on threads of its own, and the end of the last channel that has any joins them. A session that
// ends may let go of its channel on such a thread, which cannot join itself. So one channel, which leads nowhere, is
// used once and kept for good. Nobody reads where; the attribute keeps the place, so that leak checkers see it held.
[[gnu::used]] const std::shared_ptr<grpc::Channel>* kept_channel = nullptr;

void KeepReactionThreads() {
  static const bool done = [] {
    struct Call {
      grpc::ClientContext context;
      v1::GetServerInfoRequest request;
      v1::GetServerInfoResponse response;
    };
    kept_channel = new std::shared_ptr<grpc::Channel>(grpc::CreateChannel("", nullptr));
    auto call = std::make_shared<Call>();
    v1::ServerService::Stub(*kept_channel)
        .async()
        ->GetServerInfo(&call->context, &call->request, &call->response, [call](const grpc::Status&) {});
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

std::shared_ptr<Channel> MakeChannel(const std::string& address, const ClientOptions& options) {
  KeepReactionThreads();
  grpc::ChannelArguments args;
  const auto keepalive = std::max<std::chrono::milliseconds>(options.keepalive, std::chrono::seconds(5));
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(keepalive.count()));
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  // A paused world sends no data for hours; pings go on all the same while a stream is open.
  args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // A server that restarts is found again soon.
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  args.SetServiceConfigJSON(kServiceConfig);
  args.SetUserAgentPrefix("throng-cpp");
  return std::make_shared<Channel>(
      Channel{grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), args), options});
}

std::string MakeRequestId() {
  thread_local std::random_device device;
  const auto draw = [&] { return (static_cast<std::uint64_t>(device()) << 32) | device(); };
  return absl::StrCat(absl::Hex(draw(), absl::kZeroPad16), absl::Hex(draw(), absl::kZeroPad16));
}

}  // namespace throng::client
