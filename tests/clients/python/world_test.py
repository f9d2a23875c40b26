"""Worlds, agents and obstacles against the real server."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses

import numpy as np
import pytest
import throng

from conftest import Proxy, until, world_on

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]


async def test_settings_come_back_as_in_force(address: str, name: str) -> None:
    async with world_on(
        address,
        name,
        time_step=0.05,
        seed=2**63 + 1,
        preset=throng.Preset.BASE,
        origin=(1e6, -2.5),
        motion=throng.MotionSettings(containment=True),
        bounds=((-20, -5), (20.5, 5)),
        agent_defaults=throng.AgentParams(radius=0.25, max_neighbors=4),
        clock="lockstep",
        stale_input=throng.StaleInput(throng.StaleInputPolicy.DECAY, timeout_ticks=9, decay_time=0.75),
        max_agents=50,
        idle_time_to_live=600,
    ) as world:
        info = await world.info()
        settings = info.settings
        assert (info.name, info.state, info.tick) == (name, throng.WorldState.RUNNING, 0)
        assert settings.time_step == pytest.approx(0.05) and settings.seed == 2**63 + 1
        assert (settings.preset, settings.clock) == (throng.Preset.BASE, throng.Clock.LOCKSTEP)
        assert settings.origin == (1e6, -2.5)
        assert settings.bounds == ((-20, -5), (20.5, 5)) and info.resolution == 2**-19
        assert settings.agent_defaults is not None and None not in vars(settings.agent_defaults).values()
        assert list(vars(settings.agent_defaults).values())[:6] == [0.25, 2, 10, 4, 5, 2]
        assert settings.stale_input == throng.StaleInput(throng.StaleInputPolicy.DECAY, 9, 0.75)
        assert (settings.max_agents, settings.idle_time_to_live) == (50, 600)
        updated = await world.update(agent_defaults=throng.AgentParams(radius=1))
        assert updated.settings.agent_defaults == dataclasses.replace(settings.agent_defaults, radius=1)


async def test_worlds_are_listed_and_deleted(address: str, name: str) -> None:
    async with throng.connect(address) as server:
        before = await server.info()
        assert before.limits["max_worlds"] > 0 and before.workers > 0
        for suffix in ("b", "a"):
            await server.create_world(f"{name}.{suffix}")
        assert [world.name for world in await server.worlds(f"{name}.")] == [f"{name}.a", f"{name}.b"]
        with pytest.raises(throng.AlreadyExists):
            await server.create_world(f"{name}.a")
        with pytest.raises(throng.FailedPrecondition):
            await server.world(f"{name}.a").delete(uid=1)
        for suffix in ("a", "b"):
            await server.world(f"{name}.{suffix}").delete()
        assert await server.worlds(f"{name}.") == []
        with pytest.raises(throng.NotFound):
            await server.world(f"{name}.a").delete()
        await server.world(f"{name}.a").delete(missing_ok=True)
        for call in (server.world(name).info(), server.world(name).pause(), server.world(name).agents()):
            with pytest.raises(throng.NotFound):
                await call


async def test_a_refused_value_is_named_with_its_range(address: str, name: str) -> None:
    async with throng.connect(address) as server:
        with pytest.raises(throng.InvalidArgument) as caught:
            await server.create_world(name, time_step=2)
        assert caught.value.violations == (throng.Violation("settings.time_step", "2", "[0.001, 1]"),)
        with pytest.raises(throng.InvalidArgument) as caught:
            await server.create_world(name, agent_defaults=throng.AgentParams(radius=-1))
        assert caught.value.violations == (throng.Violation("settings.agent_defaults.radius", "-1", "(0, 1000]"),)
        for wrong in ("Upper", "", "-dash", "é", "a" * 129):
            with pytest.raises(throng.InvalidArgument, match="name"):
                await server.create_world(wrong)
        assert await server.worlds(name) == []


async def test_refused_agents_are_named_and_the_others_added(address: str, name: str) -> None:
    async with world_on(address, name, start_paused=True) as world:
        with pytest.raises(throng.BatchError) as caught:
            await world.add_agents([[0, 0], [5, 0], [np.inf, 0]], radius=[1, 2000, 1], ids=[1, 2, 3])
        error = caught.value
        assert [item.index for item in error.items] == [1, 2] and error.applied
        radius = error.items[0].error.violations[0]
        assert (radius.field, radius.value, radius.range) == ("agents[1].params.radius", "2000", "(0, 1000]")
        assert "position" in error.items[1].error.violations[0].field
        assert (await world.agents()).ids.tolist() == [1]
        with pytest.raises(throng.BatchError) as caught:
            await world.add_agents([[9, 0], [9, 9]], ids=[1, 2], all_or_nothing=True)
        assert not caught.value.applied
        by_index = {item.index: type(item.error) for item in caught.value.items}
        assert by_index[0] is throng.AlreadyExists and by_index.get(1, throng.Aborted) is throng.Aborted
        assert (await world.agents()).ids.tolist() == [1]
        with pytest.raises(throng.BatchError, match="item 20: .*radius") as caught:
            await world.add_agents([[9, 9]] * 21, radius=[1] * 20 + [2000], all_or_nothing=True)
        assert len(caught.value.items) == 21 and caught.value.violations[0].field == "agents[20].params.radius"


async def test_agents_are_updated_listed_and_removed(address: str, name: str) -> None:
    async with world_on(address, name, start_paused=True, agent_defaults=throng.AgentParams(max_speed=3)) as world:
        made = await world.add_agents([[0, 0], [5, 0]], velocities=[1, 0])
        assert made.dtype == np.uint32 and (made >= 2**31).all()
        await world.add_agents([[9, 9]], ids=[4], preferred_velocities=[[0.5, 0.25]])
        agents = await world.agents()
        assert agents.ids.tolist() == [4, *made.tolist()]
        np.testing.assert_array_equal(agents.positions, [[9, 9], [0, 0], [5, 0]])
        np.testing.assert_array_equal(agents.velocities, [[0, 0], [1, 0], [1, 0]])
        np.testing.assert_array_equal(agents.preferred_velocities, [[0.5, 0.25], [np.nan] * 2, [np.nan] * 2])
        assert agents.params["max_speed"].tolist() == [3, 3, 3]
        await world.update_agents([4], positions=[[1, 1]], time_horizon=7)
        [again] = (await world.agents([4, 99])).ids
        moved = await world.agents([4])
        assert again == 4 and moved.positions.tolist() == [[1, 1]]
        assert moved.params["time_horizon"].tolist() == [7] and moved.params["max_speed"].tolist() == [3]
        with pytest.raises(throng.BatchError) as caught:
            await world.remove_agents([4, 99])
        assert caught.value.items[0].id == 99 and isinstance(caught.value.items[0].error, throng.NotFound)
        await world.remove_all_agents()
        assert len(await world.agents()) == 0


async def test_the_worlds_capacity_is_a_limit_with_a_name(address: str, name: str) -> None:
    async with world_on(address, name, max_agents=2) as world:
        with pytest.raises(throng.BatchError) as caught:
            await world.add_agents([[0, 0], [5, 0], [10, 0]])
        assert [item.index for item in caught.value.items] == [2]
        assert isinstance(caught.value.items[0].error, throng.ResourceExhausted)


async def test_agents_are_placed_where_there_is_room(address: str, name: str) -> None:
    async with world_on(address, name, start_paused=True) as world:
        await world.add_agents([[0, 0]], ids=[1], radius=0.5)
        with pytest.raises(throng.BatchError) as caught:
            await world.place_agents([[0.5, 0], [9, 0]], placement="reject", ids=[2, 3], radius=0.5)
        [refused] = caught.value.items
        assert (refused.index, refused.error.reason) == (0, "OCCUPIED") and "agent 1" in str(refused.error)
        placed = await world.place_agents([[0.5, 0]] * 3, radius=0.5, nudge_distance=4)
        assert placed.positions is not None and placed.positions.shape == (3, 2)
        agents = await world.agents()
        np.testing.assert_array_equal(agents.positions[-3:], placed.positions)
        apart = np.linalg.norm(agents.positions[:, None] - agents.positions[None], axis=2)
        assert (apart[~np.eye(len(agents), dtype=bool)] > 0.999).all()
        assert (np.linalg.norm(placed.positions - [0.5, 0], axis=1) <= 4).all()
        with pytest.raises(throng.BatchError) as caught:
            await world.place_agents([[0, 0]], nudge_distance=0.25, radius=0.5)
        assert caught.value.items[0].error.reason == "OCCUPIED"
        with pytest.raises(throng.BatchError, match="nudge_distance"):
            await world.place_agents([[0, 0]], nudge_distance=-1)
        # All or nothing counts with those that are placed by the same batch.
        pair = [[20, 0], [20.5, 0]]
        with pytest.raises(throng.BatchError) as caught:
            await world.place_agents(pair, placement="reject", radius=0.5, all_or_nothing=True)
        assert not caught.value.applied and caught.value.items[-1].error.reason == "OCCUPIED"
        assert len(await world.agents()) == len(agents)
        both = await world.place_agents(pair, radius=0.5, all_or_nothing=True)
        assert both.positions is not None and both.positions[0].tolist() == pair[0]
        assert both.ids[0] == placed.ids[-1] + 1, "what was refused used up no ids"
        assert (await world.add_agents(pair)).tolist() == [both.ids[-1] + 1, both.ids[-1] + 2]


async def test_obstacles(address: str, name: str) -> None:
    async with world_on(address, name, start_paused=True) as world:
        assert await world.add_enclosure(SQUARE, id=3) == 3
        solid = await world.add_solid([[2, 2], [2, 4], [4, 4], [4, 2]])
        wall = await world.add_wall([[6, 1], [6, 9]])
        assert solid >= 2**31 and wall > solid
        kinds = {obstacle.id: obstacle for obstacle in await world.obstacles()}
        assert kinds[3].kind is throng.ObstacleKind.ENCLOSURE and kinds[3].area == 100
        assert kinds[solid].area == 4 and signed_area(kinds[solid].vertices) == 4
        assert kinds[wall].kind is throng.ObstacleKind.WALL and kinds[wall].vertices.tolist() == [[6, 1], [6, 9]]
        await world.update_obstacle(wall, throng.ObstacleKind.WALL, [[7, 1], [7, 9], [8, 9]])
        await world.remove_obstacles([solid])
        assert [(o.id, len(o.vertices)) for o in await world.obstacles()] == [(3, 4), (wall, 3)]
        upstairs = throng.ObstacleSpec(throng.ObstacleKind.SOLID, SQUARE, layer=4, z=3, height=2.5)
        [made] = await world.add_obstacles([upstairs])
        kinds = {obstacle.id: obstacle for obstacle in await world.obstacles()}
        assert (kinds[made].layer, kinds[made].z, kinds[made].height) == (4, 3, 2.5)
        assert (kinds[wall].layer, kinds[wall].z, kinds[wall].height) == (1, None, None)
        await world.update_obstacle(made, throng.ObstacleKind.SOLID, SQUARE, layer=0)
        assert {(o.layer, o.z) for o in await world.obstacles() if o.id == made} == {(0, None)}
        with pytest.raises(throng.InvalidArgument, match="height"):
            await world.add_wall(SQUARE, height=1)
        await world.remove_obstacles([made])
        with pytest.raises(throng.InvalidArgument, match=r"x\[2\]|y\[2\]|vert"):
            await world.add_solid([[0, 0], [1, 0], [np.nan, 1]])
        with pytest.raises(throng.BatchError) as caught:
            bow_tie = [[0, 0], [1, 1], [1, 0], [0, 1]]
            shapes = [(throng.ObstacleKind.SOLID, shape) for shape in (SQUARE, bow_tie)]
            await world.add_obstacles(shapes, ids=[5, 6])
        assert [item.index for item in caught.value.items] == [1]
        with pytest.raises(ValueError, match="shape"):
            await world.add_wall([1, 2, 3])


async def test_obstacles_move(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep", time_step=0.125) as world:
        capsule = await world.add_capsule([0, 0], [4, 0], 1.5, velocity=[2, 0], layer=2)
        wall = await world.add_wall([[0, 20], [9, 20]])
        async with world.session(stepper=True) as session:
            await session.step(8)
        by_id = {obstacle.id: obstacle for obstacle in await world.obstacles()}
        assert by_id[capsule].vertices.tolist() == [[2, 0], [6, 0]]
        assert (by_id[capsule].radius, by_id[capsule].velocity, by_id[capsule].layer) == (1.5, (2, 0), 2)
        assert (by_id[wall].radius, by_id[wall].velocity) == (None, None)
        await world.move_obstacles([capsule], velocities=[0, -1])
        await world.move_obstacles([capsule, wall], translations=[[1, 0], [0, 5]], all_or_nothing=True)
        by_id = {obstacle.id: obstacle for obstacle in await world.obstacles()}
        assert by_id[capsule].velocity == (0, -1) and by_id[capsule].vertices[0].tolist() == [3, 0]
        assert by_id[wall].vertices.tolist() == [[0, 25], [9, 25]]
        with pytest.raises(throng.BatchError) as caught:
            await world.move_obstacles([wall], velocities=[0, 1])
        assert caught.value.items[0].error.reason == "NOT_CAPSULE"
        disc = throng.ObstacleSpec(throng.ObstacleKind.CAPSULE, [[9, 9], [9, 9]], radius=0.5, velocity=(0, 1))
        [made] = await world.add_obstacles([disc])
        await world.update_obstacle(made, throng.ObstacleKind.CAPSULE, [[9, 9], [9, 9]], radius=1)
        assert {(o.radius, o.velocity) for o in await world.obstacles() if o.id == made} == {(1, (0, 0))}
        with pytest.raises(throng.InvalidArgument, match="radius"):
            await world.add_capsule([0, 0], [1, 0], 0)


def signed_area(vertices: np.ndarray) -> float:
    """Positive where the vertices run counter-clockwise."""
    x, y = vertices.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


async def test_walls_hold(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep", time_step=0.05) as world:
        await world.add_wall([[5, -10], [5, 10]])
        await world.add_agents([[0, 0]], radius=0.5)
        async with world.session(stepper=True) as session:
            await session.steer([[2, 0]])
            frame = await session.step(ticks=200)
            assert 4.3 < frame.x[0] < 4.6


async def test_a_paused_world_stands_still_and_takes_edits(address: str, name: str) -> None:
    async with world_on(address, name, time_step=0.01) as world:
        await world.add_agents([[0, 0]], ids=[1])
        async with contextlib.aclosing(world.watch()) as frames:
            await until(frames, lambda frame: frame.tick >= 3)
            paused = await world.pause()
            assert paused.state is throng.WorldState.PAUSED
            await world.add_agents([[5, 5]], ids=[2])
            frame = await until(frames, lambda frame: len(frame) == 2)
            assert frame.tick == (await world.info()).tick
            await world.resume()
            assert (await until(frames, lambda later: later.tick > frame.tick)).ids.tolist() == [1, 2]


async def test_watching(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep") as world:
        await world.add_agents([[0, 0]], ids=[1])
        async with contextlib.aclosing(world.watch(state_hash=True, columns=["velocity"])) as frames:
            first = await until(frames, lambda frame: True)
            assert first.tick == 0 and first.state_hash is not None and len(first.x) == 0
            async with world.session(stepper=True) as session:
                stepped = await session.step()
                watched = await until(frames, lambda frame: frame.tick == 1)
                assert watched.state_hash == stepped.state_hash
            await world.delete()
            with pytest.raises(throng.StreamClosed) as caught:
                await until(frames, lambda frame: False)
            assert caught.value.closing is throng.ClosingReason.WORLD_DELETED
            with pytest.raises(throng.NotFound):
                await until(world.watch(), lambda frame: True)
    with pytest.raises(RuntimeError, match="closed"):
        await until(world.watch(), lambda frame: True)


async def test_watching_goes_on_after_a_break(address: str, name: str) -> None:
    async with world_on(address, name, time_step=0.01) as direct, Proxy(address).running() as proxy:
        await direct.add_agents([[0, 0]])
        async with throng.connect(proxy.address) as server:
            async with contextlib.aclosing(server.world(name).watch()) as frames:
                frame = await until(frames, lambda frame: True)
                for _ in range(3):
                    proxy.cut()
                    wanted = frame.tick + 10
                    frame = await until(frames, lambda frame, wanted=wanted: frame.tick > wanted)
                assert proxy.connections > 1


async def test_a_repeated_batch_is_applied_once(address: str, name: str) -> None:
    async with world_on(address, name) as direct, Proxy(address).running() as proxy:
        async with throng.connect(proxy.address) as server:
            proxy.hold_answers()
            adding = asyncio.create_task(server.world(name).add_agents([[0, 0], [5, 5]]))
            async with contextlib.aclosing(direct.watch()) as frames:
                added = await until(frames, lambda frame: len(frame) == 2)
            proxy.cut()  # the answer never comes; the client asks again
            assert sorted(await adding) == added.ids.tolist()
        assert proxy.connections == 2
        assert len(await direct.agents()) == 2


async def test_nobody_listens() -> None:
    with pytest.raises(throng.Unavailable):
        async with throng.connect("127.0.0.1:1"):
            pass
    closed = throng.connect("127.0.0.1:1")
    with pytest.raises(RuntimeError, match="async with"):
        await closed.create_world("plaza")
