// What the operating system says about this process.
#pragma once

#include <cstdint>

namespace throng::server {

// Values that cannot be read are 0.
struct ProcessStats {
  double cpu_seconds = 0.0;  // user and system
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;
  std::uint64_t threads = 0;
  double start_time_seconds = 0.0;  // since 1970
};

ProcessStats ReadProcessStats();

}  // namespace throng::server
