"""What it costs to read a frame into numpy arrays: through the bytes twin, as this package does, and through throng.v1.

    python clients/python/bench/decode.py [--agents 10000] [--repeats 200]

Prints nanoseconds per agent: the fastest of all repeats, since whatever else runs on the machine only adds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import google.protobuf
import numpy as np
from google.protobuf.internal import api_implementation

from throng import _schema
from throng.frames import FrameAssembler

COLUMNS = ("position_x", "position_y", "velocity_x", "velocity_y")


def message(agents: int, with_ids: bool) -> bytes:
    """A session's frame with positions and velocities, as a server sends it."""
    rng = np.random.default_rng(1)
    response = _schema.columns.ConnectResponse(last_input_applied=1)
    frame = response.frame
    frame.world_uid, frame.tick, frame.parts, frame.agents, frame.membership_version = 1, 2, 1, agents, 3
    for column in COLUMNS:
        setattr(frame, column, rng.normal(size=agents).astype("<f4").tobytes())
    if with_ids:
        response.membership.version = 3
        response.membership.ids = np.arange(1, agents + 1, dtype="<u4").tobytes()
    return response.SerializeToString()


def fastest(work: Callable[[], object], repeats: int) -> float:
    """[s]"""
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def through_twin(data: bytes, assembler: FrameAssembler) -> object:
    """As a session of this package reads a frame: four columns that look at the message's bytes."""
    return assembler.add(_schema.columns.ConnectResponse.FromString(data))


def through_typed(data: bytes) -> object:
    """As code generated from throng.v1 reads it: values one by one into an array."""
    response = _schema.v1.ConnectResponse.FromString(data)
    ids = np.array(response.membership.ids, np.uint32)
    return ids, [np.array(getattr(response.frame, column), np.float32) for column in COLUMNS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=200)
    arguments = parser.parse_args()
    print(
        f"{arguments.agents} agents, protobuf {google.protobuf.__version__} ({api_implementation.Type()}), "
        f"numpy {np.__version__}"
    )
    print(f"{'ns per agent':<24}{'bytes twin':>12}{'throng.v1':>12}{'ratio':>8}")
    for title, with_ids in (("positions, velocities", False), ("the same and ids", True)):
        data = message(arguments.agents, with_ids)
        assembler = FrameAssembler()
        assembler.add(_schema.columns.ConnectResponse.FromString(message(arguments.agents, True)))
        twin = fastest(lambda: through_twin(data, assembler), arguments.repeats) / arguments.agents * 1e9
        typed = fastest(lambda: through_typed(data), arguments.repeats) / arguments.agents * 1e9
        print(f"{title:<24}{twin:>12.2f}{typed:>12.1f}{typed / twin:>8.0f}")


if __name__ == "__main__":
    main()
