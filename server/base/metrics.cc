#include "server/base/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <utility>

#include "server/base/process_stats.h"
#include "server/base/version.h"

namespace throng::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr double kPhaseBounds[] = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 2e-3, 4e-3, 8e-3, 16e-3, 33e-3, 0.1, 0.3, 1.0};
constexpr double kLatenessBounds[] = {1e-4, 3e-4, 1e-3, 2e-3, 4e-3, 8e-3, 16e-3, 33e-3, 0.1, 0.3, 1.0};
constexpr double kRpcBounds[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0};

constexpr const char* kPhaseNames[kTickPhases] = {"apply", "index", "solve", "move", "encode"};
constexpr const char* kCodeNames[] = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

using Labels = std::vector<ClientMetric::Label>;

// Collects families in the order in which they are described.
class Page {
 public:
  void Counters(const char* name, const char* help, const std::vector<std::pair<Labels, double>>& values) {
    MetricFamily family{name, help, MetricType::Counter, {}};
    for (const auto& [labels, value] : values) {
      family.metric.emplace_back().label = labels;
      family.metric.back().counter.value = value;
    }
    families_.push_back(std::move(family));
  }
  void Counter(const char* name, const char* help, double value) { Counters(name, help, {{{}, value}}); }
  void Count(const char* name, const char* help, const class Counter& counter) {
    Counter(name, help, static_cast<double>(counter.value()));
  }
  void Gauge(const char* name, const char* help, double value, Labels labels = {}) {
    MetricFamily family{name, help, MetricType::Gauge, {}};
    family.metric.emplace_back().label = std::move(labels);
    family.metric.back().gauge.value = value;
    families_.push_back(std::move(family));
  }
  void Histograms(const char* name, const char* help,
                  const std::vector<std::pair<Labels, const Histogram*>>& histograms) {
    MetricFamily family{name, help, MetricType::Histogram, {}};
    for (const auto& [labels, histogram] : histograms) family.metric.push_back(Convert(*histogram, labels));
    families_.push_back(std::move(family));
  }
  std::string Serialize() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  // The count is the sum of the buckets as they are read, so that a scrape beside observations is consistent in itself.
  static ClientMetric Convert(const Histogram& histogram, const Labels& labels) {
    ClientMetric metric;
    metric.label = labels;
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
      cumulative += histogram.count(i);
      metric.histogram.bucket.push_back({cumulative, histogram.bounds()[i]});
    }
    metric.histogram.sample_count = cumulative + histogram.count(histogram.bounds().size());
    metric.histogram.sample_sum = histogram.sum_seconds();
    return metric;
  }

  std::vector<MetricFamily> families_;
};

void AddProcess(Page& page) {
  const ProcessStats stats = ReadProcessStats();
  page.Counter("process_cpu_seconds_total", "User and system CPU time spent.", stats.cpu_seconds);
  page.Gauge("process_resident_memory_bytes", "Resident memory.", static_cast<double>(stats.resident_bytes));
  page.Gauge("process_virtual_memory_bytes", "Virtual memory.", static_cast<double>(stats.virtual_bytes));
  page.Gauge("process_open_fds", "Open file descriptors.", static_cast<double>(stats.open_fds));
  page.Gauge("process_max_fds", "Most file descriptors that may be open.", static_cast<double>(stats.max_fds));
  page.Gauge("process_threads", "Threads of the process.", static_cast<double>(stats.threads));
  page.Gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.", stats.start_time_seconds);
}

}  // namespace

void Histogram::Observe(std::chrono::nanoseconds duration) {
  const auto nanos = std::max<std::int64_t>(duration.count(), 0);
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), 1e-9 * static_cast<double>(nanos));
  counts_[static_cast<std::size_t>(at - bounds_.begin())].fetch_add(1, std::memory_order_relaxed);
  sum_nanos_.fetch_add(static_cast<std::uint64_t>(nanos), std::memory_order_relaxed);
}

