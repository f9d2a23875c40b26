"""The channel: options, unary calls with their metadata and time limits, and what may be tried again."""

from __future__ import annotations

import json
from typing import Any

import grpc
import grpc.aio

from throng import _schema, errors

WORLD_KEY = "throng-world"

# Calls that may be sent twice: they read, they set what they set, or they carry a request id that the server remembers.
_REPEATABLE = {
    "WorldService": ["CreateWorld", "GetWorld", "ListWorlds", "UpdateWorld", "PauseWorld", "ResumeWorld"],
    "AgentService": ["AddAgents", "UpdateAgents", "RemoveAgents", "ListAgents"],
    "ObstacleService": ["AddObstacles", "UpdateObstacles", "RemoveObstacles", "ListObstacles"],
    "QueryService": ["FindNearest", "FindInDisc", "FindInBox", "TestVisibility", "CastRay", "Explain"],
    "SessionService": ["CloseSession"],
}

_SERVICE_CONFIG = {
    "methodConfig": [
        {
            "name": [
                {"service": f"throng.v1.{service}", "method": method}
                for service, methods in _REPEATABLE.items()
                for method in methods
            ],
            "retryPolicy": {
                "maxAttempts": 5,
                "initialBackoff": "0.1s",
                "maxBackoff": "2s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ]
}

_OPTIONS = [
    # A server cuts off who pings more often than every 5 s; proxies drop what is silent for a minute.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    # A server that comes back is found within 2 s.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A frame's part has at most 1 MiB; the answer to a batch is larger than the batch by less than this.
    ("grpc.max_receive_message_length", 16 << 20),
    ("grpc.max_send_message_length", -1),
    ("grpc.enable_retries", 1),
    ("grpc.service_config", json.dumps(_SERVICE_CONFIG)),
]


def metadata(world: str) -> tuple[tuple[str, str], ...]:
    """Request metadata of a call on a world, by which a proxy routes it.

    A name that no header can hold is left out: the server refuses it, and says why.
    """
    return ((WORLD_KEY, world),) if world.isascii() and world.isprintable() and world.strip() == world != "" else ()


class Rpc:
    """One channel to one address."""

    def __init__(self, address: str, credentials: grpc.ChannelCredentials | None, timeout: float) -> None:
        self.timeout = timeout
        """[s] of a unary call."""
        self._channel = (
            grpc.aio.insecure_channel(address, options=_OPTIONS)
            if credentials is None
            else grpc.aio.secure_channel(address, credentials, options=_OPTIONS)
        )

        self._closed = False

    @property
    def channel(self) -> grpc.aio.Channel:
        """Of the calls. Raises RuntimeError once it is closed."""
        if self._closed:
            raise RuntimeError("the connection is closed")
        return self._channel

    async def call(self, service: str, method: str, message: Any, timeout: float | None = None) -> Any:
        """Sends a request and returns the response. Raises ThrongError."""
        route = _schema.route(service, method)
        unary = self.channel.unary_unary(
            route.path,
            request_serializer=lambda request: request.SerializeToString(),
            response_deserializer=route.response.FromString,
        )
        world = getattr(message, "world", "") or getattr(message, "name", "")
        try:
            return await unary(message, metadata=metadata(world), timeout=timeout or self.timeout)
        except grpc.aio.AioRpcError as error:
            raise errors.of_call(error) from None

    async def close(self) -> None:
        """Ends the channel, and with it all of its calls."""
        self._closed = True
        await self._channel.close()
