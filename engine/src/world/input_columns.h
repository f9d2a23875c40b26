// Columns of input for many agents at once: what World's functions of that kind have in common.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>

#include <span>
#include <vector>

#include "store/agents.h"
#include "throng/limits.h"
#include "throng/world.h"

namespace throng {

inline absl::Status NoAgent(AgentId id) { return absl::NotFoundError(absl::StrCat("there is no agent ", id)); }

inline absl::Status LengthError(const char* field, std::size_t length, std::size_t expected) {
  return ViolationError({field, absl::StrCat("length ", length), absl::StrCat("length ", expected)});
}

// is_valid(place, x, y); refuse(place, value): why it is not. Called only where that does not hold.
template <class IsValid, class Refuse, class Set>
absl::StatusOr<std::size_t> SetByIds(const AgentStore& agents, std::span<const AgentId> ids, std::span<const float> x,
                                     std::span<const float> y, std::vector<InputRejection>& rejected, IsValid is_valid,
                                     Refuse refuse, Set set) {
  if (x.size() != ids.size()) return LengthError("x", x.size(), ids.size());
  if (y.size() != ids.size()) return LengthError("y", y.size(), ids.size());
  std::size_t applied = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Index place = agents.Find(ids[i]);
    if (place == kNoIndex) {
      rejected.push_back({i, NoAgent(ids[i])});
    } else if (!is_valid(place, x[i], y[i])) {
      rejected.push_back({i, refuse(place, Vec2{x[i], y[i]})});
    } else {
      set(place, Vec2{x[i], y[i]});
      ++applied;
    }
  }
  return applied;
}

template <class IsValid, class Refuse, class Set>
absl::StatusOr<std::size_t> SetByRanks(const AgentStore& agents, std::size_t first, std::span<const float> x,
                                       std::span<const float> y, std::vector<InputRejection>& rejected,
                                       IsValid is_valid, Refuse refuse, Set set) {
  if (y.size() != x.size()) return LengthError("y", y.size(), x.size());
  const std::size_t count = agents.size();
  if (first > count || x.size() > count - first) {
    return ViolationError(
        {"x", absl::StrCat("ranks ", first, " to ", first + x.size()), absl::StrCat("ranks of ", count, " agents")},
        absl::StatusCode::kOutOfRange);
  }
  const AgentStore::Ranks ranks = agents.ranks();
  std::size_t applied = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Index place = ranks.place(first + i);
    if (!is_valid(place, x[i], y[i])) {
      rejected.push_back({i, refuse(place, Vec2{x[i], y[i]})});
      continue;
    }
    set(place, Vec2{x[i], y[i]});
    ++applied;
  }
  return applied;
}

}  // namespace throng
