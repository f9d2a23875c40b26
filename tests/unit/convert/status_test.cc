#include "server/convert/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/base/reason.h"
#include "server/host/limit_error.h"

namespace throng::server {
namespace {

using ::testing::HasSubstr;

google::rpc::Status Details(const WireStatus& wire) {
  google::rpc::Status status;
  EXPECT_TRUE(status.ParseFromString(wire.details));
  return status;
}

template <class Detail>
Detail Find(const WireStatus& wire) {
  const google::rpc::Status status = Details(wire);
  Detail detail;
  for (const auto& any : status.details()) {
    if (any.UnpackTo(&detail)) return detail;
  }
  ADD_FAILURE() << "no such detail";
  return {};
}

TEST(Status, OkHasNothing) {
  const WireStatus wire = ToWire(absl::OkStatus());
  EXPECT_EQ(wire.code, 0);
  EXPECT_EQ(wire.message, "");
  EXPECT_EQ(wire.details, "");
}

TEST(Status, AViolationIsABadRequestAndAnError) {
  const WireStatus wire = ToWire(ViolationError({"settings.time_step", "0", "[0.001, 1]"}));
  EXPECT_EQ(wire.code, 3);
  EXPECT_THAT(wire.message, HasSubstr("settings.time_step"));
  const auto request = Find<google::rpc::BadRequest>(wire);
  ASSERT_EQ(request.field_violations_size(), 1);
  EXPECT_EQ(request.field_violations(0).field(), "settings.time_step");
  EXPECT_EQ(request.field_violations(0).description(), "value 0, valid range [0.001, 1]");
  EXPECT_EQ(Find<google::rpc::ErrorInfo>(wire).reason(), "INVALID_VALUE");
  const auto error = Find<v1::Error>(wire);
  EXPECT_EQ(error.code(), 3);
  EXPECT_EQ(error.violations(0).value(), "0");
  EXPECT_EQ(error.violations(0).range(), "[0.001, 1]");
  EXPECT_EQ(Details(wire).code(), 3);
  EXPECT_EQ(Details(wire).message(), wire.message);
}

TEST(Status, ALimitIsAnErrorInfo) {
  const auto info = Find<google::rpc::ErrorInfo>(ToWire(LimitError("max_worlds", 7)));
  EXPECT_EQ(info.domain(), "throng");
  EXPECT_EQ(info.reason(), "LIMIT");
  EXPECT_EQ(info.metadata().at("limit"), "max_worlds");
  EXPECT_EQ(info.metadata().at("value"), "7");
  EXPECT_EQ(info.metadata().at("flag"), "--max-worlds");
}

TEST(Status, AReasonIsKept) {
  const absl::Status status = WithReason(absl::NotFoundError("there is no world a"), "WORLD_NOT_FOUND");
  EXPECT_EQ(Find<google::rpc::ErrorInfo>(ToWire(status)).reason(), "WORLD_NOT_FOUND");
  EXPECT_EQ(ToErrorProto(status).reason(), "WORLD_NOT_FOUND");
  EXPECT_EQ(GetReason(absl::NotFoundError("x")), "");
  EXPECT_TRUE(WithReason(absl::OkStatus(), "X").ok());
}

TEST(Status, SeveralViolationsGoTogether) {
  const absl::Status status = ViolationsError({{"a", "1", "[2, 3]"}, {"b", "line\nbreak", "x"}});
  EXPECT_EQ(GetViolations(status).size(), 2u);
  EXPECT_EQ(GetViolations(PrefixFields(status, "settings."))[1].field, "settings.b");
  EXPECT_EQ(GetViolations(status)[1].value, "line\nbreak");
  EXPECT_EQ(Find<google::rpc::BadRequest>(ToWire(status)).field_violations_size(), 2);
  EXPECT_TRUE(ViolationsError({}).ok());
  EXPECT_EQ(GetViolations(ViolationsError({{"a", "1", "2"}})).size(), 1u);
  EXPECT_EQ(PrefixFields(absl::InternalError("x"), "p."), absl::InternalError("x"));
}

TEST(Status, StaysWithinItsBounds) {
  std::vector<Violation> many;
  for (int i = 0; i < 100; ++i) many.push_back({std::string(500, 'f'), std::string(500, 'v'), std::string(500, 'r')});
  EXPECT_EQ(GetViolations(ViolationsError(many)).size(), kMaxViolations);
  for (const absl::Status& status :
       {ViolationsError(many), ViolationError(many[0]), absl::InternalError(std::string(100'000, 'm'))}) {
    const WireStatus wire = ToWire(status);
    EXPECT_LE(wire.message.size() + wire.details.size(), kMaxStatusBytes);
    EXPECT_LE(wire.message.size(), kMaxTextBytes);
    EXPECT_GT(Details(wire).details_size(), 0);
  }
}

TEST(Status, TextIsNotCutWithinACharacter) {
  std::string text(kMaxTextBytes - 4, 'a');
  for (int i = 0; i < 10; ++i) text += "\u00e9";
  const v1::Error error = ToErrorProto(absl::InternalError(text));
  EXPECT_LE(error.message().size(), kMaxTextBytes);
  const std::string kept = error.message().substr(0, error.message().size() - 3);
  EXPECT_EQ((kept.size() - (kMaxTextBytes - 4)) % 2, 0u) << "whole characters of two bytes";
  EXPECT_EQ(text.substr(0, kept.size()), kept);
}

TEST(Status, AnErrorSaysWhereInTheRequest) {
  const v1::Error error = ToErrorProto(ViolationError({"params.radius", "-1", "(0, 1000]"}), "agents[3].");
  EXPECT_EQ(error.violations(0).field(), "agents[3].params.radius");
  EXPECT_THAT(error.message(), HasSubstr("agents[3].params.radius"));
}

}  // namespace
}  // namespace throng::server
