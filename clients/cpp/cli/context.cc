#include "clients/cpp/cli/context.h"

#include <iostream>

namespace throng::cli {

client::Client Context::Connect() const {
  client::ClientOptions options;
  options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(timeout * 1e3));
  return client::Client(address, options);
}

int Fail(const absl::Status& status) {
  std::cerr << "throng: " << client::Describe(status) << "\n";
  if (absl::IsUnavailable(status)) std::cerr << "Does throngd run there? See --address.\n";
  return kFailed;
}

}  // namespace throng::cli
