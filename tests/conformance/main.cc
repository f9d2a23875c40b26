// throng_conformance FILE...: replays conformance data (tests/data/FORMAT.md) on the engine and on its textbook twin.
// Exit code: 0 all records agree, 1 some do not, 2 bad usage or a file that cannot be read.
#include <absl/strings/str_format.h>

#include <cstdio>
#include <string_view>

#include "tests/conformance/replay.h"
#include "tests/support/conformance_data.h"

namespace {

using throng::testing::ConformanceRecord;
using throng::testing::CrowdKind;
using throng::testing::ReplayReport;

constexpr int kAgrees = 0;
constexpr int kDiffers = 1;
constexpr int kBadUsage = 2;

constexpr char kUsage[] =
    "usage: throng_conformance FILE...\n"
    "Replays conformance data on the engine and on its textbook twin and compares. A FILE has one JSON record a line,\n"
    "one-step scenes or trajectories, plain or gzipped; tests/data/FORMAT.md describes them.\n"
    "Exit code: 0 all records agree, 1 some do not, 2 bad usage or a file that cannot be read.\n";

void Print(const std::string& path, CrowdKind kind, const ReplayReport& report) {
  absl::PrintF("%s: %s: scenes %d, checked %d, skipped %d, mismatched %d, largest error", path, ToString(kind),
               report.scenes, report.checked, report.skipped, report.mismatched);
  if (report.largest_step_error > 0.0) absl::PrintF(" %.2g (tolerance 1e-4)", report.largest_step_error);
  if (report.largest_trajectory_error > 0.0)
    absl::PrintF(" %.2g m (tolerance 0.005 m)", report.largest_trajectory_error);
  if (report.largest_step_error == 0.0 && report.largest_trajectory_error == 0.0) absl::PrintF(" 0");
  absl::PrintF("\n");
  for (const std::string& example : report.examples) absl::PrintF("  %s\n", example);
}

int Run(int count, char** paths) {
  int result = kAgrees;
  for (int i = 0; i < count; ++i) {
    const auto records = throng::testing::ReadConformanceFile(paths[i]);
    if (!records.ok()) {
      absl::FPrintF(stderr, "throng_conformance: %s\n", records.status().message());
      return kBadUsage;
    }
    for (const CrowdKind kind : {CrowdKind::kEngine, CrowdKind::kTwin}) {
      const ReplayReport report = Replay(*records, kind);
      Print(paths[i], kind, report);
      if (report.mismatched > 0) result = kDiffers;
    }
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      absl::PrintF("%s", kUsage);
      return kAgrees;
    }
    if (argument.starts_with("-")) {
      absl::FPrintF(stderr, "throng_conformance: unknown option %s\n%s", argument, kUsage);
      return kBadUsage;
    }
  }
  if (argc < 2) {
    absl::FPrintF(stderr, "%s", kUsage);
    return kBadUsage;
  }
  return Run(argc - 1, argv + 1);
}
