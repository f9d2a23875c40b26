#include "tests/quality/run.h"

#include <absl/status/status.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>

#include "tests/quality/caller.h"
#include "throng/world.h"

namespace throng::quality {
namespace {

void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "The engine refused a part of a scene: %s\n", status.ToString().c_str());
  std::abort();
}

constexpr double kPictureStep = 0.25;  // [s] between the places of a recording

std::vector<Body> BodiesOf(const Play& play) {
  std::vector<Body> bodies;
  for (const Walker& walker : play.walkers) {
    Body body{walker.radius, walker.max_speed, walker.speed, 0.0, walker.has_goal, walker.kinematic};
    Vec2 from = *walker.spec.position;
    for (const Vec2 point : walker.route) {
      body.straight += Distance(from, point);
      from = point;
    }
    if (walker.leader) {  // a follower's way is about its leader's
      const Walker& leader = play.walkers[*walker.leader];
      from = *leader.spec.position;
      for (const Vec2 point : leader.route) {
        body.straight += Distance(from, point);
        from = point;
      }
    }
    body.straight = std::max(0.0, body.straight - double{walker.counts_within});
    bodies.push_back(body);
  }
  return bodies;
}

std::vector<Edge> EdgesOfAll(const Play& play) {
  std::vector<Edge> edges;
  for (const ObstacleSpec& obstacle : play.obstacles) {
    for (const Edge& edge : EdgesOf(obstacle)) edges.push_back(edge);
  }
  return edges;
}

