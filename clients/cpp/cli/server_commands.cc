#include <iostream>

#include "clients/cpp/cli/commands.h"
#include "clients/cpp/cli/render.h"

namespace throng::cli {

int Health(const Context& context, const std::string& service) {
  const absl::Status status = context.Connect().CheckHealth(service);
  if (context.json) {
    std::cout << nlohmann::ordered_json({{"service", service}, {"serving", status.ok()}}).dump() << "\n";
  } else if (status.ok()) {
    std::cout << "SERVING\n";
  }
  return status.ok() ? kOk : Fail(status);
}

int Info(const Context& context) {
  const auto info = context.Connect().GetServerInfo();
  if (!info.ok()) return Fail(info.status());
  std::cout << (context.json ? ToJson(*info).dump(2) + "\n" : ToText(*info, context.address));
  return kOk;
}

}  // namespace throng::cli
