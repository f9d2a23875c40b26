// Obstacles by batch.
#pragma once

#include "server/rpc/call.h"
#include "throng/v1/obstacle_service.grpc.pb.h"

namespace throng::server {

class ObstacleServiceImpl final : public v1::ObstacleService::CallbackService {
 public:
  explicit ObstacleServiceImpl(const RpcEnvironment& environment) : environment_(environment) {}

  grpc::ServerUnaryReactor* AddObstacles(grpc::CallbackServerContext* context, const v1::AddObstaclesRequest* request,
                                         v1::AddObstaclesResponse* response) override;
  grpc::ServerUnaryReactor* UpdateObstacles(grpc::CallbackServerContext* context,
                                            const v1::UpdateObstaclesRequest* request,
                                            v1::UpdateObstaclesResponse* response) override;
  grpc::ServerUnaryReactor* MoveObstacles(grpc::CallbackServerContext* context, const v1::MoveObstaclesRequest* request,
                                          v1::MoveObstaclesResponse* response) override;
  grpc::ServerUnaryReactor* RemoveObstacles(grpc::CallbackServerContext* context,
                                            const v1::RemoveObstaclesRequest* request,
                                            v1::RemoveObstaclesResponse* response) override;
  grpc::ServerUnaryReactor* ListObstacles(grpc::CallbackServerContext* context, const v1::ListObstaclesRequest* request,
                                          v1::ListObstaclesResponse* response) override;

 private:
  const RpcEnvironment& environment_;
};

}  // namespace throng::server
