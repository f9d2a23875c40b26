// Inbox: what waits for a world's next tick border, in the order of its arrival, within bounds.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <variant>

#include "server/host/callback.h"
#include "server/host/command.h"
#include "server/host/input.h"

namespace throng::server {

class WorldRunner;

struct StepOrder {
  std::shared_ptr<SessionMemory> session;  // whose it is; never null
  std::uint32_t ticks = 1;                 // >= 1
  bool zero = false;                       // one step of no time: velocities are computed, and nothing moves
};

struct StepOutcome {
  std::uint64_t tick = 0;  // ticks finished
  std::uint64_t state_hash = 0;
};

using StepReply = Callback<absl::StatusOr<StepOutcome>>;

struct CommandWork {
  CommandBatch batch;
  CommandReply reply;
};
struct InputWork {
  Input input;
  InputReply reply;
};
struct StepWork {
  StepOrder order;
  StepReply reply;
};
// Anything else that is done between two ticks. Gets the runner, or why it will not be done.
using ControlWork = Callback<absl::StatusOr<WorldRunner*>>;

using Work = std::variant<CommandWork, InputWork, StepWork, ControlWork>;

// Answers `work` with an error.
void Fail(Work& work, const absl::Status& status);

// Not safe from several threads.
class Inbox {
 public:
  // Commands, and agents in inputs, that may wait in all.
  static constexpr std::size_t kMaxItems = 4'000'000;

  // RESOURCE_EXHAUSTED if it does not fit; then `work` is left as it was. An input that was superseded by `work` comes
  // out through `superseded`, for the caller to answer.
  absl::Status Push(Work& work, std::optional<InputWork>& superseded);
  // All of it.
  std::deque<Work> Take();
  bool empty() const { return waiting_.empty(); }

 private:
  std::optional<InputWork> RemoveSuperseded(const Input& by);

  std::deque<Work> waiting_;
  std::size_t items_ = 0;
};

}  // namespace throng::server
