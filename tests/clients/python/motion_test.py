"""The motion model's parameters and settings against the real server, and what it tells of agents."""

from __future__ import annotations

import asyncio
import dataclasses

import numpy as np
import pytest
import throng
from throng import _schema, batches, events

from conftest import world_on

WALL = [[2, -20], [2, 20]]


def test_every_name_of_the_wire_is_a_name_here() -> None:
    for value, message in (
        (throng.AgentParams, _schema.v1.AgentParams),
        (throng.MotionSettings, _schema.v1.MotionSettings),
        (throng.WorldSettings, _schema.v1.WorldSettings),
        (throng.SightFilter, _schema.v1.SightFilter),
    ):
        names = [field.name for field in dataclasses.fields(value)]
        assert sorted(names) == sorted(field.name for field in message.DESCRIPTOR.fields)
    assert sorted(batches.ParamColumns.__annotations__) == sorted(
        f.name for f in dataclasses.fields(throng.AgentParams)
    )
    told = {"id", "x", "y"} | {field.name for field in dataclasses.fields(throng.ObstacleSpec)}
    assert told - {"vertices"} == {field.name for field in _schema.v1.ObstacleSpec.DESCRIPTOR.fields}
    for kind, enum in (
        (throng.AgentEventKind, "AgentEventKind"),
        (throng.AgentStatus, "AgentStatus"),
        (throng.WarningCode, "WarningCode"),
        (throng.StatusReason, "AgentStatusReason"),
        (throng.Drive, "Drive"),
        (throng.Placement, "Placement"),
    ):
        assert [member.value for member in kind] == list(
            _schema.pool.FindEnumTypeByName(f"throng.v1.{enum}").values_by_number
        )


async def test_motion_settings_come_back(address: str, name: str) -> None:
    motion = throng.MotionSettings(rest=True, jam_relief=True, rest_speed=0.25)
    async with world_on(address, name, preset=throng.Preset.BASE, motion=motion) as world:
        info = await world.info()
        in_force = info.settings.motion
        assert in_force is not None
        assert (in_force.rest, in_force.rest_speed, in_force.containment) == (True, 0.25, False)
        assert (in_force.jam_relief, in_force.stall_detection) == (True, False)
        assert info.resolution == 2**-4, "just under 2^20"
        assert all(value is not None for value in vars(in_force).values())


async def test_every_parameter_is_reached_and_read_back(address: str, name: str) -> None:
    async with world_on(address, name, start_paused=True) as world:
        columns = {n: 6 if batches.param_type(n) is np.uint32 else 0.375 for n in batches.ParamColumns.__annotations__}
        columns = {n: 2 if n == "drive" else value for n, value in columns.items()}
        await world.add_agents([[0, 0], [50, 0]], ids=[1, 2], **columns)
        await world.update_agents([2], radius=[0.5])
        agents = await world.agents()
        for parameter, value in columns.items():
            assert agents.params[parameter][0] == value, parameter
            assert agents.params[parameter].dtype == batches.param_type(parameter)
        assert agents.params["radius"].tolist() == [0.375, 0.5]
        with pytest.raises(TypeError, match="no parameter 'speed'"):
            await world.add_agents([[0, 0]], speed=1)
        for wrong in (-1, np.nan, np.inf, 2**32):
            with pytest.raises(ValueError, match=f"max_neighbors = {wrong}"):
                await world.update_agents([1], max_neighbors=wrong)
        with pytest.raises(ValueError, match="max_neighbors = -1"):
            await world.update(agent_defaults=throng.AgentParams(max_neighbors=-1))
        with pytest.raises(TypeError, match="timeout_ticks = 0.5"):
            await world.update(stale_input=throng.StaleInput(timeout_ticks=0.5))  # type: ignore[arg-type]


