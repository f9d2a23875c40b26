#include "index/nearest.h"

namespace throng {
namespace {

// Up to so many candidates, counting for each how many are nearer beats sorting them.
constexpr std::size_t kMostCounted = 48;

// Places in ascending order of distance. False if two distances are equal: the order is then not decided.
bool RankByCounting(Candidates& candidates, std::array<std::uint32_t, kMostCounted>& order) {
  const std::size_t size = candidates.size;
  const std::size_t padded = (size + 7) / 8 * 8;
  float* const distances = candidates.distances_squared.data();
  std::fill(distances + size, distances + padded, std::numeric_limits<float>::infinity());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    std::uint32_t rank = 0;
    for (std::size_t j = 0; j < padded; ++j) rank += static_cast<std::uint32_t>(distances[j] < distances[i]);
    order[rank] = static_cast<std::uint32_t>(i);
    sum += rank;
  }
  return sum == size * (size - 1) / 2;
}

}  // namespace

void Nearest::TakeFrom(Candidates& candidates, const std::uint32_t* id) {
  std::array<std::uint32_t, kMostCounted> order;
  const std::size_t size = candidates.size;
  if (size == 0) return;
  if (size > kMostCounted || !RankByCounting(candidates, order)) {
    for (std::size_t i = 0; i < size; ++i) {
      Offer(candidates.distances_squared[i], id[candidates.places[i]], candidates.places[i]);
    }
    return;
  }
  size_ = static_cast<std::uint32_t>(std::min<std::size_t>(size, most_));
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    places_[rank] = candidates.places[order[rank]];
    keys_[rank] = Key(candidates.distances_squared[order[rank]], id[places_[rank]]);
  }
  if (full()) limit_ = keys_[size_ - 1];
}

}  // namespace throng
