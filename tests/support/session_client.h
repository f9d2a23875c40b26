// Clients of a SessionManager for tests, over FakeSinks.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/session/session_manager.h"
#include "tests/support/fake_sink.h"
#include "tests/support/serving.h"

namespace throng::server {

class ManualSessions : public ManualServing {
 public:
  static constexpr Duration kStallLimit = std::chrono::seconds(5);

  explicit ManualSessions(const Limits& limits = {})
      : ManualServing(limits), sessions(&worlds, environment(), kStallLimit) {}

  v1::OpenSessionResponse Open(const std::string& world, bool stepper = false) {
    v1::OpenSessionRequest request;
    request.set_world(world);
    request.set_stepper(stepper);
    const absl::StatusOr<v1::OpenSessionResponse> response = sessions.Open(request);
    EXPECT_TRUE(response.ok()) << response.status();
    return *response;
  }

  SessionManager sessions;
};

// One Connect call.
class ConnectClient {
 public:
  explicit ConnectClient(SessionManager& sessions, bool slow = false)
      : sink(std::make_shared<FakeSink>(slow)), stream(sessions.NewConnect(sink)) {
    sink->AnswerTo([stream = stream.get()](bool ok) { stream->OnWriteDone(ok); });
  }

  // Whether the next request may be sent already.
  bool Send(const v1::ConnectRequest& request) {
    auto ready = std::make_shared<bool>(false);
    stream->OnRequest(request, [ready] { *ready = true; });
    return *ready;
  }
  bool Open(const v1::OpenSessionResponse& session, bool without_frames = false) {
    v1::ConnectRequest request;
    request.mutable_open()->set_world(session.world().name());
    request.mutable_open()->set_session_id(session.session_id());
    request.mutable_open()->set_resume_token(session.resume_token());
    request.mutable_open()->set_without_frames(without_frames);
    return Send(request);
  }
  bool Step(std::uint64_t sequence, std::uint32_t ticks = 1) {
    v1::ConnectRequest request;
    request.mutable_step()->set_sequence(sequence);
    request.mutable_step()->set_ticks(ticks);
    return Send(request);
  }
  // The same preferred velocity for agents 1 to `count`.
  bool Input(std::uint64_t sequence, std::uint32_t count, float x, float y) {
    v1::ConnectRequest request;
    request.mutable_input()->set_sequence(sequence);
    for (std::uint32_t id = 1; id <= count; ++id) {
      request.mutable_input()->add_ids(id);
      request.mutable_input()->add_preferred_velocity_x(x);
      request.mutable_input()->add_preferred_velocity_y(y);
    }
    return Send(request);
  }
  bool AddAgent(const std::string& request_id, std::uint32_t id, float radius = 0.5f) {
    v1::ConnectRequest request;
    request.mutable_commands()->set_request_id(request_id);
    v1::AgentSpec& agent = *request.mutable_commands()->add_commands()->mutable_add_agent();
    agent.set_id(id);
    agent.mutable_position()->set_x(2.0f * static_cast<float>(id));
    agent.mutable_params()->set_radius(radius);
    return Send(request);
  }

  std::shared_ptr<FakeSink> sink;
  std::shared_ptr<ConnectStream> stream;
};

class WatchClient {
 public:
  explicit WatchClient(SessionManager& sessions, bool slow = false)
      : sink(std::make_shared<FakeSink>(slow)), stream(sessions.NewWatch(sink)) {
    sink->AnswerTo([stream = stream.get()](bool ok) { stream->OnWriteDone(ok); });
  }
  void Start(const std::string& world) {
    v1::WatchRequest request;
    request.set_world(world);
    stream->Start(request);
  }

  std::shared_ptr<FakeSink> sink;
  std::shared_ptr<WatchStream> stream;
};

}  // namespace throng::server
