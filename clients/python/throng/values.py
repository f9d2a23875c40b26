"""Settings and states as plain values. SI units; what is left `None` is left to the server.

The defaults and ranges told here are the server's; it checks them and says which value it refused.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from throng import _schema

_EnumT = TypeVar("_EnumT", bound="_WireEnum")


class _WireEnum(enum.IntEnum):
    """An enum with the numbers of the wire, whose 0 is what this client does not know."""

    @classmethod
    def of(cls: type[_EnumT], number: int) -> _EnumT:
        """The member with a number of the wire."""
        try:
            return cls(number)
        except ValueError:
            return cls(0)


class Clock(_WireEnum):
    """What makes a world tick."""

    UNSPECIFIED = 0
    REALTIME = 1
    """The server, at `time_scale / time_step` ticks per second; inputs are latest-wins."""
    LOCKSTEP = 2
    """The world's stepper, by `Session.step`."""
    FREE = 3
    """The server, as fast as it goes."""


class Preset(_WireEnum):
    """The motion model."""

    UNSPECIFIED = 0
    DEFAULT = 1
    BASE = 2
    """Plain ORCA, as published."""


class WorldState(_WireEnum):
    """Whether a world ticks."""

    UNSPECIFIED = 0
    RUNNING = 1
    PAUSED = 2
    FAULTED = 3
    """Stopped for good by a fault inside it; see `WorldInfo.fault`."""


class StaleInputPolicy(_WireEnum):
    """What agents do whose input stops arriving."""

    UNSPECIFIED = 0
    HOLD = 1
    """The last preferred velocity stays in force."""
    DECAY = 2
    """It shrinks, by `StaleInput.decay_time`."""
    STOP = 3
    """It becomes zero."""


class ObstacleKind(_WireEnum):
    """Which side of an obstacle agents keep to."""

    UNSPECIFIED = 0
    SOLID = 1
    """A polygon that agents stay out of."""
    ENCLOSURE = 2
    """A polygon that agents stay in."""
    WALL = 3
    """An open polyline, in force from both sides."""
    CAPSULE = 4
    """All within a radius of the straight way between two points; it moves, and agents make room."""


class Drive(_WireEnum):
    """How an agent can move."""

    UNSPECIFIED = 0
    OMNI = 1
    """In any direction at once."""
    DIFFERENTIAL = 2
    """Forward along its heading only, which turns at max_turn_rate; that must be above 0."""


class Placement(_WireEnum):
    """What becomes of a new agent whose place is taken.

    Taken: its disc would overlap that of an agent that it sees or that sees it, its centre is not on walkable ground,
    or its disc sticks out of the bounds.
    """

    UNSPECIFIED = 0
    ALLOW = 1
    """It is added all the same, and parts from those that it overlaps without a burst of speed. The default."""
    REJECT = 2
    """FailedPrecondition that names what is in the way, with the reason OCCUPIED."""
    NUDGE = 3
    """It is put at the nearest free place within `nudge_distance`; as REJECT if there is none."""


class AgentStatus(_WireEnum):
    """What an agent is doing."""

    UNSPECIFIED = 0
    MOVING = 1
    """Nothing else to say; also of who was told to stand."""
    ARRIVED = 2
    """At its goal, or at the end of its path."""
    STALLED = 3
    """Wants to move, and made next to no way for a second: plan anew."""
    NO_INPUT = 4
    """Never told anything."""
    STALE_INPUT = 5
    """The world's stale-input policy took over."""
    RECOVERED = 6
    """Was moved out of an obstacle, or into the bounds, in this tick."""


class StatusReason(_WireEnum):
    """Why, where a status alone does not say it."""

    UNSPECIFIED = 0
    AT_GOAL = 1
    """ARRIVED: within arrival_radius."""
    GOAL_CROWDED = 2
    """ARRIVED: as near as others who rest at the same goal let it."""
    AGENTS = 3
    """STALLED: agents are in the way."""
    OBSTACLES = 4
    """STALLED: an obstacle or the bounds are in the way."""
    IN_SOLID = 5
    """RECOVERED: was inside a solid."""
    OUT_OF_ENCLOSURE = 6
    """RECOVERED: was outside an enclosure."""
    OUT_OF_BOUNDS = 7
    """RECOVERED: stuck out of the bounds."""
    NO_FREE_GROUND = 8
    """STALLED: inside obstacles, without free ground near."""


