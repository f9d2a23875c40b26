#include "clients/cpp/cli/canvas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace throng::cli {
namespace {

constexpr int kResting = Canvas::kColors - 1;
constexpr const char* kColorCodes[Canvas::kColors] = {
    "\x1b[38;5;45m",  "\x1b[38;5;43m",  "\x1b[38;5;76m",  "\x1b[38;5;178m", "\x1b[38;5;208m",
    "\x1b[38;5;203m", "\x1b[38;5;199m", "\x1b[38;5;135m", "\x1b[38;5;250m",
};
constexpr char kWallCode[] = "\x1b[38;5;244m";
// Slower than this [m/s] has no heading.
constexpr float kStill = 0.05f;
// Bits of the braille block U+2800, by column and row.
constexpr std::uint8_t kDots[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

void AppendBraille(std::uint8_t dots, std::string& out) {
  out += '\xe2';
  out += static_cast<char>(0xa0 | (dots >> 6));
  out += static_cast<char>(0x80 | (dots & 0x3f));
}

}  // namespace

const char* ColorCode(int color) { return kColorCodes[color]; }

int ColorOfHeading(float vx, float vy) {
  if (vx * vx + vy * vy < kStill * kStill) return kResting;
  const double eighths = std::atan2(vy, vx) / (std::numbers::pi / 4);
  return static_cast<int>(std::lround(eighths) + 8) % 8;
}

Canvas::Canvas(int columns, int rows)
    : columns_(columns), rows_(rows), cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

Canvas::Cell* Canvas::At(int x, int y, std::uint8_t* bit) {
  if (x < 0 || y < 0 || x >= width() || y >= height()) return nullptr;
  *bit = kDots[x % 2][y % 4];
  return &cells_[static_cast<std::size_t>(y / 4) * static_cast<std::size_t>(columns_) +
                 static_cast<std::size_t>(x / 2)];
}

void Canvas::Dot(int x, int y, int color) {
  std::uint8_t bit = 0;
  Cell* cell = At(x, y, &bit);
  if (cell == nullptr) return;
  cell->dots |= bit;
  if (color >= 0 && cell->votes[static_cast<std::size_t>(color)] < 255) ++cell->votes[static_cast<std::size_t>(color)];
}

void Canvas::Wall(double x0, double y0, double x1, double y1) {
  const double length = std::max(std::abs(x1 - x0), std::abs(y1 - y0));
  // Walls may reach far out of the picture; their dots there cost nothing worth clipping for, within reason.
  const int steps = static_cast<int>(std::min(length * 1.5 + 1.0, 1e5));
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    Dot(static_cast<int>(std::floor(x0 + t * (x1 - x0))), static_cast<int>(std::floor(y0 + t * (y1 - y0))), -1);
  }
}

void Canvas::Disc(double x, double y, double radius, int color) {
  Dot(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)), color);
  if (radius < 1.0) return;
  for (int dy = static_cast<int>(std::floor(y - radius)); dy <= static_cast<int>(y + radius); ++dy) {
    for (int dx = static_cast<int>(std::floor(x - radius)); dx <= static_cast<int>(x + radius); ++dx) {
      if (std::hypot(dx + 0.5 - x, dy + 0.5 - y) <= radius) Dot(dx, dy, color);
    }
  }
}

std::string Canvas::ToString(bool colored) const {
  std::string out;
  for (int row = 0; row < rows_; ++row) {
    const char* current = "";
    for (int column = 0; column < columns_; ++column) {
      const Cell& cell =
          cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column)];
      if (cell.dots == 0) {
        out += ' ';
        continue;
      }
      const auto most = std::max_element(cell.votes.begin(), cell.votes.end());
      const char* code = *most == 0 ? kWallCode : kColorCodes[most - cell.votes.begin()];
      if (colored && code != current) out += current = code;
      AppendBraille(cell.dots, out);
    }
    if (colored) out += kColorEnd;
    if (row + 1 < rows_) out += '\n';
  }
  return out;
}

}  // namespace throng::cli
