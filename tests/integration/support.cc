#include "tests/integration/support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace throng::server {
namespace {

template <class Detail>
Detail DetailOf(const grpc::Status& status) {
  Detail detail;
  google::rpc::Status all;
  EXPECT_TRUE(all.ParseFromString(status.error_details()));
  for (const auto& any : all.details()) {
    if (any.UnpackTo(&detail)) return detail;
  }
  return {};
}

void Append(const google::protobuf::RepeatedField<float>& from, std::vector<float>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::unique_ptr<grpc::ClientContext> NewContext(const std::string& world) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  if (!world.empty()) context->AddMetadata("throng-world", world);
  return context;
}

google::rpc::BadRequest BadRequestOf(const grpc::Status& status) { return DetailOf<google::rpc::BadRequest>(status); }
google::rpc::ErrorInfo ErrorInfoOf(const grpc::Status& status) { return DetailOf<google::rpc::ErrorInfo>(status); }
v1::Error ErrorOf(const grpc::Status& status) { return DetailOf<v1::Error>(status); }

template <class Response>
std::optional<WholeFrame> Assembler<Response>::Add(const Response& response) {
  if (!response.has_frame()) {
    EXPECT_FALSE(partial_) << "an event came between the parts of a frame";
    return std::nullopt;
  }
  const v1::Frame& frame = response.frame();
  if (frame.part() == 0) {
    EXPECT_FALSE(partial_) << "a frame came between the parts of another";
    partial_.emplace();
    coming_ids_.clear();
  }
  if (!partial_) {
    ADD_FAILURE() << "part " << frame.part() << " without those before it";
    return std::nullopt;
  }
  WholeFrame& whole = *partial_;
  EXPECT_EQ(frame.part(), whole.parts);
  EXPECT_EQ(frame.first_index(), frame.part() == 0 ? 0 : std::max(whole.x.size(), whole.vx.size()));
  if (frame.part() > 0) {
    EXPECT_EQ(frame.tick(), whole.tick);
  }
  whole.tick = frame.tick();
  whole.membership_version = frame.membership_version();
  whole.last_input_applied = response.last_input_applied();
  whole.ticks_skipped = response.ticks_skipped();
  whole.subscription = response.subscription();
  whole.agents = frame.agents();
  ++whole.parts;
  whole.largest_part = std::max(whole.largest_part, frame.ByteSizeLong());
  if (frame.has_state_hash()) whole.state_hash = frame.state_hash();
  Append(frame.position_x(), whole.x);
  Append(frame.position_y(), whole.y);
  Append(frame.velocity_x(), whole.vx);
  Append(frame.velocity_y(), whole.vy);
  Append(frame.preferred_velocity_x(), whole.px);
  whole.status += frame.status();
  Append(frame.preferred_velocity_y(), whole.py);
  Append(frame.heading(), whole.heading);
  if (response.has_membership()) {
    EXPECT_EQ(response.membership().version(), frame.membership_version());
    EXPECT_EQ(response.membership().first_index(), frame.first_index());
    coming_ids_.insert(coming_ids_.end(), response.membership().ids().begin(), response.membership().ids().end());
    whole.with_membership = true;
  }
  if (frame.part() + 1 < frame.parts()) return std::nullopt;
  if (whole.with_membership) {
    known_version_ = whole.membership_version;
    known_ids_ = coming_ids_;
  }
  EXPECT_EQ(known_version_, whole.membership_version) << "ids are lacking";
  EXPECT_EQ(known_ids_.size(), whole.agents);
  EXPECT_TRUE(std::is_sorted(known_ids_.begin(), known_ids_.end()));
  whole.ids = known_ids_;
  return *std::exchange(partial_, std::nullopt);
}

template <class Reader, class Response>
bool StreamClient<Reader, Response>::ReadOne() {
  Response response;
  if (!reader_->Read(&response)) return false;
  if (auto frame = assembler_.Add(response)) frames_.push_back(*std::move(frame));
  if (response.event_case() != Response::EVENT_NOT_SET) events_.push_back(std::move(response));
  return true;
}

template <class Reader, class Response>
std::optional<WholeFrame> StreamClient<Reader, Response>::NextFrame() {
  while (taken_ == frames_.size()) {
    if (!ReadOne()) return std::nullopt;
  }
  return frames_[taken_++];
}

template <class Reader, class Response>
std::optional<WholeFrame> StreamClient<Reader, Response>::NextFrame(
    const std::function<bool(const WholeFrame&)>& wanted) {
  while (auto frame = NextFrame()) {
    if (wanted(*frame)) return frame;
  }
  return std::nullopt;
}

template <class Reader, class Response>
std::optional<Response> StreamClient<Reader, Response>::NextEvent(typename Response::EventCase kind) {
  while (true) {
    while (!events_.empty()) {
      Response event = std::move(events_.front());
      events_.pop_front();
      if (event.event_case() == kind) return event;
    }
    if (!ReadOne()) return std::nullopt;
  }
}

template <class Reader, class Response>
grpc::Status StreamClient<Reader, Response>::Finish() {
  while (ReadOne()) {
  }
  return reader_->Finish();
}

template class StreamClient<grpc::ClientReader<v1::WatchResponse>, v1::WatchResponse>;
template class StreamClient<grpc::ClientReaderWriter<v1::ConnectRequest, v1::ConnectResponse>, v1::ConnectResponse>;

Options ServerTest::FreePorts() {
  Options options;
  options.port = 0;
  options.http_port = 0;
  options.workers = 2;
  return options;
}

void ServerTest::StartServer(const Options& options) {
  server_.reset();
  auto server = Server::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  channel_ = NewChannel();
  worlds_ = v1::WorldService::NewStub(channel_);
  agents_ = v1::AgentService::NewStub(channel_);
  obstacles_ = v1::ObstacleService::NewStub(channel_);
  queries_ = v1::QueryService::NewStub(channel_);
  sessions_ = v1::SessionService::NewStub(channel_);
  watch_ = v1::WatchService::NewStub(channel_);
  info_ = v1::ServerService::NewStub(channel_);
}

std::shared_ptr<grpc::Channel> ServerTest::NewChannel() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(), arguments);
}

