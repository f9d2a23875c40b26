// Floating-point modes under which results are the same bits on every thread: rounding to nearest, subnormals kept,
// no traps.
#pragma once

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace throng {

// Sets the modes for the calling thread and restores what was there. A program around us may run with subnormals
// flushed to zero or another rounding; worker threads may have inherited that.
class FpEnvironment {
 public:
#if defined(__SSE2__) || defined(_M_X64)
  FpEnvironment() : saved_(_mm_getcsr()) {
    if (saved_ != kModes) _mm_setcsr(kModes);
  }
  ~FpEnvironment() {
    // The sticky exception flags are part of the register: an inexact result alone is no reason to write it.
    if ((saved_ & kControlBits) != (kModes & kControlBits)) _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned kModes = 0x1f80;        // all exceptions masked, round to nearest, no flush to zero
  static constexpr unsigned kControlBits = 0xffc0;  // all but the sticky flags
  unsigned saved_;
#else
  FpEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FpEnvironment() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
#endif

 public:
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;
};

}  // namespace throng
