// Making, listing and ruling worlds.
#pragma once

#include "server/rpc/call.h"
#include "throng/v1/world_service.grpc.pb.h"

namespace throng::server {

class WorldServiceImpl final : public v1::WorldService::CallbackService {
 public:
  explicit WorldServiceImpl(const RpcEnvironment& environment) : environment_(environment) {}

  grpc::ServerUnaryReactor* CreateWorld(grpc::CallbackServerContext* context, const v1::CreateWorldRequest* request,
                                        v1::CreateWorldResponse* response) override;
  grpc::ServerUnaryReactor* GetWorld(grpc::CallbackServerContext* context, const v1::GetWorldRequest* request,
                                     v1::GetWorldResponse* response) override;
  grpc::ServerUnaryReactor* ListWorlds(grpc::CallbackServerContext* context, const v1::ListWorldsRequest* request,
                                       v1::ListWorldsResponse* response) override;
  grpc::ServerUnaryReactor* UpdateWorld(grpc::CallbackServerContext* context, const v1::UpdateWorldRequest* request,
                                        v1::UpdateWorldResponse* response) override;
  grpc::ServerUnaryReactor* DeleteWorld(grpc::CallbackServerContext* context, const v1::DeleteWorldRequest* request,
                                        v1::DeleteWorldResponse* response) override;
  grpc::ServerUnaryReactor* PauseWorld(grpc::CallbackServerContext* context, const v1::PauseWorldRequest* request,
                                       v1::PauseWorldResponse* response) override;
  grpc::ServerUnaryReactor* ResumeWorld(grpc::CallbackServerContext* context, const v1::ResumeWorldRequest* request,
                                        v1::ResumeWorldResponse* response) override;

 private:
  const RpcEnvironment& environment_;
};

}  // namespace throng::server