class AgentEventKind(_WireEnum):
    """What happened to an agent."""

    UNSPECIFIED = 0
    ARRIVED = 1
    """Came to its goal, or to the end of its path."""
    STALLED = 2
    """Wants to move, and made next to no way for a second: plan anew."""
    FREED = 3
    """Is no longer stalled: makes its way, or wants to no more."""
    RECOVERED = 4
    """Was moved out of an obstacle, or into the bounds."""
    REMOVED = 5
    """By a command; the id may have come back since."""


class WarningCode(_WireEnum):
    """Which values do not go together."""

    UNSPECIFIED = 0
    NEIGHBOR_DISTANCE_SHORT = 1
    """Less than what an agent covers within time_horizon at max_speed: avoidance begins late."""
    FEW_NEIGHBORS = 2
    """max_neighbors is less than the 6 discs that fit around an agent."""
    TIME_STEP_LONG = 3
    """A tick at max_speed covers more than the radius."""
    PASSAGE_NARROW = 4
    """The disc does not fit through an opening between obstacles that is at least half as wide as it."""
    SPEED_UNREACHABLE = 5
    """preferred_speed is above max_speed."""
    TURN_WIDE = 6
    """The turning circle is wider than arrival_radius."""
    ACCELERATION_LOW = 7
    """max_acceleration cannot stop the agent within time_horizon, or before its goal."""
    RESOLUTION_COARSE = 8
    """Coordinates, where the agent is, resolve more coarsely than a hundredth of its radius."""
    OBSTACLE_TINY = 9
    """An obstacle is smaller than a tenth of the default radius: a mistake of scale?"""
    SEES_NOTHING = 10
    """The agent considers no other."""


class ClosingReason(_WireEnum):
    """Why the server ended a stream."""

    UNSPECIFIED = 0
    CLIENT = 1
    WORLD_DELETED = 2
    DRAINING = 3
    STALLED = 4
    SESSION_ENDED = 5
    OVERFLOW = 6
    SUPERSEDED = 7
    SERVER_ERROR = 8


class HalfPlaneSource(_WireEnum):
    """Of what a half-plane keeps an agent."""

    UNSPECIFIED = 0
    AGENT = 1
    """`HalfPlane.id` is an agent."""
    OBSTACLE = 2
    """`HalfPlane.id` is an obstacle."""
    BOUNDS = 3
    """The world's."""
    DRIVE = 4
    """What a differential drive can do."""


class SolveOutcome(_WireEnum):
    """How an agent came to its velocity."""

    UNSPECIFIED = 0
    FREE = 1
    """What was preferred was permitted."""
    CONSTRAINED = 2
    """It is the nearest permitted velocity."""
    RELAXED = 3
    """Nothing was permitted: half-planes of agents were relaxed evenly."""
    KINEMATIC = 4
    """It moves as it is told: nothing was solved."""


