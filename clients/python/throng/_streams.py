"""What sessions and watchers share: a stream that is opened again when it breaks, and the frames that wait in it."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio

from throng import errors
from throng.frames import Frame, FrameAssembler
from throng.values import ClosingReason

_FIRST_PAUSE = 0.05  # [s] before the second try to open a stream
_LONGEST_PAUSE = 1.0  # [s]


class FrameQueue:
    """Frames that wait for their reader: at most `size`. When it is full, the oldest goes; the next one counts it."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError(f"buffer = {size}, valid is >= 1")
        self._size = size
        self._frames: collections.deque[Frame] = collections.deque()
        self._changed = asyncio.Event()
        self._ended = False
        self._error: Exception | None = None

    def put(self, frame: Frame) -> None:
        """Adds a frame, and may drop the oldest."""
        self._frames.append(frame)
        if len(self._frames) > self._size:
            dropped = self._frames.popleft()
            heir = self._frames[0]
            skipped = heir.ticks_skipped + dropped.ticks_skipped + (heir.tick != dropped.tick)
            self._frames[0] = dataclasses.replace(heir, ticks_skipped=skipped)
        self._changed.set()

    def end(self, error: Exception | None) -> None:
        """No more frames. `error` is what the reader gets after the last one; None is a plain end."""
        if not self._ended:
            self._ended, self._error = True, error
            self._changed.set()

    async def get(self) -> Frame | None:
        """The next frame, or None at a plain end."""
        while not self._frames:
            if self._ended:
                if self._error is not None:
                    raise self._error
                return None
            self._changed.clear()
            await self._changed.wait()
        return self._frames.popleft()


@dataclasses.dataclass
class StreamState:
    """What one opened stream has brought so far."""

    assembler: FrameAssembler = dataclasses.field(default_factory=FrameAssembler)
    closing: Any = None
    messages: int = 0


async def keep_open(run_once: Callable[[StreamState], Awaitable[None]], patience: float) -> None:
    """Runs a stream to its end, and opens it again when it breaks.

    `run_once` opens the stream, reads it to its end, and notes in the state what came. Returns when the server ended
    the stream with OK. Raises ThrongError when it ended it for a reason of its own, or when nothing came back for
    `patience` seconds.
    """
    deadline = time.monotonic() + patience
    pause = _FIRST_PAUSE
    while True:
        state = StreamState()
        try:
            await run_once(state)
            return
        except grpc.aio.AioRpcError as broken:
            if state.messages > 0:
                deadline, pause = time.monotonic() + patience, _FIRST_PAUSE
            if not _may_come_back(broken, state.closing) or time.monotonic() + pause > deadline:
                raise _final(broken, state.closing) from None
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _may_come_back(broken: grpc.aio.AioRpcError, closing: Any) -> bool:
    if closing is not None:
        return closing.reason in (ClosingReason.DRAINING, ClosingReason.STALLED)
    code = broken.code()
    # Behind a proxy a server that dies looks like CANCELLED or INTERNAL; a cancel of ours does not come here. The
    # second text is what Python's gRPC makes of a write that failed, whatever the reason.
    details = broken.details() or ""
    reset = code is grpc.StatusCode.INTERNAL and ("RST_STREAM" in details or "Internal error from Core" in details)
    return reset or code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)


def _final(broken: grpc.aio.AioRpcError, closing: Any) -> errors.ThrongError:
    if closing is None:
        return errors.of_call(broken)
    return errors.StreamClosed(ClosingReason.of(closing.reason), closing.message, broken.code())
