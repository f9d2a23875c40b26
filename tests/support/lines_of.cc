#include "tests/support/lines_of.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <zlib.h>

#include <array>
#include <memory>

namespace throng::testing {

absl::StatusOr<std::vector<std::string>> LinesOf(const std::string& path) {
  // zlib hands through what is not compressed.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  std::string text;
  std::array<char, 1 << 16> buffer;
  int count = 0;
  while ((count = gzread(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    return absl::DataLossError(absl::StrCat(path, ": cannot be read to its end"));
  }
  return std::vector<std::string>(absl::StrSplit(text, '\n'));
}

}  // namespace throng::testing
