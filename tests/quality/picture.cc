#include "tests/quality/picture.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace throng::quality {
namespace {

constexpr double kWidth = 1000.0;        // of the drawing, in pixels
constexpr double kHead = 66.0;           // height of the title
constexpr double kFoot = 60.0;           // and of the legend
constexpr double kMargin = 3.0;          // [m] around what is drawn
constexpr std::size_t kPoints = 60'000;  // of all ways; longer ones are thinned
// Apart for people who see few colours, too (Okabe and Ito).
constexpr std::array<std::string_view, 4> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};

struct Frame {
  double min_x = 1e9, min_y = 1e9, max_x = -1e9, max_y = -1e9;
  void Take(Vec2 p) {
    min_x = std::min(min_x, double{p.x});
    min_y = std::min(min_y, double{p.y});
    max_x = std::max(max_x, double{p.x});
    max_y = std::max(max_y, double{p.y});
  }
};

class Drawing {
 public:
  explicit Drawing(const Result& result) : result_(result), play_(result.recording.play) {
    for (const auto& way : result.recording.ways) {
      for (const Vec2 point : way) frame_.Take(point);
      points_ += way.size();
    }
    for (const ObstacleSpec& obstacle : play_.obstacles) {
      for (const Vec2 vertex : obstacle.vertices) frame_.Take(vertex);
    }
    scale_ = kWidth / (frame_.max_x - frame_.min_x + 2.0 * kMargin);
    height_ = std::max(120.0, scale_ * (frame_.max_y - frame_.min_y + 2.0 * kMargin));
  }

  std::string Make() {
    absl::StrAppendFormat(&svg_,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
                          "height=\"%.0f\" font-family=\"sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" "
                          "fill=\"#ffffff\"/>\n",
                          kWidth, kHead + height_ + kFoot, kWidth, kHead + height_ + kFoot);
    Title();
    for (const ObstacleSpec& obstacle : play_.obstacles) Obstacle(obstacle);
    for (std::size_t i = 0; i < play_.walkers.size(); ++i) Way(i);
    for (std::size_t i = 0; i < play_.walkers.size(); ++i) Ends(i);
    Opening();
    Legend();
    absl::StrAppend(&svg_, "</svg>\n");
    return svg_;
  }

 private:
  double X(Vec2 p) const { return scale_ * (double{p.x} - frame_.min_x + kMargin); }
  double Y(Vec2 p) const {
    const double spare = height_ - scale_ * (frame_.max_y - frame_.min_y);
    return kHead + scale_ * (frame_.max_y - double{p.y}) + 0.5 * spare;
  }
  std::string_view Color(std::size_t agent) const { return kColors[play_.walkers[agent].group % kColors.size()]; }

  void Label(double x, double y, double size, std::string_view text) {
    absl::StrAppendFormat(&svg_, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" fill=\"#222222\">%s</text>\n", x, y,
                          size, text);
  }

  void Title() {
    const Scene& scene = *result_.scene;
    const char* extensions = result_.extensions == Extensions::kOn ? "extensions on" : "extensions off: plain ORCA";
    Label(12, 24, 19, absl::StrFormat("%s, %d agents, %s", scene.name, scene.agents, extensions));
    Label(12, 42, 12, scene.about);
    const std::string last = result_.last_over_free ? absl::StrFormat("%.2f", *result_.last_over_free) : "none";
    Label(
        12, 59, 12,
        absl::StrFormat("Worst of %d runs: arrived %.1f %%, last arrival / free time %s, deepest overlap %.3f m, wall "
                        "crossings %d, stalled %d. Drawn: the first run.",
                        result_.runs, 100.0 * result_.worst.arrived, last, result_.worst.overlap,
                        result_.worst.wall_crossings, result_.worst.stalled));
  }

