#include "server/rpc/stream_reactor.h"

#include <grpcpp/support/proto_buffer_reader.h>

#include <array>
#include <cstddef>

namespace throng::server {
namespace {

grpc::Slice Share(SharedBuffer buffer) {
  // gRPC takes the bytes as not constant, yet only reads them.
  char* const data = const_cast<char*>(buffer->data());
  const std::size_t size = buffer->size();
  auto* const held = new SharedBuffer(std::move(buffer));
  return grpc::Slice(
      data, size, [](void* pointer) { delete static_cast<SharedBuffer*>(pointer); }, held);
}

}  // namespace

grpc::ByteBuffer ToByteBuffer(OutgoingMessage message) {
  std::array<grpc::Slice, 3> slices;
  std::size_t n = 0;
  if (message.frame != nullptr) slices[n++] = Share(std::move(message.frame));
  if (message.membership != nullptr) slices[n++] = Share(std::move(message.membership));
  if (!message.tail.empty() || n == 0) slices[n++] = grpc::Slice(message.tail);
  return grpc::ByteBuffer(slices.data(), n);
}

bool Parse(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message) {
  grpc::ByteBuffer copy(bytes);  // of references to slices; the reader wants one that it may change
  grpc::ProtoBufferReader reader(&copy);
  return reader.status().ok() && message.ParseFromZeroCopyStream(&reader);
}

}  // namespace throng::server
