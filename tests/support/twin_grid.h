// The simplest uniform grid: square cells as wide as the largest neighbour distance, bodies in cell order by counting
// sort, neighbours by insertion sort. Rebuilt every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/twin_orca.h"

namespace throng::twin {

struct Neighbor {
  float distance_squared;
  AgentId id;
  std::uint32_t slot;  // in the bodies searched
};

// The nearest first, at equal distance the lower id.
inline bool Before(const Neighbor& a, const Neighbor& b) {
  return a.distance_squared < b.distance_squared || (a.distance_squared == b.distance_squared && a.id < b.id);
}

// The max_neighbors nearest of those offered, in order.
class Nearest {
 public:
  void Reset(float neighbor_distance, std::uint32_t max_neighbors);
  // Takes a body at this squared distance, if it is strictly within the neighbour distance.
  void Offer(const Neighbor& neighbor);

  std::span<const Neighbor> list() const { return list_; }

 private:
  float range_squared_ = 0.0f;
  std::size_t max_ = 0;
  std::vector<Neighbor> list_;
};

// dx * dx + dy * dy of other - self.
float DistanceSquared(const Body& self, const Body& other);

class Grid {
 public:
  // max_neighbor_distance: the largest of any body. Takes the bodies in any order.
  void Build(std::span<const Body> bodies, float max_neighbor_distance);
  // Offers every body within neighbor_distance of bodies()[slot] that it sees, itself left out.
  void Search(std::size_t slot, float neighbor_distance, Nearest& nearest) const;

  // In order of cells.
  std::span<const Body> bodies() const { return sorted_; }

 private:
  std::size_t Column(float x) const;
  std::size_t Row(float y) const;

  float min_x_ = 0.0f;
  float min_y_ = 0.0f;
  float inverse_cell_ = 0.0f;
  std::size_t columns_ = 1;
  std::size_t rows_ = 1;
  std::vector<Body> sorted_;
  std::vector<std::uint32_t> cell_of_;     // by place in the bodies given
  std::vector<std::uint32_t> cell_start_;  // columns * rows + 1 places in sorted_
};

// All pairs. Checks the grid, here and in the engine.
void SearchBruteForce(std::span<const Body> bodies, std::size_t slot, Nearest& nearest);

}  // namespace throng::twin
