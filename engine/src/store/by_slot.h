// Records of the few agents that have one, found by slot, so that sorting agents moves nothing here. Empty, it holds
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.h"

namespace throng {

// Dense places, slots and ranks; World refuses more agents than fit.
using Index = std::uint32_t;
inline constexpr Index kNoIndex = 0xffffffff;

// Record has a member `slot`, by which it is told.
template <class Record>
class BySlot {
 public:
  bool empty() const { return records_.empty(); }
  std::size_t size() const { return records_.size(); }
  // In no order that matters; valid until the next change.
  std::span<Record> all() { return records_; }
  std::span<const Record> all() const { return records_; }

  // Null: there is none. Valid until the next change.
  Record* Find(Index slot) { return Has(slot) ? &records_[index_[slot]] : nullptr; }
  const Record* Find(Index slot) const { return Has(slot) ? &records_[index_[slot]] : nullptr; }

  // The one that there is, or a new one.
  Record& Put(Index slot) {
    if (slot >= index_.size()) index_.resize(std::size_t{slot} + 1, kNoIndex);
    if (index_[slot] == kNoIndex) {
      index_[slot] = static_cast<Index>(records_.size());
      records_.emplace_back().slot = slot;
    }
    return records_[index_[slot]];
  }

  void Drop(Index slot) {
    if (!Has(slot)) return;
    const Index index = index_[slot];
    if (index + 1 != records_.size()) {
      records_[index] = std::move(records_.back());
      index_[records_[index].slot] = index;
    }
    records_.pop_back();
    index_[slot] = kNoIndex;
    ShrinkIfSparse(records_);
    if (records_.empty()) Release(index_);
  }

  // What the agent with slot `from_slot` of another store has, if anything.
  void CopyFrom(const BySlot& from, Index from_slot, Index to_slot) {
    const Record* const record = from.Find(from_slot);
    if (record == nullptr) return;
    Record& put = Put(to_slot);
    put = *record;
    put.slot = to_slot;
  }

  void Clear() { *this = {}; }

  // Agents get new slots: slots[i] becomes i.
  void Renumber(std::span<const Index> slots) {
    std::vector<Index> index(records_.empty() ? 0 : slots.size(), kNoIndex);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!Has(slots[i])) continue;
      index[i] = index_[slots[i]];
      records_[index[i]].slot = static_cast<Index>(i);
    }
    index_ = std::move(index);
  }

  std::size_t memory_bytes() const { return records_.capacity() * sizeof(Record) + index_.capacity() * sizeof(Index); }

 private:
  bool Has(Index slot) const { return slot < index_.size() && index_[slot] != kNoIndex; }

  std::vector<Record> records_;  // without gaps
  std::vector<Index> index_;     // in them, by slot; kNoIndex: none. Slots past its end have none
};

}  // namespace throng
