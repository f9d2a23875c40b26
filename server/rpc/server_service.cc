#include "server/rpc/server_service.h"

#include "server/base/version.h"

namespace throng::server {

grpc::ServerUnaryReactor* ServerServiceImpl::GetServerInfo(grpc::CallbackServerContext* context,
                                                           const v1::GetServerInfoRequest* /*request*/,
                                                           v1::GetServerInfoResponse* response) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  environment_.calls->Enter(/*always=*/true);
  response->set_version(std::string(Version()));
  response->set_commit(std::string(Commit()));
  response->set_start_time(facts_.start_time);
  response->set_server_time(clock_.WallSeconds());
  response->set_workers(static_cast<std::uint32_t>(facts_.workers));
  const Limits& limits = environment_.options->limits;
  auto* out = response->mutable_limits();
  out->set_max_worlds(limits.max_worlds);
  out->set_max_agents_per_world(limits.max_agents_per_world);
  out->set_max_sessions(limits.max_sessions);
  out->set_max_streams(limits.max_streams);
  out->set_max_message_bytes(limits.max_message_bytes);
  out->set_max_batch_items(limits.max_batch_items);
  out->set_max_obstacle_vertices_per_world(limits.max_obstacle_vertices_per_world);
  response->set_worlds(static_cast<std::uint32_t>(environment_.worlds->world_count()));
  response->set_agents(environment_.worlds->agent_count());
  response->set_sessions(static_cast<std::uint32_t>(environment_.sessions->session_count()));
  response->set_streams(static_cast<std::uint32_t>(environment_.sessions->stream_count()));
  response->set_min_keepalive_interval(kMinKeepaliveInterval);
  response->set_http_address(facts_.http_address);
  response->set_draining(environment_.calls->closed());
  Answer(environment_, Method::kGetServerInfo, reactor)(absl::OkStatus());
  return reactor;
}

}  // namespace throng::server
