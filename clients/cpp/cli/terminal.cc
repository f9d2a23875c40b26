#include "clients/cpp/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace throng::cli {
namespace {

volatile std::sig_atomic_t ended = 0;

void OnSignal(int) { ended = 1; }

void Write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

bool IsTerminal() {
  const char* const term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

bool WantsColor() {
  const char* const no = std::getenv("NO_COLOR");
  return no == nullptr || *no == '\0';
}

TerminalSize GetTerminalSize() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

EndSignal::EndSignal() {
  ended = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, OnSignal);
}
EndSignal::~EndSignal() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
}
bool EndSignal::Ended() const { return ended != 0; }

Screen::Screen() { Write("\x1b[?1049h\x1b[?25l\x1b[2J"); }
Screen::~Screen() { Write("\x1b[?25h\x1b[?1049l"); }

void Screen::Show(const std::string& lines) {
  std::string out = "\x1b[H";
  for (const char c : lines) out += c == '\n' ? "\x1b[K\r\n" : std::string(1, c);
  Write(out + "\x1b[K\x1b[J");
}

}  // namespace throng::cli