@dataclasses.dataclass(frozen=True)
class AgentParams:
    """How an agent avoids. `None` takes the world's default (in an add) or keeps the value (in an update)."""

    radius: float | None = None
    """[m] (0, 1000], default 0.5"""
    max_speed: float | None = None
    """[m/s] bound on the speed that the agent gets. [0, 1000], default 2"""
    neighbor_distance: float | None = None
    """[m] agents whose centre is strictly nearer are avoided. [0, 1000], default 10"""
    max_neighbors: int | None = None
    """How many of them, the nearest first. [0, 64], default 10"""
    time_horizon: float | None = None
    """[s] ahead within which collisions with agents are avoided. [0.01, 100], default 5"""
    time_horizon_obstacles: float | None = None
    """[s] the same towards obstacles. [0.01, 100], default 2"""
    responsibility: float | None = None
    """Weight in a pair: i takes the share w_i / (w_i + w_j) of the avoidance. 0: avoids nobody. [0, 1000], default 1"""
    layer: int | None = None
    """What it is, for others to see: bits. 0: nobody sees it. Default 1"""
    avoids: int | None = None
    """What it sees: agents and obstacles whose layer shares a bit with it, and whose height bands meet. Default all"""
    z: float | None = None
    """[m] its height band is [z, z + height]. [-2^20, 2^20], default 0"""
    height: float | None = None
    """[m] [0, 2^20], default 0"""
    preferred_speed: float | None = None
    """[m/s] at which it goes to a goal or along a path, up to max_speed. [0, 1000], default 1.5"""
    arrival_radius: float | None = None
    """[m] from its goal within which it has arrived. (0, 1000], default 0.1"""
    slow_down_distance: float | None = None
    """[m] from its goal within which it slows down. 0: not at all. [0, 1000], default 0.5"""
    smoothing_time: float | None = None
    """[s] time constant of a lag of what it wants. [0, 100], default 0: none"""
    max_acceleration: float | None = None
    """[m/s^2] avoidance gives way to it. [0, 1e6], default 0: no limit"""
    max_turn_rate: float | None = None
    """[rad/s] of its direction; avoidance gives way to it. [0, 1000], default 0: no limit"""
    drive: Drive | None = None
    """Default OMNI"""
    tracking_error: float | None = None
    """[m] of DIFFERENTIAL: others see it larger by that much. (0, 100], default 0.1"""


@dataclasses.dataclass(frozen=True)
class Advice:
    """Values that are valid each, and do not go together. Nothing was refused."""

    code: WarningCode
    field: str
    """To change first, such as ``params.neighbor_distance``"""
    message: str
    """One sentence with the numbers, and what would do"""
    agent: int
    """Concerned; 0: none"""
    obstacle: int
    """Concerned; 0: none"""


@dataclasses.dataclass(frozen=True, eq=False)
class Path:
    """Waypoints, passed in order; the last is a goal."""

    points: ArrayLike
    """[m] shape (n, 2), n from 1 to 1,024"""
    pass_radius: float | None = None
    """[m] from a waypoint within which it is passed; it is passed too by who is beyond it, on the side of the next one,
    and within four times that. (0, 1000]; None: the larger of radius and arrival_radius"""
    next: int = 0
    """The waypoint to go for"""


@dataclasses.dataclass(frozen=True, eq=False)
class ObstacleSpec:
    """An obstacle to add, or all that is to be of one that exists."""

    kind: ObstacleKind
    vertices: ArrayLike
    """[m] shape (n, 2), 2 (WALL) or 3 to 4,096, or 2 (CAPSULE), in either direction; the first is not repeated at the
    end"""
    layer: int | None = None
    """What it is, for agents to see: bits, see `AgentParams.avoids`. 0: nobody sees it. None: 1"""
    z: float | None = None
    """[m] its height band is [z, z + height]. [-2^20, 2^20]; None: it is of every height"""
    height: float | None = None
    """[m] [0, 2^20], None: 0; needs z"""
    radius: float | None = None
    """[m] of a CAPSULE alone: (0, 1000], required"""
    velocity: tuple[float, float] | None = None
    """[m/s] of a CAPSULE alone; None: it stands"""


@dataclasses.dataclass(frozen=True)
class StaleInput:
    """What agents do whose input stops arriving for `timeout_ticks`."""

    policy: StaleInputPolicy = StaleInputPolicy.UNSPECIFIED
    timeout_ticks: int | None = None
    """[1, 2^31-1], default 30"""
    decay_time: float | None = None
    """[s] time constant of DECAY. [0.001, 1000], default 0.5"""


@dataclasses.dataclass(frozen=True)
class MotionSettings:
    """What the motion model does beyond plain ORCA. Switches that are None: as the preset says. Fixed at creation."""

    symmetry_breaking: bool | None = None
    """Agents that others keep from going where they want step aside a little, all to one side."""
    jam_relief: bool | None = None
    """Who makes no way uses narrower gaps, takes turns with who comes against it, and rests around a crowded goal."""
    rest: bool | None = None
    """An agent that wants nothing and would get less than rest_speed stands still."""
    containment: bool | None = None
    """No centre crosses an obstacle's edge; who stands inside an obstacle is moved to free ground."""
    stall_detection: bool | None = None
    """Tell agents that are STALLED; moves none of them."""
    symmetry_bias: float | None = None
    """Part of the speed wanted, by which agents step aside. [0, 0.5], default 0.1"""
    separation_speed: float | None = None
    """Part of max_speed at which an overlap is undone at most, with rest. (0, 1], default 0.5"""
    rest_speed: float | None = None
    """Part of max_speed. [0, 0.5], default 0.02"""


