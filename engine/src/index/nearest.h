// The nearest agents found so far by a search, in the total order (distance^2, id).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "throng/limits.h"

namespace throng {

class Nearest {
 public:
  // Accepts agents strictly nearer than `distance`, the `most` nearest of them.
  void Reset(float distance, std::uint32_t most) {
    most_ = most;
    size_ = 0;
    limit_ = most == 0 ? 0 : Key(distance * distance, 0);
  }

  std::uint32_t size() const { return size_; }
  bool full() const { return size_ == most_; }
  std::uint32_t place(std::uint32_t rank) const { return places_[rank]; }
  float distance_squared(std::uint32_t rank) const { return DistanceSquared(keys_[rank]); }

  // Nothing farther than this is accepted any more; what is as far may be, by its id.
  float limit_squared() const { return DistanceSquared(limit_); }
  // Keys under it are accepted.
  std::uint64_t limit() const { return limit_; }

  // Floats that are not negative compare as their bits do, so one integer holds the whole order.
  static std::uint64_t Key(float distance_squared, std::uint32_t id) {
    return static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(distance_squared)) << 32 | id;
  }

  void Offer(float distance_squared, std::uint32_t id, std::uint32_t place) {
    const std::uint64_t key = Key(distance_squared, id);
    if (key >= limit_) return;
    std::uint32_t rank = full() ? size_ - 1 : size_++;
    for (; rank > 0 && key < keys_[rank - 1]; --rank) {
      keys_[rank] = keys_[rank - 1];
      places_[rank] = places_[rank - 1];
    }
    keys_[rank] = key;
    places_[rank] = place;
    if (full()) limit_ = keys_[size_ - 1];
  }

 private:
  static float DistanceSquared(std::uint64_t key) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32));
  }

  std::uint32_t most_ = 0;
  std::uint32_t size_ = 0;
  std::uint64_t limit_ = 0;
  std::array<std::uint64_t, kMaxNeighborsLimit> keys_;
  std::array<std::uint32_t, kMaxNeighborsLimit> places_;
};

}  // namespace throng
