// Structured log: one line an event, to standard error, as text for people or JSON for machines. Safe from any thread;
// a line is written by one call, so that lines never mix.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "server/base/options.h"

namespace throng::server {

// A value that goes with an event. Numbers and booleans stay bare in JSON.
class LogField {
 public:
  LogField(std::string_view key, std::string_view value) : key_(key), value_(value), quoted_(true) {}
  LogField(std::string_view key, const char* value) : LogField(key, std::string_view(value)) {}
  LogField(std::string_view key, const std::string& value) : LogField(key, std::string_view(value)) {}
  LogField(std::string_view key, bool value) : key_(key), value_(value ? "true" : "false"), quoted_(false) {}
  template <typename Number>
  requires(std::is_arithmetic_v<Number>) LogField(std::string_view key, Number value)
      : key_(key), value_(std::to_string(value)), quoted_(false) {}

  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }
  bool quoted() const { return quoted_; }

 private:
  std::string_view key_;
  std::string value_;
  bool quoted_;
};

// Default: kInfo and kAuto. Takes effect for all lines that follow.
void ConfigureLog(LogLevel level, LogFormat format);

// `event`: a short sentence that does not change from one occurrence to the next; what changes goes into fields.
void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

// The line as Log writes it, with its line end. `unix_seconds`: its time.
std::string FormatLogLine(LogLevel level, LogFormat format, double unix_seconds, std::string_view event,
                          std::initializer_list<LogField> fields);

}  // namespace throng::server
