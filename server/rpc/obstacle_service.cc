#include "server/rpc/obstacle_service.h"

#include <algorithm>
#include <vector>

#include "server/rpc/batch.h"
#include "server/rpc/paging.h"

namespace throng::server {
namespace {

constexpr std::uint32_t kDefaultPage = 100;
constexpr std::uint32_t kMaxPage = 1'000;
constexpr std::size_t kMaxPageBytes = 1 << 20;

void FillPage(const World& world, const Page& page, v1::ListObstaclesResponse* response) {
  response->set_obstacle_version(world.obstacle_version());
  const std::vector<ObstacleId> ids = world.obstacle_ids();
  std::size_t bytes = 0;
  for (auto id = std::upper_bound(ids.begin(), ids.end(), page.after); id != ids.end(); ++id) {
    if (static_cast<std::uint32_t>(response->obstacles_size()) == page.size || bytes >= kMaxPageBytes) {
      response->set_next_page_token(MakePageToken(*(id - 1)));
      return;
    }
    const absl::StatusOr<ObstacleState> obstacle = world.GetObstacle(*id);
    if (!obstacle.ok()) continue;
    *response->add_obstacles() = ToProto(*obstacle);
    bytes += 8 * obstacle->vertices.size() + 64;
  }
}

}  // namespace

grpc::ServerUnaryReactor* ObstacleServiceImpl::AddObstacles(grpc::CallbackServerContext* context,
                                                            const v1::AddObstaclesRequest* request,
                                                            v1::AddObstaclesResponse* response) {
  return ServeWorld(environment_, Method::kAddObstacles, context, request, [&](Answer answer) {
    CommandBatch batch = NewBatch(*request);
    AppendCommands(request->obstacles(), ToAddObstacle, batch);
    ApplyBatch(environment_, request->world(), std::move(batch), "obstacles", response, std::move(answer));
  });
}

grpc::ServerUnaryReactor* ObstacleServiceImpl::UpdateObstacles(grpc::CallbackServerContext* context,
                                                               const v1::UpdateObstaclesRequest* request,
                                                               v1::UpdateObstaclesResponse* response) {
  return ServeWorld(environment_, Method::kUpdateObstacles, context, request, [&](Answer answer) {
    CommandBatch batch = NewBatch(*request);
    AppendCommands(request->obstacles(), ToUpdateObstacle, batch);
    ApplyBatch(environment_, request->world(), std::move(batch), "obstacles", response, std::move(answer));
  });
}

grpc::ServerUnaryReactor* ObstacleServiceImpl::MoveObstacles(grpc::CallbackServerContext* context,
                                                             const v1::MoveObstaclesRequest* request,
                                                             v1::MoveObstaclesResponse* response) {
  return ServeWorld(environment_, Method::kMoveObstacles, context, request, [&](Answer answer) {
    CommandBatch batch = NewBatch(*request);
    AppendCommands(request->obstacles(), ToMoveObstacle, batch);
    ApplyBatch(environment_, request->world(), std::move(batch), "obstacles", response, std::move(answer));
  });
}

grpc::ServerUnaryReactor* ObstacleServiceImpl::RemoveObstacles(grpc::CallbackServerContext* context,
                                                               const v1::RemoveObstaclesRequest* request,
                                                               v1::RemoveObstaclesResponse* response) {
  return ServeWorld(environment_, Method::kRemoveObstacles, context, request, [&](Answer answer) {
    CommandBatch batch = NewBatch(*request);
    AppendCommands(
        request->ids(), [](ObstacleId id) { return Command(RemoveObstacle{id}); }, batch);
    ApplyBatch(environment_, request->world(), std::move(batch), "ids", response, std::move(answer));
  });
}

grpc::ServerUnaryReactor* ObstacleServiceImpl::ListObstacles(grpc::CallbackServerContext* context,
                                                             const v1::ListObstaclesRequest* request,
                                                             v1::ListObstaclesResponse* response) {
  return ServeWorld(environment_, Method::kListObstacles, context, request, [&](Answer answer) {
    const absl::StatusOr<Page> page = ReadPage(request->page_size(), request->page_token(), kDefaultPage, kMaxPage);
    if (!page.ok()) return answer(page.status());
    const auto world = environment_.worlds->Find(request->world());
    if (!world.ok()) return answer(world.status());
    (*world)->Read([answer = std::move(answer), response, page = *page](absl::StatusOr<const World*> read) mutable {
      if (read.ok()) FillPage(**read, page, response);
      answer(read.status());
    });
  });
}

}  // namespace throng::server
