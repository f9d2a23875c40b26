#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/quality/report.h"

namespace throng::quality {
namespace {

class JudgeTest : public ::testing::Test {
 protected:
  JudgeTest() {
    scene_.bounds.last_over_free = 2.0;
    off_.scene = on_.scene = &scene_;
    off_.last_over_free = on_.last_over_free = 1.0;
    on_.extensions = Extensions::kOn;
  }
  // Names of the bounds that are missed.
  std::vector<std::string> Missed() const {
    std::vector<std::string> missed;
    for (const Finding& finding : Judge(off_, on_)) {
      if (!finding.ok) missed.push_back(finding.what.substr(0, finding.what.find(' ')));
    }
    EXPECT_EQ(AllMet({off_, on_}), missed.empty());
    return missed;
  }
  using Names = std::vector<std::string>;

  Scene scene_;
  Result off_, on_;
};

TEST_F(JudgeTest, AllIsWell) { EXPECT_EQ(Missed(), Names{}); }

TEST_F(JudgeTest, EveryBoundIsLookedAt) {
  scene_.bounds.packing = 1.3;
  scene_.bounds.parted = 5.0;
  on_.packing = 1.31;
  on_.last_over_free = 2.1;
  on_.worst.arrived = 0.999;
  on_.worst.parted = 5.1;
  on_.worst.wall_crossings = 1;
  on_.worst.overlap_radii = 0.021;
  on_.worst.idle_speed = 1e-30;
  EXPECT_EQ(Missed(), (Names{"arrived", "last_over_free", "last_over_free", "packing", "parted", "wall_crossings",
                             "deepest_overlap_radii", "idle_speed"}));
}

TEST_F(JudgeTest, NobodyArrivedIsNoTimeWithinTheBound) {
  off_.worst.arrived = on_.worst.arrived = 0.0;
  off_.last_over_free = on_.last_over_free = std::nullopt;
  EXPECT_EQ(Missed(), (Names{"arrived", "last_over_free"}));
}

TEST_F(JudgeTest, SlowerThanPlainCountsWherePlainSucceeds) {
  on_.last_over_free = 1.06;
  EXPECT_EQ(Missed(), Names{"last_over_free"});
  off_.worst.arrived = 0.9;
  EXPECT_EQ(Missed(), Names{});
}

TEST_F(JudgeTest, OverlapMayBeWhatPlainHasOrASqueezeNeeds) {
  on_.worst.overlap_radii = 0.09;
  EXPECT_EQ(Missed(), Names{"deepest_overlap_radii"});
  off_.worst.overlap_radii = 0.09;
  EXPECT_EQ(Missed(), Names{});
  off_.worst.overlap_radii = 0.0;
  scene_.squeeze = true;
  EXPECT_EQ(Missed(), Names{});
}

TEST_F(JudgeTest, WhereThereIsNoWayNobodyNeedsToArrive) {
  scene_.way = false;
  scene_.bounds = {};
  on_.worst.arrived = 0.0;
  EXPECT_EQ(Missed(), Names{});
}

}  // namespace
}  // namespace throng::quality
