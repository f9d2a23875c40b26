#include "clients/cpp/src/status.h"

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "throng/client/error.h"

namespace throng::client {
namespace {

grpc::Status WithDetails(const std::vector<const google::protobuf::Message*>& details) {
  google::rpc::Status all;
  for (const auto* detail : details) all.add_details()->PackFrom(*detail);
  return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "radius is not valid", all.SerializeAsString());
}

TEST(Status, ViolationsComeFromThrongsOwnDetail) {
  v1::Error error;
  error.set_code(3);
  error.set_reason("INVALID_VALUE");
  auto& violation = *error.add_violations();
  violation.set_field("agents[3].params.radius");
  violation.set_value("-1");
  violation.set_range("(0, 1000]");
  const absl::Status status = FromGrpc(WithDetails({&error}));
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  ASSERT_EQ(Violations(status).size(), 1u);
  EXPECT_EQ(Violations(status)[0].field, "agents[3].params.radius");
  EXPECT_EQ(Violations(status)[0].value, "-1");
  EXPECT_EQ(Violations(status)[0].range, "(0, 1000]");
  EXPECT_EQ(Reason(status), "INVALID_VALUE");
  EXPECT_EQ(Describe(status),
            "INVALID_ARGUMENT: radius is not valid\n  agents[3].params.radius = -1, valid is (0, 1000]");
}

TEST(Status, WhatTheMessageTellsIsNotToldTwice) {
  v1::Error error;
  error.set_code(3);
  error.set_message("radius: -1 is not valid; expected (0, 1000], and 1 more");
  for (const char* const field : {"radius", "max_speed"}) {
    auto& violation = *error.add_violations();
    violation.set_field(field);
    violation.set_value("-1");
    violation.set_range("(0, 1000]");
  }
  grpc::Status status(grpc::INVALID_ARGUMENT, error.message(), WithDetails({&error}).error_details());
  EXPECT_EQ(Describe(FromGrpc(status)),
            "INVALID_ARGUMENT: radius: -1 is not valid; expected (0, 1000], and 1 more\n"
            "  max_speed = -1, valid is (0, 1000]");
}

TEST(Status, ViolationsComeFromBadRequestWhereThatIsAll) {
  google::rpc::BadRequest bad;
  auto& violation = *bad.add_field_violations();
  violation.set_field("name");
  violation.set_description("A is not in [a-z]");
  const auto violations = Violations(FromGrpc(WithDetails({&bad})));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].value, "A");
  EXPECT_EQ(violations[0].range, "[a-z]");
}

TEST(Status, LimitsAreNamed) {
  google::rpc::ErrorInfo info;
  info.set_reason("LIMIT");
  (*info.mutable_metadata())["limit"] = "max_worlds";
  (*info.mutable_metadata())["value"] = "1000";
  (*info.mutable_metadata())["flag"] = "--max-worlds";
  const auto limit = ReachedLimit(FromGrpc(WithDetails({&info})));
  ASSERT_TRUE(limit.has_value());
  EXPECT_EQ(limit->limit, "max_worlds");
  EXPECT_EQ(limit->value, "1000");
  EXPECT_EQ(limit->flag, "--max-worlds");
}

TEST(Status, DetailsThatDoNotParseAreNoError) {
  const absl::Status status = FromGrpc(grpc::Status(grpc::StatusCode::NOT_FOUND, "no such world", "\xff\xff garbage"));
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_TRUE(Violations(status).empty());
  EXPECT_EQ(ReachedLimit(status), std::nullopt);
  EXPECT_EQ(Reason(status), "");
}

}  // namespace
}  // namespace throng::client
