// The two kinds of streams, as their transport sees them. Safe from any thread.
//
// A transport makes its StreamSink, then the stream (SessionManager), keeps both until the call is over, and passes on
// what happens. A stream lets go of its sink after Finish.
#pragma once

#include <absl/status/status.h>

#include <memory>

#include "server/host/callback.h"
#include "throng/v1/session_service.pb.h"
#include "throng/v1/watch_service.pb.h"

namespace throng::server {

class ServedStream {
 public:
  virtual ~ServedStream() = default;
  // The answer to StreamSink::Write. `ok` false: the peer is gone.
  virtual void OnWriteDone(bool ok) = 0;
  // The call is over, by the peer's will or by a broken connection.
  virtual void OnCancelled() = 0;
  // Ends the stream with this status, such as for a message that does not parse.
  virtual void Fail(absl::Status status) = 0;
};

class WatchStream : public ServedStream {
 public:
  // Once. What is wrong with the request comes as the status of Finish.
  virtual void Start(const v1::WatchRequest& request) = 0;
};

class ConnectStream : public ServedStream {
 public:
  // One at a time: `next` is called when the next one may be read, at once or later; never once the stream has ended.
  virtual void OnRequest(const v1::ConnectRequest& request, Callback<> next) = 0;
  // The client will send no more.
  virtual void OnHalfClose() = 0;
};

}  // namespace throng::server
