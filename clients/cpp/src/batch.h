// Batches of any size over messages of a bounded one.
#pragma once

#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "clients/cpp/src/channel.h"
#include "clients/cpp/src/convert.h"

namespace throng::client {

// A server takes 4 MiB by default; the rest is for what stands around the items. Answers, which echo parameters, stay
// under a client's limit of 4 MiB for this many items.
inline constexpr std::size_t kMaxBatchBytes = 3 * 1024 * 1024;
inline constexpr std::size_t kMaxBatchItems = 25'000;

// Sends `items` in as few Requests as hold them, and adds the results up. `add` puts an item into a request; `send`
// makes the call and gives a v1::CommandBatchResult. An error of a call is the error of all, though pieces before it
// are applied.
template <class Request, class Items, class Add, class Send>
absl::StatusOr<BatchResult> SendInPieces(const Items& items, bool all_or_nothing, Add add, Send send) {
  BatchResult result;
  result.items.reserve(items.size());
  std::size_t next = 0;
  do {
    Request request;
    std::size_t bytes = 0;
    std::size_t count = 0;
    while (next < items.size() && count < kMaxBatchItems) {
      Request one;
      add(one, items[next]);
      const std::size_t size = one.ByteSizeLong();
      if (count > 0 && bytes + size > kMaxBatchBytes) break;
      request.MergeFrom(one);
      bytes += size;
      ++count;
      ++next;
    }
    if (all_or_nothing && next < items.size()) {
      return absl::ResourceExhaustedError(absl::StrCat("a batch with all_or_nothing must fit into one message, of ",
                                                       kMaxBatchItems, " items and ", kMaxBatchBytes, " bytes; ",
                                                       items.size(), " items do not"));
    }
    request.set_request_id(MakeRequestId());
    request.set_all_or_nothing(all_or_nothing);
    auto answer = send(std::move(request));
    if (!answer.ok()) return answer.status();
    Append(*answer, result);
  } while (next < items.size());
  return result;
}

}  // namespace throng::client
