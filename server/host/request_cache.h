// RequestCache: the answers to the last batches with a request_id, so that a repeat gets the first one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "server/host/command.h"

namespace throng::server {

class RequestCache {
 public:
  static constexpr std::size_t kMaxBatches = 1'024;
  static constexpr std::size_t kMaxBytes = 8 * 1024 * 1024;  // of answers, about

  struct Answer {
    std::uint64_t fingerprint = 0;  // of the batch
    std::shared_ptr<CommandBatchResult> result;
    std::size_t bytes = 0;
  };

  // Null if it is not known.
  const Answer* Find(const std::string& request_id) const {
    const auto found = answers_.find(request_id);
    return found == answers_.end() ? nullptr : &found->second;
  }

  // Precondition: its request_id is not known.
  void Remember(std::uint64_t fingerprint, std::shared_ptr<CommandBatchResult> result) {
    const std::string id = result->request_id;
    const std::size_t bytes = Bytes(*result);
    bytes_ += bytes;
    order_.push_back(id);
    answers_.emplace(id, Answer{fingerprint, std::move(result), bytes});
    while (order_.size() > 1 && (order_.size() > kMaxBatches || bytes_ > kMaxBytes)) {
      const auto oldest = answers_.find(order_.front());
      bytes_ -= oldest->second.bytes;
      answers_.erase(oldest);
      order_.pop_front();
    }
  }

 private:
  static std::size_t Bytes(const CommandBatchResult& result) {
    std::size_t bytes = sizeof(result) + result.results.size() * sizeof(CommandResult);
    for (const CommandResult& item : result.results) {
      bytes += item.status.ok() ? 0 : 2 * item.status.message().size();
      for (const Warning& warning : item.warnings) {
        bytes += sizeof(warning) + warning.field.size() + warning.message.size();
      }
    }
    return bytes;
  }

  std::unordered_map<std::string, Answer> answers_;
  std::deque<std::string> order_;
  std::size_t bytes_ = 0;
};

}  // namespace throng::server
