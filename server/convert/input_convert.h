// Inputs and subscriptions between throng.v1 and the host.
#pragma once

#include <memory>

#include "server/host/frame.h"
#include "server/host/input.h"
#include "throng/v1/frame.pb.h"
#include "throng/v1/session_service.pb.h"

namespace throng::server {

Input FromProto(const v1::Input& input, std::shared_ptr<SessionMemory> session);
v1::InputResult ToProto(const InputOutcome& outcome);
FrameColumns FromProto(const v1::Subscription& subscription);

}  // namespace throng::server
