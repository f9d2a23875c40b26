#include "server/host/buffer_pool.h"

#include <bit>
#include <utility>

namespace throng::server {
namespace {

// Few sizes, so that buffers fit again though frames differ by some agents.
std::size_t RoundUp(std::size_t size) {
  constexpr std::size_t kMin = 256;
  return std::bit_ceil(size < kMin ? kMin : size);
}

}  // namespace

std::shared_ptr<Buffer> BufferPool::Get(std::size_t size) {
  const std::size_t capacity = RoundUp(size);
  std::unique_ptr<Buffer> buffer = shelf_->Take(capacity);
  if (buffer == nullptr) buffer = std::make_unique<Buffer>(capacity);
  buffer->set_size(size);
  return std::shared_ptr<Buffer>(
      buffer.release(), [shelf = shelf_](Buffer* returned) { shelf->Return(std::unique_ptr<Buffer>(returned)); });
}

std::size_t BufferPool::kept() const {
  const MutexLock lock(shelf_->mutex);
  return shelf_->buffers.size();
}

std::unique_ptr<Buffer> BufferPool::Shelf::Take(std::size_t capacity) {
  const MutexLock lock(mutex);
  for (std::size_t i = buffers.size(); i-- > 0;) {
    if (buffers[i]->capacity() != capacity) continue;
    std::swap(buffers[i], buffers.back());
    std::unique_ptr<Buffer> buffer = std::move(buffers.back());
    buffers.pop_back();
    bytes -= capacity;
    return buffer;
  }
  return nullptr;
}

void BufferPool::Shelf::Return(std::unique_ptr<Buffer> buffer) {
  const MutexLock lock(mutex);
  // The oldest goes first: its size is the least likely to be wanted again.
  while (!buffers.empty() && (buffers.size() >= kMaxKept || bytes + buffer->capacity() > kMaxKeptBytes)) {
    bytes -= buffers.front()->capacity();
    buffers.erase(buffers.begin());
  }
  bytes += buffer->capacity();
  buffers.push_back(std::move(buffer));
}

}  // namespace throng::server
