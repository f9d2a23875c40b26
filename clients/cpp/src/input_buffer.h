// Preferred velocities and goals on their way to the server: latest wins, agent by agent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "clients/cpp/src/frame_data.h"
#include "throng/v1/session_service.pb.h"

namespace throng::client {

enum class WishKind : std::uint8_t { kVelocity, kGoal };

// Columns that follow a membership, and single agents beside them. What is put in replaces what is there for the same
// agents, so the buffer holds at most one wish an agent, however slow the stream is. Not thread safe.
class InputBuffer {
 public:
  // Agents of one message: 12 bytes each by id, 3 MB, under the 4 MiB that a server takes by default.
  static constexpr std::size_t kMaxAgentsPerMessage = 250'000;
  // Numbers that one Put may use up: it goes in pieces, each with a number of its own, the last with `sequence`.
  static constexpr std::uint64_t kStride = 64;

  void PutColumns(std::uint64_t sequence, std::shared_ptr<const Membership> membership, std::vector<float> x,
                  std::vector<float> y, WishKind kind = WishKind::kVelocity);
  void PutAgents(std::uint64_t sequence, std::span<const AgentId> ids, std::span<const float> x,
                 std::span<const float> y, WishKind kind = WishKind::kVelocity);
  // Puts what `later` holds over what is here.
  void Put(const InputBuffer& later);

  bool empty() const { return !columns_ && agents_.empty(); }
  // The largest sequence held.
  std::uint64_t sequence() const;
  // As messages, in the order of their numbers. Columns of the membership with version `current` go by it, others by
  // id.
  std::vector<v1::Input> ToMessages(std::uint64_t current) const;
  void Clear();

 private:
  struct Columns {
    std::uint64_t sequence = 0;
    std::shared_ptr<const Membership> membership;
    std::vector<float> x, y;
    WishKind kind = WishKind::kVelocity;
  };
  struct Wish {
    Vector2 value;
    WishKind kind = WishKind::kVelocity;
  };
  // Keeps the wishes of agents that the membership to come does not have.
  void FoldColumns(const Membership& next);

  std::optional<Columns> columns_;
  std::unordered_map<AgentId, Wish> agents_;  // never of columns_' membership unless newer
  std::uint64_t agents_sequence_ = 0;
};

}  // namespace throng::client
