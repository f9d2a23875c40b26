"""Watching a world without a session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from throng import _schema
from throng._rpc import Rpc, metadata
from throng._streams import FrameQueue, StreamState, keep_open
from throng.events import AgentEvents, events_value
from throng.frames import Frame


async def watch_frames(
    rpc: Rpc,
    world: str,
    subscription: Any,
    buffer: int,
    patience: float,
    on_agent_events: Callable[[AgentEvents], None] | None = None,
) -> AsyncGenerator[Frame, None]:
    """Yields frames until the caller stops or the server ends the stream for good."""
    queue = FrameQueue(buffer)
    request = _schema.v1.WatchRequest(world=world, subscription=subscription)

    async def run_once(state: StreamState) -> None:
        watch = rpc.channel.unary_stream(
            _schema.route("WatchService", "Watch").path,
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=_schema.columns.WatchResponse.FromString,
        )
        call = watch(request, metadata=metadata(world))
        try:
            async for message in call:
                state.messages += 1
                if message.HasField("closing"):
                    state.closing = message.closing
                if message.HasField("agent_events") and on_agent_events is not None:
                    on_agent_events(events_value(message.agent_events))
                if message.HasField("frame"):
                    frame = state.assembler.add(message)
                    if frame is not None:
                        queue.put(frame)
        finally:
            call.cancel()

    async def read() -> None:
        try:
            await keep_open(run_once, patience)
            queue.end(None)
        except Exception as error:  # handed to whoever waits
            queue.end(error)

    reader = asyncio.create_task(read(), name=f"throng watch of {world}")
    try:
        while (frame := await queue.get()) is not None:
            yield frame
    finally:
        reader.cancel()
