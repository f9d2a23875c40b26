#include "server/host/buffer_pool.h"

#include <gtest/gtest.h>

namespace throng::server {
namespace {

TEST(BufferPoolTest, BuffersComeBackAndAreUsedAgain) {
  BufferPool pool;
  auto buffer = pool.Get(1000);
  EXPECT_EQ(buffer->size(), 1000u);
  const char* const data = buffer->data();
  EXPECT_EQ(pool.kept(), 0u);
  buffer.reset();
  EXPECT_EQ(pool.kept(), 1u);
  buffer = pool.Get(900);
  EXPECT_EQ(buffer->data(), data);
  EXPECT_EQ(pool.Get(5000)->size(), 5000u);
}

TEST(BufferPoolTest, KeepsWithinBounds) {
  BufferPool pool;
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (std::size_t i = 0; i < 2 * BufferPool::kMaxKept; ++i) buffers.push_back(pool.Get(100));
  buffers.clear();
  EXPECT_EQ(pool.kept(), BufferPool::kMaxKept);
  for (int i = 0; i < 5; ++i) buffers.push_back(pool.Get(BufferPool::kMaxKeptBytes / 2));
  buffers.clear();
  EXPECT_LE(pool.kept(), 3u);
}

TEST(BufferPoolTest, BuffersOutliveThePool) {
  std::shared_ptr<Buffer> buffer;
  {
    BufferPool pool;
    buffer = pool.Get(10);
  }
  buffer->data()[9] = 'x';
  EXPECT_EQ(buffer->view().back(), 'x');
}

}  // namespace
}  // namespace throng::server
