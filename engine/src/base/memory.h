// Giving memory back. Assigning {} to a container keeps its capacity.
#pragma once

#include <cstddef>
#include <iterator>

namespace throng {

template <class Container>
void Release(Container& container) {
  Container().swap(container);
}

// Empties a vector that holds far more than the elements wanted next; small ones are left alone.
template <class Vector>
void ReleaseIfSparse(Vector& vector, std::size_t wanted) {
  constexpr std::size_t kSmall = 16 * 1024;  // bytes
  if (vector.capacity() * sizeof(vector[0]) > kSmall && vector.capacity() / 4 > wanted) Release(vector);
}

// Keeps the elements of a vector, but not room for far more.
template <class Vector>
void ShrinkIfSparse(Vector& vector) {
  constexpr std::size_t kSmall = 256;  // elements
  if (vector.empty()) {
    Release(vector);
  } else if (vector.capacity() > kSmall && vector.capacity() / 4 > vector.size()) {
    Vector(std::make_move_iterator(vector.begin()), std::make_move_iterator(vector.end())).swap(vector);
  }
}

}  // namespace throng