v1::World ServerTest::CreateWorld(const std::string& name, const v1::WorldSettings& settings) {
  v1::CreateWorldRequest request;
  request.set_name(name);
  *request.mutable_settings() = settings;
  v1::CreateWorldResponse response;
  EXPECT_THAT(worlds_->CreateWorld(NewContext(name).get(), request, &response), IsOk());
  return response.world();
}

v1::World ServerTest::GetWorld(const std::string& name) {
  v1::GetWorldRequest request;
  request.set_world(name);
  v1::GetWorldResponse response;
  EXPECT_THAT(worlds_->GetWorld(NewContext(name).get(), request, &response), IsOk());
  return response.world();
}

v1::CommandBatchResult ServerTest::AddAgents(const std::string& world,
                                             const std::vector<std::pair<float, float>>& positions,
                                             std::uint32_t first_id) {
  v1::AddAgentsRequest request;
  request.set_world(world);
  for (const auto& [x, y] : positions) {
    v1::AgentSpec* const spec = request.add_agents();
    spec->set_id(first_id++);
    spec->mutable_position()->set_x(x);
    spec->mutable_position()->set_y(y);
  }
  v1::AddAgentsResponse response;
  EXPECT_THAT(agents_->AddAgents(NewContext(world).get(), request, &response), IsOk());
  for (const auto& item : response.result().results()) EXPECT_FALSE(item.has_error()) << item.ShortDebugString();
  return response.result();
}

void ServerTest::AddCrowd(const std::string& world, std::uint32_t agents) {
  constexpr std::uint32_t kBatch = 25'000;
  const auto side = static_cast<std::uint32_t>(std::ceil(std::sqrt(agents)));
  std::vector<std::pair<float, float>> positions;
  for (std::uint32_t first = 0; first < agents; first += kBatch) {
    positions.clear();
    for (std::uint32_t i = first; i < std::min(agents, first + kBatch); ++i) {
      positions.emplace_back(2.0f * static_cast<float>(i % side), 2.0f * static_cast<float>(i / side));
    }
    AddAgents(world, positions, first + 1);
  }
}

v1::OpenSessionResponse ServerTest::OpenSession(const std::string& world, bool stepper) {
  v1::OpenSessionRequest request;
  request.set_world(world);
  request.set_stepper(stepper);
  v1::OpenSessionResponse response;
  EXPECT_THAT(sessions_->OpenSession(NewContext(world).get(), request, &response), IsOk());
  EXPECT_NE(response.session_id(), "");
  EXPECT_NE(response.resume_token(), "");
  return response;
}

std::unique_ptr<ConnectClient> ServerTest::Connect(const v1::OpenSessionResponse& session,
                                                   const std::function<void(v1::ConnectOpen&)>& adjust) {
  auto context = NewContext(session.world().name());
  auto stream = sessions_->Connect(context.get());
  v1::ConnectRequest request;
  request.mutable_open()->set_world(session.world().name());
  request.mutable_open()->set_session_id(session.session_id());
  request.mutable_open()->set_resume_token(session.resume_token());
  if (adjust) adjust(*request.mutable_open());
  EXPECT_TRUE(stream->Write(request));
  auto client = std::make_unique<ConnectClient>(std::move(context), std::move(stream));
  EXPECT_TRUE(client->NextEvent(v1::ConnectResponse::kOpened));
  return client;
}

std::unique_ptr<WatchClient> ServerTest::Watch(const std::string& world,
                                               const std::function<void(v1::WatchRequest&)>& adjust,
                                               std::shared_ptr<grpc::Channel> channel) {
  auto context = NewContext(world);
  v1::WatchRequest request;
  request.set_world(world);
  if (adjust) adjust(request);
  const auto stub = v1::WatchService::NewStub(channel == nullptr ? channel_ : std::move(channel));
  auto stream = stub->Watch(context.get(), request);
  return std::make_unique<WatchClient>(std::move(context), std::move(stream));
}

v1::WorldSettings Lockstep() {
  v1::WorldSettings settings;
  settings.set_clock(v1::WORLD_CLOCK_LOCKSTEP);
  return settings;
}

v1::WorldSettings Paused() {
  v1::WorldSettings settings;
  settings.set_start_paused(true);
  return settings;
}

v1::ConnectRequest InputRequest(std::uint64_t sequence, const std::vector<std::uint32_t>& ids, float x, float y) {
  v1::ConnectRequest request;
  v1::Input* const input = request.mutable_input();
  input->set_sequence(sequence);
  for (const std::uint32_t id : ids) {
    input->add_ids(id);
    input->add_preferred_velocity_x(x);
    input->add_preferred_velocity_y(y);
  }
  return request;
}

v1::ConnectRequest StepRequestOf(std::uint64_t sequence, std::uint32_t ticks) {
  v1::ConnectRequest request;
  request.mutable_step()->set_sequence(sequence);
  request.mutable_step()->set_ticks(ticks);
  return request;
}

std::string HttpGet(int port, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
    EXPECT_EQ(send(fd, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
    char buffer[4096];
    for (ssize_t n; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) answer.append(buffer, static_cast<std::size_t>(n));
  }
  close(fd);
  return answer;
}

}  // namespace throng::server
