"""Groups on the caller's side, on a real server (R086)."""

from __future__ import annotations

import numpy as np
import pytest
import throng

from conftest import world_on

STEP = 0.1  # [s]


async def test_r086_a_block_comes_through_a_gap_in_formation(address: str, name: str) -> None:
    slots = np.array([[1.5 * (2 - i), 1.5 * (1.5 - j)] for i in range(5) for j in range(4)], np.float32)
    async with world_on(address, name, clock="lockstep", time_step=STEP) as world:
        await world.add_wall([[20, -30], [20, -1.5]])
        await world.add_wall([[20, 1.5], [20, 30]])
        await world.add_agents(slots, ids=np.arange(1, 21), radius=0.3, max_speed=1.0)
        # Four abreast, 0.67 m from each other, half a metre off both sides of the gap.
        block = throng.Formation(slots, [(0, 0), (14, 0), (18, 0), (22, 0), (26, 0), (40, 0)], [9, 9, 2, 2, 9, 9])
        through: float | None = None
        async with world.session(stepper=True) as session:
            frame = session.frame
            while through is None or frame.time < through + 5:
                assert frame.time < 200, "it never came through"
                await session.steer(block.velocities(frame.positions, STEP))
                frame = await session.step()
                assert np.max(np.hypot(*frame.velocities.T)) <= 1.0 + 1e-5
                if through is None and np.min(frame.x) > 22:  # where its way is as wide again
                    through = frame.time
            off = np.hypot(*(frame.positions - block.slots()).T)
            assert np.max(off) < 1.0
            while not block.finished:
                assert frame.time < 300, "it never arrived"
                await session.steer(block.velocities(frame.positions, STEP))
                frame = await session.step()
            assert np.max(np.hypot(*(frame.positions - (slots + [40, 0])).T)) < 1.0


async def test_r086_an_idle_crowd_opens_and_closes_again(address: str, name: str) -> None:
    homes = np.array([[1.8 * i, 1.8 * j] for i in range(6) for j in range(5)], np.float32)
    async with world_on(address, name, clock="lockstep", time_step=STEP) as world:
        # Those at home look a second ahead, so that they step aside late and little; the walker leaves it to them.
        await world.add_agents(homes, ids=np.arange(1, 31), time_horizon=1.0)
        await world.add_agents([[-4, 3.6]], ids=[31], responsibility=0.0)
        async with world.session(stepper=True) as session:
            frame = session.frame
            passed: float | None = None
            opened = 0.0
            while passed is None or frame.time < passed + 5:
                assert frame.time < 120, "nobody let the walker through"
                velocities = throng.homeward(frame.positions[:30], homes, 1.5, STEP)
                walker = throng.homeward(frame.positions[30:], [[15, 3.6]], 1.5, STEP)
                await session.steer(np.concatenate([velocities, walker]))
                frame = await session.step()
                opened = max(opened, float(np.max(np.hypot(*(frame.positions[:30] - homes).T))))
                if passed is None and frame.x[30] > 10:
                    passed = frame.time
            assert opened > 0.2, "the walker met nobody"
            assert np.max(np.hypot(*(frame.positions[:30] - homes).T)) < 0.5


def test_a_block_is_narrower_where_its_way_is() -> None:
    slots = [[0, 3], [0, -3], [2, 0]]
    block = throng.Formation(slots, [(0, 0), (10, 0), (20, 0)], [6, 3, 6], speed=10, patience=1e9)
    np.testing.assert_allclose(block.slots(), slots)
    block.velocities(block.slots(), 1.0)
    np.testing.assert_allclose(block.slots(), [[10, 1.5], [10, -1.5], [14, 0]], atol=1e-5)
    assert not block.finished
    velocities = block.velocities(block.slots(), 1.0)
    assert block.finished
    np.testing.assert_allclose(np.hypot(*velocities.T), [10, 10, 8], atol=1)
    np.testing.assert_allclose(block.slots(), np.array(slots) + [20, 0], atol=1e-5)


def test_a_block_waits_for_who_falls_behind() -> None:
    block = throng.Formation([[0, 0], [-1, 0]], [(0, 0), (0, 10)], speed=1, patience=2)
    block.velocities([[0, 0], [0, -5]], 1.0)
    np.testing.assert_allclose(block.slots()[0], [0, 0])
    block.velocities([[0, 0], [0, -2]], 1.0)
    np.testing.assert_allclose(block.slots(), [[0, 0.5], [0, -0.5]], atol=1e-6)


@pytest.mark.parametrize(
    ("slots", "way", "widths", "names"),
    [
        ([1, 2], [(0, 0), (1, 0)], None, "slots"),
        ([[1, 2]], [(0, 0)], None, "way"),
        ([[1, 2]], [(0, 0), (0, 0)], None, "way"),
        ([[1, 2]], [(0, 0), (1, 0)], [1], "widths"),
        ([[1, 2]], [(0, 0), (1, 0)], [1, 0], "widths"),
    ],
)
def test_what_does_not_fit_is_named(
    slots: list[list[float]], way: list[tuple[float, float]], widths: list[float] | None, names: str
) -> None:
    with pytest.raises(ValueError, match=names):
        throng.Formation(slots, way, widths)
