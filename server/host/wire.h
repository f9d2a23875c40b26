// The little of Protocol Buffers' wire format that frames are written in.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace throng::server {

static_assert(std::endian::native == std::endian::little, "columns are copied as they lie in memory");

inline constexpr std::size_t kMaxVarintBytes = 10;

constexpr std::size_t VarintBytes(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// Writes to memory that has room; fields that hold their default are left out, as proto3 has it.
class WireWriter {
 public:
  explicit WireWriter(char* out) : out_(out) {}

  char* position() const { return out_; }

  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *out_++ = static_cast<char>(value | 0x80);
    *out_++ = static_cast<char>(value);
  }
  void Tag(std::uint32_t field, std::uint32_t type) { Varint((field << 3) | type); }

  void VarintField(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return;
    Tag(field, 0);
    Varint(value);
  }
  void Fixed64Field(std::uint32_t field, std::uint64_t value) {
    if (value != 0) OptionalFixed64Field(field, value);
  }
  void OptionalFixed64Field(std::uint32_t field, std::uint64_t value) {
    Tag(field, 1);
    std::memcpy(out_, &value, sizeof value);
    out_ += sizeof value;
  }
  void DoubleField(std::uint32_t field, double value) { Fixed64Field(field, std::bit_cast<std::uint64_t>(value)); }
  // What follows are `bytes` bytes of a message, a string or a packed column.
  void LengthHeader(std::uint32_t field, std::size_t bytes) {
    Tag(field, 2);
    Varint(bytes);
  }
  void Raw(const void* data, std::size_t bytes) {
    std::memcpy(out_, data, bytes);
    out_ += bytes;
  }

 private:
  char* out_;
};

}  // namespace throng::server
