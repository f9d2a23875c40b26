#include "tests/support/conformance_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

namespace throng::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kAgent[] =
    R"({"position":[1,2],"velocity":[0,0],"pref_velocity":[1,0],"radius":0.5,"max_speed":2,"neighbor_dist":5,)"
    R"("max_neighbors":3,"time_horizon":2,"time_horizon_obst":1})";

std::string OneStepLine(const std::string& expected) {
  return R"({"id":7,"time_step":0.25,"obstacles":[[[0,0],[1,0],[0,1]],[[0,0],[0,1],[1,0]],[[0,0],[1,1]]],"agents":[)" +
         std::string(kAgent) + R"(],"expected":[)" + expected + "]}\n";
}

class ConformanceDataTest : public ::testing::Test {
 protected:
  ~ConformanceDataTest() override { std::filesystem::remove(path_); }

  absl::StatusOr<std::vector<ConformanceRecord>> Read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadConformanceFile(path_);
  }

  const std::string path_ =
      ::testing::TempDir() + "/" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
};

TEST_F(ConformanceDataTest, ReadsAOneStepScene) {
  const auto records = Read(OneStepLine(R"({"velocity":[1,0],"position":[1.25,2],"neighbors":0,"edge_cut":true})"));
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 1u);
  const ConformanceRecord& record = records->front();
  EXPECT_EQ(record.name, "scene 7");
  ASSERT_EQ(record.obstacles.size(), 3u);
  EXPECT_EQ(record.obstacles[0].kind, ObstacleKind::kSolid);
  EXPECT_EQ(record.obstacles[1].kind, ObstacleKind::kEnclosure);
  EXPECT_EQ(record.obstacles[2].kind, ObstacleKind::kWall);
  EXPECT_EQ(record.agents[0].params.max_neighbors, 3u);
  EXPECT_EQ(record.expected[0].position, (Vec2{1.25f, 2.0f}));
  EXPECT_TRUE(record.expected[0].skip);
}

TEST_F(ConformanceDataTest, ReadsGzip) {
  const std::string line = OneStepLine(R"({"velocity":[1,0],"position":[1.25,2],"neighbors":0})");
  const gzFile file = gzopen(path_.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, line.data(), static_cast<unsigned>(line.size())), static_cast<int>(line.size()));
  gzclose(file);
  EXPECT_TRUE(ReadConformanceFile(path_).ok());
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 10);
  EXPECT_EQ(ReadConformanceFile(path_).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(ConformanceDataTest, NamesTheLineAtFault) {
  const std::string good = OneStepLine(R"({"velocity":[1,0],"position":[1.25,2],"neighbors":0})");
  for (const std::string& bad : {std::string("{\n"), std::string("{}\n"), OneStepLine(""), std::string("[1]\n")}) {
    const auto records = Read(good + bad);
    EXPECT_EQ(records.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(records.status().message()), HasSubstr(path_ + ":2: "));
  }
}

TEST_F(ConformanceDataTest, RefusesWhatIsMissingOrEmpty) {
  EXPECT_EQ(ReadConformanceFile(path_ + ".none").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Read("").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace throng::testing
