"""A leader walks round a square through a crowd, and eight guards keep their places around it. Needs a throngd on
localhost:50051, or the address given as an argument."""

from __future__ import annotations

import asyncio
import sys
import time

import numpy as np

import throng

SPEED = 1.2  # [m/s] of the leader
CORNERS = np.array([[20, 0], [20, 20], [0, 20], [0, 0]])  # [m]
LEADER, GUARDS = 1, np.arange(2, 10)
ANGLES = np.arange(8) * np.pi / 4
SLOTS = 2.5 * np.stack((np.cos(ANGLES), np.sin(ANGLES)), axis=1)  # [m] relative to the leader
# A guard slows down within slow_down_distance (0.5 m) of its goal, so that it lags behind one that moves. With the goal
# slow_down_distance / preferred_speed ahead, the lag brings it to its place.
AHEAD = 0.5 / 2.0  # [s]


async def run(address: str, bystanders: int) -> np.ndarray:
    """[m] how far each guard is from its place, every three ticks; shape (n, 8)."""
    gaps = []
    async with throng.connect(address) as server:
        world = await server.create_world(f"escort-{time.time_ns()}", clock="lockstep", idle_time_to_live=60)
        try:
            time_step = (await world.info()).settings.time_step
            await world.add_agents([[0, 0]], ids=[LEADER], kinematic=True)  # moves as told; everybody makes room
            await world.add_agents(SLOTS, ids=GUARDS, goals=SLOTS, radius=0.3, preferred_speed=2.0)
            spots = np.random.default_rng(1).uniform(-8, 28, (bystanders, 2))
            await world.place_agents(spots, goals=spots, radius=0.3, time_horizon=2)  # who come back when all is past
            async with world.session(stepper=True) as session:
                frame = session.frame
                for corner in CORNERS:
                    way = np.linalg.norm(corner - frame.positions[frame.rank(LEADER)])
                    ticks = 3 * round(way / SPEED / time_step / 3)
                    await world.update_agents([LEADER], move_to=[corner], move_ticks=ticks)
                    for _ in range(ticks // 3):
                        leader = frame.rank(LEADER)
                        ahead = frame.positions[leader] + AHEAD * frame.velocities[leader]
                        await session.go_to(ahead + SLOTS, ids=GUARDS)
                        frame = await session.step(3)
                        places = frame.positions[frame.rank(LEADER)] + SLOTS
                        guards = frame.positions[np.searchsorted(frame.ids, GUARDS)]
                        gaps.append(np.linalg.norm(guards - places, axis=1))
        finally:
            await world.delete()
    return np.array(gaps)


if __name__ == "__main__":
    address = sys.argv[1] if len(sys.argv) > 1 else "localhost:50051"
    for bystanders in (0, 60):
        gaps = asyncio.run(run(address, bystanders))
        print(f"{bystanders} bystanders: guards are {gaps.mean():.2f} m off their places, at most {gaps.max():.2f} m")
