#include "server/host/random.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <cstdlib>

namespace throng::server {
namespace {

std::uint64_t Random64() {
  std::uint64_t value = 0;
  // It fails only where the system call is forbidden; a predictable secret would be worse than no server.
  if (getentropy(&value, sizeof value) != 0) std::abort();
  return value;
}

}  // namespace

std::uint64_t RandomUid() {
  std::uint64_t uid = 0;
  while (uid == 0) uid = Random64();
  return uid;
}

std::string RandomToken() {
  return absl::StrCat(absl::Hex(Random64(), absl::kZeroPad16), absl::Hex(Random64(), absl::kZeroPad16));
}

bool EqualSecrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace throng::server
