// Obstacles, one at a time: to try things out. Programs use a client library.
#include <iostream>

#include "clients/cpp/cli/commands.h"
#include "clients/cpp/cli/render_crowd.h"

namespace throng::cli {
namespace {

using client::BatchResult;
using client::ObstacleId;

int Print(const Context& context, const std::vector<client::Obstacle>& obstacles) {
  if (!context.json) {
    std::cout << ToTable(obstacles);
    return kOk;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& obstacle : obstacles) list.push_back(ToJson(obstacle));
  std::cout << nlohmann::ordered_json({{"obstacles", std::move(list)}}).dump(2) << "\n";
  return kOk;
}

int Finish(const absl::StatusOr<BatchResult>& result) {
  if (!result.ok()) return Fail(result.status());
  if (absl::Status status = result->FirstError(); !status.ok()) return Fail(status);
  for (const auto& warning : result->Warnings()) std::cerr << "warning: " << warning.message << "\n";
  return kOk;
}

}  // namespace

int AddObstacle(const Context& context, const std::string& name, const client::ObstacleSpec& obstacle) {
  const auto result = context.Connect().GetWorld(name).AddObstacles({&obstacle, 1});
  const int code = Finish(result);
  if (code != kOk) return code;
  const ObstacleId id = result->items.front().id;
  std::cout << (context.json ? nlohmann::ordered_json({{"id", id}}).dump(2) : std::to_string(id)) << "\n";
  return kOk;
}

int MoveObstacle(const Context& context, const std::string& name, const client::ObstacleMove& move) {
  return Finish(context.Connect().GetWorld(name).MoveObstacles({&move, 1}));
}

int RemoveObstacles(const Context& context, const std::string& name, const std::vector<ObstacleId>& ids) {
  return Finish(context.Connect().GetWorld(name).RemoveObstacles(ids));
}

int ListObstacles(const Context& context, const std::string& name) {
  const auto obstacles = context.Connect().GetWorld(name).ListObstacles();
  return obstacles.ok() ? Print(context, *obstacles) : Fail(obstacles.status());
}

}  // namespace throng::cli
