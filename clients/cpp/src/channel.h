// The connection behind Client and World, and how a unary call is made on it.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cpp/src/status.h"
#include "throng/client.h"

namespace throng::client {

struct Channel {
  std::shared_ptr<grpc::Channel> grpc;
  ClientOptions options;
};

std::shared_ptr<Channel> MakeChannel(const std::string& address, const ClientOptions& options);

// By this a proxy routes a call to the server that has the world.
inline void NameWorld(grpc::ClientContext& context, const std::string& world) {
  if (!world.empty()) context.AddMetadata("throng-world", world);
}

// 128 random bits, in hexadecimal: no two requests anywhere share one.
std::string MakeRequestId();

// One unary call, with the channel's deadline. `world`: the name that the call is about, empty if about none.
template <class Stub, class Request, class Response>
absl::StatusOr<Response> Call(const Channel& channel, const std::string& world,
                              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                              const Request& request) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + channel.options.timeout);
  NameWorld(context, world);
  Stub stub(channel.grpc);
  Response response;
  const grpc::Status status = (stub.*method)(&context, request, &response);
  if (!status.ok()) return FromGrpc(status);
  return response;
}

}  // namespace throng::client