// A world and all that drives and watches it.
class Runner {
 public:
  Runner(const Scene& scene, const Pace& pace, std::uint64_t run, Extensions extensions, Recording* recording)
      : scene_(scene),
        play_(MakePlay(scene, pace, run)),
        caller_(play_),
        meter_({double{pace.time_step}, scene.overlap_from, play_.opening}, BodiesOf(play_), EdgesOfAll(play_)),
        samples_(play_.walkers.size()),
        on_(extensions == Extensions::kOn),
        recording_(recording) {
    WorldSettings settings = play_.settings;
    settings.preset = on_ ? Preset::kDefault : Preset::kBase;
    auto world = World::Create(settings);
    Require(world.status());
    world_ = *std::move(world);
    for (const ObstacleSpec& obstacle : play_.obstacles) Require(world_->AddObstacle(obstacle).status());
    for (std::size_t i = 0; i < play_.walkers.size(); ++i) Require(world_->AddAgent(SpecOf(i)).status());
    here_.resize(play_.walkers.size());
    std::iota(here_.begin(), here_.end(), std::size_t{0});
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      samples_[i].position = *play_.walkers[i].spec.position;
      samples_[i].resting = IsResting(i);
    }
    meter_.Observe(samples_);
    if (recording_ != nullptr) recording_->ways.resize(samples_.size());
    Record();
  }

  RunResult PlayOut(std::optional<std::uint64_t> most_ticks) {
    const double step = double{play_.settings.time_step};
    const double limit = scene_.limit_seconds > 0.0 ? scene_.limit_seconds : scene_.limit * play_.free_time;
    const auto second = static_cast<std::uint64_t>(std::lround(1.0 / step));
    const auto picture = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::lround(kPictureStep / step)));
    double end = limit;
    bool rests = false;
    RunResult result;
    while (time() < end) {
      if (most_ticks && world_->tick() >= *most_ticks) break;
      Tick(world_->tick() % second == 0);
      if (world_->tick() % picture == 0) Record();
      if (world_->tick() == kHashTick) result.hash = world_->StateHash();
      const bool rested = std::exchange(rests, AllRest());
      if (!rests) end = limit;
      if (rests && !rested) end = std::min(limit, time() + scene_.rest);
    }
    if (world_->tick() < kHashTick) result.hash = world_->StateHash();
    result.measures = meter_.Finish();
    result.free_time = play_.free_time;
    result.seconds = time();
    result.packing = Packing();
    if (recording_ != nullptr) recording_->play = std::move(play_);
    return result;
  }

 private:
  double time() const { return world_->simulation_time(); }

  bool IsResting(std::size_t agent) const {
    if (scene_.all_rest) return true;
    if (play_.walkers[agent].leaves) return false;
    return on_ && play_.walkers[agent].has_goal ? engine_arrived_[agent] : caller_.resting(agent);
  }

  // With extensions on the world knows goals, waypoints and who is kinematic, as those of a caller do who uses it.
  AgentSpec SpecOf(std::size_t agent) const {
    const Walker& walker = play_.walkers[agent];
    AgentSpec spec = walker.spec;
    if (!on_) return spec;
    spec.kinematic = walker.kinematic;
    if (!walker.has_goal || walker.kinematic) return spec;
    spec.params.preferred_speed = walker.speed;
    spec.params.arrival_radius = walker.arrival_radius;
    if (walker.leaves) spec.params.slow_down_distance = 0.0f;
    spec.path = PathOf(agent);
    return spec;
  }

  Path PathOf(std::size_t agent) const { return {caller_.Points(agent), play_.walkers[agent].pass_radius}; }

  void Tell(std::size_t agent, bool replanned) {
    const Walker& walker = play_.walkers[agent];
    AgentUpdate update;
    if (walker.kinematic) {
      const Vec2 now = samples_[agent].position,
                 next = caller_.PoseAt(agent, time() + double{play_.settings.time_step});
      const float step = play_.settings.time_step;
      update.preferred_velocity = Vec2{(next.x - now.x) / step, (next.y - now.y) / step};
    } else if (walker.leader) {
      update.goal = caller_.Points(agent).front();
    } else if (replanned) {
      update.path = PathOf(agent);
    } else {
      return;
    }
    Require(world_->UpdateAgent(*walker.spec.id, update));
  }

  // All have arrived, and none who was pushed off is on its way back.
  bool AllRest() const {
    bool any = false;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (!play_.walkers[i].has_goal) continue;
      any = true;
      if (!caller_.arrived(i) || !(play_.walkers[i].leaves || samples_[i].resting)) return false;
    }
    return any;
  }

  void Tick(bool replan) {
    x_.clear();
    y_.clear();
    for (const std::size_t agent : here_) {
      const bool replanned = replan && caller_.Replan(agent, samples_[agent].position);
      if (on_) {
        Tell(agent, replanned);
        continue;
      }
      samples_[agent].wanted = caller_.Wish(agent, samples_[agent].position);
      if (play_.walkers[agent].kinematic) PutKinematic(agent);
      x_.push_back(samples_[agent].wanted.x);
      y_.push_back(samples_[agent].wanted.y);
    }
    std::vector<InputRejection> rejected;
    if (!on_) Require(world_->SetPreferredVelocitiesByRank(0, x_, y_, rejected).status());
    if (!rejected.empty()) Require(rejected.front().status);
    Require(world_->Step());
    Read();
    meter_.Observe(samples_);
    Dismiss();
  }

  // Without extensions a kinematic agent is put in its place before every tick, with its velocity.
  void PutKinematic(std::size_t agent) {
    const Vec2 now = caller_.PoseAt(agent, time());
    const Vec2 next = caller_.PoseAt(agent, time() + double{play_.settings.time_step});
    const float step = play_.settings.time_step;
    const Vec2 velocity{(next.x - now.x) / step, (next.y - now.y) / step};
    AgentUpdate pose;
    pose.position = now;
    pose.velocity = pose.preferred_velocity = velocity;
    Require(world_->UpdateAgent(*play_.walkers[agent].spec.id, pose));
    samples_[agent].wanted = velocity;
  }

  void Read() {
    const std::size_t count = here_.size();
    for (auto* column : {&x_, &y_, &velocity_x_, &velocity_y_, &wanted_x_, &wanted_y_}) column->resize(count);
    world_->Read(Column::kPositionX, 0, x_);
    world_->Read(Column::kPositionY, 0, y_);
    world_->Read(Column::kVelocityX, 0, velocity_x_);
    world_->Read(Column::kVelocityY, 0, velocity_y_);
    if (on_) {
      world_->Read(Column::kPreferredVelocityX, 0, wanted_x_);
      world_->Read(Column::kPreferredVelocityY, 0, wanted_y_);
      status_.resize(count);
      world_->ReadStatus(0, status_);
    }
    for (std::size_t rank = 0; rank < count; ++rank) {
      const std::size_t agent = here_[rank];
      Sample& sample = samples_[agent];
      sample.position = {x_[rank], y_[rank]};
      sample.velocity = {velocity_x_[rank], velocity_y_[rank]};
      if (on_) {
        sample.wanted = {wanted_x_[rank], wanted_y_[rank]};
        sample.stalled = status_[rank] == static_cast<std::uint8_t>(AgentStatus::kStalled);
        engine_arrived_[agent] = status_[rank] == static_cast<std::uint8_t>(AgentStatus::kArrived);
      } else if (play_.walkers[agent].kinematic) {
        sample.position = caller_.PoseAt(agent, time());
        sample.velocity = sample.wanted;
      }
      caller_.Note(agent, sample.position, time());
    }
    for (const std::size_t agent : here_) {
      samples_[agent].arrived = caller_.arrived(agent);
      samples_[agent].resting = IsResting(agent);
    }
  }

  // Those who leave are still seen in the tick in which they arrive.
  void Dismiss() {
    const auto leaves = [&](std::size_t agent) {
      if (!play_.walkers[agent].leaves || !samples_[agent].arrived) return false;
      Require(world_->RemoveAgent(*play_.walkers[agent].spec.id));
      samples_[agent].present = false;
      return true;
    };
    std::erase_if(here_, leaves);
  }

  void Record() {
    if (recording_ == nullptr) return;
    for (const std::size_t agent : here_) recording_->ways[agent].push_back(samples_[agent].position);
  }

  double Packing() const {
    double farthest = 0.0;
    for (const std::size_t agent : here_) {
      farthest =
          std::max(farthest, Distance(samples_[agent].position, play_.center) + double{play_.walkers[agent].radius});
    }
    return farthest / play_.packing_radius;
  }

  const Scene& scene_;
  Play play_;
  Caller caller_;
  Meter meter_;
  std::unique_ptr<World> world_;
  std::vector<std::size_t> here_;  // agents by rank
  std::vector<Sample> samples_;
  std::vector<float> x_, y_, velocity_x_, velocity_y_, wanted_x_, wanted_y_;
  bool on_;  // extensions
  std::vector<bool> engine_arrived_ = std::vector<bool>(samples_.size());
  std::vector<std::uint8_t> status_;  // by rank
  Recording* recording_;
};

