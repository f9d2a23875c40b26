// What was built.
#pragma once

#include <string_view>

namespace throng::server {

std::string_view Version();  // "0.1.0"
std::string_view Commit();   // abbreviated hash of the commit built from, or "unknown"

}  // namespace throng::server
