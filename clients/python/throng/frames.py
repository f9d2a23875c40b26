"""Frames: a world's state after a tick, in numpy columns that look at the received bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from throng import _schema
from throng.errors import ProtocolError

FloatArray = NDArray[np.float32]
IdArray = NDArray[np.uint32]

_FLOAT = np.dtype("<f4")
_ID = np.dtype("<u4")
_COLUMNS = {
    "x": "position_x",
    "y": "position_y",
    "velocity_x": "velocity_x",
    "velocity_y": "velocity_y",
    "preferred_velocity_x": "preferred_velocity_x",
    "preferred_velocity_y": "preferred_velocity_y",
    "radius": "radius",
    "heading": "heading",
}
COLUMN_NAMES = ("position", "velocity", "preferred_velocity", "radius", "status", "heading")
NO_IDS: IdArray = np.empty(0, _ID)


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    """A world's state after a tick. All columns are read-only, aligned with `ids`; one not subscribed to is empty."""

    world_uid: int
    tick: int
    """Ticks finished"""
    revision: int
    """While a world waits, edits show in new frames of the same tick: how many came before this one"""
    time: float
    """[s] simulated"""
    server_time: float
    """[s] since 1970 on the server's clock, when the frame was made"""
    time_scale: float
    membership_version: int
    """Names the list of ids; equal versions have equal `ids`."""
    ids: IdArray
    """uint32, shape (n,), ascending"""
    x: FloatArray
    """[m] float32, shape (n,), relative to the world's origin"""
    y: FloatArray
    velocity_x: FloatArray
    """[m/s] float32, shape (n,)"""
    velocity_y: FloatArray
    preferred_velocity_x: FloatArray
    """[m/s] float32, shape (n,), as in force: of input, goal or path; zero for an agent without input"""
    preferred_velocity_y: FloatArray
    radius: FloatArray
    """[m] float32, shape (n,)"""
    heading: FloatArray
    """[rad] float32, shape (n,) in [-pi, pi], as `Agents.headings`"""
    status: NDArray[np.uint8]
    """Of `AgentStatus`, shape (n,)"""
    state_hash: int | None
    """Of the whole world, if subscribed to."""
    last_input_applied: int
    """The largest sequence of this session's inputs that is applied in the frame; 0: none"""
    ticks_skipped: int
    """Ticks between the frame before and this one that the reader was too slow for"""

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Frame(tick={self.tick}, time={self.time:.3f}, agents={len(self)})"

    @property
    def positions(self) -> FloatArray:
        """[m] float32, shape (n, 2): a new array, stacked from the columns."""
        return self._stacked(self.x, self.y, "position")

    @property
    def velocities(self) -> FloatArray:
        """[m/s] float32, shape (n, 2): a new array, stacked from the columns."""
        return self._stacked(self.velocity_x, self.velocity_y, "velocity")

    @property
    def preferred_velocities(self) -> FloatArray:
        """[m/s] float32, shape (n, 2): a new array, stacked from the columns."""
        return self._stacked(self.preferred_velocity_x, self.preferred_velocity_y, "preferred_velocity")

    def rank(self, agent: int) -> int:
        """The index of an agent in the columns. Raises KeyError if it is not in the frame."""
        index = int(np.searchsorted(self.ids, agent))
        if index == len(self.ids) or self.ids[index] != agent:
            raise KeyError(agent)
        return index

    def _stacked(self, first: FloatArray, second: FloatArray, column: str) -> FloatArray:
        if len(first) != len(self.ids):
            raise LookupError(f"this stream is not subscribed to {column!r}")
        return np.stack((first, second), axis=1)


class FrameAssembler:
    """Makes frames from the messages of one stream: joins parts, and keeps the ids of the membership in force."""

    def __init__(self) -> None:
        self._messages: list[Any] = []
        self._ids: IdArray = NO_IDS
        self._version: int | None = None

    def add(self, message: Any) -> Frame | None:
        """Takes a ConnectResponse or WatchResponse (of throng.columns.v1) with a frame's part.

        Returns the frame if that was its last part. Raises ProtocolError if the parts do not fit together.
        """
        part = message.frame
        begun = self._messages[0].frame if self._messages else part
        if part.part != len(self._messages) or (part.tick, part.revision) != (begun.tick, begun.revision):
            raise ProtocolError(f"part {part.part} of tick {part.tick} came where part {len(self._messages)} was due")
        self._messages.append(message)
        if len(self._messages) < part.parts:
            return None
        messages, self._messages = self._messages, []
        self._take_membership(messages)
        return self._frame(messages)

    def _take_membership(self, messages: list[Any]) -> None:
        frame = messages[0].frame
        pieces = [np.frombuffer(m.membership.ids, _ID) for m in messages if m.HasField("membership")]
        if pieces:
            self._ids, self._version = _joined(pieces), messages[0].membership.version
        if self._version != frame.membership_version or len(self._ids) != frame.agents:
            raise ProtocolError(f"the ids of membership version {frame.membership_version:#x} are missing")

    def _frame(self, messages: list[Any]) -> Frame:
        parts = [message.frame for message in messages]
        first = parts[0]
        columns = {}
        for name, field in _COLUMNS.items():
            column = _joined([np.frombuffer(getattr(part, field), _FLOAT) for part in parts])
            if len(column) not in (0, first.agents):
                raise ProtocolError(f"{field} has {len(column)} values for {first.agents} agents")
            columns[name] = column
        status = _joined([np.frombuffer(part.status, np.uint8) for part in parts])
        if len(status) not in (0, first.agents):
            raise ProtocolError(f"status has {len(status)} values for {first.agents} agents")
        return Frame(
            world_uid=first.world_uid,
            tick=first.tick,
            revision=first.revision,
            time=first.simulation_time,
            server_time=first.server_time,
            time_scale=first.time_scale,
            membership_version=first.membership_version,
            ids=self._ids,
            status=status,
            state_hash=first.state_hash if first.HasField("state_hash") else None,
            last_input_applied=max(message.last_input_applied for message in messages),
            ticks_skipped=max(message.ticks_skipped for message in messages),
            **columns,
        )


def subscription(columns: Sequence[str], state_hash: bool, agent_events: bool = False) -> Any:
    """A `throng.v1.Subscription` for the named columns. Raises ValueError for a name that is none."""
    for column in columns:
        if column not in COLUMN_NAMES:
            raise ValueError(f"no column {column!r}: there are {', '.join(COLUMN_NAMES)}")
    chosen = {column: True for column in columns}
    return _schema.v1.Subscription(state_hash=state_hash, agent_events=agent_events, **chosen)


def float_column(values: Any) -> bytes:
    """A column of float32 as the wire has it."""
    return np.ascontiguousarray(values, _FLOAT).tobytes()


def as_ids(values: Any) -> IdArray:
    """Ids as a column, shape (n,). Raises ValueError for what is not a list of whole numbers in [1, 2^32)."""
    ids = np.asarray(values)
    if ids.size == 0:
        return NO_IDS
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise ValueError(f"ids have shape {ids.shape} and type {ids.dtype}, valid is a list of whole numbers")
    wrong = np.flatnonzero((ids < 1) | (ids > 0xFFFFFFFF))
    if wrong.size:
        raise ValueError(f"ids[{wrong[0]}] = {ids[wrong[0]]}, valid is [1, 2^32)")
    return np.ascontiguousarray(ids, _ID)


def _joined(pieces: list[Any]) -> Any:
    if len(pieces) == 1:
        return pieces[0]
    joined = np.concatenate(pieces)
    joined.flags.writeable = False
    return joined
