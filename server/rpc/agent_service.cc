#include "server/rpc/agent_service.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

#include "server/convert/status.h"
#include "server/rpc/batch.h"
#include "server/rpc/paging.h"

namespace throng::server {
namespace {

constexpr std::uint32_t kDefaultPage = 1'000;
constexpr std::uint32_t kMaxPage = 10'000;

// The next `page.size` agents of `ids`, which ascend; those that are unknown are left out.
void FillPage(const World& world, const std::vector<AgentId>& ids, const Page& page, v1::ListAgentsResponse* response) {
  response->set_tick(world.tick());
  for (auto id = std::upper_bound(ids.begin(), ids.end(), page.after); id != ids.end(); ++id) {
    const absl::StatusOr<AgentState> agent = world.GetAgent(*id);
    if (!agent.ok()) continue;
    if (static_cast<std::uint32_t>(response->agents_size()) == page.size) {
      const int last = response->agents_size() - 1;
      response->set_next_page_token(MakePageToken(response->agents(last).id()));
      return;
    }
    *response->add_agents() = ToProto(*agent);
  }
}

}  // namespace

grpc::ServerUnaryReactor* AgentServiceImpl::AddAgents(grpc::CallbackServerContext* context,
                                                      const v1::AddAgentsRequest* request,
                                                      v1::AddAgentsResponse* response) {
  return ServeWorld(environment_, Method::kAddAgents, context, request, [&](Answer answer) {
    CommandBatch batch = NewBatch(*request);
    AppendCommands(request->agents(), ToAddAgent, batch);
    ApplyBatch(environment_, request->world(), std::move(batch), "agents", response, std::move(answer));
  });
}

grpc::ServerUnaryReactor* AgentServiceImpl::UpdateAgents(grpc::CallbackServerContext* context,
                                                         const v1::UpdateAgentsRequest* request,
                                                         v1::UpdateAgentsResponse* response) {
  return ServeWorld(environment_, Method::kUpdateAgents, context, request, [&](Answer answer) {
    CommandBatch batch = NewBatch(*request);
    AppendCommands(request->agents(), ToUpdateAgent, batch);
    ApplyBatch(environment_, request->world(), std::move(batch), "agents", response, std::move(answer));
  });
}

grpc::ServerUnaryReactor* AgentServiceImpl::RemoveAgents(grpc::CallbackServerContext* context,
                                                         const v1::RemoveAgentsRequest* request,
                                                         v1::RemoveAgentsResponse* response) {
  return ServeWorld(environment_, Method::kRemoveAgents, context, request, [&](Answer answer) {
    CommandBatch batch = NewBatch(*request);
    if (request->all() && request->ids_size() > 0) {
      return answer(ViolationError({"ids", absl::StrCat(request->ids_size(), " ids"), "none, since all is set"}));
    }
    if (request->all()) batch.commands.push_back(RemoveAllAgents{});
    AppendCommands(
        request->ids(), [](AgentId id) { return Command(RemoveAgent{id}); }, batch);
    ApplyBatch(environment_, request->world(), std::move(batch), "ids", response, std::move(answer));
  });
}

grpc::ServerUnaryReactor* AgentServiceImpl::ListAgents(grpc::CallbackServerContext* context,
                                                       const v1::ListAgentsRequest* request,
                                                       v1::ListAgentsResponse* response) {
  return ServeWorld(environment_, Method::kListAgents, context, request, [&](Answer answer) {
    const absl::StatusOr<Page> page = ReadPage(request->page_size(), request->page_token(), kDefaultPage, kMaxPage);
    if (!page.ok()) return answer(page.status());
    const auto world = environment_.worlds->Find(request->world());
    if (!world.ok()) return answer(world.status());
    std::vector<AgentId> ids(request->ids().begin(), request->ids().end());
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    (*world)->Read([answer = std::move(answer), response, page = *page,
                    ids = std::move(ids)](absl::StatusOr<const World*> read) mutable {
      if (read.ok()) FillPage(**read, ids.empty() ? (*read)->membership()->ids : ids, page, response);
      answer(read.status());
    });
  });
}

}  // namespace throng::server
