#include "server/base/cpus.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace throng::server {
namespace {

namespace fs = std::filesystem;

void KeepLeast(std::optional<double>& quota, double cpus) {
  if (cpus > 0.0) quota = std::min(quota.value_or(cpus), cpus);
}

// Version 2: "max 100000" or "150000 100000".
void ReadV2(const fs::path& directory, std::optional<double>& quota) {
  std::ifstream in(directory / "cpu.max");
  double limit = 0.0;
  double period = 0.0;
  if (in >> limit >> period && period > 0.0) KeepLeast(quota, limit / period);
}

// Version 1: -1 for none.
void ReadV1(const fs::path& directory, std::optional<double>& quota) {
  std::ifstream quota_file(directory / "cpu.cfs_quota_us");
  std::ifstream period_file(directory / "cpu.cfs_period_us");
  double limit = 0.0;
  double period = 0.0;
  if (quota_file >> limit && period_file >> period && period > 0.0) KeepLeast(quota, limit / period);
}

// The group and all above it up to the mount: each bounds those inside it. Where the group's path is another
// namespace's, as in many containers, nothing is found until the mount itself, which is then the container's own group.
template <typename Read>
void WalkUp(const fs::path& mount, const std::string& group, Read&& read) {
  const fs::path relative = fs::path(group).lexically_normal().relative_path();
  for (fs::path at = relative; !at.empty(); at = at.parent_path()) read(mount / at);
  read(mount);
}

bool HasController(const std::string& controllers, const std::string& wanted) {
  std::istringstream in(controllers);
  for (std::string name; std::getline(in, name, ',');) {
    if (name == wanted) return true;
  }
  return false;
}

}  // namespace

std::optional<double> ReadCpuQuota(const fs::path& root) {
  std::optional<double> quota;
  const fs::path mount = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "hierarchy:controllers:path"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      WalkUp(mount, group, [&](const fs::path& directory) { ReadV2(directory, quota); });
    } else if (HasController(controllers, "cpu")) {
      for (const std::string& name : {controllers, std::string("cpu")}) {
        WalkUp(mount / name, group, [&](const fs::path& directory) { ReadV1(directory, quota); });
      }
    }
  }
  return quota;
}

int CountAffinity() {
  // The set's size is not known beforehand on machines of more than 1,024 CPUs, so it grows until the mask fits.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(cpus));
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    const bool fits = sched_getaffinity(0, size, set) == 0;
    const int count = fits ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (fits) return std::max(count, 1);
  }
  return static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

CpuBudget CombineCpus(int affinity, std::optional<double> quota) {
  CpuBudget budget{affinity, quota, std::max(affinity, 1)};
  if (quota && *quota < budget.workers) budget.workers = std::max(static_cast<int>(std::ceil(*quota)), 1);
  return budget;
}

CpuBudget DetectCpus() { return CombineCpus(CountAffinity(), ReadCpuQuota()); }

}  // namespace throng::server
