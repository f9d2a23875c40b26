// Agents by batch.
#pragma once

#include "server/rpc/call.h"
#include "throng/v1/agent_service.grpc.pb.h"

namespace throng::server {

class AgentServiceImpl final : public v1::AgentService::CallbackService {
 public:
  explicit AgentServiceImpl(const RpcEnvironment& environment) : environment_(environment) {}

  grpc::ServerUnaryReactor* AddAgents(grpc::CallbackServerContext* context, const v1::AddAgentsRequest* request,
                                      v1::AddAgentsResponse* response) override;
  grpc::ServerUnaryReactor* UpdateAgents(grpc::CallbackServerContext* context, const v1::UpdateAgentsRequest* request,
                                         v1::UpdateAgentsResponse* response) override;
  grpc::ServerUnaryReactor* RemoveAgents(grpc::CallbackServerContext* context, const v1::RemoveAgentsRequest* request,
                                         v1::RemoveAgentsResponse* response) override;
  grpc::ServerUnaryReactor* ListAgents(grpc::CallbackServerContext* context, const v1::ListAgentsRequest* request,
                                       v1::ListAgentsResponse* response) override;

 private:
  const RpcEnvironment& environment_;
};

}  // namespace throng::server
