// A real server on free ports in this process, and a plain client of it. Calls carry a deadline of a minute, so that a
// hang fails a test instead of stopping it; no test depends on how long anything takes.
#pragma once

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/rpc/server.h"
#include "throng/v1/agent_service.grpc.pb.h"
#include "throng/v1/obstacle_service.grpc.pb.h"
#include "throng/v1/query_service.grpc.pb.h"
#include "throng/v1/server_service.grpc.pb.h"
#include "throng/v1/session_service.grpc.pb.h"
#include "throng/v1/watch_service.grpc.pb.h"
#include "throng/v1/world_service.grpc.pb.h"

namespace throng::server {

// A context with the deadline of a minute, and the metadata `throng-world` if a world is given.
std::unique_ptr<grpc::ClientContext> NewContext(const std::string& world = "");

// The details of a status; empty messages where there are none.
google::rpc::BadRequest BadRequestOf(const grpc::Status& status);
google::rpc::ErrorInfo ErrorInfoOf(const grpc::Status& status);
v1::Error ErrorOf(const grpc::Status& status);

MATCHER(IsOk, "is OK") {
  *result_listener << arg.error_code() << ": " << arg.error_message();
  return arg.ok();
}
MATCHER_P(HasCode, code, "has code " + std::to_string(code)) {
  *result_listener << arg.error_code() << ": " << arg.error_message();
  return arg.error_code() == code;
}

// A whole frame, put together from its parts.
struct WholeFrame {
  std::uint64_t tick = 0;
  std::uint64_t membership_version = 0;
  std::uint64_t last_input_applied = 0;
  std::uint64_t ticks_skipped = 0;
  std::uint64_t subscription = 0;
  std::uint32_t agents = 0;
  std::uint32_t parts = 0;
  std::size_t largest_part = 0;  // [bytes] of the Frame message
  std::optional<std::uint64_t> state_hash;
  std::vector<std::uint32_t> ids;  // of the membership, whether it came with this frame or earlier
  bool with_membership = false;
  std::vector<float> x, y, vx, vy, px, py, heading;
  std::string status;
};

// Puts messages of a stream together into frames and events, in the order of their arrival. Response is ConnectResponse
// or WatchResponse. Expects what the wire promises of parts: all, in order, none in between.
template <class Response>
class Assembler {
 public:
  // A whole frame, once the message completes one.
  std::optional<WholeFrame> Add(const Response& response);

 private:
  std::optional<WholeFrame> partial_;
  std::uint64_t known_version_ = 0;
  std::vector<std::uint32_t> known_ids_;
  std::vector<std::uint32_t> coming_ids_;
};

// A stream as its reader sees it: Reader is grpc::ClientReader(Writer).
template <class Reader, class Response>
class StreamClient {
 public:
  StreamClient(std::unique_ptr<grpc::ClientContext> context, std::unique_ptr<Reader> reader)
      : context_(std::move(context)), reader_(std::move(reader)) {}

  // The next frame; events on the way are kept. Nothing: the stream has ended.
  std::optional<WholeFrame> NextFrame();
  // The next frame that `wanted` accepts.
  std::optional<WholeFrame> NextFrame(const std::function<bool(const WholeFrame&)>& wanted);
  // The next event of that kind; others are dropped, frames are kept. Nothing: the stream has ended.
  std::optional<Response> NextEvent(typename Response::EventCase kind);
  // Reads on until the end, and gives the call's status.
  grpc::Status Finish();

  void Cancel() { context_->TryCancel(); }
  Reader& reader() { return *reader_; }
  const std::vector<WholeFrame>& frames() const { return frames_; }

 private:
  bool ReadOne();

  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<Reader> reader_;
  Assembler<Response> assembler_;
  std::deque<Response> events_;
  std::vector<WholeFrame> frames_;  // that came while something else was waited for
  std::size_t taken_ = 0;
};

using WatchClient = StreamClient<grpc::ClientReader<v1::WatchResponse>, v1::WatchResponse>;
using ConnectClient =
    StreamClient<grpc::ClientReaderWriter<v1::ConnectRequest, v1::ConnectResponse>, v1::ConnectResponse>;

class ServerTest : public ::testing::Test {
 protected:
  // The defaults, on free ports of 127.0.0.1 and with few worker threads.
  static Options FreePorts();

  void SetUp() override { StartServer(FreePorts()); }
  void StartServer(const Options& options);

  // A channel of its own each time.
  std::shared_ptr<grpc::Channel> NewChannel();

  // All expect success.
  v1::World CreateWorld(const std::string& name, const v1::WorldSettings& settings = {});
  v1::World GetWorld(const std::string& name);
  v1::CommandBatchResult AddAgents(const std::string& world, const std::vector<std::pair<float, float>>& positions,
                                   std::uint32_t first_id = 1);
  // A crowd on a grid with enough room that nobody is in anybody's way.
  void AddCrowd(const std::string& world, std::uint32_t agents);
  v1::OpenSessionResponse OpenSession(const std::string& world, bool stepper = false);

  // Sends `open` and expects `opened`.
  std::unique_ptr<ConnectClient> Connect(const v1::OpenSessionResponse& session,
                                         const std::function<void(v1::ConnectOpen&)>& adjust = {});
  std::unique_ptr<WatchClient> Watch(const std::string& world,
                                     const std::function<void(v1::WatchRequest&)>& adjust = {},
                                     std::shared_ptr<grpc::Channel> channel = nullptr);

  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::WorldService::Stub> worlds_;
  std::unique_ptr<v1::AgentService::Stub> agents_;
  std::unique_ptr<v1::ObstacleService::Stub> obstacles_;
  std::unique_ptr<v1::QueryService::Stub> queries_;
  std::unique_ptr<v1::SessionService::Stub> sessions_;
  std::unique_ptr<v1::WatchService::Stub> watch_;
  std::unique_ptr<v1::ServerService::Stub> info_;
};

v1::WorldSettings Lockstep();
v1::WorldSettings Paused();
v1::ConnectRequest InputRequest(std::uint64_t sequence, const std::vector<std::uint32_t>& ids, float x, float y);
v1::ConnectRequest StepRequestOf(std::uint64_t sequence, std::uint32_t ticks);

// GET from 127.0.0.1, the whole answer with its head.
std::string HttpGet(int port, const std::string& path);

}  // namespace throng::server
