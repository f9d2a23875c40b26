#include "clients/cpp/cli/canvas.h"

#include <gtest/gtest.h>

namespace throng::cli {
namespace {

TEST(Canvas, DotsAreBraille) {
  Canvas canvas(2, 1);
  canvas.Disc(0, 0, 0, kEast);
  canvas.Disc(3, 3, 0, kEast);
  EXPECT_EQ(canvas.ToString(false), "⠁⢀");
}

TEST(Canvas, DiscsCoverTheirArea) {
  Canvas canvas(2, 1);
  canvas.Disc(2, 2, 2.5, kEast);
  EXPECT_EQ(canvas.ToString(false), "⣿⣿");
}

TEST(Canvas, CellsTakeTheColourOfMostDots) {
  Canvas canvas(1, 1);
  canvas.Disc(0, 0, 0, kWest);
  canvas.Disc(1, 0, 0, kEast);
  canvas.Disc(1, 1, 0, kEast);
  EXPECT_EQ(canvas.ToString(true), std::string(ColorCode(kEast)) + "⠙" + kColorEnd);
}

TEST(Canvas, WhatIsOutsideIsLeftOut) {
  Canvas canvas(1, 1);
  canvas.Wall(-1000, -1, 1000, -1);
  canvas.Disc(-5, 2, 1, kEast);
  canvas.Disc(1e9, 2, 1, kEast);
  EXPECT_EQ(canvas.ToString(false), " ");
}

TEST(Canvas, HeadingsHaveEightColours) {
  EXPECT_EQ(ColorOfHeading(1, 0), kEast);
  EXPECT_EQ(ColorOfHeading(-1, 0), kWest);
  EXPECT_EQ(ColorOfHeading(-1, -0.01f), kWest);
  EXPECT_EQ(ColorOfHeading(0, 1), 2);
  EXPECT_EQ(ColorOfHeading(0, -1), 6);
  EXPECT_EQ(ColorOfHeading(0, 0), Canvas::kColors - 1);
}

}  // namespace
}  // namespace throng::cli
