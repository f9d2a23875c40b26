// Answers that come later. Called once, from any thread, without a lock held; what is called must not block.
#pragma once

#include <absl/functional/any_invocable.h>

namespace throng::server {

template <class... Args>
using Callback = absl::AnyInvocable<void(Args...)>;

}  // namespace throng::server
