#include "index/crowd_tree.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/bounds.h"
#include "base/memory.h"

namespace throng {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Bits of a float as an integer that compares as the float does. Both zeros are one place.
std::uint32_t OrderedBits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

std::uint64_t Spread(std::uint32_t bits) {
  std::uint64_t spread = bits;
  spread = (spread | spread << 16) & 0x0000ffff0000ffff;
  spread = (spread | spread << 8) & 0x00ff00ff00ff00ff;
  spread = (spread | spread << 4) & 0x0f0f0f0f0f0f0f0f;
  spread = (spread | spread << 2) & 0x3333333333333333;
  return (spread | spread << 1) & 0x5555555555555555;
}

struct Box {
  Bounds bounds{kInfinity, kInfinity, -kInfinity, -kInfinity};
  std::uint32_t min_id = 0xffffffff;
};

void Put(const Box& box, BoxBlock& block, std::size_t child) {
  block.min_x[child] = box.bounds.min_x;
  block.min_y[child] = box.bounds.min_y;
  block.max_x[child] = box.bounds.max_x;
  block.max_y[child] = box.bounds.max_y;
  block.min_id[child] = box.min_id;
}

Box OfAgents(const Body* body, const std::uint32_t* id, std::size_t begin, std::size_t end) {
  Box box;
  for (std::size_t i = begin; i < end; ++i) {
    box.bounds.Include(body[i].x, body[i].y);
    box.min_id = std::min(box.min_id, id[i]);
  }
  return box;
}

Box OfBlock(const BoxBlock& block) {
  Box box;
  for (std::size_t child = 0; child < kGroup; ++child) {
    box.bounds.min_x = std::min(box.bounds.min_x, block.min_x[child]);
    box.bounds.min_y = std::min(box.bounds.min_y, block.min_y[child]);
    box.bounds.max_x = std::max(box.bounds.max_x, block.max_x[child]);
    box.bounds.max_y = std::max(box.bounds.max_y, block.max_y[child]);
    box.min_id = std::min(box.min_id, block.min_id[child]);
  }
  return box;
}

float Extent(const BoxBlock& block, std::size_t child) {
  return block.max_x[child] - block.min_x[child] + block.max_y[child] - block.min_y[child];
}

std::size_t Groups(std::size_t size) { return (size + kGroup - 1) / kGroup; }

}  // namespace

std::uint64_t MortonKey(float x, float y) { return Spread(OrderedBits(x)) | Spread(OrderedBits(y)) << 1; }

void CrowdTree::Fit(std::size_t agents) {
  agents_ = agents;
  levels_ = 0;
  for (std::size_t nodes = Groups(agents); nodes > 0; nodes = nodes > kGroup ? Groups(nodes) : 0) {
    starts_[levels_ + 1] = starts_[levels_] + Groups(nodes);
    ++levels_;
  }
  const std::size_t total = starts_[levels_];
  ReleaseIfSparse(blocks_, total);
  blocks_.resize(total);
  ReleaseIfSparse(fresh_extents_, Groups(agents));
  fresh_extents_.resize(Groups(agents));
}

void CrowdTree::NoteFresh() {
  for (std::size_t group = 0; group < fresh_extents_.size(); ++group) {
    fresh_extents_[group] = Extent(blocks_[group / kGroup], group % kGroup);
  }
}

bool CrowdTree::Worn() const {
  std::size_t grown = 0;
  for (std::size_t group = 0; group < fresh_extents_.size(); ++group) {
    grown += Extent(blocks_[group / kGroup], group % kGroup) > 2.0f * fresh_extents_[group];
  }
  return grown > fresh_extents_.size() / 8;
}

void CrowdTree::Build(const Body* body, const std::uint32_t* id, std::size_t level, std::size_t begin,
                      std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    BoxBlock& block = blocks_[starts_[level] + at];
    for (std::size_t child = 0; child < kGroup; ++child) {
      const std::size_t node = at * kGroup + child;
      Box box;
      if (level == 0) {
        box = OfAgents(body, id, std::min(agents_, node * kGroup), std::min(agents_, (node + 1) * kGroup));
      } else if (node < blocks(level - 1)) {
        box = OfBlock(blocks_[starts_[level - 1] + node]);
      }
      Put(box, block, child);
    }
  }
}

TreeView CrowdTree::view() const {
  TreeView view{levels_, blocks_.data(), {}};
  std::copy_n(starts_.begin(), levels_, view.starts.begin());
  return view;
}

}  // namespace throng
