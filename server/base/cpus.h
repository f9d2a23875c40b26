// How many CPUs this process may use: the least of its affinity mask and the CPU quotas of its cgroups, version 1 or 2.
#pragma once

#include <filesystem>
#include <optional>

namespace throng::server {

struct CpuBudget {
  int affinity = 1;             // CPUs that the mask allows
  std::optional<double> quota;  // [CPUs] the least of the quotas up to the root; unset: none
  int workers = 1;              // the two together, a part of a CPU counting as one; at least 1
};

// `root`: where /proc and /sys hang; another in tests.
std::optional<double> ReadCpuQuota(const std::filesystem::path& root = "/");
int CountAffinity();
CpuBudget DetectCpus();
CpuBudget CombineCpus(int affinity, std::optional<double> quota);

}  // namespace throng::server
