// A SessionService and a WatchService whose streams play scripts: for what a real server does only when something
// breaks.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "throng/v1/session_service.grpc.pb.h"
#include "throng/v1/watch_service.grpc.pb.h"

namespace throng::client {

using ConnectStream = grpc::ServerReaderWriter<v1::ConnectResponse, v1::ConnectRequest>;
// Plays one Connect call, after `open` was read and answered with `opened` and a frame of tick 1 with agents 1 and 2.
using Script = std::function<grpc::Status(ConnectStream&, grpc::ServerContext&)>;

class ScriptedService {
 public:
  // One script a Connect call, in order; calls beyond them are refused.
  explicit ScriptedService(std::vector<Script> scripts);
  ~ScriptedService();

  std::string address() const;
  // What the next Opened messages say.
  std::atomic<std::uint64_t> last_input_received{0};
  std::atomic<std::uint64_t> last_step{0};
  std::atomic<int> connects{0};
  std::atomic<int> closes{0};
  std::atomic<bool> tokens_right{true};

 private:
  class Sessions;
  std::unique_ptr<Sessions> sessions_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

v1::ConnectResponse FrameOf(std::uint64_t tick, std::uint64_t last_input_applied = 0);
// Reads the next request; fails the test if there is none.
v1::ConnectRequest Read(ConnectStream& stream);
// Reads until the client cancels or half-closes.
grpc::Status UntilGone(ConnectStream& stream);

}  // namespace throng::client
