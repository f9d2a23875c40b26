// A tree of boxes over agents that crowd together too densely for a grid: on one point, in tight clusters, on a line.
// The agents are stored in Morton order of the bits of their coordinates, so runs of them are compact at every scale;
// the tree is implicit in that order (kLeaf agents a leaf, kFan nodes a parent). A search goes to the nearest box
// first and passes over each that cannot hold an agent before the worst found so far, in the order (distance^2, id):
// a hundred thousand agents on one point cost no more than any others, since boxes know their least id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/grid.h"
#include "index/nearest.h"

namespace throng {

// Interleaves the bits of both coordinates, which are made to compare as integers: any two different positions
// differ, at every scale that a float has.
std::uint64_t MortonKey(float x, float y);

class CrowdTree {
 public:
  // Lays the tree over places [first, first + count). Boxes are then built level by level, leaves (level 0) first.
  void Fit(std::size_t first, std::size_t count);
  bool empty() const { return count_ == 0; }
  std::size_t levels() const { return level_starts_.empty() ? 0 : level_starts_.size() - 1; }
  std::size_t nodes(std::size_t level) const { return level_starts_[level + 1] - level_starts_[level]; }
  // Ranges of a level may be built at once.
  void Build(const AgentPlaces& agents, std::size_t level, std::size_t begin, std::size_t end);

  void Search(const AgentPlaces& agents, std::size_t self, float x, float y, Nearest& nearest) const;

  // Whether a leaf's box comes within `reach` [m] of (x, y).
  bool AnyWithin(float x, float y, float reach) const;

  std::size_t memory_bytes() const { return boxes_.capacity() * sizeof(Box); }

 private:
  static constexpr std::size_t kLeaf = 16;
  static constexpr std::size_t kFan = 4;

  struct Box {
    Bounds bounds;
    std::uint32_t min_id;
  };
  struct Visit {
    std::uint64_t key;  // least (distance^2, id) that the box can hold
    std::uint32_t level;
    std::uint32_t node;
  };

  Box LeafBox(const AgentPlaces& agents, std::size_t node) const;
  Box ParentBox(std::size_t level, std::size_t node) const;

  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<std::size_t> level_starts_;  // in boxes_, and the end
  std::vector<Box> boxes_;
};

}  // namespace throng
