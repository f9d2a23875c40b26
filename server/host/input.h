// Inputs: preferred velocities or goals by column, from a session.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "server/host/callback.h"
#include "server/host/session_memory.h"
#include "throng/types.h"
#include "throng/world.h"

namespace throng::server {

enum class InputKind : std::uint8_t {
  kPreferredVelocities,
  kGoals,
  kBoth,  // of which one Input may not hold columns: it is refused
};

struct Input {
  std::shared_ptr<SessionMemory> session;  // whose it is; never null
  std::uint64_t sequence = 0;
  // Where `ids` is empty: for ranks first_index, first_index + 1, ... of this membership, one of the last 8 that went
  // out in frames, or the current one.
  std::uint64_t membership_version = 0;
  std::size_t first_index = 0;
  std::vector<AgentId> ids{};
  InputKind kind = InputKind::kPreferredVelocities;
  std::vector<float> x{};  // [m/s], or [m] of goals; as long as y, and as ids if there are any
  std::vector<float> y{};
};

struct InputItemRejection {
  std::size_t index = 0;  // in the columns
  AgentId id = kInvalidId;
  absl::Status status{};
};

inline constexpr std::size_t kMaxInputRejections = 16;
inline constexpr std::size_t kInputMemberships = 8;

struct InputOutcome {
  std::uint64_t sequence = 0;
  std::uint64_t tick = 0;  // ticks finished when it was applied
  // Of the input as a whole: nothing of it was applied.
  absl::Status status{};
  std::vector<InputItemRejection> items{};  // the first kMaxInputRejections
  std::size_t applied = 0;
  std::size_t rejected = 0;
  // Nothing was applied, since a later input counts: one for the same agents that came before the tick border, or one
  // of the same or a larger sequence that was received before.
  bool superseded = false;
};

using InputReply = Callback<InputOutcome>;

}  // namespace throng::server
