// Inputs: preferred velocities by column, from a session.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "server/host/callback.h"
#include "throng/types.h"
#include "throng/world.h"

namespace throng::server {

// What a world knows of one session's inputs. Made by the session, touched by the world's runner alone.
struct InputProgress {
  std::uint64_t last_applied = 0;  // the largest sequence
};

struct Input {
  std::shared_ptr<InputProgress> session;  // whose it is; never null
  std::uint64_t sequence = 0;
  // Where `ids` is empty: for ranks first_index, first_index + 1, ... of this membership, one of the last 8.
  std::uint64_t membership_version = 0;
  std::size_t first_index = 0;
  std::vector<AgentId> ids;
  std::vector<float> x;  // [m/s] as long as y, and as ids if there are any
  std::vector<float> y;
};

struct InputItemRejection {
  std::size_t index = 0;  // in the columns
  AgentId id = kInvalidId;
  absl::Status status;
};

inline constexpr std::size_t kMaxInputRejections = 16;
inline constexpr std::size_t kInputMemberships = 8;

struct InputOutcome {
  std::uint64_t sequence = 0;
  std::uint64_t tick = 0;  // ticks finished when it was applied
  // Of the input as a whole: nothing of it was applied.
  absl::Status status;
  std::vector<InputItemRejection> items;  // the first kMaxInputRejections
  std::size_t applied = 0;
  std::size_t rejected = 0;
  // A later input of the same session for the same agents arrived before the tick border: it was applied instead.
  bool superseded = false;
};

using InputReply = Callback<InputOutcome>;

}  // namespace throng::server
