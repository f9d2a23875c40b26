// Streams that are opened, misused, cut and taken over at random, by several threads at once. For the sanitizers: what
// is tested is that the server lives, and that nothing is left behind.

#include <random>
#include <thread>

#include "tests/integration/raw_call.h"
#include "tests/integration/support.h"

namespace throng::server {
namespace {

class ChaosTest : public ServerTest {
 protected:
  // One client's life: a stream with some of everything, then one of the ways in which a stream ends.
  void Live(const std::string& world, std::mt19937& random) {
    const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    v1::OpenSessionRequest open_session;
    open_session.set_world(world);
    v1::OpenSessionResponse session;
    if (!sessions_->OpenSession(NewContext().get(), open_session, &session).ok()) return;  // the world is just gone
    auto context = NewContext();
    auto stream = sessions_->Connect(context.get());
    v1::ConnectRequest request;
    request.mutable_open()->set_world(world);
    request.mutable_open()->set_session_id(session.session_id());
    request.mutable_open()->set_resume_token(session.resume_token());
    request.mutable_open()->set_without_frames(pick(4) == 0);
    stream->Write(request);
    for (std::uint32_t i = pick(12); i > 0; --i) {
      v1::ConnectResponse response;
      switch (pick(6)) {
        case 0:
          request = InputRequest(pick(9), {pick(30), pick(30)}, 1.0f, -1.0f);
          break;
        case 1:
          request.mutable_subscribe()->set_state_hash(pick(2) == 0);
          break;
        case 2:
          request.mutable_commands()->clear_commands();
          request.mutable_commands()->add_commands()->set_remove_agent(pick(30));
          break;
        case 3:
          request.mutable_commands()->clear_commands();
          request.mutable_commands()->add_commands()->mutable_add_agent()->mutable_position();
          break;
        case 4:
          request = StepRequestOf(pick(4), pick(3));
          break;
        default:
          stream->Read(&response);
          continue;
      }
      stream->Write(request);
    }
    switch (pick(4)) {
      case 0:
        context->TryCancel();
        break;
      case 1: {
        v1::CloseSessionRequest close;
        close.set_world(world);
        close.set_session_id(session.session_id());
        close.set_resume_token(session.resume_token());
        v1::CloseSessionResponse closed;
        sessions_->CloseSession(NewContext().get(), close, &closed);
        break;
      }
      case 2: {
        v1::DeleteWorldRequest remove;
        remove.set_world(world);
        v1::DeleteWorldResponse removed;
        worlds_->DeleteWorld(NewContext().get(), remove, &removed);
        break;
      }
      default:
        stream->WritesDone();
        break;
    }
    v1::ConnectResponse response;
    while (stream->Read(&response)) {
      if (pick(50) == 0) context->TryCancel();
    }
    stream->Finish();
  }
};

TEST_F(ChaosTest, LeavesNothingBehind) {
  std::vector<std::thread> clients;
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    clients.emplace_back([this, seed] {
      std::mt19937 random(seed);
      for (int life = 0; life < 40; ++life) {
        const std::string world = seed % 2 == 0 ? "even" : "odd";
        v1::CreateWorldRequest create;
        create.set_name(world);
        if (life % 3 == 0) *create.mutable_settings() = Lockstep();
        v1::CreateWorldResponse created;
        worlds_->CreateWorld(NewContext().get(), create, &created);  // or it exists
        Live(world, random);
      }
    });
  }
  clients.emplace_back([this] {
    std::mt19937 random(99);
    for (int i = 0; i < 60; ++i) {
      std::string bytes(random() % 60, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      CallRaw(channel_, "/throng.v1.SessionService/Connect", bytes);
      CallRaw(channel_, "/throng.v1.WatchService/Watch", bytes);
      CallRaw(channel_, "/throng.v1.AgentService/AddAgents", bytes);
    }
  });
  for (auto& client : clients) client.join();
  v1::GetServerInfoResponse info;
  do {
    ASSERT_THAT(info_->GetServerInfo(NewContext().get(), {}, &info), IsOk());
  } while (info.streams() > 0);
  CreateWorld("after");
  const auto watch = Watch("after");
  EXPECT_TRUE(watch->NextFrame());
  watch->Cancel();
}

}  // namespace
}  // namespace throng::server
