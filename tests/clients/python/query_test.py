"""Questions about a world, against the real server."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import numpy as np
import pytest
import throng

from conftest import world_on


@contextlib.asynccontextmanager
async def three_in_a_row(address: str, name: str) -> AsyncIterator[throng.World]:
    """Agents 1 to 3 at x = 0, 10, 20, a wall at x = 15, and no ticks."""
    async with world_on(address, name, start_paused=True) as world:
        await world.add_agents([[0, 0], [10, 0], [20, 0]], ids=[1, 2, 3])
        await world.add_wall([[15, -5], [15, 5]], id=7)
        yield world


async def test_agents_are_found(address: str, name: str) -> None:
    async with three_in_a_row(address, name) as world:
        nearest = await world.nearest([12, 0], 2)
        assert nearest.ids.tolist() == [2, 3] and nearest.distances.tolist() == [2, 8]
        assert nearest.positions.dtype == np.float32 and nearest.positions.tolist() == [[10, 0], [20, 0]]
        assert len(await world.nearest([12, 0], 5, max_distance=8)) == 1  # strictly nearer
        assert (await world.in_disc([10, 0], 10)).ids.tolist() == [2, 1, 3]
        cut = await world.in_disc(np.array([10.0, 0.0]), 10, limit=1)
        assert cut.ids.tolist() == [2] and cut.truncated
        assert (await world.in_box([5, -1], [25, 1])).ids.tolist() == [2, 3]
        other_layer, upstairs = throng.SightFilter(avoids=2), throng.SightFilter(avoids=1, z=3, height=2)
        assert len(await world.nearest([0, 0], 9, filter=other_layer)) == 0  # all are of layer 1, at z = 0
        assert len(await world.in_disc([0, 0], 99, filter=upstairs)) == 0
        assert len(await world.in_box([-9, -9], [99, 99], filter=throng.SightFilter(avoids=1))) == 3
        assert await world.cast_ray([-5, 0], [14, 0], filter=other_layer) is None
        nobody = await world.in_box([5, 5], [6, 6])
        assert len(nobody) == 0 and nobody.positions.shape == (0, 2) and not nobody.truncated


async def test_lines_of_sight(address: str, name: str) -> None:
    async with three_in_a_row(address, name) as world:
        assert await world.visible([0, 0], [14, 0])
        hidden = await world.visible([0, 0], [20, 0], radius=0.5)
        assert not hidden and hidden.obstacle == 7
        other_layer = throng.SightFilter(avoids=2)  # the wall is of layer 1
        assert await world.visible([0, 0], [20, 0], radius=0.5, filter=other_layer)
        assert await world.cast_ray([-5, 0], [25, 0], agents=False, filter=other_layer) is None
        hit = await world.cast_ray([-5, 0], [25, 0])
        assert hit is not None and (hit.agent, hit.obstacle) == (1, None)
        assert hit.distance == pytest.approx(4.5) and hit.normal == (-1, 0)
        wall = await world.cast_ray([-5, 0], [25, 0], agents=False)
        assert wall is not None and (wall.agent, wall.obstacle) == (None, 7)
        assert await world.cast_ray([-5, 3], [10, 3]) is None
        passed = await world.cast_ray([-5, 0], [25, 0], obstacles=False, ignore=1)
        assert passed is not None and passed.agent == 2


async def test_an_agent_is_explained(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep") as world:
        await world.add_agents(
            [[-3, 0], [3, 0.1]], ids=[1, 2], velocities=[[1, 0], [-1, 0]], preferred_velocities=[[1, 0], [-1, 0]]
        )
        why = await world.explain(1)
        assert (why.agent, why.tick, why.outcome) == (1, 0, throng.SolveOutcome.CONSTRAINED)
        assert why.neighbors.ids.tolist() == [2] and not why.neighbors.truncated
        (line,) = why.half_planes
        assert (line.source, line.id, line.binding) == (throng.HalfPlaneSource.AGENT, 2, True)
        assert np.hypot(*line.normal) == pytest.approx(1) and line.share == 0.5 and not line.hard
        assert why.wanted_velocity == why.preferred_velocity == (1, 0) and why.solved_velocity != (1, 0)
        async with world.session(stepper=True) as session:
            frame = await session.step()
            assert tuple(frame.velocities[0].tolist()) == why.velocity
            assert tuple(frame.positions[0].tolist()) == why.position
        with pytest.raises(throng.NotFound):
            await world.explain(99)


async def test_refused_questions_name_the_field(address: str, name: str) -> None:
    async with three_in_a_row(address, name) as world:
        with pytest.raises(throng.InvalidArgument) as refused:
            await world.nearest([3e6, 0])
        assert refused.value.violations[0].field == "point.x"
        with pytest.raises(throng.InvalidArgument, match="limit"):
            await world.in_disc([0, 0], 1, limit=10_001)
        with pytest.raises(throng.InvalidArgument, match="radius"):
            await world.visible([0, 0], [1, 0], radius=float("nan"))
        with pytest.raises(ValueError, match="neither"):
            await world.cast_ray([0, 0], [1, 0], agents=False, obstacles=False)
        with pytest.raises(ValueError, match="shape"):
            await world.nearest([1, 2, 3])
        with pytest.raises(ValueError, match="count"):
            await world.nearest([1, 2], 0)
    async with throng.connect(address) as server:
        with pytest.raises(throng.NotFound):
            await server.world(f"{name}-none").nearest([0, 0])
