#include "server/base/process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace throng::server {
namespace {

std::string ReadFile(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::uint64_t Number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Boot time, in seconds since 1970.
double BootTime() {
  std::ifstream stat("/proc/stat");
  for (std::string line; std::getline(stat, line);) {
    if (line.starts_with("btime ")) return static_cast<double>(Number(std::string_view(line).substr(6)));
  }
  return 0.0;
}

std::uint64_t CountOpenFds() {
  std::error_code error;
  std::filesystem::directory_iterator it("/proc/self/fd", error);
  std::uint64_t n = 0;
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) ++n;
  return n == 0 ? 0 : n - 1;  // without the one that lists the directory
}

}  // namespace

ProcessStats ReadProcessStats() {
  ProcessStats stats;
  const std::string text = ReadFile("/proc/self/stat");
  // The second field is the program's name in parentheses and may hold anything, so the fields count from its end.
  const std::size_t after_name = text.rfind(')');
  if (after_name != std::string::npos) {
    std::istringstream rest(text.substr(after_name + 1));
    const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
    const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
    if (fields.size() > 21 && ticks_per_second > 0) {
      stats.cpu_seconds = static_cast<double>(Number(fields[11]) + Number(fields[12])) / ticks_per_second;
      stats.threads = Number(fields[17]);
      static const double boot_time = BootTime();
      stats.start_time_seconds = boot_time + static_cast<double>(Number(fields[19])) / ticks_per_second;
      stats.virtual_bytes = Number(fields[20]);
      stats.resident_bytes = Number(fields[21]) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    }
  }
  stats.open_fds = CountOpenFds();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) stats.max_fds = limit.rlim_cur;
  return stats;
}

}  // namespace throng::server
