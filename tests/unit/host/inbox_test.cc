#include "server/host/inbox.h"

#include <gtest/gtest.h>

#include <cmath>

#include "server/host/limit_error.h"

namespace throng::server {
namespace {

class InboxTest : public testing::Test {
 protected:
  Work MakeInput(std::uint64_t sequence, std::vector<AgentId> ids, float x = 1.0f) {
    Input input{.session = session_, .sequence = sequence};
    input.ids = std::move(ids);
    input.x.assign(input.ids.size(), x);
    input.y.assign(input.ids.size(), 0.0f);
    return InputWork{std::move(input), [](const InputOutcome&) {}};
  }
  // The sequence of the input that was superseded; 0 if none was.
  std::uint64_t Push(Work work) {
    std::optional<InputWork> superseded;
    EXPECT_TRUE(inbox_.Push(work, superseded).ok());
    return superseded ? superseded->input.sequence : 0;
  }

  std::shared_ptr<SessionMemory> session_ = std::make_shared<SessionMemory>();
  Inbox inbox_;
};

TEST_F(InboxTest, KeepsTheOrderOfArrival) {
  Push(MakeInput(1, {1}));
  Push(CommandWork{});
  Push(MakeInput(2, {2}));
  const std::deque<Work> all = inbox_.Take();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(std::get<InputWork>(all[0]).input.sequence, 1u);
  EXPECT_TRUE(std::holds_alternative<CommandWork>(all[1]));
  EXPECT_EQ(std::get<InputWork>(all[2]).input.sequence, 2u);
  EXPECT_TRUE(inbox_.empty());
}

TEST_F(InboxTest, ALaterInputForTheSameAgentsSupersedes) {
  EXPECT_EQ(Push(MakeInput(1, {1, 2})), 0u);
  EXPECT_EQ(Push(MakeInput(2, {1, 3})), 0u);
  EXPECT_EQ(Push(CommandWork{}), 0u);
  EXPECT_EQ(Push(MakeInput(3, {1, 2})), 1u);
  EXPECT_EQ(inbox_.Take().size(), 3u);
}

TEST_F(InboxTest, NotBeyondAStepNorOfAnotherSessionNorByABadOne) {
  Push(MakeInput(1, {1}));
  EXPECT_EQ(Push(MakeInput(2, {1}, std::nanf(""))), 0u);
  auto other = std::make_shared<SessionMemory>();
  std::swap(other, session_);
  EXPECT_EQ(Push(MakeInput(1, {1})), 0u);
  std::swap(other, session_);
  Push(StepWork{{session_, 1}, nullptr});
  EXPECT_EQ(Push(MakeInput(3, {1})), 0u);
}

TEST_F(InboxTest, IsBounded) {
  CommandWork big;
  big.batch.commands.resize(Inbox::kMaxItems / 2);
  Work work = std::move(big);
  Push(std::move(work));
  CommandWork second;
  second.batch.commands.resize(Inbox::kMaxItems / 2);
  bool refused = false;
  second.reply = [&](const auto& result) { refused = absl::IsResourceExhausted(result.status()); };
  work = std::move(second);
  std::optional<InputWork> superseded;
  const absl::Status status = inbox_.Push(work, superseded);
  ASSERT_TRUE(GetExceededLimit(status).has_value());
  EXPECT_EQ(GetExceededLimit(status)->limit, "queued_items_per_world");
  EXPECT_EQ(GetExceededLimit(status)->flag, "");
  Fail(work, status);
  EXPECT_TRUE(refused);
  inbox_.Take();
  EXPECT_EQ(Push(MakeInput(1, {1})), 0u);
}

}  // namespace
}  // namespace throng::server
