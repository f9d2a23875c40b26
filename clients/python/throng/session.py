"""A session: one client's claim on one world, over one stream that is taken up again when it breaks."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from throng import _schema, errors
from throng._outbox import Outbox
from throng._rpc import Rpc, metadata
from throng._streams import FrameQueue, StreamState, keep_open
from throng.events import AgentEvents, EventQueue, events_value
from throng.frames import Frame, as_ids, float_column, subscription
from throng.values import WorldInfo, world_value

if TYPE_CHECKING:
    from typing_extensions import Self

_log = logging.getLogger("throng")

# Agents per input message: 16 bytes each, so that it stays below half of the server's 4 MiB.
_INPUT_CHUNK = 100_000
# [s] that a session which is closed here waits for the server to take what is on its way.
_FAREWELL = 2.0


@dataclasses.dataclass(frozen=True)
class InputRejection:
    """What the server refused of one input; the rest of it is in force."""

    sequence: int
    error: errors.ThrongError | None
    """Of the input as a whole: nothing of it was applied."""
    items: tuple[errors.ItemError, ...]
    """The first of the refused agents, at most 16."""
    rejected: int
    applied: int


class Session:
    """A session on a world. Made by `World.session`; use it in `async with`.

    A task of its own reads the stream, so that answers are taken also while the caller computes. If the stream breaks,
    it is opened again with the resume token, and inputs and steps that may have been lost are sent again.
    """

    def __init__(
        self,
        rpc: Rpc,
        world: str,
        *,
        stepper: bool,
        lease: float | None,
        columns: Sequence[str],
        state_hash: bool,
        agent_events: bool,
        buffer: int,
        on_rejected: Callable[[InputRejection], None] | None,
    ) -> None:
        self.world = world
        """Name of the world."""
        self.id = ""
        self._rpc = rpc
        self._request = _schema.v1.OpenSessionRequest(world=world, stepper=stepper, lease=lease)
        self._wants_events = agent_events
        self._subscription = subscription(columns, state_hash, agent_events)
        self._events = EventQueue()
        self._frames = FrameQueue(buffer)
        self._outbox = Outbox()
        self._on_rejected = on_rejected or _log_rejection
        self._token = ""
        self._reader: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._closing = False
        self._ended: Exception | None = None
        self._info: WorldInfo | None = None
        self._latest: Frame | None = None
        self._handed: Frame | None = None
        self._sequence = 0
        self._step_sequence = 0
        self._step: asyncio.Future[Frame] | None = None

    async def __aenter__(self) -> Self:
        opened = await self._rpc.call("SessionService", "OpenSession", self._request)
        self.id, self._token = opened.session_id, opened.resume_token
        self._reader = asyncio.create_task(self._read(opened.lease), name=f"throng session on {self.world}")
        try:
            await self._ready.wait()
            self._raise_if_ended()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def frame(self) -> Frame:
        """The newest frame that arrived, whether it was taken from `frames` or not."""
        if self._latest is None:
            raise RuntimeError("the session is not open: use it in `async with`")
        return self._latest

    @property
    def info(self) -> WorldInfo:
        """The world when the stream opened, or when its state or settings last changed."""
        if self._info is None:
            raise RuntimeError("the session is not open: use it in `async with`")
        return self._info

    @property
    def last_sequence(self) -> int:
        """Of the last input sent; compare with `Frame.last_input_applied`. 0: none."""
        return self._sequence

    async def frames(self) -> AsyncGenerator[Frame, None]:
        """The frames, in the order of ticks, beginning with the world's state when the session opened.

        One reader at a time. A reader that is slower than the world skips ticks (`Frame.ticks_skipped`). Ends when the
        session is closed here; raises ThrongError (StreamClosed for a deleted world) when the server ended it.
        """
        while (frame := await self.next_frame()) is not None:
            yield frame

    async def next_frame(self) -> Frame | None:
        """Waits for one frame, as `frames` does; None when the session is closed."""
        frame = await self._frames.get()
        if frame is not None:
            self._handed = frame
        return frame

    async def agent_events(self) -> AsyncGenerator[AgentEvents, None]:
        """What happened to agents: arrived, stalled, freed, removed. Needs `agent_events=True` of `World.session`.

        May be read beside `frames`, by one reader. Ends as `frames` does.
        """
        while (events := await self.next_agent_events()) is not None:
            yield events

    async def next_agent_events(self) -> AgentEvents | None:
        """Waits until something happens that was not handed out yet; None when the session is closed."""
        if not self._wants_events:
            raise RuntimeError("the session is not subscribed to events: open it with `agent_events=True`")
        return await self._events.get()

    async def steer(self, preferred_velocities: ArrayLike, ids: ArrayLike | None = None) -> int:
        """Sets preferred velocities; they hold until the next ones. Returns the input's sequence number.

        preferred_velocities: [m/s] shape (n, 2), finite, |component| <= 2^20.
        ids: shape (n,); None: all agents of the frame that was last taken from `frames`, `next_frame` or `step`, in its
        order. Agents that are gone since then are refused one by one, see `on_rejected` of `World.session`.

        Returns once the input is on its way, not when it is applied (`Frame.last_input_applied` tells that). Raises
        ValueError for a wrong shape or a value that is not finite, ThrongError if the session has ended.
        """
        return await self._send_columns("preferred_velocities", preferred_velocities, "preferred_velocity", ids)

    async def go_to(self, goals: ArrayLike, ids: ArrayLike | None = None) -> int:
        """Sets goals: agents go there at their `preferred_speed`, slow down and stay. Returns the sequence number.

        goals: [m] shape (n, 2), finite, |component| <= 2^20. The rest as in `steer`. The latest told wins, agent by
        agent: a goal replaces a preferred velocity or a path, and `steer` replaces a goal.
        """
        return await self._send_columns("goals", goals, "goal", ids)

    async def _send_columns(self, name: str, values: ArrayLike, field: str, ids: ArrayLike | None) -> int:
        columns = np.asarray(values, np.float32)
        if columns.ndim != 2 or columns.shape[1] != 2:
            raise ValueError(f"{name} have shape {columns.shape}, valid is (n, 2)")
        if not np.isfinite(columns).all():
            row = int(np.argmin(np.isfinite(columns).all(axis=1)))
            raise ValueError(f"{name}[{row}] is not finite")
        chosen, version = None, 0
        if ids is None:
            reference = self.frame if self._handed is None else self._handed
            version, count = reference.membership_version, len(reference)
        else:
            chosen = as_ids(ids)
            count = len(chosen)
        if len(columns) != count:
            raise ValueError(f"{len(columns)} {name.replace('_', ' ')} for {count} agents")
        for begin in range(0, count, _INPUT_CHUNK):
            rows = slice(begin, begin + _INPUT_CHUNK)
            xy = {f"{field}_x": float_column(columns[rows, 0]), f"{field}_y": float_column(columns[rows, 1])}
            await self._send_input(
                _schema.columns.Input(
                    membership_version=version,
                    first_index=0 if chosen is not None else begin,
                    ids=b"" if chosen is None else chosen[rows].tobytes(),
                    **xy,
                )
            )
        self._raise_if_ended()
        return self._sequence

    async def step(self, ticks: int = 1) -> Frame:
        """Makes a lock-step world go on by `ticks`, [1, 10000], and returns the frame after the last of them.

        Needs a session opened with `stepper=True`. Inputs sent before count. The frame carries the state hash. Raises
        ThrongError if the server refuses, and RuntimeError if a step is under way already.
        """
        return await self._order({"ticks": ticks})

    async def compute_velocities(self) -> Frame:
        """Gives every agent of a lock-step world the velocity that it would get, and moves nothing.

        The frame's tick is the same as before. Else as `step`.
        """
        return await self._order({"ticks": 1, "time_step": 0.0})

    async def _order(self, order: dict[str, Any]) -> Frame:
        self._raise_if_ended()
        if self._step is not None:
            raise RuntimeError("a step is under way; wait for it first")
        self._step_sequence += 1
        self._step = asyncio.get_running_loop().create_future()
        try:
            await self._outbox.put(_schema.columns.ConnectRequest(step={"sequence": self._step_sequence, **order}))
            self._handed = await self._step
            return self._handed
        finally:
            self._step = None
            self._outbox.confirm_step(self._step_sequence)

    async def subscribe(self, columns: Sequence[str] = ("position", "velocity"), state_hash: bool = False) -> None:
        """Changes what frames carry, from the next one on. Columns: see `World.session`."""
        self._subscription = subscription(columns, state_hash, self._wants_events)
        await self._outbox.put(_schema.columns.ConnectRequest(subscribe=self._subscription))

    async def close(self) -> None:
        """Ends the session and gives up what it held. Calling it again does nothing."""
        if self._closing:
            return
        self._closing = True
        if self._reader is None:
            self._end(None)
            return
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._outbox.half_close(), _FAREWELL)
        await asyncio.wait({self._reader}, timeout=_FAREWELL)
        self._reader.cancel()
        await asyncio.wait({self._reader})
        self._end(None)
        request = _schema.v1.CloseSessionRequest(world=self.world, session_id=self.id, resume_token=self._token)
        with contextlib.suppress(errors.NotFound, errors.Unavailable, errors.DeadlineExceeded):  # it is gone then, too
            await self._rpc.call("SessionService", "CloseSession", request)

    async def _send_input(self, message: Any) -> None:
        self._raise_if_ended()
        self._sequence += 1
        message.sequence = self._sequence
        await self._outbox.put(_schema.columns.ConnectRequest(input=message))

    # --- the reader's task ---

    async def _read(self, lease: float) -> None:
        try:
            await keep_open(self._run_once, patience=lease)
            self._end(None)
        except Exception as error:  # handed to whoever waits, now or later
            self._end(error)

    async def _run_once(self, state: StreamState) -> None:
        if self._closing:
            return
        route = _schema.route("SessionService", "Connect")
        connect = self._rpc.channel.stream_stream(
            route.path,
            request_serializer=lambda request: request.SerializeToString(),
            response_deserializer=_schema.columns.ConnectResponse.FromString,
        )
        call = connect(metadata=metadata(self.world))
        opening = _schema.v1.ConnectOpen(
            world=self.world, session_id=self.id, resume_token=self._token, subscription=self._subscription
        )
        writer: asyncio.Task[None] | None = None
        try:
            with contextlib.suppress(asyncio.InvalidStateError):  # it has ended already: the loop below raises why
                await call.write(_schema.columns.ConnectRequest(open=opening))
            async for message in call:
                state.messages += 1
                if message.HasField("opened"):
                    writer = asyncio.create_task(self._outbox.write_to(call, message.opened.last_input_received))
                self._take(message, state)
        finally:
            if writer is not None:
                writer.cancel()
            call.cancel()

    def _take(self, message: Any, state: StreamState) -> None:
        if message.HasField("frame"):
            frame = state.assembler.add(message)
            if frame is not None:
                self._latest = frame
                self._outbox.confirm_inputs(frame.last_input_applied)
                self._frames.put(frame)
                self._ready.set()
        event = message.WhichOneof("event")
        if event == "input_result":
            self._on_rejected(_rejection(message.input_result))
        elif event == "step_result":
            self._take_step(message.step_result)
        elif event == "agent_events":
            self._events.put(events_value(message.agent_events))
        elif event == "closing":
            state.closing = message.closing
        elif event in ("opened", "world"):
            self._info = world_value(message.opened.world if event == "opened" else message.world)
        elif event == "request_error":
            _log.warning("session on %s: %s", self.world, errors.of_message(message.request_error.error))

    def _take_step(self, result: Any) -> None:
        if self._step is None or self._step.done() or result.sequence != self._step_sequence:
            return
        if result.HasField("error"):
            self._step.set_exception(errors.of_message(result.error))
        else:
            self._step.set_result(dataclasses.replace(self.frame, state_hash=result.state_hash))

    def _end(self, error: Exception | None) -> None:
        self._frames.end(error)
        self._events.end(error)
        self._ended = self._ended or error or RuntimeError("the session is closed")
        if self._step is not None and not self._step.done():
            self._step.set_exception(self._ended)
        self._ready.set()

    def _raise_if_ended(self) -> None:
        if self._ended is not None:
            raise self._ended
        if self._reader is None:
            raise RuntimeError("the session is not open: use it in `async with`")


def _rejection(result: Any) -> InputRejection:
    return InputRejection(
        sequence=result.sequence,
        error=errors.of_message(result.error) if result.HasField("error") else None,
        items=tuple(errors.ItemError(i.index, i.id, errors.of_message(i.error)) for i in result.items),
        rejected=result.rejected,
        applied=result.applied,
    )


def _log_rejection(rejection: InputRejection) -> None:
    if rejection.error is not None:
        _log.warning("input %d was refused: %s", rejection.sequence, rejection.error)
        return
    first = f", first agent {rejection.items[0].id}: {rejection.items[0].error}" if rejection.items else ""
    _log.warning("input %d: %d of its agents were refused%s", rejection.sequence, rejection.rejected, first)
