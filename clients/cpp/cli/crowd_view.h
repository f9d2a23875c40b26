// A world's frame as a picture in the terminal, or as a line.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "clients/cpp/cli/terminal.h"
#include "throng/client.h"

namespace throng::cli {

// Rates of what a stream brings, over about the last second.
class StreamMeter {
 public:
  void Add(const client::Frame& frame);

  double tick_rate() const { return tick_rate_; }    // [1/s]
  double frame_rate() const { return frame_rate_; }  // [1/s]
  double byte_rate() const { return byte_rate_; }    // [1/s]
  std::uint64_t ticks_skipped() const { return ticks_skipped_; }
  // Whether a whole second has been measured.
  bool ready() const { return ready_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_{};
  std::uint64_t begin_tick_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t ticks_skipped_ = 0;
  double tick_rate_ = 0.0;
  double frame_rate_ = 0.0;
  double byte_rate_ = 0.0;
  bool ready_ = false;
};

// Columns that a view needs.
client::Columns ViewColumns();

// Draws agents in the colours of their preferred headings, and obstacles, as large as the terminal allows.
class CrowdView {
 public:
  // As they stood after `time` [s] of the world; capsules are drawn where their velocities have brought them since.
  void SetObstacles(std::vector<client::Obstacle> obstacles, double time);
  // The picture with `status` below.
  std::string Draw(const client::Frame& frame, const std::string& status, TerminalSize size, bool colored);

 private:
  struct Box {
    double x0 = 0.0, y0 = 0.0, x1 = 0.0, y1 = 0.0;
    bool empty = true;
    void Cover(double x, double y);
  };
  // What to show: all that there is. It grows at once and shrinks slowly, so that the picture stands still.
  void Follow(const client::Frame& frame);

  std::vector<client::Obstacle> obstacles_;
  double obstacle_time_ = 0.0;
  Box box_;
};

// "demo  tick 301  10.0 s  300 agents  30.0 ticks/s  98 kB/s", with what was skipped, if anything was.
std::string StatusLine(const std::string& world, const client::Frame& frame, const StreamMeter& meter);
// The same for scripts: key=value, or one JSON object.
std::string StatusRecord(const std::string& world, const client::Frame& frame, const StreamMeter& meter, bool json);

}  // namespace throng::cli
