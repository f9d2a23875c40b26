// Openings between obstacles, to tell agents that do not fit through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/sight.h"
#include "index/obstacle_index.h"
#include "store/obstacles.h"
#include "throng/types.h"

namespace throng {

// Where two obstacles, or two parts of one, come nearer to each other than all around.
struct Opening {
  float width = 0.0f;  // [m]
  Vec2 middle;
  ObstacleId first = kInvalidId;
  ObstacleId second = kInvalidId;
};

class Openings {
 public:
  // Worlds with more are not looked through: it would take their time.
  static constexpr std::size_t kMaxVertices = 1'024;

  // Who is to pass.
  struct Passer {
    explicit Passer(const AgentParams& params, bool anywhere)
        : radius(params.radius), sight{params.layer, params.avoids, params.z, params.height}, at_any_height(anywhere) {}
    float radius;
    Sight sight;
    bool at_any_height;  // its z may be another
  };

  // The widest opening through which it does not fit, but one of half the size would: what is narrower is a crack that
  // nobody is meant to pass. Only of obstacles that are both there for it. Of equally wide ones the one of the lowest
  // ids. Null: there is none. `only`: one of the two obstacles; kInvalidId: any. The pointer is good until the next
  // call. `version` names the state of the obstacles; openings are looked for once for each, as long as radii do not
  // grow.
  const Opening* Narrow(const ObstacleStore& obstacles, const ObstacleIndex& index, std::uint64_t version,
                        const Passer& passer, ObstacleId only = kInvalidId);

 private:
  void Find(const ObstacleStore& obstacles, const ObstacleIndex& index);

  std::uint64_t version_ = 0;
  float limit_ = 0.0f;             // [m] all openings narrower than this are known; 0: none was looked for
  std::vector<Opening> openings_;  // by descending (width), then ascending ids
};

}  // namespace throng
