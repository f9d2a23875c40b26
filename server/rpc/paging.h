// Pages over ids: a token says after which id the next page begins.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>

namespace throng::server {

struct Page {
  std::uint32_t size = 0;
  std::uint32_t after = 0;  // the last id of the page before; 0: from the beginning
};

// INVALID_ARGUMENT: `page_size` is above `max_size`, or the token is not of MakePageToken. A size of 0 is the default.
absl::StatusOr<Page> ReadPage(std::uint32_t page_size, const std::string& page_token, std::uint32_t default_size,
                              std::uint32_t max_size);
std::string MakePageToken(std::uint32_t last_id);

}  // namespace throng::server
