// A tree of boxes over agents that are spread too unevenly for a grid: on one point, in tight clusters, on a slanted
// line, over every scale. The agents are stored in Morton order of the bits of their coordinates, so runs of them are
// compact at every scale; the tree is implicit in that order. Boxes are made anew in every step and hold agents where
// they are. Searches are kernel/tree_search-inl.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/body.h"
#include "index/tree_view.h"

namespace throng {

// Interleaves the bits of both coordinates, which are made to compare as integers: any two different positions
// differ, at every scale that a float has.
std::uint64_t MortonKey(float x, float y);

class CrowdTree {
 public:
  // Lays the tree over `agents` agents. Blocks are then built level by level, the agents' (level 0) first.
  void Fit(std::size_t agents);
  bool empty() const { return levels_ == 0; }
  std::size_t levels() const { return levels_; }
  std::size_t blocks(std::size_t level) const { return starts_[level + 1] - starts_[level]; }
  // Ranges of a level may be built at once.
  void Build(const Body* body, const std::uint32_t* id, std::size_t level, std::size_t begin, std::size_t end);

  // Once the agents' boxes are built: these are the ones that Worn() compares with.
  void NoteFresh();
  // Whether many of them have grown far since, so that searches look at too many.
  bool Worn() const;

  // Calls visit(begin, end) for runs of places that hold all agents which stood in the box when boxes were built; `end`
  // may lie past the last agent.
  template <class Visit>
  void VisitRuns(double min_x, double min_y, double max_x, double max_y, Visit&& visit) const {
    if (!empty()) VisitBlock(levels_ - 1, 0, {min_x, min_y, max_x, max_y}, visit);
  }

  TreeView view() const;
  std::size_t memory_bytes() const {
    return blocks_.capacity() * sizeof(BoxBlock) + fresh_extents_.capacity() * sizeof(float);
  }

 private:
  struct SearchBox {
    double min_x, min_y, max_x, max_y;
  };
  template <class Visit>
  void VisitBlock(std::size_t level, std::size_t block, const SearchBox& box, Visit&& visit) const {
    const BoxBlock& boxes = blocks_[starts_[level] + block];
    for (std::size_t child = 0; child < kGroup; ++child) {
      if (!(boxes.min_x[child] <= box.max_x && boxes.max_x[child] >= box.min_x && boxes.min_y[child] <= box.max_y &&
            boxes.max_y[child] >= box.min_y)) {
        continue;
      }
      const std::size_t below = block * kGroup + child;
      if (level > 0) {
        VisitBlock(level - 1, below, box, visit);
      } else {
        visit(below * kGroup, (below + 1) * kGroup);
      }
    }
  }

  std::size_t agents_ = 0;
  std::size_t levels_ = 0;
  std::array<std::size_t, kMaxTreeLevels + 1> starts_{};  // in blocks_, and the end
  std::vector<BoxBlock> blocks_;
  std::vector<float> fresh_extents_;  // [m] width and height of each group's box
};

}  // namespace throng
