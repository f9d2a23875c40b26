#include "server/base/http.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace throng::server {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Sends `bytes` and returns all that comes back until the other side closes.
std::string Exchange(int port, const std::string& bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  EXPECT_EQ(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  shutdown(fd, SHUT_WR);
  std::string answer;
  char buffer[4096];
  for (ssize_t n; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) answer.append(buffer, static_cast<std::size_t>(n));
  close(fd);
  return answer;
}

std::string Get(int port, const std::string& path, const std::string& method = "GET") {
  return Exchange(port, method + " " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
}

class HttpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = HttpServer::Start("127.0.0.1", 0,
                                    {{"/livez",
                                      [] {
                                        return HttpReply{200, "text/plain", "alive\n"};
                                      }},
                                     {"/readyz", [] {
                                        return HttpReply{503, "text/plain", "no\n"};
                                      }}});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::move(*server);
  }
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpTest, ServesPagesOnAFreePort) {
  ASSERT_GT(server_->port(), 0);
  EXPECT_THAT(Get(server_->port(), "/livez"), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\nalive\n")));
  EXPECT_THAT(Get(server_->port(), "/readyz"), AllOf(StartsWith("HTTP/1.1 503 "), EndsWith("no\n")));
  EXPECT_THAT(Get(server_->port(), "/livez?verbose=1"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpTest, HeadHasNoBody) {
  EXPECT_THAT(Get(server_->port(), "/livez", "HEAD"), AllOf(HasSubstr("Content-Length: 6"), EndsWith("\r\n\r\n")));
}

TEST_F(HttpTest, RefusesOtherPathsAndMethods) {
  EXPECT_THAT(Get(server_->port(), "/"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Get(server_->port(), "/../../etc/passwd"), Not(HasSubstr("root:")));
  EXPECT_THAT(Get(server_->port(), "/livez", "POST"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD")));
  EXPECT_THAT(Get(server_->port(), "/livez", "DELETE"), StartsWith("HTTP/1.1 405 "));
}

TEST_F(HttpTest, LivesThroughBadRequests) {
  for (const std::string& bytes :
       {std::string("\0\xff\r\n\r\n", 6), std::string("GET"), std::string("GET /livez HTTP/9.9\r\n\r\n"),
        std::string("GET /") + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n",
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        std::string("GET /livez HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), std::string("OPTIONS * HTTP/1.1\r\n\r\n")}) {
    Exchange(server_->port(), bytes);
  }
  EXPECT_THAT(Get(server_->port(), "/livez"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(HttpTest, SaysThatAPortIsTaken) {
  const auto second = HttpServer::Start("127.0.0.1", server_->port(), {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("in use"));
  EXPECT_THAT(ListenProblem("127.0.0.1", server_->port()), HasSubstr("in use"));
  EXPECT_EQ(ListenProblem("127.0.0.1", 0), "");
}

TEST_F(HttpTest, ServesManyAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) EXPECT_THAT(Get(server_->port(), "/livez"), StartsWith("HTTP/1.1 200 "));
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace throng::server
