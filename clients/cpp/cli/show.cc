#include "clients/cpp/cli/show.h"

#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace throng::cli {
namespace {

// The line, cut to the width, so that it does not wrap.
std::string Fit(std::string line, int columns) {
  if (line.size() > static_cast<std::size_t>(columns)) line.resize(static_cast<std::size_t>(columns));
  return line;
}

}  // namespace

Show::Show(const Context& context, client::World world, bool picture)
    : world_(std::move(world)), json_(context.json), colored_(WantsColor()) {
  if (picture && !json_ && IsTerminal()) screen_.emplace();
}

void Show::RefreshObstacles() {
  if (Clock::now() < next_refresh_) return;
  next_refresh_ = Clock::now() + std::chrono::seconds(2);
  const auto info = world_.Get();
  if (!info.ok() || info->obstacle_version == obstacle_version_) return;
  auto obstacles = world_.ListObstacles();
  if (!obstacles.ok()) return;
  if (const auto& bounds = info->settings.bounds) {
    const auto& [low, high] = *bounds;
    obstacles->push_back({.kind = client::ObstacleKind::kEnclosure,
                          .vertices = {{low.x, low.y}, {low.x, high.y}, {high.x, high.y}, {high.x, low.y}}});
  }
  view_.SetObstacles(*std::move(obstacles), info->simulation_time);
  obstacle_version_ = info->obstacle_version;
}

void Show::Take(const client::Frame& frame, const std::string& more) {
  meter_.Add(frame);
  last_ = frame;
  last_printed_ = false;
  if (screen_) {
    RefreshObstacles();
    const TerminalSize size = GetTerminalSize();
    std::string status = Fit(StatusLine(world_.name(), frame, meter_), size.columns);
    absl::StrAppend(&status, "\n", more);
    screen_->Show(view_.Draw(frame, status, size, colored_));
    return;
  }
  if (Clock::now() < next_line_) return;
  next_line_ = Clock::now() + std::chrono::seconds(1);
  std::cout << StatusRecord(world_.name(), frame, meter_, json_) << std::endl;
  last_printed_ = true;
}

void Show::Idle(const client::Frame& frame, const std::string& why) {
  if (!screen_) return;
  RefreshObstacles();
  const TerminalSize size = GetTerminalSize();
  screen_->Show(
      view_.Draw(frame, Fit(StatusLine(world_.name(), frame, meter_), size.columns) + "\n" + why, size, colored_));
}

void Show::Finish() {
  screen_.reset();
  if (!std::exchange(last_printed_, true)) {
    std::cout << StatusRecord(world_.name(), last_, meter_, json_) << std::endl;
  }
}

}  // namespace throng::cli
