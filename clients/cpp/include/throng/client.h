// Throng's C++ client. Ten lines move a crowd: see clients/cpp/example/hello.cc.
//
//   throng::client::Client client("127.0.0.1:50051");
//   auto world = client.CreateWorld("hello");                  // absl::StatusOr<World>
//   world->AddAgents(agents);
//   auto session = world->OpenSession();
//   session->SteerAll(1.0f, 0.0f);
//   auto frame = session->NextFrame();                         // frame->ids(), frame->x(), frame->y(), ...
//
// No function throws; errors are absl::Status (error.h). Any thread may call anything.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "throng/client/error.h"
#include "throng/client/frame.h"
#include "throng/client/session.h"
#include "throng/client/types.h"
#include "throng/client/world.h"

namespace throng::client {

struct ClientOptions {
  // Of each call that is not given its own. A call that finds no server is tried again within it, a few times.
  std::chrono::milliseconds timeout = std::chrono::seconds(10);
  // Between pings that find a dead connection. At least 5 s, which the server's bound on pings asks for.
  std::chrono::milliseconds keepalive = std::chrono::seconds(20);
};

// A connection to a server. It is made when the first call needs it, and again after a break. Copies share it.
class Client {
 public:
  // `address` is host:port, unencrypted.
  explicit Client(const std::string& address, const ClientOptions& options = {});

  // Names: [a-z0-9][a-z0-9._-]{0,127}. ALREADY_EXISTS for one in use; RESOURCE_EXHAUSTED past a limit (ReachedLimit).
  absl::StatusOr<World> CreateWorld(const std::string& name, const WorldSettings& settings = {}) const;
  // A handle without a call: whether the world exists, its first call tells.
  World GetWorld(const std::string& name) const;
  // In ascending order of names, only those that begin with `prefix`.
  absl::StatusOr<std::vector<WorldInfo>> ListWorlds(const std::string& prefix = "") const;
  absl::Status DeleteWorld(const std::string& name) const;

  absl::StatusOr<ServerInfo> GetServerInfo() const;
  // OK if `service` (such as "throng.v1.WorldService"; empty: the server as a whole) says SERVING, UNAVAILABLE if it
  // says that it does not, NOT_FOUND if the server does not know it, else the error of the call.
  absl::Status CheckHealth(const std::string& service = "") const;

 private:
  std::shared_ptr<Channel> channel_;
};

}  // namespace throng::client
