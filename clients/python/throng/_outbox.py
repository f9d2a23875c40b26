"""Requests on their way to the server, and those that a broken stream may have lost."""

from __future__ import annotations

import asyncio
import collections
import contextlib
from typing import Any

import grpc.aio

# Requests that wait for the stream's writer; more make the caller wait.
_WAITING = 4
# Inputs kept for the next stream until a frame says that they are applied. Since the latest wins, older ones may go.
_INPUTS_KEPT = 64


class Outbox:
    """A queue in front of the stream of the moment.

    Only `write_to` touches the stream: gRPC allows one write at a time, and cancels the call when a write is cancelled,
    so that a caller's time-out must not reach it.
    """

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Any] = asyncio.Queue(_WAITING)
        self._unconfirmed: collections.deque[Any] = collections.deque()
        self._open = False

    async def put(self, request: Any) -> None:
        """Sends a ConnectRequest with an input, a step or a subscription: now, or when a stream is open again."""
        self._unconfirmed.append(request)
        inputs = [kept for kept in self._unconfirmed if kept.HasField("input")]
        if len(inputs) > _INPUTS_KEPT:
            self._unconfirmed.remove(inputs[0])
        if self._open:
            await self._queue.put(request)

    async def half_close(self) -> None:
        """Tells the server that nothing more will come, after what was put before."""
        if self._open:
            await self._queue.put(None)

    def confirm_inputs(self, sequence: int) -> None:
        """Inputs up to `sequence` are applied."""
        self._forget(lambda request: request.HasField("input") and request.input.sequence <= sequence)

    def confirm_step(self, sequence: int) -> None:
        """The step is done, or nobody waits for it."""
        self._forget(lambda request: request.HasField("step") and request.step.sequence <= sequence)

    async def write_to(self, call: Any, last_input_received: int) -> None:
        """Writes to a stream until it breaks or `half_close` is called; first what the one before may have lost."""
        self._drain()
        self._open = True
        backlog = collections.deque(self._unconfirmed)
        sent = {"input": last_input_received, "step": 0}
        try:
            while (request := backlog.popleft() if backlog else await self._queue.get()) is not None:
                kind = request.WhichOneof("request")
                if kind in sent:
                    sequence = getattr(request, kind).sequence
                    if sequence <= sent[kind]:  # a caller was waiting to queue what the backlog held as well
                        continue
                    sent[kind] = sequence
                await call.write(request)
                if kind == "subscribe":
                    self._forget(lambda kept: kept is request)
            await call.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # the stream's reader sees the break, and why
        finally:
            self._open = False
            self._drain()

    def _drain(self) -> None:
        with contextlib.suppress(asyncio.QueueEmpty):
            while True:
                self._queue.get_nowait()

    def _forget(self, confirmed: Any) -> None:
        self._unconfirmed = collections.deque(request for request in self._unconfirmed if not confirmed(request))
