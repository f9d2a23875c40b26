// The words of lists of agents nearby.
//
// Every agent keeps the places of some agents around it, and a reach: no agent nearer than that is missing. As long as
// the nearest ones needed lie within the reach, less what everyone has moved since, a step ranks the list and searches
// nothing. That is decided anew in every step from distances alone, so no result depends on when a list was made.
#pragma once

#include <cstddef>
#include <cstdint>

namespace throng {

// Agents that are solved side by side; rows of lists have one entry for each.
inline constexpr std::size_t kGroup = 16;
// Entries of a list. An agent that looks at more than kMaxListed neighbours has none and searches in every step.
inline constexpr std::size_t kListed = 16;
inline constexpr std::uint32_t kMaxListed = 14;
// A list entry is the difference of places times this: places are 16-byte bodies and addresses scale by 8.
inline constexpr std::int32_t kEntryScale = 2;

// List limits, one per agent: how far [m] the list reaches, plus what agents had moved when it was made. Zero: it is to
// be made. kNoList: there is not to be one before the next sort.
inline constexpr float kNoList = -1.0f;

// Obstacle edges that are kept for a group; one that has more near searches for each of its agents.
inline constexpr std::uint32_t kNearEdges = 47;
inline constexpr std::uint32_t kManyEdges = 0xffffffff;

}  // namespace throng
