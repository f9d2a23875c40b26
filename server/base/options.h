// All that can be set about a server, as one tree with its defaults. config.h fills it from flags and environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "throng/simd.h"

namespace throng::server {

// What the server grants at most. Past one of them: RESOURCE_EXHAUSTED, with the limit, its value and its flag.
struct Limits {
  std::uint32_t max_worlds = 1'000;
  std::uint32_t max_agents_per_world = 1'000'000;  // also the default of WorldSettings.max_agents
  std::uint32_t max_obstacle_vertices_per_world = 1'000'000;
  std::uint32_t max_batch_items = 25'000;             // of a command batch, or of a unary batch's items
  std::uint32_t max_sessions = 10'000;                // in all worlds together
  std::uint32_t max_streams = 10'000;                 // sessions' and watchers' streams together
  std::uint32_t max_message_bytes = 4 * 1024 * 1024;  // of one request message
};

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : std::uint8_t { kAuto, kText, kJson };  // kAuto: text on a terminal, JSON elsewhere

struct Options {
  std::string address = "127.0.0.1";    // of the gRPC port; an IP literal or "localhost"
  int port = 50051;                     // 0: a free one, which is printed
  std::string http_address;             // of the HTTP port; empty: as `address`
  int http_port = 9464;                 // 0: a free one; -1: no HTTP at all
  bool insecure = false;                // allows addresses beyond the loopback interface, though nothing is encrypted
  int workers = 0;                      // threads that step worlds; 0: as many as affinity and cgroup quota grant
  std::optional<SimdLevel> simd_level;  // of the engine; unset: the fastest that the machine has
  Limits limits;
  std::chrono::milliseconds stall_limit{10'000};   // a reader that takes nothing for so long is dropped
  std::chrono::milliseconds drain_timeout{4'000};  // from the first signal to the end of what is left
  LogFormat log_format = LogFormat::kAuto;
  LogLevel log_level = LogLevel::kInfo;
  std::string ready_file;  // written once the server serves, for scripts; empty: none
};

}  // namespace throng::server
