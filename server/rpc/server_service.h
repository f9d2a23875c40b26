// The server itself.
#pragma once

#include <string>

#include "server/rpc/call.h"
#include "throng/v1/server_service.grpc.pb.h"

namespace throng::server {

// What does not change while the server runs.
struct ServerFacts {
  double start_time = 0.0;  // [s] since 1970
  int workers = 0;
  std::string http_address;  // empty: off
};

inline constexpr double kMinKeepaliveInterval = 5.0;  // [s] between pings of a client

class ServerServiceImpl final : public v1::ServerService::CallbackService {
 public:
  ServerServiceImpl(const RpcEnvironment& environment, const Clock& clock, ServerFacts facts)
      : environment_(environment), clock_(clock), facts_(std::move(facts)) {}

  // Answers while the server drains, too.
  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* context, const v1::GetServerInfoRequest* request,
                                          v1::GetServerInfoResponse* response) override;

 private:
  const RpcEnvironment& environment_;
  const Clock& clock_;
  const ServerFacts facts_;
};

}  // namespace throng::server
