#include "server/rpc/watch_service.h"

#include "server/rpc/refused_reactor.h"
#include "server/rpc/stream_reactor.h"
#include "server/session/streams.h"

namespace throng::server {
namespace {

using Reactor = grpc::ServerWriteReactor<grpc::ByteBuffer>;

class WatchReactor final : public StreamReactor<Reactor> {
 public:
  using StreamReactor::StreamReactor;

  void Start(std::shared_ptr<WatchStream> stream, const v1::WatchRequest& request) {
    stream_ = std::move(stream);
    stream_->Start(request);
  }

  void OnWriteDone(bool ok) override { stream_->OnWriteDone(ok); }
  void OnCancel() override { stream_->OnCancelled(); }

 private:
  void Released() override { stream_.reset(); }

  std::shared_ptr<WatchStream> stream_;  // from before the first reaction until OnDone
};

absl::Status Read(const grpc::CallbackServerContext& context, const grpc::ByteBuffer& bytes,
                  v1::WatchRequest& request) {
  if (!Parse(bytes, request)) return absl::InvalidArgumentError("the bytes received are no throng.v1.WatchRequest");
  return CheckWorld(context, request.world(), "world");
}

}  // namespace

grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchServiceImpl::Watch(grpc::CallbackServerContext* context,
                                                                    const grpc::ByteBuffer* request) {
  v1::WatchRequest parsed;
  if (absl::Status status = Read(*context, *request, parsed); !status.ok()) {
    return new RefusedReactor<Reactor>(environment_, status);
  }
  if (!environment_.calls->Enter()) return new RefusedReactor<Reactor>(environment_, DrainingError());
  const auto reactor = std::make_shared<WatchReactor>(environment_, context);
  reactor->Hold(reactor);
  reactor->Start(environment_.sessions->NewWatch(reactor), parsed);
  return reactor.get();
}

}  // namespace throng::server
