// What a world remembers of one session. Made by the session, touched by the world's runner alone.
#pragma once

#include <cstdint>

#include "server/host/request_cache.h"

namespace throng::server {

struct SessionMemory {
  std::uint64_t last_input_applied = 0;  // the largest sequence
  RequestCache requests;
};

}  // namespace throng::server
