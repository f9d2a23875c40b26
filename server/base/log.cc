#include "server/base/log.h"

#include <absl/strings/str_format.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <unistd.h>

#include <atomic>
#include <cmath>

namespace throng::server {
namespace {

std::atomic<LogLevel> g_level{LogLevel::kInfo};
std::atomic<LogFormat> g_format{LogFormat::kAuto};

constexpr std::string_view kLevelNames[] = {"debug", "info", "warning", "error"};

std::string_view Name(LogLevel level) { return kLevelNames[static_cast<std::size_t>(level)]; }

// Quoted, as JSON has it. Bytes that are not printable ASCII stay as they are above 0x7f, where they are UTF-8.
void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  out += '"';
}

bool IsPlain(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c == '"' || c == '\\' || c == '=' || c == 0x7f) return false;
  }
  return !text.empty();
}

std::string Timestamp(double unix_seconds) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixMillis(std::llround(unix_seconds * 1e3)),
                          absl::UTCTimeZone());
}

void WriteAll(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;  // nowhere left to complain
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

LogFormat Resolve(LogFormat format) {
  if (format != LogFormat::kAuto) return format;
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  return terminal ? LogFormat::kText : LogFormat::kJson;
}

}  // namespace

void ConfigureLog(LogLevel level, LogFormat format) {
  g_level = level;
  g_format = format;
}

std::string FormatLogLine(LogLevel level, LogFormat format, double unix_seconds, std::string_view event,
                          std::initializer_list<LogField> fields) {
  std::string line;
  if (Resolve(format) == LogFormat::kText) {
    line = Timestamp(unix_seconds);
    line += ' ';
    line += Name(level);
    line.append(8 - Name(level).size(), ' ');
    line += event;
    for (const LogField& field : fields) {
      line += ' ';
      line += field.key();
      line += '=';
      if (field.quoted() && !IsPlain(field.value())) {
        AppendQuoted(line, field.value());
      } else {
        line += field.value();
      }
    }
  } else {
    line = "{\"time\":\"";
    line += Timestamp(unix_seconds);
    line += "\",\"level\":\"";
    line += Name(level);
    line += "\",\"event\":";
    AppendQuoted(line, event);
    for (const LogField& field : fields) {
      line += ',';
      AppendQuoted(line, field.key());
      line += ':';
      if (field.quoted()) {
        AppendQuoted(line, field.value());
      } else {
        line += field.value();
      }
    }
    line += '}';
  }
  line += '\n';
  return line;
}

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (level < g_level.load(std::memory_order_relaxed)) return;
  WriteAll(FormatLogLine(level, g_format.load(std::memory_order_relaxed),
                         1e-3 * static_cast<double>(absl::ToUnixMillis(absl::Now())), event, fields));
}

}  // namespace throng::server
