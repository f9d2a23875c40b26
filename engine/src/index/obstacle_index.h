// Finds obstacle edges near a point. Edges come and go one by one at constant cost; none is cut.
//
// A stack of grids, each with cells twice as wide as the one before. An edge lives in exactly one cell: that of its
// middle, in the finest grid whose cells are at least as wide as the edge is long. So it reaches out of its cell by
// half a cell at most, and a search looks half a cell further. Only cells in use exist, in a hash map a grid, so
// memory is proportional to edges wherever they lie and however long they are.
//
// Not thread safe while edited; searches are const.
#pragma once

#include <absl/container/flat_hash_map.h>

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

  struct Place {
    int level;
    std::uint64_t cell;
  };
  struct Link {
    EdgeHandle previous = kNone;
    EdgeHandle next = kNone;
  };
  static constexpr Link kFree{0xfffffffe, 0xfffffffe};  // of a handle that is not in use
  struct Level {
    absl::flat_hash_map<std::uint64_t, EdgeHandle> cells;  // to the first edge of the cell's list
  };

  // Drops those after the highest handle in use.
  void TrimLinks();

  static double CellSize(int level) { return static_cast<double>(std::int64_t{1} << (level + kFinest)); }
  static std::uint64_t CellKey(std::int64_t column, std::int64_t row) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(column)) << 32 | static_cast<std::uint32_t>(row);
  }
  static Place PlaceOf(Vec2 start, Vec2 end);

  // Cells whose edges may reach into a box; borders are inclusive.
  struct Window {
    std::int64_t first_column, last_column, first_row, last_row;
    std::uint64_t cells() const {
      return static_cast<std::uint64_t>(last_column - first_column + 1) *
             static_cast<std::uint64_t>(last_row - first_row + 1);
    }
    bool Contains(std::uint64_t key) const {
      const auto column = static_cast<std::int32_t>(key >> 32), row = static_cast<std::int32_t>(key);
      return column >= first_column && column <= last_column && row >= first_row && row <= last_row;
    }
  };
  static Window WindowOf(int level, const Bounds& box);

  // Calls visit(first edge) for the lists of a level that may hold edges which reach into the box, while it returns
  // true.
  template <class Visit>
  bool VisitCells(int level, const Bounds& box, Visit&& visit) const;

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
  const auto& cells = levels_[static_cast<std::size_t>(level)].cells;
  if (cells.empty()) return true;
  const Window window = WindowOf(level, box);
  if (window.cells() > cells.size()) {
    for (const auto& [key, first] : cells) {
      if (window.Contains(key) && !visit(first)) return false;
    }
    return true;
  }
  for (std::int64_t column = window.first_column; column <= window.last_column; ++column) {
    for (std::int64_t row = window.first_row; row <= window.last_row; ++row) {
      const auto found = cells.find(CellKey(column, row));
      if (found != cells.end() && !visit(found->second)) return false;
    }
  }
  return true;
}

}  // namespace throng
