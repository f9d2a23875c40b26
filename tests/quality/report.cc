#include "tests/quality/report.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace throng::quality {
namespace {

constexpr double kOverlap = 0.02;         // of a radius
constexpr double kOverlapSqueezed = 0.1;  // the same where all must pass an opening
constexpr double kSlower = 1.05;          // times plain

double Rounded(double value) {
  const double scale = value == 0.0 ? 1.0 : std::pow(10.0, 5.0 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Json Number(const std::optional<double>& value) { return value ? Json(Rounded(*value)) : Json(nullptr); }

std::string Text(const std::optional<double>& value, int digits) {
  return value ? absl::StrFormat("%.*f", digits, *value) : "-";
}

class Judgement {
 public:
  void AtMost(const char* what, const std::optional<double>& value, double bound) {
    Add(what, value, bound, value && *value <= bound, "<=", ">");
  }
  void AtLeast(const char* what, double value, double bound) { Add(what, value, bound, value >= bound, ">=", "<"); }
  std::vector<Finding> findings() const { return findings_; }

 private:
  void Add(const char* what, const std::optional<double>& value, double bound, bool ok, const char* met,
           const char* missed) {
    const std::string text = value ? absl::StrFormat("%.3g", *value) : "none";
    findings_.push_back({absl::StrFormat("%s %s %s %.3g", what, text, ok ? met : missed, bound), ok});
  }
  std::vector<Finding> findings_;
};

Json ToJson(const Result& result, const std::vector<Finding>* findings) {
  const Scene& scene = *result.scene;
  const Measures& worst = result.worst;
  Json json = {{"scene", scene.name},
               {"extensions", findings == nullptr ? "off" : "on"},
               {"agents", scene.agents},
               {"arrived", Rounded(worst.arrived)},
               {"last_over_free", Number(result.last_over_free)},
               {"deepest_overlap", Rounded(worst.overlap)},
               {"wall_crossings", worst.wall_crossings},
               {"zigzag_per_agent_s", Rounded(worst.zigzag)},
               {"idle_speed", Rounded(worst.idle_speed)},
               {"stalled", worst.stalled},
               {"flow", Number(worst.flow)},
               {"deepest_overlap_radii", Rounded(worst.overlap_radii)},
               {"detour", Number(worst.detour)},
               {"stalled_most", worst.stalled_most},
               {"parted", Rounded(worst.parted)},
               {"packing", Rounded(result.packing)},
               {"drift", Rounded(worst.drift)},
               {"runs", result.runs},
               {"runs_all_arrived", result.arrived_in_all},
               {"state_hash", absl::StrFormat("%016x", result.hash)}};
  if (findings == nullptr) return json;
  json["met"] = std::ranges::all_of(*findings, &Finding::ok);
  json["bounds"] = Json::array();
  for (const Finding& finding : *findings) json["bounds"].push_back(finding.what);
  return json;
}

void PrintRow(const Result& result, const std::string& verdict) {
  const Scene& scene = *result.scene;
  const Measures& worst = result.worst;
  absl::PrintF("%-13s %-3s %6d %4d %7.3f %6s %8.4f %7.4f %5d %7.3f %8.4f %7d %6s %6s  %s\n", scene.name,
               result.extensions == Extensions::kOn ? "on" : "off", scene.agents, result.runs, worst.arrived,
               Text(result.last_over_free, 2), worst.overlap, worst.overlap_radii, worst.wall_crossings, worst.zigzag,
               worst.idle_speed, worst.stalled, Text(worst.flow, 2), Text(worst.detour, 2), verdict);
}

std::string VerdictOf(const std::vector<Finding>& findings) {
  std::vector<std::string> missed;
  for (const Finding& finding : findings) {
    if (!finding.ok) missed.push_back(finding.what);
  }
  if (missed.empty()) return absl::StrCat("ok (", findings.size(), " bounds)");
  return absl::StrCat("missed ", missed.size(), " of ", findings.size(), ": ", absl::StrJoin(missed, ", "));
}

}  // namespace

std::vector<Finding> Judge(const Result& off, const Result& on) {
  const Scene& scene = *on.scene;
  const Measures& worst = on.worst;
  Judgement judgement;
  if (scene.way) judgement.AtLeast("arrived", worst.arrived, 1.0);
  if (scene.bounds.last_over_free) judgement.AtMost("last_over_free", on.last_over_free, *scene.bounds.last_over_free);
  if (scene.way && off.worst.arrived == 1.0 && off.last_over_free) {
    judgement.AtMost("last_over_free (plain's)", on.last_over_free, kSlower * *off.last_over_free);
  }
  if (scene.bounds.packing) judgement.AtMost("packing", on.packing, *scene.bounds.packing);
  if (scene.bounds.parted) judgement.AtMost("parted", worst.parted, *scene.bounds.parted);
  judgement.AtMost("wall_crossings", static_cast<double>(worst.wall_crossings), 0.0);
  judgement.AtMost("deepest_overlap_radii", worst.overlap_radii,
                   std::max(off.worst.overlap_radii, scene.squeeze ? kOverlapSqueezed : kOverlap));
  judgement.AtMost("idle_speed", worst.idle_speed, 0.0);
  return judgement.findings();
}

Json ToJson(const std::vector<Result>& results) {
  Json rows = Json::array();
  for (std::size_t i = 0; i + 1 < results.size(); i += 2) {
    const std::vector<Finding> findings = Judge(results[i], results[i + 1]);
    rows.push_back(ToJson(results[i], nullptr));
    rows.push_back(ToJson(results[i + 1], &findings));
  }
  return rows;
}

void PrintTable(const std::vector<Result>& results) {
  absl::PrintF("%-13s %-3s %6s %4s %7s %6s %8s %7s %5s %7s %8s %7s %6s %6s  %s\n", "scene", "ext", "agents", "runs",
               "arrived", "last/", "overlap", "in", "walls", "zigzag", "idle", "stalled", "flow", "detour", "bounds");
  absl::PrintF("%-13s %-3s %6s %4s %7s %6s %8s %7s %5s %7s %8s %7s %6s %6s\n", "", "", "", "", "share", "free", "m",
               "radii", "", "1/s", "m/s", "", "1/s/m", "");
  std::size_t met = 0;
  for (std::size_t i = 0; i + 1 < results.size(); i += 2) {
    const std::vector<Finding> findings = Judge(results[i], results[i + 1]);
    if (std::ranges::all_of(findings, &Finding::ok)) ++met;
    PrintRow(results[i], "plain");
    PrintRow(results[i + 1], VerdictOf(findings));
  }
  absl::PrintF("%d of %d scenes reach all their bounds with extensions on.\n", met, results.size() / 2);
}

bool AllMet(const std::vector<Result>& results) {
  for (std::size_t i = 0; i + 1 < results.size(); i += 2) {
    if (!std::ranges::all_of(Judge(results[i], results[i + 1]), &Finding::ok)) return false;
  }
  return true;
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

}  // namespace throng::quality
