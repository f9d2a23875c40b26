#include "server/base/cpus.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace throng::server {
namespace {

namespace fs = std::filesystem;

// A tree that looks like / of a machine, as far as cgroups go.
class CpuQuota : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "throng_cpus_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::optional<double> Read() { return ReadCpuQuota(root_); }

  fs::path root_;
};

TEST_F(CpuQuota, NoneWhereThereAreNoGroups) { EXPECT_EQ(Read(), std::nullopt); }

TEST_F(CpuQuota, Version2) {
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(Read(), 1.5);
}

TEST_F(CpuQuota, Version2TakesTheLeastOnTheWayUp) {
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  Write("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(Read(), 0.5);
}

TEST_F(CpuQuota, Version2InsideANamespace) {
  Write("proc/self/cgroup", "0::/../../x\n");
  Write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(Read(), 2.0);
}

TEST_F(CpuQuota, Version1WithJoinedControllers) {
  Write("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/a\n");
  Write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "300000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Read(), 3.0);
}

TEST_F(CpuQuota, Version1InAContainerWhosePathIsTheHosts) {
  Write("proc/self/cgroup", "4:cpu,cpuacct:/docker/0123\n");
  Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  Write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Read(), 0.5);
}

TEST_F(CpuQuota, NonsenseIsNoQuota) {
  Write("proc/self/cgroup", "nonsense\n0::/\n");
  Write("sys/fs/cgroup/cpu.max", "12 0\n");
  EXPECT_EQ(Read(), std::nullopt);
}

TEST(Cpus, CombinesAffinityAndQuota) {
  EXPECT_EQ(CombineCpus(8, std::nullopt).workers, 8);
  EXPECT_EQ(CombineCpus(8, 2.0).workers, 2);
  EXPECT_EQ(CombineCpus(8, 1.5).workers, 2);
  EXPECT_EQ(CombineCpus(8, 0.1).workers, 1);
  EXPECT_EQ(CombineCpus(2, 16.0).workers, 2);
  EXPECT_GE(DetectCpus().workers, 1);
}

}  // namespace
}  // namespace throng::server
