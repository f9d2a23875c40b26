// State hashes that named scenes reach, the same on every machine. A change of behaviour that is meant changes this
// table and nothing else, in a commit of its own that says why.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>

#include "tests/support/scenes.h"

namespace throng::testing {

struct Golden {
  std::string scene;
  Scene (*make)();
  int ticks;
  std::uint64_t hash;  // after so many ticks
};

inline void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.scene; }  // for gtest

std::span<const Golden> GoldenTable();

}  // namespace throng::testing
