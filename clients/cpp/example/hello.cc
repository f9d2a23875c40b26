// A crowd in ten lines: a hundred agents walk east through a world of their own.
//   build/release/bin/throngd &
//   build/release/bin/throng_hello
#include <cstdio>

#include "throng/client.h"

int main() {
  throng::client::Client client("127.0.0.1:50051");
  auto world = client.CreateWorld("hello").value();
  std::vector<throng::client::AgentSpec> crowd;
  for (float x = 0; x < 20; x += 2) {
    for (float y = 0; y < 20; y += 2) crowd.push_back({.position = {x, y}});
  }
  world.AddAgents(crowd).value();

  auto session = world.OpenSession().value();
  for (auto frame = session.NextFrame().value(); frame.time() < 2.0; frame = session.NextFrame().value()) {
    session.SteerAll(1.0f, 0.0f).value();
    std::printf("t = %.2f s: the first of %zu agents is at x = %.2f m\n", frame.time(), frame.size(), frame.x()[0]);
  }
  world.Delete().value();
}
