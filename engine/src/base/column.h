// A growable array of one field of all agents. Aligned to a cache line and padded to whole vectors of kLanes elements
// and one vector more, so that a vector may be read from any element on. The padding holds a value that is harmless to
// compute with, so kernels need no tail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace throng {

inline constexpr std::size_t kLanes = 16;
inline constexpr std::size_t kColumnAlignment = 64;

template <class T>
class ColumnOf {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit ColumnOf(T pad = T{}) : pad_(pad) {}
  ~ColumnOf() { Free(data_); }
  ColumnOf(ColumnOf&& other) noexcept : pad_(other.pad_) { SwapElements(other); }
  ColumnOf& operator=(ColumnOf&& other) noexcept {
    SwapElements(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }

  // Grown elements have the padding's value.
  void Resize(std::size_t size) {
    if (Padded(size) > capacity_) Reallocate(Grown(size));
    std::fill(data_ + std::min(size, size_), data_ + Padded(size), pad_);
    size_ = size;
  }
  void PushBack(T value) {
    Resize(size_ + 1);
    back() = value;
  }
  void PopBack() { Resize(size_ - 1); }

  // Gives memory back once less than a quarter of it is in use.
  void ShrinkIfSparse() {
    if (capacity_ > kMinShrink && Padded(size_) * 4 < capacity_) Reallocate(Padded(size_));
  }

  // Exchanges the elements; each column pads what it gets with its own value.
  void SwapElements(ColumnOf& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    Pad();
    other.Pad();
  }

 private:
  static constexpr std::size_t kMinShrink = 1024;

  static std::size_t Padded(std::size_t size) { return size == 0 ? 0 : (size + kLanes - 1) / kLanes * kLanes + kLanes; }
  // Doubling wastes too much of a large world's memory; a quarter more is enough to keep growth linear.
  std::size_t Grown(std::size_t size) const { return Padded(std::max(size, capacity_ + capacity_ / 4)); }
  void Pad() { std::fill(data_ + size_, data_ + Padded(size_), pad_); }
  static void Free(T* data) { ::operator delete (data, std::align_val_t{kColumnAlignment}); }

  // What is in use stays and is padded.
  void Reallocate(std::size_t capacity) {
    T* data = nullptr;
    if (capacity > 0) {
      data = static_cast<T*>(::operator new (capacity * sizeof(T), std::align_val_t{kColumnAlignment}));
      std::copy_n(data_, size_, data);
    }
    Free(data_);
    data_ = data;
    capacity_ = capacity;
    Pad();
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  T pad_{};
};

}  // namespace throng
