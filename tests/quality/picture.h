// A run as a picture: ways in the colour of their group, obstacles, where agents began and ended.
#pragma once

#include <string>

#include "tests/quality/run.h"

namespace throng::quality {

// SVG of the recorded run of a result.
std::string Draw(const Result& result);

}  // namespace throng::quality
