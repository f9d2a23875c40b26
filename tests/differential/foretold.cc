#include "tests/differential/foretold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace throng::testing {
namespace {

bool SameBits(Vec2 a, Vec2 b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

float Length(Vec2 v) { return std::hypot(v.x, v.y); }

void ExpectSound(const Explanation& why) {
  float largest = 0.0f;
  bool bound = false;
  bool soft = false;
  for (const ExplainedHalfPlane& line : why.half_planes) {
    EXPECT_NEAR(Length(line.normal), 1.0f, 1e-4f);
    EXPECT_FALSE(soft && line.hard) << "hard ones come first";
    soft = soft || !line.hard;
    const float inside = (why.solved.x - line.point.x) * line.normal.x + (why.solved.y - line.point.y) * line.normal.y;
    const float slack = 1e-4f * (Length(line.point) + Length(why.solved)) + 1e-6f;
    EXPECT_NEAR(line.violation, std::max(0.0f, -inside), slack);
    // How much of a line's violation rounding makes, where the program divides by the angle between lines.
    EXPECT_TRUE(why.outcome == SolveOutcome::kRelaxed || line.violation <= 100.0f * slack) << line.violation;
    largest = std::max(largest, line.violation);
    bound = bound || line.binding;
    EXPECT_EQ(line.id == kInvalidId, line.source == HalfPlaneSource::kBounds || line.source == HalfPlaneSource::kDrive);
  }
  EXPECT_EQ(bound, why.outcome == SolveOutcome::kConstrained || why.outcome == SolveOutcome::kRelaxed);
  float distance = 0.0f;
  for (const FoundAgent& neighbor : why.neighbors) {
    EXPECT_GE(neighbor.distance, distance);
    distance = neighbor.distance;
  }
  EXPECT_LE(why.neighbors.size(), why.agent.params.max_neighbors);
}

}  // namespace

Foretold::Foretold(const World& world, std::size_t most, Random& random) {
  const auto membership = world.membership();
  for (std::size_t i = 0; i < most && !membership->ids.empty(); ++i) {
    const AgentId id = membership->ids[random.Below(membership->ids.size())];
    absl::StatusOr<Explanation> why = world.Explain(id);
    EXPECT_TRUE(why.ok()) << why.status();
    if (why.ok()) told_.push_back(*std::move(why));
  }
}

void Foretold::Expect(const World& world) const {
  for (const Explanation& why : told_) {
    const AgentState now = *world.GetAgent(why.agent.id);
    EXPECT_TRUE(SameBits(now.velocity, why.velocity))
        << "agent " << now.id << " has (" << now.velocity.x << ", " << now.velocity.y << "), told was ("
        << why.velocity.x << ", " << why.velocity.y << ")";
    EXPECT_TRUE(SameBits(now.position, why.position)) << "agent " << now.id;
    ExpectSound(why);
  }
}

}  // namespace throng::testing
