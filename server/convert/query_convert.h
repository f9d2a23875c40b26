// Questions about a world between throng.v1 and the engine: each is read, asked and answered here. Errors are the
// engine's, whose names of fields are the wire's; what is required and unset is INVALID_ARGUMENT too.
#pragma once

#include <absl/status/status.h>

#include "throng/v1/query_service.pb.h"
#include "throng/world.h"

namespace throng::server {

absl::Status Ask(const World& world, const v1::FindNearestRequest& request, v1::FindNearestResponse* response);
absl::Status Ask(const World& world, const v1::FindInDiscRequest& request, v1::FindInDiscResponse* response);
absl::Status Ask(const World& world, const v1::FindInBoxRequest& request, v1::FindInBoxResponse* response);
absl::Status Ask(const World& world, const v1::TestVisibilityRequest& request, v1::TestVisibilityResponse* response);
absl::Status Ask(const World& world, const v1::CastRayRequest& request, v1::CastRayResponse* response);
absl::Status Ask(const World& world, const v1::ExplainRequest& request, v1::ExplainResponse* response);

}  // namespace throng::server
