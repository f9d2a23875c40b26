// Lines of a text file.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

namespace throng::testing {

// All lines of a file, plain or gzipped, without their ends. Errors: NOT_FOUND if it cannot be opened, DATA_LOSS if
// it cannot be read to its end.
absl::StatusOr<std::vector<std::string>> LinesOf(const std::string& path);

}  // namespace throng::testing
