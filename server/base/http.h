// The one HTTP port: a few pages to read, for probes and scrapers. Nothing that changes the server is served here.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace throng::server {

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Pages by path. Handlers run on the port's own threads, several at a time, and should not block.
using HttpPages = std::map<std::string, std::function<HttpReply()>>;

class HttpServer {
 public:
  // Listens on `address` (an IP literal or "localhost") and `port` (0: a free one). Answers GET and HEAD for the pages,
  // 404 for other paths, 405 for other methods. UNAVAILABLE, with the system's reason, if it cannot listen there.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& address, int port, HttpPages pages);
  // Stops listening and waits for the handlers that run.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }

 private:
  struct Impl;
  HttpServer();
  std::unique_ptr<Impl> impl_;
  int port_ = 0;
};

// Why a listener on `address` and `port` would fail now, as the system puts it ("Address already in use"); empty if it
// would not.
std::string ListenProblem(const std::string& address, int port);

}  // namespace throng::server
