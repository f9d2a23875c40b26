// InputApplier: puts inputs into a world, and remembers the memberships that they may name.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "server/host/input.h"
#include "throng/world.h"

namespace throng::server {

class InputApplier {
 public:
  // `membership` goes out in a frame, so inputs may name it.
  void Remember(std::shared_ptr<const Membership> membership);
  // `current` is what world.membership() gives. Updates the session's memory.
  InputOutcome Apply(World& world, const Membership& current, const Input& input);

 private:
  absl::StatusOr<std::size_t> ApplyColumns(World& world, const Membership& current, const Input& input);
  absl::StatusOr<std::size_t> SetByIds(World& world, const Input& input);
  absl::StatusOr<std::size_t> ApplyByMembership(World& world, const Membership& current, const Input& input);
  const Membership* FindMembership(const Membership& current, std::uint64_t version) const;

  std::deque<std::shared_ptr<const Membership>> memberships_;
  std::vector<InputRejection> rejections_;  // kept for its memory
  std::span<const AgentId> ids_;            // of the input being applied
};

}  // namespace throng::server
