#include "server/rpc/connect_reactor.h"

#include "server/rpc/refused_reactor.h"

namespace throng::server {

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ConnectReactor::Begin(
    const RpcEnvironment& environment, grpc::CallbackServerContext* context) {
  using Reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;
  if (!environment.calls->Enter()) return new RefusedReactor<Reactor>(environment, DrainingError());
  const auto reactor = std::make_shared<ConnectReactor>(environment, context);
  reactor->Hold(reactor);
  reactor->stream_ = environment.sessions->NewConnect(reactor);
  reactor->ReadNext();
  return reactor.get();
}

void ConnectReactor::ReadNext() {
  StreamReactor::Begin([this] { StartRead(&incoming_); });
}

void ConnectReactor::OnReadDone(bool ok) {
  if (!ok) return stream_->OnHalfClose();
  if (!Parse(incoming_, request_)) {
    return stream_->Fail(absl::InvalidArgumentError("the bytes received are no throng.v1.ConnectRequest"));
  }
  incoming_.Clear();
  if (request_.has_open()) {
    absl::Status status = CheckWorld(context(), request_.open().world(), "open.world");
    if (!status.ok()) return stream_->Fail(std::move(status));
  }
  // The reactor lives while the stream wants to read on, though the call may be over by then.
  stream_->OnRequest(request_, [self = shared_from_this(), this] { ReadNext(); });
}

}  // namespace throng::server
