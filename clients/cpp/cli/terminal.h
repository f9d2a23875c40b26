// The terminal that a live picture is drawn on, and the wish to end it.
#pragma once

#include <string>

namespace throng::cli {

// Whether standard output is a terminal that can show a picture.
bool IsTerminal();
// Whether to use colours: not if NO_COLOR is set (no-color.org).
bool WantsColor();

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};
TerminalSize GetTerminalSize();

// While it lives, Ctrl-C, SIGTERM and SIGHUP do not end the program but make Ended() true.
class EndSignal {
 public:
  EndSignal();
  ~EndSignal();
  EndSignal(const EndSignal&) = delete;
  EndSignal& operator=(const EndSignal&) = delete;
  bool Ended() const;
};

// A screen of its own beside the scroll-back, without a cursor, until the end of its life.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  // Replaces all that is shown, in one write. Lines are joined by newlines.
  void Show(const std::string& lines);
};

}  // namespace throng::cli
