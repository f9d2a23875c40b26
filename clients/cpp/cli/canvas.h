// A picture in characters: every cell of the terminal is 2 x 4 dots of braille in one colour.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace throng::cli {

class Canvas {
 public:
  // Colours 0 to kColors - 1 are of agents (the last is of those at rest); walls have their own.
  static constexpr int kColors = 9;

  // In cells.
  Canvas(int columns, int rows);

  // In dots; y grows downwards. What lies outside is left out.
  int width() const { return columns_ * 2; }
  int height() const { return rows_ * 4; }
  void Wall(double x0, double y0, double x1, double y1);
  void Disc(double x, double y, double radius, int color);
  // Lines joined by newlines, with escape sequences for colours if `colored`. Cells take the colour of most of their
  // dots.
  std::string ToString(bool colored) const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    std::array<std::uint8_t, kColors> votes{};
  };
  Cell* At(int x, int y, std::uint8_t* bit);
  void Dot(int x, int y, int color);

  int columns_;
  int rows_;
  std::vector<Cell> cells_;
};

// The escape sequence that begins agents' colour `color`.
const char* ColorCode(int color);
inline constexpr char kColorEnd[] = "\x1b[0m";
// The colour of a heading: eight of them, anti-clockwise from east.
int ColorOfHeading(float vx, float vy);
inline constexpr int kEast = 0;
inline constexpr int kWest = 4;

}  // namespace throng::cli
