// Commands between throng.v1 and the host. What cannot be read as a command becomes an UnreadableCommand, so that it is
// answered item by item.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string_view>

#include "server/host/command.h"
#include "throng/v1/command.pb.h"
#include "throng/v1/error.pb.h"

namespace throng::server {

// What AgentParams.drive may be, for people.
inline constexpr char kDrives[] = "DRIVE_OMNI or DRIVE_DIFFERENTIAL";

AgentParamsPatch FromProto(const v1::AgentParams& params);
// INVALID_ARGUMENT with a Violation: a path's columns are of different lengths, or a number is no value of its enum.
absl::StatusOr<AgentSpec> FromProto(const v1::AgentSpec& spec);
absl::StatusOr<AgentUpdate> FromProto(const v1::AgentUpdate& update);
// INVALID_ARGUMENT with a Violation: columns of different lengths, no kind, or a height band that is none.
absl::StatusOr<ObstacleSpec> FromProto(const v1::ObstacleSpec& spec);
ObstacleMove FromProto(const v1::ObstacleMove& move);

Command ToAddAgent(const v1::AgentSpec& spec);
Command ToUpdateAgent(const v1::AgentUpdate& update);
Command ToAddObstacle(const v1::ObstacleSpec& spec);
Command ToUpdateObstacle(const v1::ObstacleSpec& spec);
Command ToMoveObstacle(const v1::ObstacleMove& move);
Command ToCommand(const v1::Command& command);
// INVALID_ARGUMENT: request_id is too long.
absl::StatusOr<CommandBatch> FromProto(const v1::CommandBatch& batch);
absl::Status ValidateRequestId(std::string_view request_id);

void ToProto(const AgentParams& params, v1::AgentParams* out);
v1::Warning ToProto(const Warning& warning);
v1::Agent ToProto(const AgentState& agent);
v1::Obstacle ToProto(const ObstacleState& obstacle);
// Fields of violations are made paths in the request: of a CommandBatch "commands[3].add_agent.params.radius", of a
// request with a list of one kind, such as "agents", "agents[3].params.radius".
v1::CommandBatchResult ToProto(const CommandBatchResult& result);
v1::CommandBatchResult ToProto(const CommandBatchResult& result, std::string_view list);

}  // namespace throng::server