async def test_who_arrives_stalls_and_goes_is_told(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep") as world:
        await world.add_agents([[0, 0], [0, 5]], ids=[1, 2], goals=[[10, 0], [1, 5]])
        wall = await world.add_wall(WALL)
        told: list[throng.AgentEvents] = []
        async with world.session(stepper=True, agent_events=True, columns=["status"]) as session:
            watching = asyncio.create_task(_watch(world, told))
            while not told:
                frame = await session.step(30)
            while frame.status[0] != throng.AgentStatus.STALLED:
                frame = await session.step(30)
            happened = await session.next_agent_events()
            assert happened is not None
            assert happened.of(throng.AgentEventKind.ARRIVED).tolist() == [2]
            assert happened.of(throng.AgentEventKind.STALLED).tolist() == [1]
            assert (await world.info()).stalled_agents == 1
            await world.remove_obstacles([wall])
            await session.step(30)
            async for happened in session.agent_events():
                assert happened.of(throng.AgentEventKind.FREED).tolist() == [1]
                break
            await world.remove_agents([2])
            happened = await session.next_agent_events()
            assert happened is not None and happened.of(throng.AgentEventKind.REMOVED).tolist() == [2]
            watching.cancel()
        assert await session.next_agent_events() is None
        async with world.session() as silent:
            with pytest.raises(RuntimeError, match="agent_events"):
                await silent.next_agent_events()


async def _watch(world: throng.World, told: list[throng.AgentEvents]) -> None:
    async for _ in world.watch(on_agent_events=told.append):
        pass


def test_what_waits_is_joined() -> None:
    def of(tick: int, *pairs: tuple[int, int]) -> throng.AgentEvents:
        ids, kinds = zip(*pairs)
        reasons = np.zeros(len(ids), np.uint8)
        return throng.AgentEvents(tick, np.array(ids, np.uint32), np.array(kinds, np.uint8), reasons, False)

    both = events.merged(of(1, (1, 1), (1, 2), (2, 3), (4, 2)), of(2, (1, 1), (1, 3), (2, 2), (3, 5)))
    assert list(zip(both.ids.tolist(), both.kinds.tolist())) == [(1, 1), (1, 3), (2, 2), (3, 5), (4, 2)]
    assert (both.tick, both.truncated) == (2, False)


async def test_kinematic_agents_move_as_they_are_told(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep") as world:
        await world.add_agents([[0, 0], [0, 50]], ids=[1, 2], kinematic=[True, False])
        await world.update_agents([1], move_to=[7, 0], move_ticks=10)
        async with world.session(stepper=True) as session:
            await session.step(4)
            agents = await world.agents()
            assert agents.kinematic.tolist() == [True, False]
            assert agents.move_to[0].tolist() == [7, 0] and np.isnan(agents.move_to[1]).all()
            assert (await session.step(6)).x[0] == 7
            with pytest.raises(throng.BatchError, match="kinematic"):
                await world.update_agents([2], move_to=[1, 1])
            with pytest.raises(ValueError, match="move_ticks"):
                await world.update_agents([1], move_to=[1, 1], move_ticks=0)


async def test_guards_go_by_goals_around_a_leader_that_is_told(address: str, name: str) -> None:
    """The escort of proto/README.md."""
    slots = np.array([[2, 0], [-2, 0], [0, 2], [0, -2]], np.float32)
    guards = [2, 3, 4, 5]
    async with world_on(address, name, clock="lockstep") as world:
        await world.add_agents([[0, 0]], ids=[1], kinematic=True)
        await world.add_agents(slots, ids=guards, goals=slots, radius=0.3, preferred_speed=2.0)
        await world.update_agents([1], move_to=[[12, 0]], move_ticks=300)
        async with world.session(stepper=True) as session:
            frame = session.frame
            for _ in range(60):
                leader = frame.rank(1)
                ahead = 0.5 / 2.0 * frame.velocities[leader]
                await session.go_to(frame.positions[leader] + ahead + slots, ids=guards)
                frame = await session.step(5)
                off = np.linalg.norm(frame.positions[1:] - frame.positions[0] - slots, axis=1)
                assert (off < 0.5).all(), frame.tick
        assert frame.positions[0].tolist() == [12, 0], "it goes its own way"
        assert (off < 0.2).all()


async def test_warnings_help_to_tune(address: str, name: str) -> None:
    async with world_on(address, name, agent_defaults=throng.AgentParams(max_neighbors=3)) as world:
        (advice,) = (await world.info()).warnings
        assert (advice.code, advice.field) == (throng.WarningCode.FEW_NEIGHBORS, "agent_defaults.max_neighbors")
        with pytest.warns(throng.AdviceWarning, match="neighbor_distance 1 m is less than the 10 m"):
            await world.add_agents([[0, 0]], ids=[1], neighbor_distance=1, max_neighbors=10)
        with pytest.warns(throng.AdviceWarning):
            result = await world.update_agents([1], max_speed=1)
        assert [(a.code, a.agent) for a in result.warnings] == [(throng.WarningCode.NEIGHBOR_DISTANCE_SHORT, 1)]


async def test_headings_are_told(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep") as world:
        await world.add_agents([[0, 0], [9, 0]], ids=[1, 2], headings=[1.25, -1], max_turn_rate=1)
        async with world.session(columns=["heading"]) as session:
            np.testing.assert_allclose(session.frame.heading, [1.25, -1], atol=1e-5)
        np.testing.assert_allclose((await world.agents()).headings, [1.25, -1], atol=1e-5)


async def test_velocities_are_computed_without_a_move(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep") as world:
        await world.add_agents([[0, 0]], ids=[1], preferred_velocities=[1, 0])
        async with world.session(stepper=True) as session:
            frame = await session.compute_velocities()
            assert (frame.tick, frame.x[0], frame.velocity_x[0]) == (0, 0, 1)
            assert (await session.step()).tick == 1
