// Calls by bytes, for what generated stubs cannot send or do not know.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

namespace throng::server {

struct RawAnswer {
  grpc::Status status;
  std::vector<std::string> messages;  // of the response
};

// Sends one message of these bytes to a method, half-closes, and reads to the end.
RawAnswer CallRaw(const std::shared_ptr<grpc::Channel>& channel, const std::string& method, const std::string& bytes);

}  // namespace throng::server
