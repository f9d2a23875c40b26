#include "server/rpc/query_service.h"

#include <utility>

#include "server/convert/query_convert.h"

namespace throng::server {
namespace {

// Request and response live until the answer.
template <class Request, class Response>
grpc::ServerUnaryReactor* Serve(const RpcEnvironment& environment, Method method, grpc::CallbackServerContext* context,
                                const Request* request, Response* response) {
  return ServeWorld(environment, method, context, request, [&](Answer answer) {
    const auto world = environment.worlds->Find(request->world());
    if (!world.ok()) return answer(world.status());
    (*world)->Read([answer = std::move(answer), request, response](absl::StatusOr<const World*> read) mutable {
      answer(read.ok() ? Ask(**read, *request, response) : read.status());
    });
  });
}

}  // namespace

grpc::ServerUnaryReactor* QueryServiceImpl::FindNearest(grpc::CallbackServerContext* context,
                                                        const v1::FindNearestRequest* request,
                                                        v1::FindNearestResponse* response) {
  return Serve(environment_, Method::kFindNearest, context, request, response);
}

grpc::ServerUnaryReactor* QueryServiceImpl::FindInDisc(grpc::CallbackServerContext* context,
                                                       const v1::FindInDiscRequest* request,
                                                       v1::FindInDiscResponse* response) {
  return Serve(environment_, Method::kFindInDisc, context, request, response);
}

grpc::ServerUnaryReactor* QueryServiceImpl::FindInBox(grpc::CallbackServerContext* context,
                                                      const v1::FindInBoxRequest* request,
                                                      v1::FindInBoxResponse* response) {
  return Serve(environment_, Method::kFindInBox, context, request, response);
}

grpc::ServerUnaryReactor* QueryServiceImpl::TestVisibility(grpc::CallbackServerContext* context,
                                                           const v1::TestVisibilityRequest* request,
                                                           v1::TestVisibilityResponse* response) {
  return Serve(environment_, Method::kTestVisibility, context, request, response);
}

grpc::ServerUnaryReactor* QueryServiceImpl::CastRay(grpc::CallbackServerContext* context,
                                                    const v1::CastRayRequest* request, v1::CastRayResponse* response) {
  return Serve(environment_, Method::kCastRay, context, request, response);
}

grpc::ServerUnaryReactor* QueryServiceImpl::Explain(grpc::CallbackServerContext* context,
                                                    const v1::ExplainRequest* request, v1::ExplainResponse* response) {
  return Serve(environment_, Method::kExplain, context, request, response);
}

}  // namespace throng::server
