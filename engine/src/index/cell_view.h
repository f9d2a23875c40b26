// A uniform grid as plain data, for kernels.
#pragma once

#include <cstdint>

namespace throng {

struct CellView {
  double min_x = 0.0, min_y = 0.0;  // [m]
  double size = 1.0;                // [m] of a cell
  double inverse_size = 1.0;        // [1/m]
  std::uint32_t columns = 1, rows = 1;
  const std::uint32_t* starts = nullptr;  // columns * rows + 1: place of each cell's first agent, row by row
};

}  // namespace throng
