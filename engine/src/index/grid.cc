#include "index/grid.h"

#include <array>

#include "base/memory.h"

namespace throng {
namespace {

// [m] Smaller cells than this would only come of a crowd that has no extent.
constexpr double kMinSize = 1e-6;

// Fewer and larger cells make longer runs, which a vector reads at once.
constexpr double kAgentsPerCell = 4.0;

// A found agent's rounded squared distance stays under the limit, so its true distance along an axis passes the
// limit's root by a few roundings of a float at most. The second margin [m] is for squares that are subnormal.
constexpr double kReachMargin = 1.000001;
constexpr double kSubnormalMargin = 2e-19;

double Reach(const Nearest& nearest) {
  return std::sqrt(static_cast<double>(nearest.limit_squared())) * kReachMargin + kSubnormalMargin;
}

// So many cells away from an agent its `most` nearest are found, mostly: the radius of the
// disc that holds so many, and a little more.
double FirstReach(std::uint32_t most) { return 1.15 * std::sqrt(most * (0.3183 / kAgentsPerCell)) + 0.1; }

}  // namespace

void OfferRun(const AgentPlaces& agents, std::size_t begin, std::size_t end, std::size_t self, float x, float y,
              Nearest& nearest) {
  // Distances first, without a branch on what chance decides; few of them are left to look at.
  constexpr std::size_t kChunk = 64;
  std::array<std::uint32_t, kChunk> places;
  std::array<float, kChunk> distances;
  for (std::size_t chunk = begin; chunk < end; chunk += kChunk) {
    const std::size_t chunk_end = std::min(end, chunk + kChunk);
    const float limit = nearest.limit_squared();
    std::size_t found = 0;
    for (std::size_t i = chunk; i < chunk_end; ++i) {
      const float dx = agents.body[i].x - x, dy = agents.body[i].y - y;
      const float distance_squared = dx * dx + dy * dy;
      places[found] = static_cast<std::uint32_t>(i);
      distances[found] = distance_squared;
      found += static_cast<std::size_t>(distance_squared <= limit) & static_cast<std::size_t>(i != self);
    }
    for (std::size_t i = 0; i < found; ++i) {
      if (agents.sight != nullptr && !Sees(agents.sight[self], agents.sight[places[i]])) continue;
      nearest.Offer(distances[i], agents.id[places[i]], places[i]);
    }
  }
}

void Grid::Fit(const Bounds& bounds, std::size_t agents) {
  min_x_ = bounds.min_x;
  min_y_ = bounds.min_y;
  const double width = bounds.max_x - min_x_, height = bounds.max_y - min_y_;
  const double count = std::max(static_cast<double>(agents) / kAgentsPerCell, 1.0);
  // The second bound is that of a thin crowd: one row of one cell an agent.
  size_ = std::max({std::sqrt(width * height / count), std::max(width, height) / count, kMinSize});
  inverse_size_ = 1.0 / size_;
  columns_ = static_cast<std::uint32_t>(width * inverse_size_) + 1;
  rows_ = static_cast<std::uint32_t>(height * inverse_size_) + 1;
}

// With a columns and b rows before rounding up: a * b, a and b are each at most the cells wanted.
std::size_t Grid::MostCells(std::size_t agents) {
  constexpr std::size_t kRounding = 4;
  return 2 * (agents / static_cast<std::size_t>(kAgentsPerCell) + 1) + kRounding;
}

void Grid::PrepareStarts(std::size_t agents) {
  const std::size_t most = MostCells(agents) + 1;
  ReleaseIfSparse(starts_, most);
  starts_.reserve(most);
  starts_.resize(cells() + 1);
}

void Grid::SetStarts(const std::uint32_t* cell_of_place, std::size_t size, std::size_t begin, std::size_t end) {
  const std::uint32_t last_cell = static_cast<std::uint32_t>(cells());
  for (std::size_t place = begin; place < end; ++place) {
    // Cells after the one before this place, up to this one's, begin here.
    std::uint32_t cell = place == 0 ? 0 : cell_of_place[place - 1] + 1;
    const std::uint32_t until = place == size ? last_cell : cell_of_place[place];
    for (; cell <= until; ++cell) starts_[cell] = static_cast<std::uint32_t>(place);
  }
}

void Grid::Search(const AgentPlaces& agents, std::size_t self, float x, float y, std::uint32_t most,
                  Nearest& nearest) const {
  const double moved = static_cast<double>(agents.moved);
  double reach = Reach(nearest);
  if (!nearest.full()) reach = std::min(reach, FirstReach(most) * size_);
  Window seen{1, 0, 1, 0};  // nothing
  for (;;) {
    const Window window = Around(x, y, reach + moved);
    for (std::uint32_t row = window.first_row; row <= window.last_row; ++row) {
      const std::uint32_t* const starts = starts_.data() + static_cast<std::size_t>(row) * columns_;
      if (row < seen.first_row || row > seen.last_row) {
        OfferRun(agents, starts[window.first_column], starts[window.last_column + 1], self, x, y, nearest);
      } else {
        OfferRun(agents, starts[window.first_column], starts[seen.first_column], self, x, y, nearest);
        OfferRun(agents, starts[seen.last_column + 1], starts[window.last_column + 1], self, x, y, nearest);
      }
    }
    seen = window;
    // Done once all cells were seen that can hold an agent within the limit as it now stands.
    const double needed = Reach(nearest);
    if (needed <= reach) return;
    const Window rest = Around(x, y, needed + moved);
    if (rest.first_column >= seen.first_column && rest.last_column <= seen.last_column &&
        rest.first_row >= seen.first_row && rest.last_row <= seen.last_row) {
      return;
    }
    reach = nearest.full() ? needed : std::min(needed, 2.0 * reach);
  }
}

}  // namespace throng
