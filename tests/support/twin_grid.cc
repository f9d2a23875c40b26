#include "tests/support/twin_grid.h"

#include <algorithm>

#include "tests/support/twin_math.h"

namespace throng::twin {
namespace {

// [m] Agents that see nobody still need cells of some size.
constexpr float kMinCell = 0.001f;
// A neighbour's rounded squared distance lies under the squared neighbour distance, so its true distance along an axis
// passes it by a few roundings at most. Subtraction rounds monotonically, so no such neighbour lies past the cell of
// position +- distance * kMargin.
constexpr float kMargin = 1.000001f;

// Monotone in `value`, whatever the rounding.
std::size_t CellIndex(float value, float min, float inverse_cell, std::size_t count) {
  const float cell = (value - min) * inverse_cell;
  if (!(cell > 0.0f)) return 0;
  if (cell >= static_cast<float>(count)) return count - 1;
  return std::min(static_cast<std::size_t>(cell), count - 1);
}

}  // namespace

void Nearest::Reset(float neighbor_distance, std::uint32_t max_neighbors) {
  range_squared_ = neighbor_distance * neighbor_distance;
  max_ = max_neighbors;
  list_.clear();
}

void Nearest::Offer(const Neighbor& neighbor) {
  if (!(neighbor.distance_squared < range_squared_)) return;
  if (list_.size() < max_) {
    list_.push_back(neighbor);
  } else if (max_ == 0 || !Before(neighbor, list_.back())) {
    return;
  }
  std::size_t place = list_.size() - 1;
  for (; place > 0 && Before(neighbor, list_[place - 1]); --place) list_[place] = list_[place - 1];
  list_[place] = neighbor;
}

float DistanceSquared(const Body& self, const Body& other) { return LengthSquared(other.position - self.position); }

void Grid::Build(std::span<const Body> bodies, float max_neighbor_distance) {
  sorted_.resize(bodies.size());
  if (bodies.empty()) return;
  float max_x = min_x_ = bodies[0].position.x;
  float max_y = min_y_ = bodies[0].position.y;
  for (const Body& body : bodies) {
    min_x_ = std::min(min_x_, body.position.x);
    min_y_ = std::min(min_y_, body.position.y);
    max_x = std::max(max_x, body.position.x);
    max_y = std::max(max_y, body.position.y);
  }

  // Wider cells where a sparse spread would make more of them than a few per body.
  const double width = static_cast<double>(max_x) - static_cast<double>(min_x_);
  const double height = static_cast<double>(max_y) - static_cast<double>(min_y_);
  const double most = 4.0 * static_cast<double>(bodies.size()) + 64.0;
  double cell = static_cast<double>(std::max(max_neighbor_distance, kMinCell));
  while ((width / cell + 1.0) * (height / cell + 1.0) > most) cell *= 2.0;
  columns_ = static_cast<std::size_t>(width / cell) + 1;
  rows_ = static_cast<std::size_t>(height / cell) + 1;
  inverse_cell_ = static_cast<float>(1.0 / cell);

  cell_of_.resize(bodies.size());
  cell_start_.assign(columns_ * rows_ + 1, 0);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::size_t index = Row(bodies[i].position.y) * columns_ + Column(bodies[i].position.x);
    cell_of_[i] = static_cast<std::uint32_t>(index);
    ++cell_start_[index];
  }
  // Running sums give each cell's end; filling from the back turns ends into starts.
  for (std::size_t index = 1; index < cell_start_.size(); ++index) cell_start_[index] += cell_start_[index - 1];
  for (std::size_t i = bodies.size(); i-- > 0;) sorted_[--cell_start_[cell_of_[i]]] = bodies[i];
}

void Grid::Search(std::size_t slot, float neighbor_distance, Nearest& nearest) const {
  const Body& self = sorted_[slot];
  const float range_squared = neighbor_distance * neighbor_distance;
  const float reach = neighbor_distance * kMargin;
  const std::size_t first_column = Column(self.position.x - reach);
  const std::size_t last_column = Column(self.position.x + reach);
  const std::size_t last_row = Row(self.position.y + reach);
  for (std::size_t row = Row(self.position.y - reach); row <= last_row; ++row) {
    // Cells of a row follow one another, so their bodies are one run.
    const std::size_t begin = cell_start_[row * columns_ + first_column];
    const std::size_t end = cell_start_[row * columns_ + last_column + 1];
    for (std::size_t other = begin; other < end; ++other) {
      if (other == slot) continue;
      const float distance_squared = DistanceSquared(self, sorted_[other]);
      if (!(distance_squared < range_squared) || !Sees(self, sorted_[other])) continue;
      nearest.Offer({distance_squared, sorted_[other].id, static_cast<std::uint32_t>(other)});
    }
  }
}

std::size_t Grid::Column(float x) const { return CellIndex(x, min_x_, inverse_cell_, columns_); }

std::size_t Grid::Row(float y) const { return CellIndex(y, min_y_, inverse_cell_, rows_); }

void SearchBruteForce(std::span<const Body> bodies, std::size_t slot, Nearest& nearest) {
  for (std::size_t other = 0; other < bodies.size(); ++other) {
    if (other == slot || !Sees(bodies[slot], bodies[other])) continue;
    nearest.Offer({DistanceSquared(bodies[slot], bodies[other]), bodies[other].id, static_cast<std::uint32_t>(other)});
  }
}

}  // namespace throng::twin
