// The methods that are served, and their names as metrics label them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace throng::server {

enum class Method : std::uint8_t {
  kCreateWorld,
  kGetWorld,
  kListWorlds,
  kUpdateWorld,
  kDeleteWorld,
  kPauseWorld,
  kResumeWorld,
  kAddAgents,
  kUpdateAgents,
  kRemoveAgents,
  kListAgents,
  kAddObstacles,
  kUpdateObstacles,
  kMoveObstacles,
  kRemoveObstacles,
  kListObstacles,
  kOpenSession,
  kSendInput,
  kStep,
  kApplyCommands,
  kCloseSession,
  kGetServerInfo,
  kFindNearest,
  kFindInDisc,
  kFindInBox,
  kTestVisibility,
  kCastRay,
  kExplain,
  kCount
};

// Of the unary methods, by Method. Streams have no latency that would say anything.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Method::kCount)> kMethodNames = {
    "throng.v1.WorldService/CreateWorld",
    "throng.v1.WorldService/GetWorld",
    "throng.v1.WorldService/ListWorlds",
    "throng.v1.WorldService/UpdateWorld",
    "throng.v1.WorldService/DeleteWorld",
    "throng.v1.WorldService/PauseWorld",
    "throng.v1.WorldService/ResumeWorld",
    "throng.v1.AgentService/AddAgents",
    "throng.v1.AgentService/UpdateAgents",
    "throng.v1.AgentService/RemoveAgents",
    "throng.v1.AgentService/ListAgents",
    "throng.v1.ObstacleService/AddObstacles",
    "throng.v1.ObstacleService/UpdateObstacles",
    "throng.v1.ObstacleService/MoveObstacles",
    "throng.v1.ObstacleService/RemoveObstacles",
    "throng.v1.ObstacleService/ListObstacles",
    "throng.v1.SessionService/OpenSession",
    "throng.v1.SessionService/SendInput",
    "throng.v1.SessionService/Step",
    "throng.v1.SessionService/ApplyCommands",
    "throng.v1.SessionService/CloseSession",
    "throng.v1.ServerService/GetServerInfo",
    "throng.v1.QueryService/FindNearest",
    "throng.v1.QueryService/FindInDisc",
    "throng.v1.QueryService/FindInBox",
    "throng.v1.QueryService/TestVisibility",
    "throng.v1.QueryService/CastRay",
    "throng.v1.QueryService/Explain",
};
static_assert(!kMethodNames.back().empty());

// Of all services of ours, as the health service names them.
inline constexpr std::array<const char*, 7> kServiceNames = {
    "throng.v1.AgentService",   "throng.v1.ObstacleService", "throng.v1.QueryService", "throng.v1.ServerService",
    "throng.v1.SessionService", "throng.v1.WatchService",    "throng.v1.WorldService",
};

}  // namespace throng::server
