// Random values from the operating system, for uids and secrets. Safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace throng::server {

std::uint64_t RandomUid();  // never 0
std::string RandomToken();  // 128 bits in 32 hexadecimal digits
// Takes the same time for all strings of the same lengths, so that a secret cannot be guessed digit by digit.
bool EqualSecrets(std::string_view a, std::string_view b);

}  // namespace throng::server
