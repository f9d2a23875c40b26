// How a unary batch on agents or obstacles is served: commands in, one result per item out.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "server/convert/command_convert.h"
#include "server/host/limit_error.h"
#include "server/rpc/call.h"

namespace throng::server {

// `make` turns an element of `items` into a Command. `list` is the name of the field that they come from; violations
// begin with it ("agents[3].params.radius"). `batch` says the rest.
template <class Items, class Make>
void AppendCommands(const Items& items, Make&& make, CommandBatch& batch) {
  batch.commands.reserve(batch.commands.size() + static_cast<std::size_t>(items.size()));
  for (const auto& item : items) batch.commands.push_back(make(item));
}

// A batch with what all such requests have: request_id and all_or_nothing.
template <class Request>
CommandBatch NewBatch(const Request& request) {
  CommandBatch batch;
  batch.request_id = request.request_id();
  batch.all_or_nothing = request.all_or_nothing();
  return batch;
}

template <class Response>
void ApplyBatch(const RpcEnvironment& environment, const std::string& world_name, CommandBatch batch,
                std::string_view list, Response* response, Answer answer) {
  if (absl::Status status = ValidateRequestId(batch.request_id); !status.ok()) return answer(status);
  const std::uint32_t max_items = environment.options->limits.max_batch_items;
  if (batch.commands.size() > max_items) return answer(LimitError("max_batch_items", max_items));
  const auto world = environment.worlds->Find(world_name);
  if (!world.ok()) return answer(world.status());
  (*world)->ApplyCommands(std::move(batch), [answer = std::move(answer), response, list](auto result) mutable {
    if (result.ok()) *response->mutable_result() = ToProto(**result, list);
    answer(result.status());
  });
}

}  // namespace throng::server
