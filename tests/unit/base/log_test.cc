#include "server/base/log.h"

#include <gtest/gtest.h>

namespace throng::server {
namespace {

TEST(Log, TextLine) {
  EXPECT_EQ(FormatLogLine(LogLevel::kInfo, LogFormat::kText, 0.5, "serving",
                          {{"address", "127.0.0.1:1"}, {"why", "a b"}, {"n", 3}}),
            "1970-01-01T00:00:00.500Z info    serving address=127.0.0.1:1 why=\"a b\" n=3\n");
}

TEST(Log, JsonLineEscapes) {
  EXPECT_EQ(FormatLogLine(LogLevel::kError, LogFormat::kJson, 0.0, "odd", {{"text", "a\"b\\c\nd\x01"}, {"yes", true}}),
            "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"error\",\"event\":\"odd\","
            "\"text\":\"a\\\"b\\\\c\\nd\\u0001\",\"yes\":true}\n");
}

TEST(Log, TextKeepsToOneLine) {
  const std::string line = FormatLogLine(LogLevel::kInfo, LogFormat::kText, 0.0, "x", {{"a", "1\n2"}, {"b", ""}});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_NE(line.find("b=\"\""), std::string::npos);
}

}  // namespace
}  // namespace throng::server
