// Commands: all that edits a world besides inputs and settings. A batch applies at one tick border, in its order.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "server/host/callback.h"
#include "throng/advice.h"
#include "throng/types.h"

namespace throng::server {

struct AddAgent {
  AgentSpec spec;
};
struct UpdateAgent {
  AgentId id = kInvalidId;
  AgentUpdate update;
};
struct RemoveAgent {
  AgentId id = kInvalidId;
};
struct RemoveAllAgents {};
struct AddObstacle {
  ObstacleSpec spec;
};
struct UpdateObstacle {
  ObstacleId id = kInvalidId;
  ObstacleSpec spec;  // its id is unset: one that the world made could not be asked for
};
struct MoveObstacle {
  ObstacleId id = kInvalidId;
  ObstacleMove move;
};
struct RemoveObstacle {
  ObstacleId id = kInvalidId;
};
// What a client sent in a command's place and could not be read as one: it fails with this status, as an item.
struct UnreadableCommand {
  absl::Status status;
};

using Command = std::variant<AddAgent, UpdateAgent, RemoveAgent, RemoveAllAgents, AddObstacle, UpdateObstacle,
                             MoveObstacle, RemoveObstacle, UnreadableCommand>;

struct SessionMemory;

struct CommandBatch {
  std::string request_id;  // a repeat gets the first answer and applies nothing; empty: no protection
  // Whose request_ids they are; null: those of all callers of unary services on the world.
  std::shared_ptr<SessionMemory> session{};
  bool all_or_nothing = false;
  std::vector<Command> commands;
};

struct CommandResult {
  std::uint8_t kind = 0;  // index() of the command
  std::uint32_t id = 0;   // of the agent or obstacle concerned; 0 if there is none
  // Violations name fields of the engine's structs ("params.radius"). ABORTED: valid, but of a refused batch.
  absl::Status status;
  std::optional<AgentParams> params;  // effective, of an agent added or updated
  std::optional<Vec2> position{};     // where an agent came to stand that was added with Placement::kNudge
  std::vector<Warning> warnings{};    // of the first kMaxWarnedItems items that have any
};

inline constexpr std::size_t kMaxWarnedItems = 16;
inline constexpr std::size_t kMaxItemWarnings = 4;

struct CommandBatchResult {
  std::string request_id;
  std::uint64_t tick = 0;  // ticks finished when it was applied
  std::uint64_t membership_version = 0;
  std::uint64_t obstacle_version = 0;
  std::vector<CommandResult> results;  // index-aligned with the commands
  bool applied = false;                // whether anything was
};

// NOT_FOUND: the world was deleted before. RESOURCE_EXHAUSTED: its queue is full. FAILED_PRECONDITION: it is FAULTED.
// INVALID_ARGUMENT: the request_id came before with another content. Answers come in the order of the batches.
using CommandReply = Callback<absl::StatusOr<std::shared_ptr<const CommandBatchResult>>>;

inline constexpr std::size_t kMaxRequestIdBytes = 64;

}  // namespace throng::server
