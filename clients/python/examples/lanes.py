"""Two crowds walk through a corridor in opposite directions. Nobody tells them to, but they form lanes.

    pip install 'clients/python[examples]'
    python clients/python/examples/lanes.py                              # with a throngd on localhost:50051
    python clients/python/examples/lanes.py --throngd build/release/bin/throngd   # with one of its own

Writes an animated picture (lanes.gif) and the last moment of the run as a still (lanes.png).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Iterator

import numpy as np
from corridor_picture import Moment, Painter, save_animation

import throng

LENGTH, WIDTH = 34.0, 8.0  # [m]
RADIUS = 0.3  # [m]
TIME_STEP = 0.1  # [s]
SLOWEST, FASTEST = 1.15, 1.55  # [m/s]
PICTURE_EVERY = 4  # ticks


@dataclasses.dataclass
class Crowd:
    """Who walks which way, in ascending id."""

    positions: np.ndarray
    ways: np.ndarray  # +1 to the right, -1 to the left
    speeds: np.ndarray

    @classmethod
    def scattered(cls, count: int, seed: int) -> Crowd:
        """Both ways mixed, all over the corridor, nobody touching."""
        rng = np.random.default_rng(seed)
        room = np.array([LENGTH / 2, WIDTH / 2 - RADIUS - 0.1])
        places = np.empty((0, 2))
        while len(places) < count:
            place = rng.uniform(-room, room)
            if not len(places) or np.linalg.norm(places - place, axis=1).min() > 2 * RADIUS + 0.05:
                places = np.vstack((places, place))
        ways = np.where(rng.permutation(count) % 2, 1, -1)
        return cls(places, ways, rng.uniform(SLOWEST, FASTEST, count))

    def preferred(self) -> np.ndarray:
        """[m/s] shape (n, 2): straight ahead."""
        return np.stack((self.ways * self.speeds, np.zeros(len(self.ways))), axis=1)

    def returning(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ranks of those who left at one end, and their places at the other, where these are free."""
        ranks, places = [], []
        for rank in np.flatnonzero(positions[:, 0] * self.ways > LENGTH / 2):
            place = positions[rank] - (self.ways[rank] * LENGTH, 0)
            others = np.vstack((np.delete(positions, rank, 0), *places)) if places else np.delete(positions, rank, 0)
            if np.linalg.norm(others - place, axis=1).min() > 2 * RADIUS:
                ranks.append(rank)
                places.append(place)
        return np.array(ranks, int), np.array(places)


def lane_order(positions: np.ndarray, ways: np.ndarray) -> float:
    """How far rows of the corridor are walked one way: near 0 for a mixed crowd, 1 for perfect lanes."""
    rows = np.floor((positions[:, 1] + WIDTH / 2) / (2.5 * RADIUS)).astype(int)
    return sum(abs(ways[rows == row].sum()) for row in np.unique(rows)) / len(ways)


async def run(address: str, count: int, seconds: float, seed: int) -> tuple[Crowd, list[Moment]]:
    """Walks the crowd through a lock-step world and notes every few ticks."""
    crowd = Crowd.scattered(count, seed)
    moments: list[Moment] = []
    async with throng.connect(address) as server:
        world = await server.create_world(f"lanes-{time.time_ns()}", clock="lockstep", time_step=TIME_STEP)
        try:
            for side in (-1, 1):
                await world.add_wall([[-LENGTH, side * WIDTH / 2], [LENGTH, side * WIDTH / 2]])
            ids = await world.add_agents(
                crowd.positions,
                ids=np.arange(1, count + 1),
                radius=RADIUS,
                max_speed=2.0,
                neighbor_distance=6.0,
                time_horizon=4.0,
                time_horizon_obstacles=1.0,
            )
            async with world.session(stepper=True) as session:
                await session.steer(crowd.preferred())
                for tick in range(round(seconds / TIME_STEP) + 1):
                    if tick % PICTURE_EVERY == 0:
                        moments.append(moment(session.frame, crowd))
                    frame = await session.step()
                    ranks, places = crowd.returning(frame.positions)
                    if len(ranks):
                        await world.update_agents(ids[ranks], positions=places)
        finally:
            await world.delete()
    return crowd, moments


def moment(frame: throng.Frame, crowd: Crowd) -> Moment:
    """What a picture needs of a frame."""
    positions = frame.positions
    return Moment(frame.tick, frame.time, positions, frame.velocities, lane_order(positions, crowd.ways))


@contextlib.contextmanager
def server_of_our_own(program: pathlib.Path) -> Iterator[str]:
    """Starts a throngd on a free port and gives its address."""
    with tempfile.TemporaryDirectory() as folder:
        ready = pathlib.Path(folder, "ready")
        command = [program, "--port=0", "--http_port=-1", f"--ready_file={ready}", "--log_level=warning"]
        with subprocess.Popen(command) as server:
            try:
                while not ready.is_file():
                    if server.poll() is not None:
                        raise SystemExit(f"{program} ended with {server.returncode}")
                    time.sleep(0.02)
                yield dict(line.split("=", 1) for line in ready.read_text().splitlines())["grpc"]
            finally:
                server.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", default="localhost:50051", help="of a server that runs (default: %(default)s)")
    parser.add_argument("--throngd", type=pathlib.Path, help="start this server program instead")
    parser.add_argument("--agents", type=int, default=120)
    parser.add_argument("--seconds", type=float, default=40.0, help="simulated (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("lanes.gif"))
    parser.add_argument("--still", type=pathlib.Path, default=pathlib.Path("lanes.png"))
    arguments = parser.parse_args()

    own = server_of_our_own(arguments.throngd) if arguments.throngd else contextlib.nullcontext(arguments.address)
    with own as address:
        crowd, moments = asyncio.run(run(address, arguments.agents, arguments.seconds, arguments.seed))
    painter = Painter(LENGTH, WIDTH, RADIUS, crowd.ways, pixels=600)
    save_animation(arguments.out, painter, moments, seconds_per_picture=0.08)
    still = Painter(LENGTH, WIDTH, RADIUS, crowd.ways, pixels=1200)
    still.picture(moments, len(moments) - 1, trails=5).quantize(128).save(arguments.still, optimize=True)
    print(f"lane order {moments[0].order:.2f} -> {moments[-1].order:.2f}; wrote {arguments.out}, {arguments.still}")


if __name__ == "__main__":
    main()
