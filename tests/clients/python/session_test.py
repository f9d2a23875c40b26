"""Sessions against the real server: steering, stepping, membership, ends."""

from __future__ import annotations

import asyncio
import contextlib

import numpy as np
import pytest
import throng

from conftest import Proxy, until, world_on


def ring(count: int, radius: float) -> np.ndarray:
    """Places on a circle."""
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return radius * np.stack((np.cos(angles), np.sin(angles)), axis=1)


async def test_a_thousand_agents_move_where_they_are_told(address: str, name: str) -> None:
    async with throng.connect(address) as server:
        world = await server.create_world(name, time_step=1 / 100)
        ids = await world.add_agents(ring(1000, 300), radius=0.3, max_speed=2)
        async with world.session() as session:
            start = session.frame.positions
            async for frame in session.frames():
                await session.steer(-frame.positions / 300)
                if frame.last_input_applied and frame.tick > 50:
                    break
        assert frame.ids.tolist() == sorted(ids.tolist())
        assert (np.linalg.norm(frame.positions, axis=1) < np.linalg.norm(start, axis=1)).all()
        np.testing.assert_allclose(np.linalg.norm(frame.velocities, axis=1), 1, atol=0.05)
        await world.delete()


async def test_the_first_frame_comes_at_once_also_when_paused(address: str, name: str) -> None:
    async with world_on(address, name, start_paused=True) as world:
        await world.add_agents([[1, 2]], ids=[7])
        async with world.session() as session:
            assert (session.frame.tick, session.frame.ids.tolist()) == (0, [7])
            np.testing.assert_array_equal(session.frame.positions, [[1, 2]])
            assert session.info.state is throng.WorldState.PAUSED
            await world.resume()
            await until(session.frames(), lambda frame: frame.tick >= 2)
            assert session.info.state is throng.WorldState.RUNNING


async def test_an_empty_world_has_frames(address: str, name: str) -> None:
    async with world_on(address, name) as world, world.session() as session:
        frame = await until(session.frames(), lambda frame: frame.tick >= 2)
        assert len(frame) == 0 and frame.positions.shape == (0, 2)
        await session.steer(np.empty((0, 2)))


