"""Events of agents: what happened to them, beside the frames."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from throng.frames import IdArray
from throng.values import AgentEventKind

# Of what waits to be taken; those of the lowest ids stay.
_MOST = 65_536


@dataclasses.dataclass(frozen=True, eq=False)
class AgentEvents:
    """What happened since those handed out before; at first, since the stream's first frame.

    Columns of one length, in ascending (id, kind). A reader that is behind gets one of these for all that it missed: of
    an agent each kind once, and of STALLED and FREED the later alone. What happens while a broken stream is taken up
    again is not told: look at the status column of frames.
    """

    tick: int
    """Ticks finished when the last of them happened"""
    ids: IdArray
    """uint32, shape (n,)"""
    kinds: NDArray[np.uint8]
    """Of `AgentEventKind`, shape (n,)"""
    reasons: NDArray[np.uint8]
    """Of `StatusReason`, shape (n,)"""
    truncated: bool
    """More happened than fit: the status column of frames tells the rest."""

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, kind: AgentEventKind) -> IdArray:
        """The agents to which that happened, ascending."""
        ids: IdArray = self.ids[self.kinds == kind]
        return ids


def events_value(message: Any) -> AgentEvents:
    """AgentEvents from the wire (of throng.columns.v1)."""
    return AgentEvents(
        tick=message.tick,
        ids=np.frombuffer(message.ids, np.dtype("<u4")),
        kinds=np.array(message.kinds, np.uint8),
        reasons=np.array(message.reasons, np.uint8),
        truncated=message.truncated,
    )


def merged(earlier: AgentEvents, later: AgentEvents) -> AgentEvents:
    """Both as one, of the tick of `later`."""
    keep = np.ones(len(earlier), bool)
    for kind, other in ((AgentEventKind.STALLED, AgentEventKind.FREED), (AgentEventKind.FREED, AgentEventKind.STALLED)):
        keep &= ~((earlier.kinds == kind) & np.isin(earlier.ids, later.of(other)))
    joined = np.concatenate((_keys(later.ids, later.kinds), _keys(earlier.ids[keep], earlier.kinds[keep])))
    keys, first = np.unique(joined, return_index=True)
    reasons = np.concatenate((later.reasons, earlier.reasons[keep]))[first][:_MOST]
    truncated = earlier.truncated or later.truncated or len(keys) > _MOST
    keys = keys[:_MOST]
    return AgentEvents(later.tick, (keys >> 8).astype(np.uint32), (keys & 0xFF).astype(np.uint8), reasons, truncated)


def _keys(ids: IdArray, kinds: NDArray[np.uint8]) -> NDArray[np.uint64]:
    return (ids.astype(np.uint64) << np.uint64(8)) | kinds.astype(np.uint64)


class EventQueue:
    """Events between the task that reads a stream and the one that takes them: what waits is joined."""

    def __init__(self) -> None:
        self._waiting: AgentEvents | None = None
        self._ended = False
        self._error: Exception | None = None
        self._changed = asyncio.Event()

    def put(self, events: AgentEvents) -> None:
        """Adds what happened."""
        self._waiting = events if self._waiting is None else merged(self._waiting, events)
        self._changed.set()

    def end(self, error: Exception | None) -> None:
        """No more events. `error` is what the reader gets after the last; None is a plain end."""
        if not self._ended:
            self._ended, self._error = True, error
            self._changed.set()

    async def get(self) -> AgentEvents | None:
        """What happened since the last call, or None at a plain end."""
        while self._waiting is None:
            if self._ended:
                if self._error is not None:
                    raise self._error
                return None
            self._changed.clear()
            await self._changed.wait()
        events, self._waiting = self._waiting, None
        return events
