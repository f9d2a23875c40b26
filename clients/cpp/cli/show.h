// The part that `watch` and `demo` share: frames come in and are shown until enough is seen.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "clients/cpp/cli/context.h"
#include "clients/cpp/cli/crowd_view.h"
#include "clients/cpp/cli/terminal.h"

namespace throng::cli {

// Shows frames: as pictures on a terminal, else as a line a second.
class Show {
 public:
  // `picture`: whether one is wanted, if there is a terminal for it.
  Show(const Context& context, client::World world, bool picture);

  // `more`: a second line below the picture.
  void Take(const client::Frame& frame, const std::string& more);
  // Of a world that sends nothing new, such as a paused one: says so.
  void Idle(const client::Frame& frame, const std::string& why);
  // Prints the last frame's line, if it has not been.
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;
  void RefreshObstacles();

  const client::World world_;
  const bool json_;
  const bool colored_;
  CrowdView view_;
  StreamMeter meter_;
  client::Frame last_;
  bool last_printed_ = true;
  Clock::time_point next_line_{};
  Clock::time_point next_refresh_{};
  std::optional<std::uint64_t> obstacle_version_;
  std::optional<Screen> screen_;
};

}  // namespace throng::cli
