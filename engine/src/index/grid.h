// A uniform grid over agents that are stored in order of its cells, row by row, so that the agents of neighbouring
// cells of a row are one run of memory. It holds no agents, only where each cell begins.
//
// Cells are a quarter as many as agents, give or take the rim: their size follows from the area alone and not from how
// far agents look, since a search ends as soon as nothing nearer can follow. The memory is bounded whatever the spread;
// cells that are crowded because of it are not the grid's business (crowd_index.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/body.h"
#include "base/bounds.h"
#include "base/sight.h"
#include "index/cell_view.h"
#include "index/nearest.h"

namespace throng {

// The columns that a search reads, in the order of the index. Agents may have moved since they were put in order.
struct AgentPlaces {
  const Body* body;
  const std::uint32_t* id;
  float moved = 0.0f;            // [m] bound on the way of any agent since
  const Sight* sight = nullptr;  // null: everyone sees everyone
};

// Offers the agents at places [begin, end) that `self`, which stands at (x, y), sees, but for itself.
void OfferRun(const AgentPlaces& agents, std::size_t begin, std::size_t end, std::size_t self, float x, float y,
              Nearest& nearest);

class Grid {
 public:
  // Lays cells over the bounds of `agents` agents.
  void Fit(const Bounds& bounds, std::size_t agents);

  std::size_t cells() const { return static_cast<std::size_t>(columns_) * rows_; }
  // However so many agents stand, there are no more cells than this.
  static std::size_t MostCells(std::size_t agents);
  std::uint32_t CellOf(float x, float y) const { return Row(y) * columns_ + Column(x); }

  // Sets where the cells begin, from the cells of the agents in order, in ranges of places [begin, end) that together
  // cover [0, size]: the end counts as a place, and closes the last cells. There is room for any spread of so many
  // agents from the first call on.
  void PrepareStarts(std::size_t agents);
  void SetStarts(const std::uint32_t* cell_of_place, std::size_t size, std::size_t begin, std::size_t end);
  std::uint32_t AgentsIn(std::uint32_t cell) const { return starts_[cell + 1] - starts_[cell]; }

  // Offers all agents that `nearest` may accept and `self` sees, but for itself.
  void Search(const AgentPlaces& agents, std::size_t self, float x, float y, std::uint32_t most,
              Nearest& nearest) const;

  // Calls visit(begin, end) for runs of places that hold all agents which stood in the box when they were put in order.
  template <class Visit>
  void VisitRuns(double min_x, double min_y, double max_x, double max_y, Visit&& visit) const {
    const std::uint32_t first_column = Column(min_x), last_column = Column(max_x);
    for (std::uint32_t row = Row(min_y), last = Row(max_y); row <= last; ++row) {
      const std::size_t cells = static_cast<std::size_t>(row) * columns_;
      visit(starts_[cells + first_column], starts_[cells + last_column + 1]);
    }
  }

  double cell_size() const { return size_; }  // [m]
  CellView view() const { return {min_x_, min_y_, size_, inverse_size_, columns_, rows_, starts_.data()}; }

  std::size_t memory_bytes() const { return starts_.capacity() * sizeof(std::uint32_t); }

 private:
  // Inclusive.
  struct Window {
    std::uint32_t first_column, last_column, first_row, last_row;
  };

  // Monotone in `value`, in double so that the borders of a search lose nothing to rounding.
  static std::uint32_t Cell(double value, double min, double inverse_size, std::uint32_t count) {
    const double cell = (value - min) * inverse_size;
    if (!(cell > 0.0)) return 0;
    return cell >= count - 1.0 ? count - 1 : static_cast<std::uint32_t>(cell);
  }
  std::uint32_t Column(double x) const { return Cell(x, min_x_, inverse_size_, columns_); }
  std::uint32_t Row(double y) const { return Cell(y, min_y_, inverse_size_, rows_); }

  Window Around(double x, double y, double reach) const {
    return {Column(x - reach), Column(x + reach), Row(y - reach), Row(y + reach)};
  }

  double min_x_ = 0.0, min_y_ = 0.0;
  double size_ = 1.0;          // [m] of a cell
  double inverse_size_ = 1.0;  // [1/m]
  std::uint32_t columns_ = 1, rows_ = 1;
  std::vector<std::uint32_t> starts_;  // one more than cells: place of each cell's first agent
};

}  // namespace throng
