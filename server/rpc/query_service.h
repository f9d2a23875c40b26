// Questions about a world, answered at a tick border.
#pragma once

#include "server/rpc/call.h"
#include "throng/v1/query_service.grpc.pb.h"

namespace throng::server {

class QueryServiceImpl final : public v1::QueryService::CallbackService {
 public:
  explicit QueryServiceImpl(const RpcEnvironment& environment) : environment_(environment) {}

  grpc::ServerUnaryReactor* FindNearest(grpc::CallbackServerContext* context, const v1::FindNearestRequest* request,
                                        v1::FindNearestResponse* response) override;
  grpc::ServerUnaryReactor* FindInDisc(grpc::CallbackServerContext* context, const v1::FindInDiscRequest* request,
                                       v1::FindInDiscResponse* response) override;
  grpc::ServerUnaryReactor* FindInBox(grpc::CallbackServerContext* context, const v1::FindInBoxRequest* request,
                                      v1::FindInBoxResponse* response) override;
  grpc::ServerUnaryReactor* TestVisibility(grpc::CallbackServerContext* context,
                                           const v1::TestVisibilityRequest* request,
                                           v1::TestVisibilityResponse* response) override;
  grpc::ServerUnaryReactor* CastRay(grpc::CallbackServerContext* context, const v1::CastRayRequest* request,
                                    v1::CastRayResponse* response) override;
  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context, const v1::ExplainRequest* request,
                                    v1::ExplainResponse* response) override;

 private:
  const RpcEnvironment& environment_;
};

}  // namespace throng::server