Metrics::Metrics(std::span<const std::string_view> rpc_methods)
    : tick_lateness(kLatenessBounds), rpc_methods_(rpc_methods.begin(), rpc_methods.end()) {
  for (auto& phase : tick_phases_) phase = std::make_unique<Histogram>(kPhaseBounds);
  for (std::size_t i = 0; i < rpc_methods_.size(); ++i) rpc_latency_.push_back(std::make_unique<Histogram>(kRpcBounds));
}

void Metrics::CountRpcError(int code) {
  rpc_errors_[code >= 1 && code <= 16 ? static_cast<std::size_t>(code) : std::size_t{2}].Add();
}

std::string Metrics::Render() const {
  Page page;
  std::vector<std::pair<Labels, const Histogram*>> phases;
  for (std::size_t i = 0; i < kTickPhases; ++i) phases.push_back({{{"phase", kPhaseNames[i]}}, tick_phases_[i].get()});
  page.Histograms("throng_tick_phase_seconds", "Cost of a tick, by phase.", phases);
  page.Histograms("throng_tick_lateness_seconds", "Start of a tick behind its deadline, in real-time worlds.",
                  {{{}, &tick_lateness}});
  page.Count("throng_ticks_total", "Ticks finished.", ticks);
  page.Count("throng_missed_deadlines_total", "Ticks that ended after the next one was due.", missed_deadlines);
  page.Count("throng_world_faults_total", "Worlds stopped by a fault inside them.", world_faults);
  page.Gauge("throng_worlds", "Worlds.", static_cast<double>(worlds.value()));
  page.Gauge("throng_agents", "Agents in all worlds.", static_cast<double>(agents.value()));
  page.Count("throng_recoveries_total", "Agents moved out of obstacles.", recoveries);
  page.Count("throng_cut_moves_total", "Moves of agents cut short at an obstacle edge.", cut_moves);
  page.Gauge("throng_stranded_agents", "Agents inside obstacles without free ground near, in all worlds.",
             static_cast<double>(stranded_agents.value()));
  page.Gauge("throng_stalled_agents", "Agents that make no way though they want to, in all worlds.",
             static_cast<double>(stalled_agents.value()));
  page.Gauge("throng_sessions", "Sessions.", static_cast<double>(sessions.value()));
  page.Gauge("throng_streams", "Open streams of sessions and watchers.", static_cast<double>(streams.value()));
  page.Count("throng_frames_sent_total", "Frames sent.", frames_sent);
  page.Count("throng_frames_skipped_total", "Ticks skipped because a reader was behind.", frames_skipped);
  page.Count("throng_frame_bytes_total", "Bytes of the frames sent.", frame_bytes);
  page.Count("throng_streams_stalled_total", "Streams closed because the reader took nothing.", streams_stalled);
  page.Count("throng_inputs_applied_total", "Inputs applied, by agent.", inputs_applied);
  page.Count("throng_inputs_rejected_total", "Inputs rejected, by agent.", inputs_rejected);
  page.Count("throng_commands_applied_total", "Commands applied.", commands_applied);
  page.Count("throng_commands_rejected_total", "Commands rejected.", commands_rejected);
  if (!rpc_methods_.empty()) {
    std::vector<std::pair<Labels, const Histogram*>> methods;
    for (std::size_t i = 0; i < rpc_methods_.size(); ++i) {
      methods.push_back({{{"method", rpc_methods_[i]}}, rpc_latency_[i].get()});
    }
    page.Histograms("throng_rpc_duration_seconds", "Time from a unary call's arrival to its answer.", methods);
  }
  std::vector<std::pair<Labels, double>> errors;
  for (std::size_t i = 1; i < rpc_errors_.size(); ++i) {
    errors.push_back({{{"code", kCodeNames[i]}}, static_cast<double>(rpc_errors_[i].value())});
  }
  page.Counters("throng_rpc_errors_total", "Calls and streams that ended with an error, by code.", errors);
  AddProcess(page);
  page.Gauge("throng_build_info", "1, with the version and the commit that it was built from.", 1,
             {{"version", std::string(Version())}, {"commit", std::string(Commit())}});
  return page.Serialize();
}

}  // namespace throng::server
