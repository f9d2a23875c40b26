#include "server/convert/input_convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace throng::server {
namespace {

using ::testing::ElementsAre;

TEST(InputConvert, ColumnsAreVelocitiesOrGoals) {
  v1::Input input;
  EXPECT_EQ(FromProto(input, nullptr).kind, InputKind::kPreferredVelocities);
  input.add_preferred_velocity_x(1);
  input.add_preferred_velocity_y(2);
  Input read = FromProto(input, nullptr);
  EXPECT_EQ(read.kind, InputKind::kPreferredVelocities);
  EXPECT_THAT(read.x, ElementsAre(1));
  input.add_goal_y(3);
  EXPECT_EQ(FromProto(input, nullptr).kind, InputKind::kBoth);
  input.clear_preferred_velocity_x();
  input.clear_preferred_velocity_y();
  input.add_goal_x(4);
  read = FromProto(input, nullptr);
  EXPECT_EQ(read.kind, InputKind::kGoals);
  EXPECT_THAT(read.x, ElementsAre(4));
  EXPECT_THAT(read.y, ElementsAre(3));
}

TEST(InputConvert, TheStatusColumnAloneIsAChoice) {
  v1::Subscription subscription;
  EXPECT_TRUE(FromProto(subscription).position);
  EXPECT_FALSE(FromProto(subscription).status);
  subscription.set_status(true);
  EXPECT_FALSE(FromProto(subscription).position);
  EXPECT_TRUE(FromProto(subscription).status);
}

}  // namespace
}  // namespace throng::server