async def test_lock_step(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep", time_step=0.1) as world:
        await world.add_agents([[0, 0], [100, 0]], ids=[1, 2], max_speed=2)
        async with world.session(stepper=True) as session:
            await session.steer([[1, 0], [0, 2]])
            frame = await session.step()
            assert (frame.tick, frame.last_input_applied) == (1, 1)
            np.testing.assert_allclose(frame.positions, [[0.1, 0], [100, 0.2]], atol=1e-6)
            frame = await session.step(ticks=9)
            assert frame.tick == 10 and frame.time == pytest.approx(1.0)
            np.testing.assert_allclose(frame.positions, [[1, 0], [100, 2]], atol=1e-5)
            assert frame.state_hash
            with pytest.raises(throng.InvalidArgument, match="ticks"):
                await session.step(ticks=0)
            assert (await session.step()).tick == 11
            with pytest.raises(throng.FailedPrecondition):
                async with world.session(stepper=True):
                    pass
        async with world.session(stepper=True) as session:
            assert (await session.step()).tick == 12


async def test_same_inputs_give_the_same_hash(address: str, name: str) -> None:
    hashes = []
    for run in range(2):
        async with world_on(address, f"{name}-{run}", clock="lockstep", seed=5) as world:
            await world.add_agents(ring(64, 10), ids=np.arange(1, 65))
            async with world.session(stepper=True) as session:
                await session.steer(-session.frame.positions)
                hashes.append([(await session.step()).state_hash for _ in range(50)])
    assert hashes[0] == hashes[1] and len(set(hashes[0])) == 50


async def test_only_the_stepper_steps(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep") as world, world.session() as session:
        with pytest.raises(throng.PermissionDenied):
            await session.step()
    async with world_on(address, f"{name}-realtime") as world:
        with pytest.raises(throng.FailedPrecondition):
            async with world.session(stepper=True):
                pass


async def test_ids_follow_adds_and_removals(address: str, name: str) -> None:
    async with world_on(address, name, time_step=0.01) as world:
        await world.add_agents([[0, 0], [10, 0]], ids=[5, 9])
        async with world.session() as session:
            frames = session.frames()
            assert (await until(frames, lambda frame: len(frame) == 2)).ids.tolist() == [5, 9]
            await world.add_agents([[20, 0]], ids=[7])
            frame = await until(frames, lambda frame: len(frame) == 3)
            assert frame.ids.tolist() == [5, 7, 9] and frame.x.tolist() == [0, 20, 10]
            await world.remove_agents([5])
            frame = await until(frames, lambda frame: len(frame) == 2)
            assert frame.ids.tolist() == [7, 9] and frame.rank(9) == 1


async def test_steering_by_ids_and_what_is_refused(address: str, name: str) -> None:
    rejections: asyncio.Queue[throng.InputRejection] = asyncio.Queue()
    async with world_on(address, name, time_step=0.01) as world:
        await world.add_agents([[0, 0], [50, 0]], ids=[1, 2])
        async with world.session(on_rejected=rejections.put_nowait) as session:
            sequence = await session.steer([[0, 1], [0, -1], [1, 1]], ids=[2, 1, 77])
            rejection = await rejections.get()
            assert (rejection.sequence, rejection.applied, rejection.rejected) == (sequence, 2, 1)
            assert rejection.error is None and rejection.items[0].id == 77 and rejection.items[0].index == 2
            assert isinstance(rejection.items[0].error, throng.NotFound)
            frame = await until(session.frames(), lambda frame: frame.last_input_applied == sequence)
            frame = await until(session.frames(), lambda later: later.tick > frame.tick)
            assert frame.velocity_y.tolist() == [-1, 1]


async def test_a_frame_that_is_behind_still_steers_its_agents(address: str, name: str) -> None:
    rejections: asyncio.Queue[throng.InputRejection] = asyncio.Queue()
    async with world_on(address, name, clock="lockstep", time_step=0.1) as world:
        await world.add_agents([[0, 0], [50, 0], [100, 0]], ids=[1, 2, 3])
        async with world.session(stepper=True, on_rejected=rejections.put_nowait) as session:
            await session.step()
            await world.remove_agents([2])
            await session.steer([[1, 0], [1, 0], [0, 1]])  # by the order of the frame before the removal
            frame = await session.step()
            assert frame.ids.tolist() == [1, 3]
            np.testing.assert_allclose(frame.positions, [[0.1, 0], [100, 0.1]], atol=1e-5)
            assert (await rejections.get()).items[0].id == 2


async def test_wrong_inputs_are_told_before_they_are_sent(address: str, name: str) -> None:
    async with world_on(address, name) as world:
        await world.add_agents([[0, 0], [5, 5]])
        async with world.session() as session:
            for wrong in ([[1, 2]], [1, 2], [[1, 2, 3], [1, 2, 3]], [[1, 2], [np.nan, 0]]):
                with pytest.raises(ValueError):
                    await session.steer(wrong)
            with pytest.raises(ValueError, match="ids"):
                await session.steer([[1, 1]], ids=[0])
            assert session.last_sequence == 0


async def test_columns_on_request(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep") as world:
        await world.add_agents([[0, 0], [9, 0]], ids=[1, 2], radius=[0.25, 0.5])
        async with world.session(stepper=True, columns=("preferred_velocity", "radius"), state_hash=True) as session:
            await session.steer([[1, 2], [3, 4]])
            frame = await session.step()
            np.testing.assert_array_equal(frame.preferred_velocities, [[1, 2], [3, 4]])
            assert frame.radius.tolist() == [0.25, 0.5] and frame.state_hash
            with pytest.raises(LookupError):
                _ = frame.positions
            await session.subscribe(["position"])
            frame = await session.step()
            assert frame.positions.shape == (2, 2) and len(frame.radius) == 0
    with pytest.raises(ValueError, match="no column"):
        world.session(columns=("colour",))


async def test_two_clients_on_one_world(address: str, name: str) -> None:
    async with world_on(address, name, time_step=0.01) as world, throng.connect(address) as other:
        await world.add_agents([[0, 0], [50, 0]], ids=[1, 2])
        async with world.session() as first, other.world(name).session() as second:
            await first.steer([[1, 0]], ids=[1])
            await second.steer([[0, 1]], ids=[2])
            for session in (first, second):
                frame = await until(session.frames(), lambda f: f.velocity_x[0] == 1 and f.velocity_y[1] == 1)
                assert frame.last_input_applied == 1


async def test_a_slow_reader_skips_and_is_told(address: str, name: str) -> None:
    async with world_on(address, name, time_step=0.001) as world, world.session() as session:
        await world.add_agents([[0, 0]])
        first = await session.next_frame()
        await until_tick(world, first.tick + 50)
        seen = [first]
        async for frame in session.frames():
            seen.append(frame)
            if frame.tick > first.tick + 60:
                break
        assert sum(frame.ticks_skipped for frame in seen[1:]) > 10
        for before, after in zip(seen, seen[1:]):
            assert after.tick - before.tick == after.ticks_skipped + 1


async def until_tick(world: throng.World, tick: int) -> None:
    """Waits for a tick through frames of a watcher of its own."""
    async with contextlib.aclosing(world.watch()) as frames:
        await until(frames, lambda frame: frame.tick >= tick)


async def test_frames_of_a_hundred_thousand_agents(address: str, name: str) -> None:
    count = 100_000
    x, y = np.meshgrid(np.arange(400) * 3, np.arange(250) * 3)
    places = np.stack((x.ravel(), y.ravel()), axis=1)
    async with world_on(address, name, clock="lockstep") as world:
        ids = await world.add_agents(places, ids=np.arange(1, count + 1), max_neighbors=0)
        assert ids.tolist() == list(range(1, count + 1))
        async with world.session(stepper=True) as session:
            np.testing.assert_array_equal(session.frame.positions, places)
            await session.steer(np.full((count, 2), [1, 0]))
            frame = await session.step()
            assert len(frame) == count and frame.velocity_x.min() == 1
            np.testing.assert_array_equal(frame.ids, ids)


async def test_a_deleted_world_ends_its_streams(address: str, name: str) -> None:
    async with world_on(address, name) as world, world.session() as session:
        await world.delete()
        with pytest.raises(throng.StreamClosed) as caught:
            async for _ in session.frames():
                pass
        assert caught.value.closing is throng.ClosingReason.WORLD_DELETED
        with pytest.raises(throng.StreamClosed):
            await session.steer(np.empty((0, 2)))


async def test_a_closed_session_ends_its_frames(address: str, name: str) -> None:
    async with world_on(address, name) as world:
        async with world.session() as session:
            await session.next_frame()
            waiting = asyncio.create_task(count_frames(session))
        await waiting  # ended, without an error
        with pytest.raises(RuntimeError, match="closed"):
            await session.steer([[1, 1]], ids=[1])
        with pytest.raises(throng.NotFound):
            async with throng.connect(address) as server:
                async with server.world("nowhere").session():
                    pass


async def count_frames(session: throng.Session) -> int:
    """Reads to the end."""
    count = 0
    async for _ in session.frames():
        count += 1
    return count


async def test_what_was_sent_last_is_applied_before_the_end(address: str, name: str) -> None:
    async with world_on(address, name, start_paused=True) as world:
        await world.add_agents([[0, 0]], ids=[1])
        for value in range(1, 20):
            async with world.session() as session:
                await session.steer([[value, 0]])
            assert (await world.agents()).preferred_velocities.tolist() == [[value, 0]]


async def test_a_callers_time_out_leaves_the_session_alone(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep") as world:
        await world.add_agents(ring(100, 20))
        async with world.session(stepper=True) as session:
            for _ in range(5):
                steering = asyncio.create_task(session.steer(-session.frame.positions))
                stepping = asyncio.create_task(session.step())
                steering.cancel()
                await asyncio.wait([steering])
                await stepping
            assert session.frame.tick == 5


async def test_a_broken_session_goes_on_where_it_was(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep", time_step=0.01) as direct, Proxy(address).running() as proxy:
        await direct.add_agents([[0, 0]], ids=[1])
        async with throng.connect(proxy.address) as server:
            async with server.world(name).session(stepper=True) as session:
                for tick in range(1, 31):
                    await session.steer([[tick / 30, 0]])
                    stepping = asyncio.create_task(session.step())
                    if tick % 10 == 0:  # somewhere between the request and its answer
                        await asyncio.sleep(0)
                        proxy.cut()
                    frame = await stepping
                    assert (frame.tick, frame.last_input_applied) == (tick, tick)
                    assert frame.velocity_x[0] == np.float32(tick / 30)
        assert proxy.connections >= 3
        assert (await direct.info()).tick == 30


async def test_a_broken_realtime_session_keeps_its_frames_and_its_inputs(address: str, name: str) -> None:
    async with world_on(address, name, time_step=0.01) as direct, Proxy(address).running() as proxy:
        await direct.add_agents([[0, 0], [50, 0]])
        async with throng.connect(proxy.address) as server:
            async with server.world(name).session() as session:
                for turn in range(1, 4):
                    proxy.cut()
                    sequence = await session.steer([[turn, 0], [turn, 0]])
                    frame = await until(session.frames(), lambda frame: frame.last_input_applied == sequence)
                    assert len(frame) == 2


async def test_a_session_without_a_server_gives_up(address: str, name: str) -> None:
    async with world_on(address, name) as direct:
        async with contextlib.AsyncExitStack() as stack:
            proxy = Proxy(address)
            listening = await stack.enter_async_context(proxy.running())
            server = await stack.enter_async_context(throng.connect(listening.address, timeout=1))
            session = await stack.enter_async_context(server.world(direct.name).session(lease=1))
            proxy.stop()
            with pytest.raises(throng.Unavailable):
                await count_frames(session)


async def test_agents_go_to_goals_and_along_paths(address: str, name: str) -> None:
    async with world_on(address, name, clock="lockstep", time_step=0.1) as world:
        path = throng.Path([[100, 5], [103, 5]], pass_radius=0.5)
        await world.add_agents([[0, 0], [100, 0], [200, 0]], ids=[1, 2, 3], paths=[None, path, None], preferred_speed=1)
        columns = ("position", "velocity", "status")
        async with world.session(stepper=True, columns=columns) as session:
            assert session.frame.status.tolist() == [
                throng.AgentStatus.NO_INPUT,
                throng.AgentStatus.MOVING,
                throng.AgentStatus.NO_INPUT,
            ]
            await session.go_to([[4, 0], [204, 0]], ids=[1, 3])
            await session.step()
            agents = await world.agents()
            np.testing.assert_array_equal(agents.goals, [[4, 0], [np.nan, np.nan], [204, 0]])
            assert agents.paths[0] is None and agents.paths[1] is not None
            np.testing.assert_array_equal(agents.paths[1].points, path.points)
            assert (agents.paths[1].next, agents.paths[1].pass_radius) == (0, 0.5)
            assert agents.params["preferred_speed"].tolist() == [1, 1, 1]
            frame = await session.step(300)
            assert (frame.status == throng.AgentStatus.ARRIVED).all()
            np.testing.assert_allclose(frame.positions, [[4, 0], [103, 5], [204, 0]], atol=0.1)
            np.testing.assert_array_equal(frame.velocities, 0)
            # The latest told wins, here for all agents of the frame.
            await session.go_to(frame.positions + [0, 10])
            await session.steer([[1, 0]], ids=[2])
            frame = await session.step()
            np.testing.assert_allclose(frame.velocities, [[0, 1], [1, 0], [0, 1]], atol=1e-5)
            with pytest.raises(ValueError, match="goals\\[0\\] is not finite"):
                await session.go_to([[np.inf, 0]], ids=[1])


async def test_a_bad_goal_is_told_with_its_range(address: str, name: str) -> None:
    async with world_on(address, name, start_paused=True) as world:
        ids = await world.add_agents([[0, 0], [5, 0]], goals=[[9, 0], [np.nan, np.nan]])
        assert (await world.agents()).status.tolist() == [throng.AgentStatus.MOVING, throng.AgentStatus.NO_INPUT]
        with pytest.raises(throng.BatchError) as caught:
            await world.update_agents(ids[:1], paths=throng.Path([[0, 0]], next=1))
        violation = caught.value.items[0].error.violations[0]
        assert (violation.field, violation.value, violation.range) == ("agents[0].path.next", "1", "[0, 0]")
