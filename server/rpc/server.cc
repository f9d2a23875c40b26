#include "server/rpc/server.h"

#include <absl/strings/str_cat.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <string>

#include "server/base/config.h"
#include "server/base/cpus.h"
#include "server/base/log.h"
#include "server/rpc/agent_service.h"
#include "server/rpc/obstacle_service.h"
#include "server/rpc/query_service.h"
#include "server/rpc/server_service.h"
#include "server/rpc/session_service.h"
#include "server/rpc/watch_service.h"
#include "server/rpc/world_service.h"

namespace throng::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Memory that gRPC may hold for all connections together before it pushes back.
constexpr std::size_t kTransportMemory = std::size_t{1} << 30;
// Leases and stalled streams.
constexpr Duration kSessionSweepInterval = milliseconds(100);
// Worlds that nobody uses: a look at each, which is all that an idle one costs.
constexpr Duration kWorldSweepInterval = milliseconds(1'000);
// For the last bytes of calls that have ended to be taken, before connections are cut.
constexpr milliseconds kLinger{300};

// gRPC resolves "localhost" to two addresses, whose free ports would differ.
std::string ListenHost(const std::string& address) { return address == "localhost" ? "127.0.0.1" : address; }

// True while a server is built: what gRPC says of a port that is taken, CannotListen says better.
std::atomic<bool> g_building{false};

void LogGrpc(gpr_log_func_args* args) {
  const bool loud = args->severity == GPR_LOG_SEVERITY_ERROR && !g_building;
  Log(loud ? LogLevel::kWarning : LogLevel::kDebug, "grpc", {{"message", args->message}});
}

// Once for the process, before the first server is built.
void PrepareGrpc() {
  static const bool done = [] {
    gpr_set_log_function(&LogGrpc);
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  (void)done;
}

absl::Status CannotListen(const char* flag, const std::string& host, int port, std::string problem) {
  if (problem.empty()) problem = "cannot listen there";
  return absl::UnavailableError(absl::StrCat("--", flag, "=", port, ": ", JoinAddress(host, port), ": ", problem,
                                             "; choose another, or 0 for a free one"));
}

// A client that vanished without a word is noticed within half a minute.
void SetKeepalive(grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             static_cast<int>(1000 * kMinKeepaliveInterval));
}

}  // namespace

class Server::Services {
 public:
  Services(const RpcEnvironment& environment, const Clock& clock, ServerFacts facts)
      : worlds_(environment),
        agents_(environment),
        obstacles_(environment),
        queries_(environment),
        sessions_(environment),
        watch_(environment),
        server_(environment, clock, std::move(facts)) {}

  void Register(grpc::ServerBuilder& builder) {
    for (grpc::Service* service : std::initializer_list<grpc::Service*>{&worlds_, &agents_, &obstacles_, &queries_,
                                                                        &sessions_, &watch_, &server_}) {
      builder.RegisterService(service);
    }
  }

 private:
  WorldServiceImpl worlds_;
  AgentServiceImpl agents_;
  ObstacleServiceImpl obstacles_;
  QueryServiceImpl queries_;
  SessionServiceImpl sessions_;
  WatchServiceImpl watch_;
  ServerServiceImpl server_;
};

int ResolveWorkers(const Options& options) { return options.workers > 0 ? options.workers : DetectCpus().workers; }

Server::Server(const Options& options)
    : options_(options),
      metrics_(kMethodNames),
      executor_(ResolveWorkers(options)),
      scheduler_(&clock_, &executor_),
      worlds_(options_.limits, HostEnvironment{&clock_, &scheduler_, &metrics_, options_.simd_level}),
      sessions_(&worlds_, HostEnvironment{&clock_, &scheduler_, &metrics_, options_.simd_level}, options_.stall_limit),
      environment_{&options_, &worlds_, &sessions_, &metrics_, &calls_} {
  scheduler_.AddSweep(kSessionSweepInterval, [this](Time now) { sessions_.Sweep(now); });
  scheduler_.AddSweep(kWorldSweepInterval, [this](Time now) { worlds_.Sweep(now); });
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Options& options) {
  PrepareGrpc();
  std::unique_ptr<Server> server(new Server(options));
  if (absl::Status status = server->StartHttp(); !status.ok()) return status;
  // Worlds tick before the port opens, so that the server is ready from the first call on.
  server->scheduler_.Start();
  if (absl::Status status = server->StartGrpc(); !status.ok()) return status;
  server->SetServing(true);
  return server;
}

