#include "server/base/http.h"

#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <civetweb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "server/base/config.h"
#include "server/base/log.h"

namespace throng::server {

struct HttpServer::Impl {
  HttpPages pages;
  std::string host;  // an IP literal
  mg_context* context = nullptr;
};

namespace {

const char* Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

void Send(mg_connection* connection, const HttpReply& reply, bool with_body) {
  const std::string head =
      absl::StrCat("HTTP/1.1 ", reply.status, " ", Reason(reply.status), "\r\nContent-Type: ", reply.content_type,
                   "\r\nContent-Length: ", reply.body.size(), "\r\nCache-Control: no-store\r\nConnection: close\r\n",
                   reply.status == 405 ? "Allow: GET, HEAD\r\n" : "", "\r\n");
  mg_write(connection, head.data(), head.size());
  if (with_body) mg_write(connection, reply.body.data(), reply.body.size());
}

// Sees every request before civetweb would, so that none of its own pages or methods can be reached.
int OnRequest(mg_connection* connection) {
  const mg_request_info* info = mg_get_request_info(connection);
  const auto* pages = static_cast<const HttpPages*>(info->user_data);
  const std::string_view method = info->request_method == nullptr ? "" : info->request_method;
  const std::string path = info->local_uri == nullptr ? "" : info->local_uri;
  HttpReply reply;
  if (method != "GET" && method != "HEAD") {
    reply = {405, "text/plain; charset=utf-8", "Only GET and HEAD.\n"};
  } else if (const auto page = pages->find(path); page != pages->end()) {
    reply = page->second();
  } else {
    reply.status = 404;
    reply.body = "Not here. There are:\n";
    for (const auto& [known, handler] : *pages) absl::StrAppend(&reply.body, known, "\n");
  }
  Send(connection, reply, method != "HEAD");
  return reply.status;
}

int OnLogMessage(const mg_connection* /*connection*/, const char* message) {
  Log(LogLevel::kDebug, "http", {{"message", message}});
  return 1;  // handled: nothing goes to standard error by itself
}

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// Of size 0 if `host` is no IP literal.
SocketAddress MakeSocketAddress(const std::string& host, int port) {
  SocketAddress address;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<std::uint16_t>(port));
    address.size = sizeof(sockaddr_in);
  } else if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<std::uint16_t>(port));
    address.size = sizeof(sockaddr_in6);
  }
  return address;
}

// Connects and hangs up.
void Knock(const std::string& host, int port) {
  const SocketAddress address = MakeSocketAddress(host, port);
  const int fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  connect(fd, address.get(), address.size);
  close(fd);
}

}  // namespace

HttpServer::HttpServer() : impl_(std::make_unique<Impl>()) {}

// civetweb notices that it should stop when its poll returns, after up to two seconds, or at once for a connection.
HttpServer::~HttpServer() {
  if (impl_->context == nullptr) return;
  std::atomic<bool> stopped{false};
  std::thread knock([&] {
    while (!stopped) {
      Knock(impl_->host, port_);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  mg_stop(impl_->context);
  stopped = true;
  knock.join();
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address, int port, HttpPages pages) {
  const std::string host = address == "localhost" ? "127.0.0.1" : address;
  const std::string where = JoinAddress(host, port);
  std::unique_ptr<HttpServer> server(new HttpServer());
  server->impl_->pages = std::move(pages);
  server->impl_->host = host;
  // A request that dawdles is cut off, so that a few slow clients cannot hold all threads for long.
  const char* const options[] = {
      "listening_ports",   where.c_str(), "num_threads", "4", "request_timeout_ms", "2000", "enable_keep_alive", "no",
      "linger_timeout_ms", "0",           nullptr};
  mg_callbacks callbacks{};
  callbacks.begin_request = &OnRequest;
  callbacks.log_message = &OnLogMessage;
  mg_context* const context = mg_start(&callbacks, &server->impl_->pages, const_cast<const char**>(options));
  if (context == nullptr) {
    const std::string problem = ListenProblem(host, port);
    return absl::UnavailableError(problem.empty() ? "cannot listen there" : problem);
  }
  server->impl_->context = context;
  mg_server_port bound{};
  if (mg_get_server_ports(context, 1, &bound) == 1) server->port_ = bound.port;
  return server;
}

std::string ListenProblem(const std::string& address, int port) {
  const std::string host = address == "localhost" ? "127.0.0.1" : address;
  const SocketAddress socket_address = MakeSocketAddress(host, port);
  if (socket_address.size == 0) return "not an IP address";
  const int fd = socket(socket_address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::generic_category().message(errno);
  const int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  const bool bound = bind(fd, socket_address.get(), socket_address.size) == 0 && listen(fd, 1) == 0;
  std::string problem = bound ? "" : std::generic_category().message(errno);
  close(fd);
  return problem;
}

}  // namespace throng::server
