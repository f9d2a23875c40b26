// BufferPool: buffers that come back when their last holder lets go, so that frames cost no allocation once warm.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "server/host/buffer.h"
#include "server/host/mutex.h"

namespace throng::server {

// Safe from any thread. Buffers may outlive the pool.
class BufferPool {
 public:
  static constexpr std::size_t kMaxKept = 64;                      // buffers that wait for their next use
  static constexpr std::size_t kMaxKeptBytes = 32u * 1024 * 1024;  // in all

  BufferPool() : shelf_(std::make_shared<Shelf>()) {}

  // Its capacity is `size` or somewhat more, its size is `size`.
  std::shared_ptr<Buffer> Get(std::size_t size);
  std::size_t kept() const;

 private:
  struct Shelf {
    mutable Mutex mutex;
    std::vector<std::unique_ptr<Buffer>> buffers ABSL_GUARDED_BY(mutex);
    std::size_t bytes ABSL_GUARDED_BY(mutex) = 0;

    std::unique_ptr<Buffer> Take(std::size_t capacity);
    void Return(std::unique_ptr<Buffer> buffer);
  };

  std::shared_ptr<Shelf> shelf_;
};

}  // namespace throng::server