@dataclasses.dataclass(frozen=True)
class WorldSettings:
    """A world's settings. What the server returns has every field set, as in force."""

    time_step: float | None = None
    """[s] length of a tick, a float32. [0.001, 1], default 1/30"""
    seed: int | None = None
    """[0, 2^64), default 0"""
    preset: Preset = Preset.UNSPECIFIED
    origin: tuple[float, float] | None = None
    """Where the world's (0, 0) lies in the client's coordinates; everything else is relative to it."""
    bounds: tuple[tuple[float, float], tuple[float, float]] | None = None
    """[m] lowest and highest corner of a rectangle; discs stay inside of it, and who is found outside is moved in.
    Needs containment. None: up to the ends of the coordinate range"""
    agent_defaults: AgentParams | None = None
    clock: Clock = Clock.UNSPECIFIED
    """Default REALTIME"""
    stale_input: StaleInput | None = None
    time_scale: float | None = None
    """Real time to simulated time; acts on REALTIME only. [0.01, 100], default 1"""
    max_agents: int | None = None
    """At least 1; default and bound are the server's limit."""
    idle_time_to_live: float | None = None
    """[s] without session, stream or call after which the server deletes the world. 0: never, the default"""
    start_paused: bool | None = None
    motion: MotionSettings | None = None


@dataclasses.dataclass(frozen=True)
class WorldLoad:
    """What a world costs and how well it keeps its rate, over about the last second."""

    tick_rate: float
    """[1/s] achieved"""
    tick_cost: float
    """[s] mean duration of a tick"""
    lateness_mean: float
    """[s]"""
    lateness_max: float
    """[s]"""
    missed_deadlines: int
    """Since creation: ticks that ended after the next one was due."""


@dataclasses.dataclass(frozen=True)
class WorldInfo:
    """A world as it stood when the server answered."""

    name: str
    uid: int
    """Made by the server; a world recreated under the same name has another."""
    settings: WorldSettings
    state: WorldState
    fault: str
    tick: int
    """Ticks finished"""
    time: float
    """[s] tick x time_step"""
    agents: int
    obstacles: int
    obstacle_vertices: int
    membership_version: int
    obstacle_version: int
    sessions: int
    streams: int
    load: WorldLoad
    resolution: float
    """[m] by which places are rounded, at the end of the bounds or, without, of coordinates"""
    warnings: tuple[Advice, ...]
    """Of its settings and its obstacles; `World.info` looks for them anew."""
    recoveries: int
    """Since creation: agents moved out of obstacles to free ground."""
    cut_moves: int
    """Since creation: moves cut short at an obstacle's edge."""
    stranded_agents: int
    """Inside an obstacle without free ground near, after the last tick."""
    stalled_agents: int
    """After the last tick."""


@dataclasses.dataclass(frozen=True)
class ServerInfo:
    """The server and its limits."""

    version: str
    commit: str
    start_time: float
    """[s] since 1970"""
    server_time: float
    """[s] since 1970, when it answered"""
    workers: int
    worlds: int
    agents: int
    sessions: int
    streams: int
    min_keepalive_interval: float
    """[s] A client that pings more often is cut off."""
    http_address: str
    """Where /metrics, /livez and /readyz are; empty if off"""
    draining: bool
    limits: dict[str, int]
    """By the name of the limit, such as ``max_agents_per_world``."""


def params_message(params: AgentParams) -> Any:
    """An `AgentParams` for the wire."""
    return _filled(_schema.v1.AgentParams(), vars(params))


def _filled(message: Any, values: Mapping[str, Any]) -> Any:
    """With what is not None. What does not fit its field's type never gets as far as the server: it is named here."""
    for name, value in values.items():
        if value is None:
            continue
        try:
            setattr(message, name, value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name} = {value!r}: {error}") from None
    return message


