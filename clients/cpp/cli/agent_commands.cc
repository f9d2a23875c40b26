// Agents, one at a time: to try things out. Programs use a client library.
#include <iostream>

#include "clients/cpp/cli/commands.h"
#include "clients/cpp/cli/render_crowd.h"

namespace throng::cli {
namespace {

using client::AgentId;
using client::BatchResult;

// The agent that a batch of one was about, as it stands, with what does not go together.
int PrintOne(const Context& context, const client::World& world, const absl::StatusOr<BatchResult>& result) {
  if (!result.ok()) return Fail(result.status());
  if (absl::Status status = result->FirstError(); !status.ok()) return Fail(status);
  const AgentId id = result->items.front().id;
  const auto agents = world.ListAgents({&id, 1});
  if (!agents.ok()) return Fail(agents.status());
  if (agents->empty()) return Fail(absl::NotFoundError("the agent is gone again"));
  if (context.json) {
    std::cout << ToJson(agents->front()).dump(2) << "\n";
  } else {
    std::cout << ToTable(*agents);
  }
  for (const auto& warning : result->Warnings()) std::cerr << "warning: " << warning.message << "\n";
  return kOk;
}

}  // namespace

int AddAgent(const Context& context, const std::string& name, const client::AgentSpec& agent) {
  const client::World world = context.Connect().GetWorld(name);
  return PrintOne(context, world, world.AddAgents({&agent, 1}));
}

int SetAgent(const Context& context, const std::string& name, const client::AgentUpdate& agent) {
  const client::World world = context.Connect().GetWorld(name);
  return PrintOne(context, world, world.UpdateAgents({&agent, 1}));
}

int RemoveAgents(const Context& context, const std::string& name, const std::vector<AgentId>& ids) {
  const auto result = context.Connect().GetWorld(name).RemoveAgents(ids);
  if (!result.ok()) return Fail(result.status());
  if (absl::Status status = result->FirstError(); !status.ok()) return Fail(status);
  return kOk;
}

int ListAgents(const Context& context, const std::string& name) {
  const auto agents = context.Connect().GetWorld(name).ListAgents();
  if (!agents.ok()) return Fail(agents.status());
  if (!context.json) {
    std::cout << ToTable(*agents);
    return kOk;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& agent : *agents) list.push_back(ToJson(agent));
  std::cout << nlohmann::ordered_json({{"agents", std::move(list)}}).dump(2) << "\n";
  return kOk;
}

}  // namespace throng::cli
