// Watching a world. The stream is raw, as the session's is.
#pragma once

#include "server/rpc/call.h"
#include "throng/v1/watch_service.grpc.pb.h"

namespace throng::server {

class WatchServiceImpl final : public v1::WatchService::WithRawCallbackMethod_Watch<v1::WatchService::Service> {
 public:
  explicit WatchServiceImpl(const RpcEnvironment& environment) : environment_(environment) {}

  grpc::ServerWriteReactor<grpc::ByteBuffer>* Watch(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request) override;

 private:
  const RpcEnvironment& environment_;
};

}  // namespace throng::server