template <class T>
void TakeLarger(T& worst, const T& value) {
  worst = std::max(worst, value);  // of optionals: one that is unset is less than any
}

void Merge(const RunResult& run, Result& result) {
  Measures& worst = result.worst;
  const Measures& measures = run.measures;
  if (result.runs == 0) worst.flow = measures.flow;
  ++result.runs;
  if (measures.arrived == 1.0) ++result.arrived_in_all;
  worst.arrived = std::min(worst.arrived, measures.arrived);
  TakeLarger(worst.last_arrival, measures.last_arrival);
  if (measures.last_arrival && run.free_time > 0.0) {
    TakeLarger(result.last_over_free, std::optional<double>(*measures.last_arrival / run.free_time));
  }
  TakeLarger(worst.overlap, measures.overlap);
  TakeLarger(worst.overlap_radii, measures.overlap_radii);
  TakeLarger(worst.parted, measures.parted);
  TakeLarger(worst.wall_crossings, measures.wall_crossings);
  TakeLarger(worst.detour, measures.detour);
  TakeLarger(worst.zigzag, measures.zigzag);
  TakeLarger(worst.idle_speed, measures.idle_speed);
  TakeLarger(worst.drift, measures.drift);
  TakeLarger(worst.stalled, measures.stalled);
  TakeLarger(worst.stalled_most, measures.stalled_most);
  worst.flow = std::min(worst.flow, measures.flow);
  TakeLarger(result.packing, run.packing);
}

struct Job {
  std::size_t result;
  Pace pace;
  std::uint64_t run;
  bool recorded;
  double cost;  // about agent-steps, so that long ones begin first
};

double CostOf(const Scene& scene, const Pace& pace) {
  const double seconds = scene.limit_seconds > 0.0 ? scene.limit_seconds : 60.0 / double{pace.speed};
  return (static_cast<double>(scene.agents) + 20.0) * seconds / double{pace.time_step};
}

}  // namespace

RunResult PlayRun(const Scene& scene, const Pace& pace, std::uint64_t run, Extensions extensions, Recording* recording,
                  std::optional<std::uint64_t> most_ticks) {
  return Runner(scene, pace, run, extensions, recording).PlayOut(most_ticks);
}

std::vector<Result> RunAll(const std::vector<const Scene*>& scenes, std::size_t seeds, bool record) {
  std::vector<Result> results;
  std::vector<Job> jobs;
  for (const Scene* scene : scenes) {
    for (const Extensions extensions : {Extensions::kOff, Extensions::kOn}) {
      for (std::size_t pace = 0; pace < scene->paces.size(); ++pace) {
        for (std::uint64_t run = 0; run < seeds; ++run) {
          const bool first = pace == 0 && run == 0;
          jobs.push_back(
              {results.size(), scene->paces[pace], run, record && first, CostOf(*scene, scene->paces[pace])});
        }
      }
      results.emplace_back();
      results.back().scene = scene;
      results.back().extensions = extensions;
    }
  }
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return jobs[a].cost > jobs[b].cost; });
  std::vector<RunResult> runs(jobs.size());
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, jobs.size(), 1),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          const Job& job = jobs[order[i]];
          Result& result = results[job.result];
          runs[order[i]] =
              PlayRun(*result.scene, job.pace, job.run, result.extensions, job.recorded ? &result.recording : nullptr);
        }
      },
      tbb::simple_partitioner());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Result& result = results[jobs[i].result];
    if (result.runs == 0) result.hash = runs[i].hash;
    Merge(runs[i], result);
  }
  return results;
}

}  // namespace throng::quality
