// A tree of boxes over agents as plain data, for kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "store/lists.h"

namespace throng {

// The children of a node side by side. Where there are fewer, boxes are empty: infinitely far from everything.
struct BoxBlock {
  float min_x[kGroup], min_y[kGroup], max_x[kGroup], max_y[kGroup];  // [m]
  std::uint32_t min_id[kGroup];                                      // the least of the agents inside
};

inline constexpr std::size_t kMaxTreeLevels = 8;  // 16^8 groups of agents

// Level 0: child c of block b is the group of agents at [(b * kGroup + c) * kGroup, + kGroup). Above it, child c of
// block b is block b * kGroup + c of the level below. The last level is one block.
struct TreeView {
  std::size_t levels = 0;  // 0: there is no tree
  const BoxBlock* blocks = nullptr;
  std::array<std::size_t, kMaxTreeLevels> starts{};  // of each level in `blocks`
};

}  // namespace throng
