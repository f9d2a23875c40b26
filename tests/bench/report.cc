#include "tests/bench/report.h"

#include <absl/strings/str_format.h>

#include <cmath>
#include <cstdio>
#include <fstream>

namespace throng::bench {
namespace {

double Rounded(double value, double steps) { return std::round(value * steps) / steps; }

void Add(Json& json, const Context& context) {
  for (const auto& [key, value] : context) json[key] = value;
}

std::string Number(std::optional<double> value, int digits) {
  if (!value) return "-";
  return absl::StrFormat("%.*f", digits, *value);
}

std::string TargetsOf(const Row& row) {
  const Case& measured = row.measured;
  std::string text;
  const auto add = [&](const char* what, double reached, double target, bool good) {
    if (!text.empty()) text += ", ";
    text += absl::StrFormat("%s %.*f of %.*f %s", what, target < 100 ? 2 : 0, reached, target < 100 ? 2 : 0, target,
                            good ? "ok" : "MISSED");
  };
  if (measured.ratio_target && row.twin_ns) {
    const double ratio = *row.twin_ns / row.engine_ns;
    add("ratio", ratio, *measured.ratio_target, ratio >= *measured.ratio_target);
  }
  if (measured.relative_target && row.relative) {
    add("relative", *row.relative, *measured.relative_target, *row.relative <= *measured.relative_target);
  }
  if (measured.bytes_target) {
    add("bytes", row.bytes_per_agent, *measured.bytes_target, row.bytes_per_agent <= *measured.bytes_target);
  }
  return text;
}

void Add(Json& json, const EdgeTimes& times) {
  json["build_ms"] = Rounded(times.build_ms, 1000);
  json["add_ms"] = Rounded(times.add_ms, 1000);
  json["edit_ms"] = Rounded(times.edit_ms, 10000);
  json["step_ms"] = Rounded(times.step_ms, 10000);
}

}  // namespace

Json ToJson(const Row& row, const Context& context) {
  const Case& measured = row.measured;
  Json json = {{"scene", measured.subject.scene},
               {"agents", measured.subject.agents},
               {"threads", measured.subject.threads},
               {"level", Name(measured.subject.level)},
               {"engine_ns", Rounded(row.engine_ns, 10)}};
  if (measured.subject.threads > 1) json["cpu_ns"] = Rounded(row.cpu_ns, 10);
  if (row.twin_ns) {
    json["twin_ns"] = Rounded(*row.twin_ns, 10);
    json["ratio"] = Rounded(*row.twin_ns / row.engine_ns, 100);
  }
  if (measured.ratio_target) json["ratio_target"] = *measured.ratio_target;
  if (measured.base) {
    json["base"] = measured.base->what;
    json["base_ns"] = Rounded(*row.base_ns, 10);
    json["relative"] = Rounded(*row.relative, 1000);
  }
  if (measured.relative_target) json["relative_target"] = Rounded(*measured.relative_target, 1000);
  json["bytes_per_agent"] = Rounded(row.bytes_per_agent, 10);
  if (measured.bytes_target) json["bytes_target"] = *measured.bytes_target;
  json["heap_bytes_per_agent"] = Rounded(row.heap_bytes_per_agent, 10);
  if (row.edges > 0) {
    json["edges"] = row.edges;
    json["edges_in_range"] = Rounded(row.edges_in_range, 100);
    if (row.edge_times) Add(json, *row.edge_times);
  }
  json["steps"] = measured.steps;
  json["repeats"] = measured.repeats;
  json["clock"] = row.clock;
  json["state_hash"] = absl::StrFormat("%016x", row.state_hash);
  Add(json, context);
  return json;
}

Json ToJson(const BuildRow& row, const Context& context) {
  Json json = {{"scene", row.scene}, {"agents", 1}, {"threads", 1}, {"level", Name(row.level)}, {"edges", row.edges}};
  Add(json, row.times);
  json["build_target_ms"] = BuildTargetMs(row.scene);
  json["repeats"] = row.repeats;
  json["clock"] = "thread-cpu";
  Add(json, context);
  return json;
}

void PrintHeader() {
  absl::PrintF("ns per agent and step; relative: engine / base\n");
  absl::PrintF("%-21s %8s %7s %7s %8s %9s %7s %8s %8s  %7s %-16s  %s\n", "scene", "agents", "threads", "level",
               "engine", "twin", "ratio", "base", "relative", "bytes", "state hash", "compared with, targets");
}

void Print(const Row& row) {
  const Subject& subject = row.measured.subject;
  const std::string ratio = row.twin_ns ? Number(*row.twin_ns / row.engine_ns, 2) : "-";
  std::string words = row.measured.base ? row.measured.base->what : "";
  const std::string targets = TargetsOf(row);
  if (!words.empty() && !targets.empty()) words += "; ";
  absl::PrintF("%-21s %8d %7d %7s %8.1f %9s %7s %8s %8s  %7.1f %016x  %s%s\n", subject.scene, subject.agents,
               subject.threads, Name(subject.level), row.engine_ns, Number(row.twin_ns, 1), ratio,
               Number(row.base_ns, 1), Number(row.relative, 3), row.bytes_per_agent, row.state_hash, words, targets);
  std::fflush(stdout);
}

void Print(const BuildRow& row) {
  const double target = BuildTargetMs(row.scene);
  absl::PrintF("%-21s %8d %7d %7s  %d edges built in %.2f ms of %.0f %s; 100 of them removed or added in %.3f ms\n",
               row.scene, 1, 1, Name(row.level), row.edges, row.times.build_ms, target,
               row.times.build_ms < target ? "ok" : "MISSED", row.times.edit_ms);
  std::fflush(stdout);
}

bool Write(const std::string& path, const Json& rows) {
  std::ofstream file(path);
  file << rows.dump(2) << "\n";
  file.close();
  return static_cast<bool>(file);
}

}  // namespace throng::bench
