#include "tests/clients/cpp/scripted_service.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

namespace throng::client {

class ScriptedService::Sessions final : public v1::SessionService::Service {
 public:
  Sessions(ScriptedService& owner, std::vector<Script> scripts) : owner_(owner), scripts_(std::move(scripts)) {}

  grpc::Status OpenSession(grpc::ServerContext* context, const v1::OpenSessionRequest* request,
                           v1::OpenSessionResponse* response) override {
    const auto metadata = context->client_metadata().find("throng-world");
    if (metadata == context->client_metadata().end() || metadata->second != request->world()) {
      return {grpc::StatusCode::INVALID_ARGUMENT, "no throng-world"};
    }
    response->set_session_id("session");
    response->set_resume_token("token");
    response->set_lease(request->lease());
    response->mutable_world()->set_name(request->world());
    return grpc::Status::OK;
  }

  grpc::Status Connect(grpc::ServerContext* context, ConnectStream* stream) override {
    const auto number = static_cast<std::size_t>(owner_.connects++);
    if (number >= scripts_.size()) return {grpc::StatusCode::NOT_FOUND, "no script"};
    const v1::ConnectRequest first = Read(*stream);
    if (first.open().session_id() != "session" || first.open().resume_token() != "token") owner_.tokens_right = false;
    v1::ConnectResponse opened;
    opened.mutable_opened()->set_last_input_received(owner_.last_input_received);
    opened.mutable_opened()->set_last_step(owner_.last_step);
    stream->Write(opened);
    v1::ConnectResponse frame = FrameOf(1);
    frame.mutable_membership()->set_version(1);
    frame.mutable_membership()->add_ids(1);
    frame.mutable_membership()->add_ids(2);
    stream->Write(frame);
    return scripts_[number](*stream, *context);
  }

  grpc::Status CloseSession(grpc::ServerContext*, const v1::CloseSessionRequest* request,
                            v1::CloseSessionResponse*) override {
    if (request->resume_token() != "token") owner_.tokens_right = false;
    ++owner_.closes;
    return grpc::Status::OK;
  }

 private:
  ScriptedService& owner_;
  const std::vector<Script> scripts_;
};

ScriptedService::ScriptedService(std::vector<Script> scripts)
    : sessions_(std::make_unique<Sessions>(*this, std::move(scripts))) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(sessions_.get());
  server_ = builder.BuildAndStart();
}

ScriptedService::~ScriptedService() { server_->Shutdown(std::chrono::system_clock::now()); }

std::string ScriptedService::address() const { return "127.0.0.1:" + std::to_string(port_); }

v1::ConnectResponse FrameOf(std::uint64_t tick, std::uint64_t last_input_applied) {
  v1::ConnectResponse response;
  auto& frame = *response.mutable_frame();
  frame.set_tick(tick);
  frame.set_parts(1);
  frame.set_agents(2);
  frame.set_membership_version(1);
  for (const float x : {1.0f, 2.0f}) {
    frame.add_position_x(x);
    frame.add_position_y(x);
  }
  response.set_last_input_applied(last_input_applied);
  return response;
}

v1::ConnectRequest Read(ConnectStream& stream) {
  v1::ConnectRequest request;
  EXPECT_TRUE(stream.Read(&request)) << "the client sent nothing more";
  return request;
}

grpc::Status UntilGone(ConnectStream& stream) {
  v1::ConnectRequest request;
  while (stream.Read(&request)) {
  }
  return grpc::Status::OK;
}

}  // namespace throng::client
