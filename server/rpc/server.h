// The whole server: worlds, sessions, gRPC and HTTP, wired together. throngd runs one; so do tests.
#pragma once

#include <absl/status/statusor.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <string>

#include "server/base/http.h"
#include "server/base/metrics.h"
#include "server/base/options.h"
#include "server/host/arena_executor.h"
#include "server/host/clock.h"
#include "server/host/scheduler.h"
#include "server/host/world_registry.h"
#include "server/rpc/call.h"
#include "server/session/session_manager.h"

namespace throng::server {

class Server {
 public:
  // Returns once it serves. An error's message is one line for a person that names the flag to change:
  // a port that is taken, an address that is not this machine's.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Options& options);
  // Ends what Drain left, at once.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  int http_port() const { return http_ == nullptr ? -1 : http_->port(); }
  std::string address() const;       // of gRPC, "127.0.0.1:50051"
  std::string http_address() const;  // empty if off
  int workers() const { return executor_.workers(); }
  const Metrics& metrics() const { return metrics_; }

  // Not ready any more: health and /readyz say so, calls are refused with UNAVAILABLE, sessions and streams are told
  // and ended, calls that wait are answered. Returns when all have ended, or after `timeout`, when the rest was broken
  // off.
  void Drain(std::chrono::milliseconds timeout);
  // Makes a Drain that waits break off at once. From any thread.
  void HastenDrain() { calls_.Hasten(); }

 private:
  class Services;

  explicit Server(const Options& options);
  absl::Status StartHttp();
  absl::Status StartGrpc();
  void SetServing(bool serving);
  void EndWorlds();

  const Options options_;
  const SystemClock clock_;
  Metrics metrics_;
  OpenCalls calls_;
  ArenaExecutor executor_;
  Scheduler scheduler_;
  WorldRegistry worlds_;
  SessionManager sessions_;
  const RpcEnvironment environment_;
  std::atomic<bool> ready_{false};
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<Services> services_;
  std::unique_ptr<grpc::Server> grpc_;
  int port_ = 0;
};

// `workers` of the options, or what the machine grants this process.
int ResolveWorkers(const Options& options);

}  // namespace throng::server
