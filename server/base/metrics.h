// Every metric of the server, declared once. Safe from any thread: hot paths touch atomics only, and a scrape reads
// these without a lock, so that it costs a step nothing.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace throng::server {

class Counter {
 public:
  void Add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void Add(std::int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  void Set(std::int64_t n) { value_.store(n, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Durations, in buckets whose bounds are fixed for the life of the histogram.
class Histogram {
 public:
  static constexpr std::size_t kMaxBounds = 15;

  // `bounds`: [s], ascending, at most kMaxBounds, living as long as the histogram.
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds) {}
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  // Negative durations count as zero.
  void Observe(std::chrono::nanoseconds duration);

  std::span<const double> bounds() const { return bounds_; }
  // Observations in bucket i alone; bucket bounds().size() holds those above every bound.
  std::uint64_t count(std::size_t i) const { return counts_[i].load(std::memory_order_relaxed); }
  double sum_seconds() const { return 1e-9 * static_cast<double>(sum_nanos_.load(std::memory_order_relaxed)); }

 private:
  std::span<const double> bounds_;
  std::array<std::atomic<std::uint64_t>, kMaxBounds + 1> counts_{};
  std::atomic<std::uint64_t> sum_nanos_{0};
};

// The phases of a frame's cost: the four of a step, and the encoding of what is sent of it.
enum class TickPhase : std::uint8_t { kApply, kIndex, kSolve, kMove, kEncode };
inline constexpr std::size_t kTickPhases = 5;

class Metrics {
 public:
  // `rpc_methods`: full names ("throng.v1.WorldService/GetWorld"), the fixed set of values of the label `method`.
  explicit Metrics(std::span<const std::string_view> rpc_methods = {});

  // Worlds. A tick is observed once per phase, with the sum over its slices.
  Histogram& tick_phase(TickPhase phase) { return *tick_phases_[static_cast<std::size_t>(phase)]; }
  Histogram tick_lateness;  // start of a tick behind its deadline; real-time worlds only
  Counter ticks;
  Counter missed_deadlines;  // ticks that ended after the next one was due
  Counter world_faults;
  Gauge worlds;
  Gauge agents;  // in all worlds
  // See MotionSettings::containment, in all worlds.
  Counter recoveries;
  Counter cut_moves;
  Gauge stranded_agents;
  Gauge stalled_agents;  // see MotionSettings::stall_detection

  // Sessions and streams.
  Gauge sessions;
  Gauge streams;  // open Connect and Watch streams
  Counter frames_sent;
  Counter frames_skipped;   // ticks that a stream's reader was too slow for
  Counter frame_bytes;      // of frames handed to the transport
  Counter streams_stalled;  // dropped for taking nothing
  Counter inputs_applied;   // by agent, not by message
  Counter inputs_rejected;
  Counter commands_applied;  // by item
  Counter commands_rejected;

  // RPCs. `method` indexes the list given to the constructor.
  void ObserveRpc(std::size_t method, std::chrono::nanoseconds latency) { rpc_latency_[method]->Observe(latency); }
  // `code`: a canonical status code, 1 to 16; others count as 2, UNKNOWN.
  void CountRpcError(int code);

  // All of it, with process and build metrics, in the Prometheus text format (version 0.0.4).
  std::string Render() const;

 private:
  std::array<std::unique_ptr<Histogram>, kTickPhases> tick_phases_;
  std::vector<std::string> rpc_methods_;
  std::vector<std::unique_ptr<Histogram>> rpc_latency_;
  std::array<Counter, 17> rpc_errors_;  // by code
};

}  // namespace throng::server
