// A run of bytes that is written once, then shared by all streams that send it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace throng::server {

class Buffer {
 public:
  // Its bytes are not initialised.
  explicit Buffer(std::size_t capacity) : data_(new char[capacity]), capacity_(capacity) {}

  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  // Precondition: size <= capacity().
  void set_size(std::size_t size) { size_ = size; }
  std::string_view view() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_;
};

}  // namespace throng::server
