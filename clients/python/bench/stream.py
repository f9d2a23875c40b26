"""What a client pays that steers and reads a whole crowd: both directions, every tick, against a running server.

    python clients/python/bench/stream.py [--address localhost:50051] [--agents 10000] [--rate 30] [--seconds 10]

Half of the agents walk each way over open ground, a quarter of which they cover.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import resource
import time

import numpy as np

import throng

RADIUS = 0.5  # [m]
COVER = 0.25
PARAMS = throng.AgentParams(radius=RADIUS, max_speed=2, neighbor_distance=5, max_neighbors=10, time_horizon=2)


def cpu_seconds() -> float:
    """[s] that this process has used."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def measure(arguments: argparse.Namespace) -> None:
    spacing = math.sqrt(math.pi * RADIUS**2 / COVER)
    side = math.ceil(math.sqrt(arguments.agents))
    places = spacing * np.argwhere(np.ones((side, side)))[: arguments.agents]
    ways = np.where(np.random.default_rng(1).permutation(arguments.agents) % 2, 1.3, -1.3)
    preferred = np.stack((ways, np.zeros(arguments.agents)), axis=1)
    async with throng.connect(arguments.address) as server:
        world = await server.create_world(
            f"stream-{time.time_ns()}", time_step=1 / arguments.rate, agent_defaults=PARAMS
        )
        try:
            await world.add_agents(places)
            async with world.session() as session:
                ages, skipped, first = [], 0, await session.next_frame()
                begin, cpu_begin = time.perf_counter(), cpu_seconds()
                async for frame in session.frames():
                    await session.steer(preferred)
                    ages.append(time.time() - frame.server_time)
                    skipped += frame.ticks_skipped
                    if frame.tick - first.tick >= arguments.seconds * arguments.rate:
                        break
                wall, cpu = time.perf_counter() - begin, cpu_seconds() - cpu_begin
            load = (await world.info()).load
        finally:
            await world.delete()
    print(f"{arguments.agents} agents for {wall:.1f} s, steered and read every tick, on one machine with the server")
    print(f"ticks       {(frame.tick - first.tick) / wall:.1f} per second, {skipped} skipped by this client")
    print(f"client CPU  {100 * cpu / wall:.1f} % of a core")
    print(f"frame's age {np.median(ages) * 1e3:.1f} ms in the median, {np.percentile(ages, 99) * 1e3:.1f} ms at p99")
    print(f"server      {load.tick_cost * 1e3:.1f} ms a tick")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", default="localhost:50051")
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=30.0, help="ticks per second (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=10.0)
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
