#include "base/fp_environment.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace throng {
namespace {

TEST(FpEnvironment, SetsAndRestoresRounding) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  volatile float one = 1.0f, tiny = 1e-10f;
  {
    const FpEnvironment modes;
    const float sum = one + tiny;
    EXPECT_EQ(sum, 1.0f);
  }
  const float sum = one + tiny;
  EXPECT_GT(sum, 1.0f);
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
}

#if defined(__SSE2__)
TEST(FpEnvironment, KeepsSubnormalsAndRestoresTheirFlushing) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero
  volatile float smallest = std::numeric_limits<float>::min();
  {
    const FpEnvironment modes;
    const float half = smallest * 0.5f;
    EXPECT_GT(half, 0.0f);
  }
  const float half = smallest * 0.5f;
  EXPECT_EQ(half, 0.0f);
  _mm_setcsr(before);
}
#endif

}  // namespace
}  // namespace throng
