// Finds obstacle edges near a point. Edges come and go one by one at constant cost; none is cut.
//
// A stack of grids, each with cells twice as wide as the one before. An edge lives in exactly one cell: that of its
// middle, in the finest grid whose cells are at least as wide as the edge is long. So it reaches out of its cell by
// half a cell at most, and a search looks half a cell further. Only blocks of cells in use exist, in a hash map a grid,
// so memory is proportional to edges wherever they lie and however long they are.
//
// Not thread safe while edited; searches are const.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "throng/types.h"

namespace throng {

// Of an edge in its owner's storage.
using EdgeHandle = std::uint32_t;

class ObstacleIndex {
 public:
  // `handle` is not in the index; handles are small numbers that are used again.
  void Insert(EdgeHandle handle, Vec2 start, Vec2 end);
  // With the same ends as inserted.
  void Remove(EdgeHandle handle, Vec2 start, Vec2 end);

  // The edge with handle `from` gets `to`, which is not in the index.
  void Rename(EdgeHandle from, EdgeHandle to, Vec2 start, Vec2 end);

  bool empty() const { return size_ == 0; }

  // Calls visit(handle) for all edges that reach into the box, in no particular order, and for some that do not.
  // Cheap where nothing is near.
  template <class Visit>
  void Search(const Bounds& box, Visit&& visit) const;
  // False: no edge reaches into the box.
  bool AnyIn(const Bounds& box) const;

  std::size_t memory_bytes() const;

 private:
  static constexpr EdgeHandle kNone = 0xffffffff;
  static constexpr int kFinest = 3;   // cells of 2^3 m: about what an agent looks across, so that a search reads few
  static constexpr int kLevels = 20;  // up to 2^22 m, twice the range of coordinates

  static constexpr int kBlockShift = 2;  // a block has 2^2 cells along each side
  static constexpr std::int64_t kBlockSide = std::int64_t{1} << kBlockShift;

  struct Place {
    int level;
    std::uint64_t block;
    std::size_t cell;  // in the block
  };
  struct Link {
    EdgeHandle previous = kNone;
    EdgeHandle next = kNone;
  };
  static constexpr Link kFree{0xfffffffe, 0xfffffffe};  // of a handle that is not in use
  // The first edges of its cells' lists. Cells of a block are looked at together, so they lie together.
  using Block = std::array<EdgeHandle, kBlockSide * kBlockSide>;
  struct Level {
    absl::flat_hash_map<std::uint64_t, Block> blocks;
  };

  // Drops those after the highest handle in use.
  void TrimLinks();

  static double CellSize(int level) { return static_cast<double>(std::int64_t{1} << (level + kFinest)); }
  // Of the block `column` blocks from the origin in x.
  static std::uint64_t BlockKey(std::int64_t column, std::int64_t row) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(column)) << 32 | static_cast<std::uint32_t>(row);
  }
  static std::size_t CellInBlock(std::int64_t column, std::int64_t row) {
    return static_cast<std::size_t>((column & (kBlockSide - 1)) << kBlockShift | (row & (kBlockSide - 1)));
  }
  static Place PlaceOf(Vec2 start, Vec2 end);

  // Cells whose edges may reach into a box; borders are inclusive.
  struct Window {
    std::int64_t first_column, last_column, first_row, last_row;
    Window Blocks() const {
      return {first_column >> kBlockShift, last_column >> kBlockShift, first_row >> kBlockShift,
              last_row >> kBlockShift};
    }
    // What it has in common with a block.
    Window Within(std::int64_t block_column, std::int64_t block_row) const {
      const std::int64_t column = block_column * kBlockSide, row = block_row * kBlockSide;
      return {std::max(first_column, column), std::min(last_column, column + kBlockSide - 1), std::max(first_row, row),
              std::min(last_row, row + kBlockSide - 1)};
    }
    std::uint64_t size() const {
      return static_cast<std::uint64_t>(last_column - first_column + 1) *
             static_cast<std::uint64_t>(last_row - first_row + 1);
    }
  };
  static Window WindowOf(int level, const Bounds& box);

  // Calls visit(first edge) for the lists of a level that may hold edges which reach into the box, while it returns
  // true.
  template <class Visit>
  bool VisitCells(int level, const Bounds& box, Visit&& visit) const;
  // The same for cells of a block.
  template <class Visit>
  static bool VisitBlock(const Block& block, const Window& cells, Visit&& visit);

  std::size_t size_ = 0;
  std::array<Level, kLevels> levels_;
  std::vector<Link> links_;  // by handle
};

template <class Visit>
void ObstacleIndex::Search(const Bounds& box, Visit&& visit) const {
  for (int level = 0; level < kLevels; ++level) {
    VisitCells(level, box, [&](EdgeHandle first) {
      for (EdgeHandle edge = first; edge != kNone; edge = links_[edge].next) visit(edge);
      return true;
    });
  }
}

template <class Visit>
bool ObstacleIndex::VisitCells(int level, const Bounds& box, Visit&& visit) const {
  const auto& blocks = levels_[static_cast<std::size_t>(level)].blocks;
  if (blocks.empty()) return true;
  const Window cells = WindowOf(level, box), window = cells.Blocks();
  if (window.size() > blocks.size()) {
    for (const auto& [key, block] : blocks) {
      const auto column = static_cast<std::int32_t>(key >> 32), row = static_cast<std::int32_t>(key);
      if (!VisitBlock(block, cells.Within(column, row), visit)) return false;
    }
    return true;
  }
  for (std::int64_t column = window.first_column; column <= window.last_column; ++column) {
    for (std::int64_t row = window.first_row; row <= window.last_row; ++row) {
      const auto found = blocks.find(BlockKey(column, row));
      if (found != blocks.end() && !VisitBlock(found->second, cells.Within(column, row), visit)) return false;
    }
  }
  return true;
}

template <class Visit>
bool ObstacleIndex::VisitBlock(const Block& block, const Window& cells, Visit&& visit) {
  for (std::int64_t column = cells.first_column; column <= cells.last_column; ++column) {
    for (std::int64_t row = cells.first_row; row <= cells.last_row; ++row) {
      const EdgeHandle first = block[CellInBlock(column, row)];
      if (first != kNone && !visit(first)) return false;
    }
  }
  return true;
}

}  // namespace throng
