"""Connecting to a server, and the worlds on it."""

from __future__ import annotations

import uuid
from types import TracebackType
from typing import TYPE_CHECKING, Literal

import grpc

from throng import _schema
from throng._rpc import Rpc
from throng.batches import Limits
from throng.values import (
    AgentParams,
    Clock,
    MotionSettings,
    Preset,
    ServerInfo,
    StaleInput,
    WorldInfo,
    WorldSettings,
    server_value,
    settings_message,
    world_value,
)
from throng.world import World

if TYPE_CHECKING:
    from typing_extensions import Self

ClockName = Literal["realtime", "lockstep", "free"]


def connect(
    address: str = "localhost:50051",
    *,
    credentials: grpc.ChannelCredentials | None = None,
    timeout: float = 30.0,
    connect_timeout: float = 5.0,
) -> Server:
    """A connection to a server, to be used in `async with`.

    address: ``host:port``. credentials: None sends in the clear. timeout: [s] of a call that edits or reads.
    connect_timeout: [s] for the first answer. Entering raises Unavailable if nobody listens there, DeadlineExceeded if
    nobody answers.
    """
    return Server(address, credentials, timeout, connect_timeout)


class Server:
    """A server. Made by `connect`."""

    def __init__(
        self, address: str, credentials: grpc.ChannelCredentials | None, timeout: float, connect_timeout: float
    ) -> None:
        self.address = address
        self._credentials = credentials
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._open: Rpc | None = None
        self._limits = Limits()

    async def __aenter__(self) -> Self:
        self._open = Rpc(self.address, self._credentials, self._timeout)
        try:
            info = await self.info(timeout=self._connect_timeout)
        except BaseException:
            await self.close()
            raise
        self._limits = Limits(
            info.limits["max_message_bytes"] or Limits.message_bytes,
            info.limits["max_batch_items"] or Limits.batch_items,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection with all that runs over it."""
        if self._open is not None:
            rpc, self._open = self._open, None
            await rpc.close()

    async def info(self, *, timeout: float | None = None) -> ServerInfo:
        """Version, counts and limits."""
        request = _schema.v1.GetServerInfoRequest()
        return server_value(await self._rpc.call("ServerService", "GetServerInfo", request, timeout))

    async def create_world(
        self,
        name: str,
        *,
        time_step: float | None = None,
        seed: int | None = None,
        preset: Preset = Preset.UNSPECIFIED,
        origin: tuple[float, float] | None = None,
        bounds: tuple[tuple[float, float], tuple[float, float]] | None = None,
        agent_defaults: AgentParams | None = None,
        clock: Clock | ClockName = Clock.UNSPECIFIED,
        stale_input: StaleInput | None = None,
        time_scale: float | None = None,
        max_agents: int | None = None,
        idle_time_to_live: float | None = None,
        start_paused: bool | None = None,
        motion: MotionSettings | None = None,
    ) -> World:
        """Makes a world that ticks at once, unless it starts paused or waits for a stepper.

        name: ``[a-z0-9][a-z0-9._-]{0,127}``. The others: units, ranges and defaults as in `WorldSettings`. Raises
        AlreadyExists for a name in use, ResourceExhausted past a limit of the server, InvalidArgument for a value.
        """
        settings = WorldSettings(
            time_step=time_step,
            seed=seed,
            preset=preset,
            origin=origin,
            bounds=bounds,
            agent_defaults=agent_defaults,
            clock=Clock[clock.upper()] if isinstance(clock, str) else clock,
            stale_input=stale_input,
            time_scale=time_scale,
            max_agents=max_agents,
            idle_time_to_live=idle_time_to_live,
            start_paused=start_paused,
            motion=motion,
        )
        request = _schema.v1.CreateWorldRequest(
            name=name, settings=settings_message(settings), request_id=uuid.uuid4().hex
        )
        await self._rpc.call("WorldService", "CreateWorld", request)
        return self.world(name)

    def world(self, name: str) -> World:
        """A handle on a world that exists, or will. Asks the server nothing."""
        return World(self._rpc, name, self._limits)

    async def worlds(self, prefix: str = "") -> list[WorldInfo]:
        """All worlds whose names begin with `prefix`, in ascending order of names."""
        found: list[WorldInfo] = []
        token = ""
        while True:
            request = _schema.v1.ListWorldsRequest(page_size=1_000, page_token=token, name_prefix=prefix)
            page = await self._rpc.call("WorldService", "ListWorlds", request)
            found.extend(world_value(world) for world in page.worlds)
            token = page.next_page_token
            if not token:
                return found

    @property
    def _rpc(self) -> Rpc:
        if self._open is None:
            raise RuntimeError("the connection is not open: use it in `async with`")
        return self._open
