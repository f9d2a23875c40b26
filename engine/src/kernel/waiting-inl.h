// Agents that wait for the program in three dimensions.
#include "kernel/lanes-inl.h"
#include "kernel/program-inl.h"
#include "kernel/relief-inl.h"
#include "kernel/settle-inl.h"

#if defined(THRONG_KERNEL_WAITING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THRONG_KERNEL_WAITING_INL_H_
#undef THRONG_KERNEL_WAITING_INL_H_
#else
#define THRONG_KERNEL_WAITING_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace throng {
namespace HWY_NAMESPACE {

// Agents whose program in the plane failed wait here until every lane is taken: in a group a few lanes fail, and the
// program in three dimensions costs as much for one lane as for all.
template <class D, bool kExtended>
class Waiting {
 public:
  static constexpr std::size_t kLanes = LanesOf<D>();
  static constexpr std::int32_t kNever = 0x7fffffff;  // the row at which a lane begins that takes no part

  Waiting(const SolveView& view, SolveScratch& scratch) : view_(view), scratch_(scratch) {}

  // Takes over lane `lane` of `rows`: its `hard` rows, then `count` rows of agents. `begin` is the row that failed,
  // `velocity` the optimum before it. Of the last three see Relief.
  void Add(std::uint32_t agent, const Rows<D>& rows, std::size_t lane, std::size_t hard, std::size_t count,
           std::size_t begin, Vec2 velocity, bool pressed, Vec2 wish, float slack, float most) {
    if (size_ > 0 && hard > room_) Flush();
    if (size_ == 0) {
      room_ = view_.near_edges == nullptr && view_.drive_lines == nullptr ? 0 : HWY_MAX(hard, kHardRoom);
      hard_ = 0;
      end_ = room_;
    }
    const Rows<D> waiting(scratch_.waiting.Rows(room_ + count));
    for (; hard_ < hard; ++hard_) waiting.Clear(room_ - hard_ - 1);
    for (; end_ < room_ + count; ++end_) waiting.Clear(end_);
    const std::size_t first = room_ - hard;
    for (std::size_t row = 0; row < hard + count; ++row) waiting.CopyLane(first + row, size_, rows, row, lane);
    agent_[size_] = agent;
    begin_[size_] = static_cast<std::int32_t>(first + begin);
    x_[size_] = velocity.x;
    y_[size_] = velocity.y;
    if constexpr (kExtended) {
      wish_x_[size_] = wish.x;
      wish_y_[size_] = wish.y;
      slack_[size_] = slack;
      most_[size_] = most;
    }
    max_speed_[size_] = view_.max_speed[agent];
    pressed_ = pressed ? pressed_ | 1u << size_ : pressed_ & ~(1u << size_);
    if (++size_ == kLanes) Flush();
  }

  void Flush() {
    if (size_ == 0) return;
    const D d;
    const std::size_t first = room_ - hard_, used = end_ - first;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      begin_[lane] = lane < size_ ? begin_[lane] - static_cast<std::int32_t>(first) : kNever;
    }
    const auto max_speed = hn::Load(d, max_speed_);
    const Rows<D> rows = Rows<D>(scratch_.waiting.Rows(end_)).From(first);
    const Rows<D> scratch(scratch_.relaxed.Rows(used));
    auto velocity = WithinSpeed(d,
                                Relax(d, rows, hard_, used, hn::Load(Ints<D>(), begin_), max_speed, scratch,
                                      {hn::Load(d, x_), hn::Load(d, y_)}),
                                max_speed);
    if (kExtended && view_.jam != nullptr) {
      for (std::size_t lane = size_; lane < kLanes; ++lane) slack_[lane] = 0.0f;
      velocity = WithSlack(d, rows, hard_, used, max_speed, scratch, velocity,
                           {hn::Load(d, wish_x_), hn::Load(d, wish_y_)}, hn::Load(d, slack_));
      velocity = WithinSpeed(d, velocity, hn::Load(d, most_));
    }
    if (view_.rest_speed > 0.0f) {
      const Mask<D> rests = hn::Not(MaskOf(d, pressed_));
      const Settlers<D> self{Preferred(), max_speed};
      velocity = Select(rests, Rest(d, kPressedRest * view_.rest_speed, self, velocity), velocity);
    }
    hn::Store(velocity.x, d, x_);
    hn::Store(velocity.y, d, y_);
    for (std::size_t lane = 0; lane < size_; ++lane) {
      view_.next_x[agent_[lane]] = x_[lane];
      view_.next_y[agent_[lane]] = y_[lane];
    }
    size_ = 0;
  }

 private:
  Pair<Vec<D>> Preferred() const {
    const D d;
    alignas(64) float x[kLanes] = {};
    alignas(64) float y[kLanes] = {};
    for (std::size_t lane = 0; lane < size_; ++lane) {
      x[lane] = view_.preferred_x[agent_[lane]];
      y[lane] = view_.preferred_y[agent_[lane]];
    }
    return {hn::Load(d, x), hn::Load(d, y)};
  }

  const SolveView& view_;
  SolveScratch& scratch_;
  std::size_t size_ = 0;
  // Hard rows end at room_, where agents' rows begin, so that who has more hard rows than those before it can join
  // them.
  std::size_t room_ = 0;
  std::size_t hard_ = 0;  // of the one that has most
  std::size_t end_ = 0;   // of the rows in use
  std::uint32_t agent_[kLanes];
  std::uint32_t pressed_ = 0;  // of lanes, see Group
  alignas(64) std::int32_t begin_[kLanes] = {};
  alignas(64) float x_[kLanes] = {};
  alignas(64) float y_[kLanes] = {};
  alignas(64) float max_speed_[kLanes] = {};
  // Only where kExtended.
  static constexpr std::size_t kEased = kExtended ? kLanes : 1;
  alignas(64) float wish_x_[kEased] = {};
  alignas(64) float wish_y_[kEased] = {};
  alignas(64) float slack_[kEased] = {};
  alignas(64) float most_[kEased] = {};
};

}  // namespace HWY_NAMESPACE
}  // namespace throng
HWY_AFTER_NAMESPACE();

#endif
