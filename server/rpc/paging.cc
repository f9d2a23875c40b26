#include "server/rpc/paging.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include "throng/limits.h"

namespace throng::server {

absl::StatusOr<Page> ReadPage(std::uint32_t page_size, const std::string& page_token, std::uint32_t default_size,
                              std::uint32_t max_size) {
  if (page_size > max_size) {
    return ViolationError({"page_size", absl::StrCat(page_size), absl::StrCat("[1, ", max_size, "]")});
  }
  Page page{page_size == 0 ? default_size : page_size, 0};
  if (page_token.empty()) return page;
  std::uint32_t after = 0;
  if (page_token.front() != 'a' || !absl::SimpleAtoi(page_token.substr(1), &after)) {
    return ViolationError({"page_token", page_token, "the next_page_token of an earlier page"});
  }
  page.after = after;
  return page;
}

std::string MakePageToken(std::uint32_t last_id) { return absl::StrCat("a", last_id); }

}  // namespace throng::server
