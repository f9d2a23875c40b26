// What tests reach of a world that its callers do not.
#pragma once

#include <cstdint>

#include "world/world_impl.h"

namespace throng {

struct WorldTestAccess {
  static void SetNextIds(World& world, std::uint64_t next) {
    world.impl_->agent_ids.next = next;
    world.impl_->obstacle_ids.next = next;
  }
  // Of the last step: lists that were made, and agents that searched without one.
  static std::uint64_t LookUps(const World& world) {
    const SolveCounts counts = world.impl_->stepper.solve_counts();
    return counts.lists_made + counts.searches;
  }
};

}  // namespace throng
