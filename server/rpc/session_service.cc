#include "server/rpc/session_service.h"

#include "server/rpc/connect_reactor.h"

namespace throng::server {
namespace {

// Moves what comes into the response, then answers.
template <class Response>
Callback<absl::StatusOr<Response>> AnswerWith(Answer answer, Response* response) {
  return [answer = std::move(answer), response](absl::StatusOr<Response> result) mutable {
    if (result.ok()) *response = *std::move(result);
    answer(result.status());
  };
}

}  // namespace

grpc::ServerUnaryReactor* SessionServiceImpl::OpenSession(grpc::CallbackServerContext* context,
                                                          const v1::OpenSessionRequest* request,
                                                          v1::OpenSessionResponse* response) {
  return ServeWorld(environment_, Method::kOpenSession, context, request, [&](Answer answer) {
    AnswerWith(std::move(answer), response)(environment_.sessions->Open(*request));
  });
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* SessionServiceImpl::Connect(
    grpc::CallbackServerContext* context) {
  return ConnectReactor::Begin(environment_, context);
}

grpc::ServerUnaryReactor* SessionServiceImpl::SendInput(grpc::CallbackServerContext* context,
                                                        const v1::SendInputRequest* request,
                                                        v1::SendInputResponse* response) {
  return ServeWorld(environment_, Method::kSendInput, context, request, [&](Answer answer) {
    environment_.sessions->SendInput(*request, AnswerWith(std::move(answer), response));
  });
}

grpc::ServerUnaryReactor* SessionServiceImpl::Step(grpc::CallbackServerContext* context, const v1::StepRequest* request,
                                                   v1::StepResponse* response) {
  return ServeWorld(environment_, Method::kStep, context, request, [&](Answer answer) {
    environment_.sessions->Step(*request, AnswerWith(std::move(answer), response));
  });
}

grpc::ServerUnaryReactor* SessionServiceImpl::ApplyCommands(grpc::CallbackServerContext* context,
                                                            const v1::ApplyCommandsRequest* request,
                                                            v1::ApplyCommandsResponse* response) {
  return ServeWorld(environment_, Method::kApplyCommands, context, request, [&](Answer answer) {
    environment_.sessions->ApplyCommands(*request, AnswerWith(std::move(answer), response));
  });
}

grpc::ServerUnaryReactor* SessionServiceImpl::CloseSession(grpc::CallbackServerContext* context,
                                                           const v1::CloseSessionRequest* request,
                                                           v1::CloseSessionResponse* /*response*/) {
  return ServeWorld(environment_, Method::kCloseSession, context, request,
                    [&](Answer answer) { answer(environment_.sessions->Close(*request)); });
}

}  // namespace throng::server
