#include "throng/client/world.h"

#include <utility>

#include "clients/cpp/src/batch.h"
#include "clients/cpp/src/channel.h"
#include "clients/cpp/src/convert.h"
#include "clients/cpp/src/session_core.h"
#include "clients/cpp/src/watcher_core.h"
#include "throng/v1/agent_service.grpc.pb.h"
#include "throng/v1/obstacle_service.grpc.pb.h"
#include "throng/v1/world_service.grpc.pb.h"

namespace throng::client {
namespace {

using Worlds = v1::WorldService::Stub;
using Agents = v1::AgentService::Stub;
using Obstacles = v1::ObstacleService::Stub;

// One page; the server's bounds on a page are below.
constexpr std::uint32_t kAgentsPerPage = 10'000;
constexpr std::uint32_t kObstaclesPerPage = 1'000;

template <class Response>
absl::StatusOr<WorldInfo> InfoOf(const absl::StatusOr<Response>& response) {
  if (!response.ok()) return response.status();
  return FromProto(response->world());
}

// A batch over one of the unary services, whose requests and responses are alike.
template <class Request, class Stub, class Response, class Items, class Add>
absl::StatusOr<BatchResult> SendBatch(const Channel& channel, const std::string& world,
                                      grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                      const Items& items, bool all_or_nothing, Add add) {
  return SendInPieces<Request>(items, all_or_nothing, add,
                               [&](Request request) -> absl::StatusOr<v1::CommandBatchResult> {
                                 request.set_world(world);
                                 auto response = Call(channel, world, method, request);
                                 if (!response.ok()) return response.status();
                                 return std::move(*response->mutable_result());
                               });
}

}  // namespace

World::World(std::shared_ptr<Channel> channel, std::string name)
    : channel_(std::move(channel)), name_(std::move(name)) {}

absl::StatusOr<WorldInfo> World::Get() const {
  v1::GetWorldRequest request;
  request.set_world(name_);
  return InfoOf(Call(*channel_, name_, &Worlds::GetWorld, request));
}

absl::StatusOr<WorldInfo> World::Update(const WorldSettings& settings) const {
  v1::UpdateWorldRequest request;
  request.set_world(name_);
  ToProto(settings, *request.mutable_settings());
  return InfoOf(Call(*channel_, name_, &Worlds::UpdateWorld, request));
}

absl::StatusOr<WorldInfo> World::Pause() const {
  v1::PauseWorldRequest request;
  request.set_world(name_);
  return InfoOf(Call(*channel_, name_, &Worlds::PauseWorld, request));
}

absl::StatusOr<WorldInfo> World::Resume() const {
  v1::ResumeWorldRequest request;
  request.set_world(name_);
  return InfoOf(Call(*channel_, name_, &Worlds::ResumeWorld, request));
}

absl::StatusOr<std::uint64_t> World::Delete(std::uint64_t uid) const {
  v1::DeleteWorldRequest request;
  request.set_world(name_);
  request.set_uid(uid);
  const auto response = Call(*channel_, name_, &Worlds::DeleteWorld, request);
  if (!response.ok()) return response.status();
  return response->tick();
}

absl::StatusOr<BatchResult> World::AddAgents(std::span<const AgentSpec> agents, bool all_or_nothing) const {
  return SendBatch(
      *channel_, name_, &Agents::AddAgents, agents, all_or_nothing,
      [](v1::AddAgentsRequest& request, const AgentSpec& agent) { ToProto(agent, *request.add_agents()); });
}

absl::StatusOr<BatchResult> World::UpdateAgents(std::span<const AgentUpdate> agents, bool all_or_nothing) const {
  return SendBatch(
      *channel_, name_, &Agents::UpdateAgents, agents, all_or_nothing,
      [](v1::UpdateAgentsRequest& request, const AgentUpdate& agent) { ToProto(agent, *request.add_agents()); });
}

absl::StatusOr<BatchResult> World::RemoveAgents(std::span<const AgentId> ids, bool all_or_nothing) const {
  return SendBatch(*channel_, name_, &Agents::RemoveAgents, ids, all_or_nothing,
                   [](v1::RemoveAgentsRequest& request, AgentId id) { request.add_ids(id); });
}

absl::StatusOr<BatchResult> World::RemoveAllAgents() const {
  return SendBatch(*channel_, name_, &Agents::RemoveAgents, std::vector<bool>{true}, false,
                   [](v1::RemoveAgentsRequest& request, bool all) { request.set_all(all); });
}

absl::StatusOr<std::vector<Agent>> World::ListAgents(std::span<const AgentId> ids) const {
  std::vector<Agent> agents;
  v1::ListAgentsRequest request;
  request.set_world(name_);
  request.mutable_ids()->Add(ids.begin(), ids.end());
  request.set_page_size(kAgentsPerPage);
  do {
    const auto page = Call(*channel_, name_, &Agents::ListAgents, request);
    if (!page.ok()) return page.status();
    for (const auto& agent : page->agents()) agents.push_back(FromProto(agent));
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return agents;
}

absl::StatusOr<BatchResult> World::AddObstacles(std::span<const ObstacleSpec> obstacles, bool all_or_nothing) const {
  return SendBatch(*channel_, name_, &Obstacles::AddObstacles, obstacles, all_or_nothing,
                   [](v1::AddObstaclesRequest& request, const ObstacleSpec& obstacle) {
                     ToProto(obstacle, *request.add_obstacles());
                   });
}

absl::StatusOr<BatchResult> World::UpdateObstacles(std::span<const ObstacleSpec> obstacles, bool all_or_nothing) const {
  return SendBatch(*channel_, name_, &Obstacles::UpdateObstacles, obstacles, all_or_nothing,
                   [](v1::UpdateObstaclesRequest& request, const ObstacleSpec& obstacle) {
                     ToProto(obstacle, *request.add_obstacles());
                   });
}

absl::StatusOr<BatchResult> World::MoveObstacles(std::span<const ObstacleMove> moves, bool all_or_nothing) const {
  return SendBatch(
      *channel_, name_, &Obstacles::MoveObstacles, moves, all_or_nothing,
      [](v1::MoveObstaclesRequest& request, const ObstacleMove& move) { ToProto(move, *request.add_obstacles()); });
}

absl::StatusOr<BatchResult> World::RemoveObstacles(std::span<const ObstacleId> ids, bool all_or_nothing) const {
  return SendBatch(*channel_, name_, &Obstacles::RemoveObstacles, ids, all_or_nothing,
                   [](v1::RemoveObstaclesRequest& request, ObstacleId id) { request.add_ids(id); });
}

absl::StatusOr<std::vector<Obstacle>> World::ListObstacles() const {
  std::vector<Obstacle> obstacles;
  v1::ListObstaclesRequest request;
  request.set_world(name_);
  request.set_page_size(kObstaclesPerPage);
  do {
    const auto page = Call(*channel_, name_, &Obstacles::ListObstacles, request);
    if (!page.ok()) return page.status();
    for (const auto& obstacle : page->obstacles()) obstacles.push_back(FromProto(obstacle));
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return obstacles;
}

absl::StatusOr<Session> World::OpenSession(const SessionOptions& options) const {
  auto core = Session::Core::Open(channel_, name_, options);
  if (!core.ok()) return core.status();
  return Session(*std::move(core));
}

absl::StatusOr<Watcher> World::Watch(const WatchOptions& options) const {
  return Watcher(Watcher::Core::Open(channel_, name_, options));
}

}  // namespace throng::client