def params_value(message: Any) -> AgentParams:
    """An `AgentParams` from the wire."""
    drive = Drive.of(message.drive) or None
    names = [field.name for field in dataclasses.fields(AgentParams) if field.name != "drive"]
    return AgentParams(drive=drive, **{name: _optional(message, name) for name in names})


def settings_message(settings: WorldSettings) -> Any:
    """A `WorldSettings` for the wire."""
    nested = ("origin", "bounds", "agent_defaults", "stale_input", "motion")
    message = _filled(_schema.v1.WorldSettings(), {k: v for k, v in vars(settings).items() if k not in nested})
    if settings.origin is not None:
        message.origin.x, message.origin.y = settings.origin
    if settings.bounds is not None:
        for corner, place in zip((message.bounds.min, message.bounds.max), settings.bounds):
            corner.SetInParent()
            corner.x, corner.y = place
    if settings.agent_defaults is not None:
        message.agent_defaults.CopyFrom(params_message(settings.agent_defaults))
    if settings.motion is not None:
        message.motion.SetInParent()
        _filled(message.motion, vars(settings.motion))
    if settings.stale_input is not None:
        message.stale_input.SetInParent()
        _filled(message.stale_input, vars(settings.stale_input))
    return message


def _settings_value(message: Any) -> WorldSettings:
    stale = message.stale_input
    return WorldSettings(
        time_step=_optional(message, "time_step"),
        seed=_optional(message, "seed"),
        preset=Preset.of(message.preset),
        origin=(message.origin.x, message.origin.y),
        bounds=_corners(message.bounds) if message.HasField("bounds") else None,
        agent_defaults=params_value(message.agent_defaults),
        clock=Clock.of(message.clock),
        stale_input=StaleInput(
            StaleInputPolicy.of(stale.policy), _optional(stale, "timeout_ticks"), _optional(stale, "decay_time")
        ),
        time_scale=_optional(message, "time_scale"),
        max_agents=_optional(message, "max_agents"),
        idle_time_to_live=_optional(message, "idle_time_to_live"),
        start_paused=_optional(message, "start_paused"),
        motion=MotionSettings(
            **{field.name: _optional(message.motion, field.name) for field in dataclasses.fields(MotionSettings)}
        ),
    )


def world_value(message: Any) -> WorldInfo:
    """A `WorldInfo` from the wire."""
    load = message.load
    return WorldInfo(
        name=message.name,
        uid=message.uid,
        settings=_settings_value(message.settings),
        state=WorldState.of(message.state),
        fault=message.fault,
        tick=message.tick,
        time=message.simulation_time,
        agents=message.agents,
        obstacles=message.obstacles,
        obstacle_vertices=message.obstacle_vertices,
        membership_version=message.membership_version,
        obstacle_version=message.obstacle_version,
        sessions=message.sessions,
        streams=message.streams,
        load=WorldLoad(load.tick_rate, load.tick_cost, load.lateness_mean, load.lateness_max, load.missed_deadlines),
        resolution=message.resolution,
        warnings=tuple(advice_value(warning) for warning in message.warnings),
        recoveries=message.recoveries,
        cut_moves=message.cut_moves,
        stranded_agents=message.stranded_agents,
        stalled_agents=message.stalled_agents,
    )


def advice_value(message: Any) -> Advice:
    """An `Advice` from the wire."""
    return Advice(WarningCode.of(message.code), message.field, message.message, message.agent_id, message.obstacle_id)


def server_value(message: Any) -> ServerInfo:
    """A `ServerInfo` from the wire."""
    names = [field.name for field in dataclasses.fields(ServerInfo) if field.name != "limits"]
    limits = {field.name: getattr(message.limits, field.name) for field in message.limits.DESCRIPTOR.fields}
    return ServerInfo(limits=limits, **{name: getattr(message, name) for name in names})


def _corners(rectangle: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    return (rectangle.min.x, rectangle.min.y), (rectangle.max.x, rectangle.max.y)


def _optional(message: Any, field: str) -> Any:
    return getattr(message, field) if message.HasField(field) else None
