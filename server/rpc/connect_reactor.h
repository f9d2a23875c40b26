// The transport of a session's stream.
#pragma once

#include <memory>

#include "server/rpc/stream_reactor.h"
#include "server/session/streams.h"
#include "throng/v1/session_service.pb.h"

namespace throng::server {

class ConnectReactor final : public StreamReactor<grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>> {
 public:
  // For a handler to return.
  static grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Begin(const RpcEnvironment& environment,
                                                                            grpc::CallbackServerContext* context);

  using StreamReactor::StreamReactor;

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override { stream_->OnWriteDone(ok); }
  void OnCancel() override { stream_->OnCancelled(); }

 private:
  void Released() override { stream_.reset(); }
  void ReadNext();

  std::shared_ptr<ConnectStream> stream_;  // from before the first reaction until OnDone
  grpc::ByteBuffer incoming_;              // of the read in flight
  v1::ConnectRequest request_;             // kept, so that its memory is used again
};

}  // namespace throng::server
