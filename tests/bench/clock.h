// Clocks and medians of the benchmark.
#pragma once

#include <time.h>

#include <algorithm>
#include <vector>

namespace throng::bench {

// [ns] of CLOCK_THREAD_CPUTIME_ID or CLOCK_MONOTONIC.
inline double Now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Of at least one value.
inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

}  // namespace throng::bench
