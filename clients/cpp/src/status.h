// gRPC statuses and errors inside messages, as absl::Status with their details as payloads.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "throng/v1/error.pb.h"

namespace throng::client {

absl::Status FromGrpc(const grpc::Status& status);
absl::Status FromProto(const v1::Error& error);

}  // namespace throng::client