  std::string Points(const std::vector<Vec2>& points, std::size_t every) const {
    std::string text;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % every == 0 || i + 1 == points.size())
        absl::StrAppendFormat(&text, "%.1f,%.1f ", X(points[i]), Y(points[i]));
    }
    return text;
  }

  void Obstacle(const ObstacleSpec& obstacle) {
    const bool wall = obstacle.kind == ObstacleKind::kWall;
    const bool solid = obstacle.kind == ObstacleKind::kSolid;
    absl::StrAppendFormat(&svg_, "<%s points=\"%s\" fill=\"%s\" stroke=\"#444444\" stroke-width=\"%s\"/>\n",
                          wall ? "polyline" : "polygon", Points(obstacle.vertices, 1), solid ? "#bbbbbb" : "none",
                          wall ? "3" : "1");
  }

  void Way(std::size_t agent) {
    const std::vector<Vec2>& way = result_.recording.ways[agent];
    const std::size_t every = 1 + points_ / kPoints;
    const double width = std::clamp(12.0 / std::sqrt(static_cast<double>(play_.walkers.size())), 0.5, 2.0);
    absl::StrAppendFormat(&svg_,
                          "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" "
                          "stroke-opacity=\"0.55\"/>\n",
                          Points(way, every), Color(agent), width);
  }

  // Hollow where it began; full where it is in the end, unless it has left.
  void Ends(std::size_t agent) {
    const Walker& walker = play_.walkers[agent];
    const std::vector<Vec2>& way = result_.recording.ways[agent];
    const double radius = scale_ * double{walker.radius};
    absl::StrAppendFormat(&svg_, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"none\" stroke=\"%s\"/>\n",
                          X(way.front()), Y(way.front()), radius, Color(agent));
    const Vec2 end = way.back();
    if (walker.leaves && Distance(end, walker.route.back()) < double{walker.arrival_radius} + double{walker.speed})
      return;
    absl::StrAppendFormat(&svg_,
                          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" fill-opacity=\"0.7\" "
                          "stroke=\"#222222\" stroke-width=\"0.6\"/>\n",
                          X(end), Y(end), radius, Color(agent));
  }

  void Opening() {
    if (!play_.opening) return;
    absl::StrAppendFormat(&svg_,
                          "<polyline points=\"%s\" stroke=\"#222222\" stroke-width=\"2\" stroke-dasharray=\"3 3\"/>\n",
                          Points({play_.opening->a, play_.opening->b}, 1));
  }

  void Legend() {
    const double y = kHead + height_ + 30.0;
    double metres = 1.0;
    for (const double next : {2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
      if (metres * scale_ < 60.0) metres = next;
    }
    absl::StrAppendFormat(&svg_,
                          "<path d=\"M12,%.1f v8 h%.1f v-8\" fill=\"none\" stroke=\"#222222\" stroke-width=\"1.5\"/>\n",
                          y - 8.0, metres * scale_);
    Label(20.0 + metres * scale_, y, 13, absl::StrFormat("%g m", metres));
    double x = 130.0 + metres * scale_;
    std::size_t groups = 0;
    for (const Walker& walker : play_.walkers) groups = std::max(groups, walker.group + 1);
    for (std::size_t group = 0; group < groups; ++group) {
      absl::StrAppendFormat(&svg_, "<rect x=\"%.1f\" y=\"%.1f\" width=\"22\" height=\"6\" fill=\"%s\"/>\n", x, y - 8.0,
                            kColors[group % kColors.size()]);
      Label(x + 28.0, y, 13, absl::StrFormat("group %d", group + 1));
      x += 105.0;
    }
    absl::StrAppendFormat(&svg_, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"none\" stroke=\"#222222\"/>\n", x,
                          y - 5.0);
    Label(x + 12.0, y, 13, "start");
    absl::StrAppendFormat(&svg_, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"#777777\"/>\n", x + 70.0, y - 5.0);
    Label(x + 82.0, y, 13, "end (none: it has left)");
  }

  const Result& result_;
  const Play& play_;
  Frame frame_;
  std::size_t points_ = 0;
  double scale_ = 1.0;
  double height_ = 0.0;
  std::string svg_;
};

}  // namespace

std::string Draw(const Result& result) { return Drawing(result).Make(); }

}  // namespace throng::quality
