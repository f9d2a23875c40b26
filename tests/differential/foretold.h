// Explain against the step that it explains: told before, compared after.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/support/random.h"
#include "throng/world.h"

namespace throng::testing {

class Foretold {
 public:
  // Explains `most` agents of the world, drawn at random.
  Foretold(const World& world, std::size_t most, Random& random);

  // After a step without an edit: fails the test unless velocity and position are the same bits. Also checks that each
  // explanation agrees with itself: what was solved satisfies the half-planes unless they were relaxed (R081).
  void Expect(const World& world) const;

  const std::vector<Explanation>& explanations() const { return told_; }

 private:
  std::vector<Explanation> told_;
};

}  // namespace throng::testing
