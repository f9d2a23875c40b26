// The client's words to the wire's and back.
#pragma once

#include "throng/client/frame.h"
#include "throng/client/types.h"
#include "throng/v1/command.pb.h"
#include "throng/v1/frame.pb.h"
#include "throng/v1/server_service.pb.h"
#include "throng/v1/world.pb.h"

namespace throng::client {

void ToProto(const AgentSpec& agent, v1::AgentSpec& out);
void ToProto(const AgentUpdate& update, v1::AgentUpdate& out);
void ToProto(const ObstacleSpec& obstacle, v1::ObstacleSpec& out);
void ToProto(const ObstacleMove& move, v1::ObstacleMove& out);
void ToProto(const WorldSettings& settings, v1::WorldSettings& out);
void ToProto(const Columns& columns, v1::Subscription& out);

Agent FromProto(const v1::Agent& agent);
Obstacle FromProto(const v1::Obstacle& obstacle);
WorldInfo FromProto(const v1::World& world);
ServerInfo FromProto(const v1::GetServerInfoResponse& info);
// Appends the items of `result` to `out` and takes over its tick and versions, so that pieces of a batch add up.
void Append(const v1::CommandBatchResult& result, BatchResult& out);

}  // namespace throng::client
