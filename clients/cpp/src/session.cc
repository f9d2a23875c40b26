#include "throng/client/session.h"

#include <utility>
#include <vector>

#include "clients/cpp/src/batch.h"
#include "clients/cpp/src/convert.h"
#include "clients/cpp/src/session_core.h"

namespace throng::client {
namespace {

Deadline After(std::chrono::milliseconds timeout) { return std::chrono::steady_clock::now() + timeout; }

}  // namespace

struct Commands::Impl {
  std::vector<v1::Command> commands;
};

Commands::Commands() : impl_(std::make_unique<Impl>()) {}
Commands::~Commands() = default;
Commands::Commands(Commands&&) noexcept = default;
Commands& Commands::operator=(Commands&&) noexcept = default;

Commands& Commands::Add(const AgentSpec& agent) {
  ToProto(agent, *impl_->commands.emplace_back().mutable_add_agent());
  return *this;
}
Commands& Commands::Update(const AgentUpdate& agent) {
  ToProto(agent, *impl_->commands.emplace_back().mutable_update_agent());
  return *this;
}
Commands& Commands::RemoveAgent(AgentId id) {
  impl_->commands.emplace_back().set_remove_agent(id);
  return *this;
}
Commands& Commands::RemoveAllAgents() {
  impl_->commands.emplace_back().mutable_remove_all_agents();
  return *this;
}
Commands& Commands::Add(const ObstacleSpec& obstacle) {
  ToProto(obstacle, *impl_->commands.emplace_back().mutable_add_obstacle());
  return *this;
}
Commands& Commands::Update(const ObstacleSpec& obstacle) {
  ToProto(obstacle, *impl_->commands.emplace_back().mutable_update_obstacle());
  return *this;
}
Commands& Commands::Move(const ObstacleMove& obstacle) {
  ToProto(obstacle, *impl_->commands.emplace_back().mutable_move_obstacle());
  return *this;
}
Commands& Commands::RemoveObstacle(ObstacleId id) {
  impl_->commands.emplace_back().set_remove_obstacle(id);
  return *this;
}
std::size_t Commands::size() const { return impl_->commands.size(); }

Session::Session(std::shared_ptr<Core> core) : core_(std::move(core)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&& other) noexcept {
  if (this != &other) {
    Close();
    core_ = std::move(other.core_);
  }
  return *this;
}
Session::~Session() { Close(); }

absl::StatusOr<std::uint64_t> Session::Steer(std::span<const float> vx, std::span<const float> vy) {
  if (!core_->frames().has_latest()) return absl::FailedPreconditionError("no frame has come yet; see NextFrame");
  return Steer(core_->frames().Latest(), vx, vy);
}

absl::StatusOr<std::uint64_t> Session::Steer(const Frame& frame, std::span<const float> vx, std::span<const float> vy) {
  return core_->Steer(frame.data_->membership, vx, vy);
}

absl::StatusOr<std::uint64_t> Session::Steer(std::span<const AgentId> ids, std::span<const float> vx,
                                             std::span<const float> vy) {
  return core_->Steer(ids, vx, vy);
}

absl::StatusOr<std::uint64_t> Session::GoTo(const Frame& frame, std::span<const float> x, std::span<const float> y) {
  return core_->Steer(frame.data_->membership, x, y, WishKind::kGoal);
}

absl::StatusOr<std::uint64_t> Session::GoTo(std::span<const AgentId> ids, std::span<const float> x,
                                            std::span<const float> y) {
  return core_->Steer(ids, x, y, WishKind::kGoal);
}

absl::StatusOr<std::uint64_t> Session::SteerAll(float vx, float vy) {
  const std::size_t agents = LatestFrame().size();
  return Steer(std::vector<float>(agents, vx), std::vector<float>(agents, vy));
}

absl::StatusOr<Frame> Session::NextFrame(std::chrono::milliseconds timeout) {
  return core_->frames().Next(After(timeout));
}
Frame Session::LatestFrame() const { return core_->frames().Latest(); }
void Session::OnFrame(FrameCallback callback) { core_->frames().SetCallback(std::move(callback)); }
absl::StatusOr<AgentEvents> Session::NextAgentEvents(std::chrono::milliseconds timeout) {
  return core_->events().Next(After(timeout));
}
void Session::OnAgentEvents(AgentEventsCallback callback) { core_->events().SetCallback(std::move(callback)); }
void Session::OnInputError(std::function<void(const absl::Status&)> callback) { core_->OnError(std::move(callback)); }

absl::StatusOr<Frame> Session::Step(std::uint32_t ticks, std::chrono::milliseconds timeout) {
  return core_->Step(ticks, After(timeout));
}

absl::StatusOr<Frame> Session::ComputeVelocities(std::chrono::milliseconds timeout) {
  return core_->Step(1, After(timeout), true);
}

absl::StatusOr<BatchResult> Session::Apply(const Commands& commands, bool all_or_nothing,
                                           std::chrono::milliseconds timeout) {
  const Deadline deadline = After(timeout);
  return SendInPieces<v1::CommandBatch>(
      commands.impl_->commands, all_or_nothing,
      [](v1::CommandBatch& batch, const v1::Command& command) { *batch.add_commands() = command; },
      [&](v1::CommandBatch batch) { return core_->Apply(std::move(batch), deadline); });
}

absl::Status Session::Subscribe(const Columns& columns) { return core_->Subscribe(columns); }
WorldInfo Session::world() const { return core_->world(); }
std::uint64_t Session::resumptions() const { return core_->resumptions(); }
absl::Status Session::status() const { return core_->frames().status(); }

void Session::Close() {
  if (core_ != nullptr) core_->Close();
}

}  // namespace throng::client
