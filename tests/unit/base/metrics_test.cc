#include "server/base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace throng::server {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Histogram, CountsUpToAndWithItsBounds) {
  static constexpr double kBounds[] = {0.001, 0.01};
  Histogram histogram(kBounds);
  histogram.Observe(nanoseconds(-5));
  histogram.Observe(microseconds(1000));
  histogram.Observe(microseconds(1001));
  histogram.Observe(seconds(2));
  EXPECT_EQ(histogram.count(0), 2u);
  EXPECT_EQ(histogram.count(1), 1u);
  EXPECT_EQ(histogram.count(2), 1u);
  EXPECT_NEAR(histogram.sum_seconds(), 2.002001, 1e-9);
}

TEST(Metrics, RendersWhatWasCounted) {
  static constexpr std::string_view kMethods[] = {"throng.v1.WorldService/GetWorld"};
  Metrics metrics(kMethods);
  metrics.tick_phase(TickPhase::kSolve).Observe(microseconds(50));
  metrics.worlds.Add(3);
  metrics.worlds.Add(-1);
  metrics.frames_sent.Add(7);
  metrics.ObserveRpc(0, microseconds(200));
  metrics.CountRpcError(5);
  metrics.CountRpcError(99);
  const std::string text = metrics.Render();
  EXPECT_THAT(text, HasSubstr("throng_tick_phase_seconds_bucket{phase=\"solve\",le=\"0.0001\"} 1"));
  EXPECT_THAT(text, HasSubstr("throng_tick_phase_seconds_count{phase=\"encode\"} 0"));
  EXPECT_THAT(text, HasSubstr("throng_worlds 2"));
  EXPECT_THAT(text, HasSubstr("throng_frames_sent_total 7"));
  EXPECT_THAT(text, HasSubstr("throng_rpc_duration_seconds_count{method=\"throng.v1.WorldService/GetWorld\"} 1"));
  EXPECT_THAT(text, HasSubstr("throng_rpc_errors_total{code=\"NOT_FOUND\"} 1"));
  EXPECT_THAT(text, HasSubstr("throng_rpc_errors_total{code=\"UNKNOWN\"} 1"));
  EXPECT_THAT(text, HasSubstr("throng_build_info{version=\""));
  EXPECT_THAT(text, HasSubstr("process_open_fds "));
  EXPECT_THAT(text, Not(HasSubstr("process_resident_memory_bytes 0\n")));
  EXPECT_THAT(text, Not(HasSubstr("process_start_time_seconds 0\n")));
}

TEST(Metrics, SeriesStayFew) {
  const std::string text = Metrics().Render();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_LT(lines, 300);
}

TEST(Metrics, ScrapesBesideObservations) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 2'000; ++k) metrics.tick_lateness.Observe(microseconds(k)), metrics.ticks.Add();
    });
  }
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(metrics.Render().empty());
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(metrics.ticks.value(), 6'000u);
  EXPECT_THAT(metrics.Render(), HasSubstr("throng_tick_lateness_seconds_count 6000"));
}

}  // namespace
}  // namespace throng::server
