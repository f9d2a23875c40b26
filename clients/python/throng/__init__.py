"""Client of Throng, a crowd-movement server.

    async with throng.connect("localhost:50051") as server:
        world = await server.create_world("plaza")
        await world.add_agents(positions, radius=0.3, max_speed=1.5)
        async with world.session() as session:
            async for frame in session.frames():
                await session.steer(goals - frame.positions)

SI units; positions and velocities are float32 arrays of shape (n, 2). Everything runs in asyncio.
"""

from throng.batches import AdviceWarning, BatchResult
from throng.client import Server, connect
from throng.errors import (
    Aborted,
    AlreadyExists,
    BatchError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ItemError,
    NotFound,
    PermissionDenied,
    ProtocolError,
    ResourceExhausted,
    StreamClosed,
    ThrongError,
    Unavailable,
    Unimplemented,
    Violation,
)
from throng.events import AgentEvents
from throng.frames import Frame
from throng.groups import Formation, homeward
from throng.queries import Explanation, FoundAgents, HalfPlane, RayHit, SightFilter, Visibility
from throng.session import InputRejection, Session
from throng.values import (
    Advice,
    AgentEventKind,
    AgentParams,
    AgentStatus,
    Clock,
    ClosingReason,
    Drive,
    HalfPlaneSource,
    MotionSettings,
    ObstacleKind,
    ObstacleSpec,
    Path,
    Placement,
    Preset,
    ServerInfo,
    SolveOutcome,
    StaleInput,
    StaleInputPolicy,
    StatusReason,
    WarningCode,
    WorldInfo,
    WorldLoad,
    WorldSettings,
    WorldState,
)
from throng.world import Agents, Obstacle, World

__all__ = [
    "Aborted",
    "Advice",
    "AdviceWarning",
    "AgentEventKind",
    "AgentEvents",
    "AgentParams",
    "AgentStatus",
    "Agents",
    "AlreadyExists",
    "BatchError",
    "BatchResult",
    "Clock",
    "ClosingReason",
    "DeadlineExceeded",
    "Drive",
    "Explanation",
    "FailedPrecondition",
    "Formation",
    "FoundAgents",
    "Frame",
    "HalfPlane",
    "HalfPlaneSource",
    "InputRejection",
    "InvalidArgument",
    "ItemError",
    "MotionSettings",
    "NotFound",
    "Obstacle",
    "ObstacleKind",
    "ObstacleSpec",
    "Path",
    "PermissionDenied",
    "Placement",
    "Preset",
    "ProtocolError",
    "RayHit",
    "ResourceExhausted",
    "Server",
    "ServerInfo",
    "Session",
    "SightFilter",
    "SolveOutcome",
    "StaleInput",
    "StaleInputPolicy",
    "StatusReason",
    "StreamClosed",
    "ThrongError",
    "Unavailable",
    "Unimplemented",
    "Violation",
    "Visibility",
    "WarningCode",
    "World",
    "WorldInfo",
    "WorldLoad",
    "WorldSettings",
    "WorldState",
    "connect",
    "homeward",
]
