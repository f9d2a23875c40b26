// Sessions: their unary calls, and the stream. The stream is raw both ways, so that its frames are shared slices and
// that bytes which do not parse are answered by us.
#pragma once

#include "server/rpc/call.h"
#include "throng/v1/session_service.grpc.pb.h"

namespace throng::server {

class SessionServiceImpl final
    : public v1::SessionService::WithRawCallbackMethod_Connect<
          v1::SessionService::WithCallbackMethod_OpenSession<v1::SessionService::WithCallbackMethod_SendInput<
              v1::SessionService::WithCallbackMethod_Step<v1::SessionService::WithCallbackMethod_ApplyCommands<
                  v1::SessionService::WithCallbackMethod_CloseSession<v1::SessionService::Service>>>>>> {
 public:
  explicit SessionServiceImpl(const RpcEnvironment& environment) : environment_(environment) {}

  grpc::ServerUnaryReactor* OpenSession(grpc::CallbackServerContext* context, const v1::OpenSessionRequest* request,
                                        v1::OpenSessionResponse* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Connect(grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* SendInput(grpc::CallbackServerContext* context, const v1::SendInputRequest* request,
                                      v1::SendInputResponse* response) override;
  grpc::ServerUnaryReactor* Step(grpc::CallbackServerContext* context, const v1::StepRequest* request,
                                 v1::StepResponse* response) override;
  grpc::ServerUnaryReactor* ApplyCommands(grpc::CallbackServerContext* context, const v1::ApplyCommandsRequest* request,
                                          v1::ApplyCommandsResponse* response) override;
  grpc::ServerUnaryReactor* CloseSession(grpc::CallbackServerContext* context, const v1::CloseSessionRequest* request,
                                         v1::CloseSessionResponse* response) override;

 private:
  const RpcEnvironment& environment_;
};

}  // namespace throng::server
