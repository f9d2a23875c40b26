// Giving memory back. Assigning {} to a container keeps its capacity.
#pragma once

#include <cstddef>

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

}  // namespace throng
