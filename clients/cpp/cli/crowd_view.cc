#include "clients/cpp/cli/crowd_view.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cpp/cli/canvas.h"

namespace throng::cli {
namespace {

// Its vertices; of a capsule the rim, so many seconds after it stood as it says.
std::vector<client::Vector2> OutlineOf(const client::Obstacle& obstacle, double seconds) {
  if (obstacle.kind != client::ObstacleKind::kCapsule || obstacle.vertices.size() != 2) return obstacle.vertices;
  constexpr int kPointsAnEnd = 9;
  constexpr double kPi = 3.14159265358979323846;
  const auto velocity = obstacle.velocity.value_or(client::Vector2{});
  const double radius = obstacle.radius.value_or(0.0f);
  const auto& [ax, ay] = obstacle.vertices[0];
  const auto& [bx, by] = obstacle.vertices[1];
  const double along = std::atan2(double{by} - ay, double{bx} - ax);
  std::vector<client::Vector2> rim;
  for (int i = 0; i < 2 * kPointsAnEnd; ++i) {
    const int end = i / kPointsAnEnd;
    const double angle = along + kPi * (0.5 + end + static_cast<double>(i % kPointsAnEnd) / (kPointsAnEnd - 1));
    const auto& [x, y] = obstacle.vertices[static_cast<std::size_t>(end)];
    rim.push_back({static_cast<float>(x + seconds * velocity.x + radius * std::cos(angle)),
                   static_cast<float>(y + seconds * velocity.y + radius * std::sin(angle))});
  }
  return rim;
}

}  // namespace

void StreamMeter::Add(const client::Frame& frame) {
  const auto now = Clock::now();
  ticks_skipped_ += frame.ticks_skipped();
  if (begin_ == Clock::time_point()) {
    begin_ = now;
    begin_tick_ = frame.tick();
    return;
  }
  ++frames_;
  bytes_ += frame.wire_bytes();
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  if (ready_ && seconds < 1.0) return;
  if (seconds <= 0.0) return;
  tick_rate_ = static_cast<double>(frame.tick() - begin_tick_) / seconds;
  frame_rate_ = static_cast<double>(frames_) / seconds;
  byte_rate_ = static_cast<double>(bytes_) / seconds;
  if (seconds < 1.0) return;  // the first second shows what it has so far
  ready_ = true;
  begin_ = now;
  begin_tick_ = frame.tick();
  frames_ = bytes_ = 0;
}

client::Columns ViewColumns() {
  client::Columns columns;
  columns.position = columns.velocity = columns.preferred_velocity = columns.radius = true;
  return columns;
}

void CrowdView::SetObstacles(std::vector<client::Obstacle> obstacles, double time) {
  obstacles_ = std::move(obstacles);
  obstacle_time_ = time;
}

void CrowdView::Box::Cover(double x, double y) {
  if (empty) {
    *this = {x, y, x, y, false};
    return;
  }
  x0 = std::min(x0, x);
  y0 = std::min(y0, y);
  x1 = std::max(x1, x);
  y1 = std::max(y1, y);
}

void CrowdView::Follow(const client::Frame& frame) {
  Box all;
  for (const auto& obstacle : obstacles_) {
    if (obstacle.kind == client::ObstacleKind::kCapsule) continue;  // it may go far away
    for (const auto& vertex : obstacle.vertices) all.Cover(vertex.x, vertex.y);
  }
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const double r = frame.radius().empty() ? 0.0 : frame.radius()[i];
    all.Cover(frame.x()[i] - r, frame.y()[i] - r);
    all.Cover(frame.x()[i] + r, frame.y()[i] + r);
  }
  if (all.empty) return;
  if (box_.empty) box_ = all;
  constexpr double kShrink = 0.02;  // of the difference, per frame
  box_.x0 = all.x0 < box_.x0 ? all.x0 : box_.x0 + kShrink * (all.x0 - box_.x0);
  box_.y0 = all.y0 < box_.y0 ? all.y0 : box_.y0 + kShrink * (all.y0 - box_.y0);
  box_.x1 = all.x1 > box_.x1 ? all.x1 : box_.x1 + kShrink * (all.x1 - box_.x1);
  box_.y1 = all.y1 > box_.y1 ? all.y1 : box_.y1 + kShrink * (all.y1 - box_.y1);
}

std::string CrowdView::Draw(const client::Frame& frame, const std::string& status, TerminalSize size, bool colored) {
  const auto status_rows = static_cast<int>(std::count(status.begin(), status.end(), '\n')) + 1;
  Canvas canvas(std::max(size.columns, 10), std::max(size.rows - status_rows, 3));
  Follow(frame);
  const double width = std::max(box_.x1 - box_.x0, 1.0);
  const double height = std::max(box_.y1 - box_.y0, 1.0);
  const double scale = std::min((canvas.width() - 1) / width, (canvas.height() - 1) / height);  // [dots/m]
  const double left = (canvas.width() - scale * width) / 2;
  const double top = (canvas.height() - scale * height) / 2;
  const auto px = [&](double x) { return left + scale * (x - box_.x0); };
  const auto py = [&](double y) { return top + scale * (box_.y1 - y); };

  for (const auto& obstacle : obstacles_) {
    const auto v = OutlineOf(obstacle, frame.time() - obstacle_time_);
    const bool open = obstacle.kind == client::ObstacleKind::kWall;
    for (std::size_t i = 0; i + (open ? 1 : 0) < v.size(); ++i) {
      const auto& next = v[(i + 1) % v.size()];
      canvas.Wall(px(v[i].x), py(v[i].y), px(next.x), py(next.y));
    }
  }
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const int color = ColorOfHeading(frame.preferred_vx()[i], frame.preferred_vy()[i]);
    canvas.Disc(px(frame.x()[i]), py(frame.y()[i]), scale * frame.radius()[i], color);
  }
  return absl::StrCat(canvas.ToString(colored), "\n", status);
}

std::string StatusLine(const std::string& world, const client::Frame& frame, const StreamMeter& meter) {
  std::string line = absl::StrFormat("%s  tick %d  %.1f s  %d agents  %.1f ticks/s  %.0f kB/s", world, frame.tick(),
                                     frame.time(), frame.size(), meter.tick_rate(), meter.byte_rate() / 1e3);
  if (meter.ticks_skipped() > 0) absl::StrAppend(&line, "  ", meter.ticks_skipped(), " skipped");
  return line;
}

std::string StatusRecord(const std::string& world, const client::Frame& frame, const StreamMeter& meter, bool json) {
  if (!json) {
    return absl::StrFormat(
        "world=%s tick=%d time=%.3f agents=%d ticks_per_second=%.1f frames_per_second=%.1f "
        "bytes_per_second=%.0f ticks_skipped=%d",
        world, frame.tick(), frame.time(), frame.size(), meter.tick_rate(), meter.frame_rate(), meter.byte_rate(),
        meter.ticks_skipped());
  }
  return nlohmann::ordered_json({{"world", world},
                                 {"tick", frame.tick()},
                                 {"time", frame.time()},
                                 {"agents", frame.size()},
                                 {"ticks_per_second", meter.tick_rate()},
                                 {"frames_per_second", meter.frame_rate()},
                                 {"bytes_per_second", meter.byte_rate()},
                                 {"ticks_skipped", meter.ticks_skipped()}})
      .dump();
}

}  // namespace throng::cli
