"""Frames out of messages, without a server."""

from __future__ import annotations

import numpy as np
import pytest
import throng
from throng import _schema
from throng._streams import FrameQueue
from throng.frames import FrameAssembler, as_ids


def response(tick: int, ids: list[int], part: int = 0, parts: int = 1, first: int = 0, agents: int | None = None):
    """A ConnectResponse of the typed schema, in which x is the id and y its negative, read by the twin."""
    message = _schema.v1.ConnectResponse(last_input_applied=3, ticks_skipped=2)
    frame = message.frame
    frame.world_uid, frame.tick, frame.simulation_time, frame.membership_version = 9, tick, tick / 10, 1
    frame.part, frame.parts, frame.first_index = part, parts, first
    frame.agents = len(ids) if agents is None else agents
    frame.position_x.extend(float(id_) for id_ in ids)
    frame.position_y.extend(-float(id_) for id_ in ids)
    message.membership.version, message.membership.first_index = 1, first
    message.membership.ids.extend(ids)
    return _schema.columns.ConnectResponse.FromString(message.SerializeToString())


def without_ids(message):
    message.ClearField("membership")
    return message


def test_the_twin_writes_the_bytes_that_it_read() -> None:
    message = response(1, [4, 5])
    bytes_ = message.SerializeToString()
    assert _schema.v1.ConnectResponse.FromString(bytes_).SerializeToString() == bytes_
    values = np.array([1.5, -2], "<f4").tobytes()
    twin = _schema.columns.Input(sequence=1, ids=np.array([1, 2], "<u4").tobytes(), preferred_velocity_x=values)
    typed = _schema.v1.Input.FromString(twin.SerializeToString())
    assert list(typed.ids) == [1, 2] and list(typed.preferred_velocity_x) == [1.5, -2]
    assert typed.SerializeToString() == twin.SerializeToString()


def test_columns_look_at_the_message() -> None:
    frame = FrameAssembler().add(response(7, [1, 2, 0x80000000]))
    assert (frame.tick, frame.time, frame.world_uid, len(frame)) == (7, 0.7, 9, 3)
    assert (frame.last_input_applied, frame.ticks_skipped, frame.state_hash) == (3, 2, None)
    assert frame.x.dtype == np.float32 and not frame.x.flags.writeable and not frame.x.flags.owndata
    assert frame.ids.tolist() == [1, 2, 0x80000000] and frame.ids.dtype == np.uint32
    np.testing.assert_array_equal(frame.positions, [[1, -1], [2, -2], [2**31, -(2**31)]])


def test_a_column_that_was_not_asked_for_is_empty() -> None:
    frame = FrameAssembler().add(response(1, [1]))
    assert len(frame.velocity_x) == 0
    with pytest.raises(LookupError, match="velocity"):
        _ = frame.velocities


def test_parts_are_joined() -> None:
    assembler = FrameAssembler()
    assert assembler.add(response(1, [1, 2], part=0, parts=2, agents=3)) is None
    frame = assembler.add(response(1, [3], part=1, parts=2, first=2, agents=3))
    assert frame.ids.tolist() == [1, 2, 3] and frame.x.tolist() == [1, 2, 3]
    again = assembler.add(without_ids(response(2, [1, 2], part=0, parts=2, agents=3)))
    assert again is None
    frame = assembler.add(without_ids(response(2, [3], part=1, parts=2, first=2, agents=3)))
    assert frame.tick == 2 and frame.ids.tolist() == [1, 2, 3]


def test_a_world_without_agents_has_frames() -> None:
    frame = FrameAssembler().add(response(1, []))
    assert len(frame) == 0 and frame.positions.shape == (0, 2)


def test_ids_are_kept_until_the_membership_changes() -> None:
    assembler = FrameAssembler()
    first = assembler.add(response(1, [1, 2]))
    second = assembler.add(without_ids(response(2, [1, 2])))
    assert second.ids is first.ids


@pytest.mark.parametrize(
    "messages",
    [
        [without_ids(response(1, [1]))],
        [response(1, [1], part=1, parts=2)],
        [response(1, [1], part=0, parts=2, agents=2), response(2, [2], part=1, parts=2, agents=2)],
        [response(1, [1], agents=2)],
    ],
    ids=["unknown ids", "first part missing", "parts of two ticks", "too few agents"],
)
def test_what_does_not_fit_together_is_refused(messages) -> None:
    assembler = FrameAssembler()
    with pytest.raises(throng.ProtocolError):
        for message in messages:
            assembler.add(message)


def test_rank_finds_an_agent() -> None:
    frame = FrameAssembler().add(response(1, [3, 5, 9]))
    assert frame.rank(5) == 1
    for absent in (4, 10):
        with pytest.raises(KeyError):
            frame.rank(absent)


async def test_a_full_queue_drops_the_oldest_and_counts_its_ticks() -> None:
    queue = FrameQueue(2)
    assembler = FrameAssembler()
    for tick in (1, 2, 3, 4):
        queue.put(assembler.add(response(tick, [1])))
    queue.end(None)
    third, fourth, end = await queue.get(), await queue.get(), await queue.get()
    # Each of the four came with two ticks skipped before it; two of them are gone on top.
    assert (third.tick, third.ticks_skipped) == (3, 8)
    assert (fourth.tick, fourth.ticks_skipped, end) == (4, 2, None)


async def test_a_queue_gives_its_frames_before_its_error() -> None:
    queue = FrameQueue(1)
    queue.put(FrameAssembler().add(response(1, [1])))
    queue.end(throng.Unavailable("gone"))
    assert (await queue.get()).tick == 1
    for _ in range(2):
        with pytest.raises(throng.Unavailable):
            await queue.get()


def test_ids_are_checked() -> None:
    assert as_ids([1, 2**32 - 1]).dtype == np.uint32
    for wrong in ([0], [-1], [2**32], [1.5], [[1]]):
        with pytest.raises(ValueError, match="valid is"):
            as_ids(wrong)


@pytest.mark.parametrize(
    "ours, theirs",
    [
        (throng.Clock, "WorldClock"),
        (throng.Preset, "Preset"),
        (throng.WorldState, "WorldState"),
        (throng.StaleInputPolicy, "StaleInputPolicy"),
        (throng.ObstacleKind, "ObstacleKind"),
        (throng.ClosingReason, "ClosingReason"),
    ],
)
def test_enums_have_the_numbers_of_the_wire(ours, theirs) -> None:
    wire = _schema.pool.FindEnumTypeByName(f"throng.v1.{theirs}").values
    prefix = wire[0].name.removesuffix("UNSPECIFIED")
    assert {value.name.removeprefix(prefix): value.number for value in wire} == {m.name: m.value for m in ours}
