// Stable radix sort of (key, index) pairs, cut into blocks that may run on several threads or one by one over many
// calls. Blocks have a fixed size, so the result does not depend on how it is run.
//
//   sort.Reset(n, bits, room for indices, room for keys); fill sort.keys() and sort.indices();
//   while (!sort.done()) { for each block < sort.blocks(): sort.RunBlock(block); sort.FinishPass(); }
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/memory.h"

namespace throng {

inline constexpr std::size_t kSortBlock = 8192;  // elements

inline constexpr std::size_t SortBlocks(std::size_t size) { return (size + kSortBlock - 1) / kSortBlock; }

template <class Key>
class RadixSort {
 public:
  // Elements that a sort works in, of indices and of keys.
  static constexpr std::size_t Room(std::size_t size) { return 2 * Padded(size); }

  // Keys have no bit set above the lowest `bits`. `indices` and `keys` have Room(size) elements, which the sort does
  // not own. most_bits: how many bits there may be in a later sort of as many, which then takes no more memory.
  void Reset(std::size_t size, int bits, int most_bits, std::uint32_t* indices, Key* keys) {
    size_ = size;
    indices_ = indices;
    next_indices_ = indices + Padded(size);
    keys_ = keys;
    next_keys_ = keys + Padded(size);
    passes_left_ = (bits + kMaxDigit - 1) / kMaxDigit;
    digit_ = passes_left_ == 0 ? 0 : (bits + passes_left_ - 1) / passes_left_;
    shift_ = 0;
    scattering_ = false;
    const std::size_t most_counts = SortBlocks(size) << std::min(most_bits, kMaxDigit);
    ReleaseIfSparse(counts_, most_counts);
    counts_.reserve(most_counts);
    counts_.resize(SortBlocks(size) << digit_);
  }

  std::size_t size() const { return size_; }
  Key* keys() { return keys_; }
  const Key* keys() const { return keys_; }
  std::uint32_t* indices() { return indices_; }
  const std::uint32_t* indices() const { return indices_; }
  // The half of the indices' room that is free once all is done.
  std::uint32_t* free_indices() { return next_indices_; }

  bool done() const { return passes_left_ == 0 || size_ == 0; }
  std::size_t blocks() const { return SortBlocks(size_); }

  // Different blocks may run at once.
  void RunBlock(std::size_t block) {
    const std::size_t begin = block * kSortBlock, end = std::min(size_, begin + kSortBlock);
    std::uint32_t* const counts = counts_.data() + (block << digit_);
    if (!scattering_) {
      std::fill_n(counts, std::size_t{1} << digit_, 0);
      for (std::size_t i = begin; i < end; ++i) ++counts[Digit(keys_[i])];
      return;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t place = counts[Digit(keys_[i])]++;
      next_keys_[place] = keys_[i];
      next_indices_[place] = indices_[i];
    }
  }

  // Call once all blocks have run.
  void FinishPass() {
    if (scattering_) {
      std::swap(keys_, next_keys_);
      std::swap(indices_, next_indices_);
      scattering_ = false;
      NextDigit();
    } else if (CountsToPlaces()) {
      scattering_ = true;
    } else {
      NextDigit();  // all keys have the same digit
    }
  }

  std::size_t memory_bytes() const { return counts_.capacity() * sizeof(std::uint32_t); }

 private:
  static constexpr int kMaxDigit = 11;  // bits; the counts of a block stay in the first-level cache

  static constexpr std::size_t Padded(std::size_t size) { return (size + 15) / 16 * 16; }

  std::size_t Digit(Key key) const {
    return static_cast<std::size_t>(key >> shift_) & ((std::size_t{1} << digit_) - 1);
  }

  void NextDigit() {
    --passes_left_;
    shift_ += digit_;
  }

  // Turns each block's counts into the places where its elements go. False: nothing would move.
  bool CountsToPlaces() {
    std::uint32_t place = 0;
    for (std::size_t digit = 0; digit < (std::size_t{1} << digit_); ++digit) {
      const std::uint32_t first = place;
      for (std::size_t block = 0; block < blocks(); ++block) {
        place += std::exchange(counts_[(block << digit_) + digit], place);
      }
      if (place - first == size_) return false;
    }
    return true;
  }

  std::size_t size_ = 0;
  int passes_left_ = 0;
  int digit_ = 0;  // bits of a pass
  int shift_ = 0;
  bool scattering_ = false;
  Key *keys_ = nullptr, *next_keys_ = nullptr;
  std::uint32_t *indices_ = nullptr, *next_indices_ = nullptr;
  std::vector<std::uint32_t> counts_;  // by block, then digit
};

}  // namespace throng
