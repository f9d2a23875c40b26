// The reactor of a stream that ends before it begins.
#pragma once

#include <absl/status/status.h>

#include "server/rpc/call.h"

namespace throng::server {

template <class Reactor>
class RefusedReactor final : public Reactor {
 public:
  RefusedReactor(const RpcEnvironment& environment, const absl::Status& status) {
    environment.metrics->CountRpcError(static_cast<int>(status.code()));
    this->Finish(ToGrpc(status));
  }
  void OnDone() override { delete this; }
};

}  // namespace throng::server
