#include "tests/integration/raw_call.h"

#include <grpcpp/generic/generic_stub.h>

#include "tests/integration/support.h"

namespace throng::server {

RawAnswer CallRaw(const std::shared_ptr<grpc::Channel>& channel, const std::string& method, const std::string& bytes) {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  const auto context = NewContext();
  const auto call = stub.PrepareCall(context.get(), method, &queue);
  const auto wait = [&] {
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    return ok;
  };
  RawAnswer answer;
  call->StartCall(nullptr);
  wait();
  const grpc::Slice slice(bytes);
  call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  wait();
  call->WritesDone(nullptr);
  wait();
  for (grpc::ByteBuffer message; call->Read(&message, nullptr), wait();) {
    grpc::Slice whole;
    EXPECT_TRUE(message.DumpToSingleSlice(&whole).ok());
    answer.messages.emplace_back(reinterpret_cast<const char*>(whole.begin()), whole.size());
  }
  call->Finish(&answer.status, nullptr);
  wait();
  return answer;
}

}  // namespace throng::server
