#include <iostream>

#include "clients/cpp/cli/commands.h"
#include "clients/cpp/cli/render.h"

namespace throng::cli {
namespace {

int Print(const Context& context, const absl::StatusOr<client::WorldInfo>& world) {
  if (!world.ok()) return Fail(world.status());
  std::cout << (context.json ? ToJson(*world).dump(2) + "\n" : ToText(*world));
  return kOk;
}

}  // namespace

int CreateWorld(const Context& context, const std::string& name, const client::WorldSettings& settings) {
  const auto world = context.Connect().CreateWorld(name, settings);
  if (!world.ok()) return Fail(world.status());
  return Print(context, world->Get());
}

int SetWorld(const Context& context, const std::string& name, const client::WorldSettings& settings) {
  return Print(context, context.Connect().GetWorld(name).Update(settings));
}

int ListWorlds(const Context& context, const std::string& prefix) {
  const auto worlds = context.Connect().ListWorlds(prefix);
  if (!worlds.ok()) return Fail(worlds.status());
  if (!context.json) {
    std::cout << ToTable(*worlds);
    return kOk;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& world : *worlds) list.push_back(ToJson(world));
  std::cout << nlohmann::ordered_json({{"worlds", std::move(list)}}).dump(2) << "\n";
  return kOk;
}

int ShowWorld(const Context& context, const std::string& name) {
  return Print(context, context.Connect().GetWorld(name).Get());
}

int DeleteWorld(const Context& context, const std::string& name) {
  const auto tick = context.Connect().GetWorld(name).Delete();
  if (!tick.ok()) return Fail(tick.status());
  if (context.json) {
    std::cout << nlohmann::ordered_json({{"name", name}, {"tick", *tick}}).dump(2) << "\n";
  } else {
    std::cout << "deleted " << name << " after " << *tick << " ticks\n";
  }
  return kOk;
}

int PauseWorld(const Context& context, const std::string& name) {
  return Print(context, context.Connect().GetWorld(name).Pause());
}

int ResumeWorld(const Context& context, const std::string& name) {
  return Print(context, context.Connect().GetWorld(name).Resume());
}

}  // namespace throng::cli