absl::Status Server::StartHttp() {
  if (options_.http_port < 0) return absl::OkStatus();
  HttpPages pages;
  pages["/livez"] = [] { return HttpReply{.body = "alive\n"}; };
  pages["/readyz"] = [this] {
    return ready_ ? HttpReply{.body = "ready\n"} : HttpReply{.status = 503, .body = "not ready\n"};
  };
  pages["/metrics"] = [this] {
    return HttpReply{.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_.Render()};
  };
  const std::string address = options_.http_address.empty() ? options_.address : options_.http_address;
  auto http = HttpServer::Start(address, options_.http_port, std::move(pages));
  if (!http.ok()) {
    return CannotListen("http-port", ListenHost(address), options_.http_port, std::string(http.status().message()));
  }
  http_ = *std::move(http);
  return absl::OkStatus();
}

absl::Status Server::StartGrpc() {
  services_ =
      std::make_unique<Services>(environment_, clock_, ServerFacts{clock_.WallSeconds(), workers(), http_address()});
  const std::string host = ListenHost(options_.address);
  grpc::ServerBuilder builder;
  // Without this a second server would share the port silently.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  SetKeepalive(builder);
  builder.SetMaxReceiveMessageSize(static_cast<int>(options_.limits.max_message_bytes));
  builder.SetResourceQuota(grpc::ResourceQuota("throngd").Resize(kTransportMemory));
  builder.AddListeningPort(JoinAddress(host, options_.port), grpc::InsecureServerCredentials(), &port_);
  services_->Register(builder);
  g_building = true;
  grpc_ = builder.BuildAndStart();
  g_building = false;
  if (grpc_ == nullptr || port_ == 0)
    return CannotListen("port", host, options_.port, ListenProblem(host, options_.port));
  return absl::OkStatus();
}

void Server::SetServing(bool serving) {
  ready_ = serving;
  if (grpc_ == nullptr) return;
  grpc::HealthCheckServiceInterface* const health = grpc_->GetHealthCheckService();
  health->SetServingStatus("", serving);
  for (const char* name : kServiceNames) health->SetServingStatus(name, serving);
}

std::string Server::address() const { return JoinAddress(ListenHost(options_.address), port_); }

std::string Server::http_address() const {
  const std::string& address = options_.http_address.empty() ? options_.address : options_.http_address;
  return http_ == nullptr ? "" : JoinAddress(ListenHost(address), http_->port());
}

// Answers all calls that wait for a world's tick.
void Server::EndWorlds() {
  const absl::StatusOr<WorldPage> page = worlds_.List("", 1'000, "");
  if (!page.ok()) return;
  for (const WorldInfo& world : page->worlds) worlds_.Delete(world.name, world.uid, [](auto) {});
  if (!page->next_page_token.empty()) EndWorlds();
}

void Server::Drain(milliseconds timeout) {
  if (grpc_ == nullptr) return;
  const auto deadline = steady_clock::now() + timeout;
  SetServing(false);
  calls_.Close();
  worlds_.Drain();
  sessions_.Drain();
  EndWorlds();
  const bool idle = calls_.WaitUntilIdle(deadline);
  grpc_->Shutdown(std::chrono::system_clock::now() + (idle ? kLinger : milliseconds(0)));
  grpc_.reset();
}

Server::~Server() {
  Drain(milliseconds(0));
  scheduler_.Stop();
  http_.reset();
}

}  // namespace throng::server
