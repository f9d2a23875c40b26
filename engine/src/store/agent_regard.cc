// AgentStore's columns of what decides who avoids whom. They come with the first agent that needs them, and go when
// agents are sorted, so that one agent that changes between ticks does not fill them again and again.
#include <algorithm>

#include "store/agents.h"

namespace throng {

void AgentStore::SetWeight(Index place, float weight) {
  if (!keeps_weights_) {
    if (weight == 1.0f) return;
    KeepToldNeighbors();
    keeps_weights_ = true;
    responsibility.Resize(size());
  }
  if (responsibility[place] != 1.0f) --weighted_;
  if (weight != 1.0f) ++weighted_;
  responsibility[place] = weight;
}

// Lists hold whom their owner sees, so all of them are made anew after a change.
void AgentStore::SetSight(Index place, const Sight& told) {
  if (!keeps_sights_) {
    if (told == Sight{}) return;
    KeepToldNeighbors();
    keeps_sights_ = true;
    sight.Resize(size());
  }
  if (sight[place] == told) return;
  if (sight[place] != Sight{}) --sighted_;
  if (told != Sight{}) ++sighted_;
  sight[place] = told;
  order_changed_ = true;
}

// Before the first column that needs them.
void AgentStore::KeepToldNeighbors() {
  if (keeps_told_neighbors()) return;
  told_neighbors.Resize(size());
  std::copy_n(max_neighbors.data(), size(), told_neighbors.data());
}

void AgentStore::SetKinematic(Index place, const Regard& regard) {
  if (regard.kinematic) {
    if (!keeps_modes_) {
      keeps_modes_ = true;
      mode.Resize(size());
    }
    mode[place] = kIsKinematic;
    kinematics.Put(slot[place]).responsibility = regard.responsibility;
  } else if (keeps_modes_ && mode[place] != 0) {
    mode[place] = 0;
    kinematics.Drop(slot[place]);
    // Edges near it were of no account.
    order_changed_ = true;
  }
}

void AgentStore::SetRegard(Index place, const Regard& regard) {
  SetWeight(place, regard.kinematic ? 0.0f : regard.responsibility);
  SetSight(place, regard.sight);
  SetKinematic(place, regard);
  if (keeps_told_neighbors()) told_neighbors[place] = regard.max_neighbors;
  const bool considers_nobody = regard.kinematic || regard.responsibility == 0.0f || regard.sight.avoids == 0;
  max_neighbors[place] = considers_nobody ? 0 : regard.max_neighbors;
  NoteParamsChange();
}

Regard AgentStore::RegardOf(Index place) const {
  Regard regard;
  regard.max_neighbors = keeps_told_neighbors() ? told_neighbors[place] : max_neighbors[place];
  if (keeps_weights_) regard.responsibility = responsibility[place];
  if (keeps_sights_) regard.sight = sight[place];
  if (keeps_modes_ && mode[place] != 0) {
    regard.kinematic = true;
    regard.responsibility = kinematics.Find(slot[place])->responsibility;
  }
  return regard;
}

// The agent is about to go.
void AgentStore::ForgetRegard(Index place) {
  if (keeps_weights_ && responsibility[place] != 1.0f) --weighted_;
  if (keeps_sights_ && sight[place] != Sight{}) --sighted_;
  if (keeps_modes_ && mode[place] != 0) kinematics.Drop(slot[place]);
}

void AgentStore::DropUnusedColumns() {
  if (keeps_weights_ && weighted_ == 0) {
    keeps_weights_ = false;
    responsibility = ColumnOf<float>(1.0f);
  }
  if (keeps_sights_ && sighted_ == 0) {
    keeps_sights_ = false;
    sight = ColumnOf<Sight>();
  }
  if (!keeps_told_neighbors()) told_neighbors = ColumnOf<std::uint8_t>();
  if (keeps_modes_ && kinematics.empty()) {
    keeps_modes_ = false;
    mode = ColumnOf<std::uint8_t>();
  }
}

}  // namespace throng
