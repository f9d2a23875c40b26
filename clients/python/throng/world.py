"""A world by its name: agents, obstacles, clock, sessions and watchers."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from throng import _schema, batches
from throng._rpc import Rpc
from throng._watch import watch_frames
from throng.batches import BatchResult
from throng.errors import BatchError, NotFound
from throng.events import AgentEvents
from throng.frames import FloatArray, Frame, IdArray, as_ids, subscription
from throng.queries import Queries
from throng.session import InputRejection, Session
from throng.values import (
    AgentParams,
    ObstacleKind,
    ObstacleSpec,
    Path,
    Placement,
    StaleInput,
    WorldInfo,
    WorldSettings,
    settings_message,
    world_value,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

DEFAULT_COLUMNS = ("position", "velocity")
PlacementName = Literal["allow", "reject", "nudge"]


@dataclasses.dataclass(frozen=True, eq=False)
class Agents:
    """Agents as they stood after a tick, in columns of length n, in ascending id."""

    tick: int
    ids: IdArray
    positions: FloatArray
    """[m] shape (n, 2)"""
    velocities: FloatArray
    """[m/s] shape (n, 2)"""
    preferred_velocities: FloatArray
    """[m/s] shape (n, 2); NaN for an agent that does not go by one"""
    goals: FloatArray
    """[m] shape (n, 2); NaN for an agent that does not go by one"""
    paths: tuple[Path | None, ...]
    """With the waypoint that each goes for; None for an agent that does not go by one"""
    move_to: FloatArray
    """[m] shape (n, 2); NaN for an agent that does not go by one"""
    kinematic: NDArray[np.bool_]
    """shape (n,)"""
    headings: FloatArray
    """[rad] shape (n,) in [-pi, pi]: of the velocity; of one that stands, where it faces, if that counts for it"""
    status: NDArray[np.uint8]
    """Of `AgentStatus`, shape (n,)"""
    status_reasons: NDArray[np.uint8]
    """Of `StatusReason`, shape (n,)"""
    params: dict[str, NDArray[Any]]
    """By the names of `AgentParams`, as in force: float32, or uint32 for counts, bits and enums"""

    def __len__(self) -> int:
        return len(self.ids)


@dataclasses.dataclass(frozen=True, eq=False)
class Obstacle:
    """An obstacle as the server normalised it."""

    id: int
    kind: ObstacleKind
    vertices: FloatArray
    """[m] shape (n, 2): SOLID counter-clockwise, ENCLOSURE clockwise, WALL as given, CAPSULE where it is now"""
    area: float
    """[m^2] enclosed; 0 for a WALL"""
    radius: float | None
    """[m] of a CAPSULE; else None"""
    velocity: tuple[float, float] | None
    """[m/s] of a CAPSULE; else None"""
    layer: int
    """What it is, for agents to see: bits"""
    z: float | None
    """[m] its height band is [z, z + height]; None: it is of every height"""
    height: float | None
    """[m]"""


class World(Queries):
    """A handle on a world. Making one asks the server nothing; every method raises NotFound if there is no such world.

    Methods that take columns accept whatever numpy makes an array of. Wherever items are refused one by one, BatchError
    tells which, and the others are applied, unless `all_or_nothing` is set.
    """

    def __init__(self, rpc: Rpc, name: str, limits: batches.Limits) -> None:
        self.name = name
        self._rpc = rpc
        self._limits = limits

    def __repr__(self) -> str:
        return f"World({self.name!r})"

    # --- the world itself ---

    async def info(self) -> WorldInfo:
        """State, settings in force, counts and cost."""
        return await self._world_call("GetWorld")

    async def update(
        self,
        *,
        agent_defaults: AgentParams | None = None,
        stale_input: StaleInput | None = None,
        time_scale: float | None = None,
        idle_time_to_live: float | None = None,
    ) -> WorldInfo:
        """Changes settings at the next tick border; what is None stays. Units and ranges: see `WorldSettings`."""
        settings = WorldSettings(
            agent_defaults=agent_defaults,
            stale_input=stale_input,
            time_scale=time_scale,
            idle_time_to_live=idle_time_to_live,
        )
        return await self._world_call("UpdateWorld", settings=settings_message(settings))

    async def pause(self) -> WorldInfo:
        """Stops the clock; edits still apply, at once."""
        return await self._world_call("PauseWorld")

    async def resume(self) -> WorldInfo:
        """Lets the clock go on; missed time is not caught up."""
        return await self._world_call("ResumeWorld")

    async def delete(self, *, missing_ok: bool = False, uid: int = 0) -> None:
        """Ends the world and its streams. `uid`: only if the world of that name has it, else FailedPrecondition."""
        try:
            await self._call("WorldService", "DeleteWorld", uid=uid)
        except NotFound:
            if not missing_ok:
                raise

    # --- driving and watching ---

    def session(
        self,
        *,
        stepper: bool = False,
        lease: float | None = None,
        columns: Sequence[str] = DEFAULT_COLUMNS,
        state_hash: bool = False,
        agent_events: bool = False,
        buffer: int = 1,
        on_rejected: Callable[[InputRejection], None] | None = None,
    ) -> Session:
        """A session, to be used in `async with`.

        stepper: claim the stepper's role of a lock-step world; FailedPrecondition if another session holds it.
        lease: [s] for which the session outlives a broken stream, [1, 3600], default 10.
        columns: of the frames: position, velocity, preferred_velocity, radius, status, heading.
        agent_events: have `Session.agent_events`.
        buffer: frames kept for a reader that is behind; the oldest goes first.
        on_rejected: called with what the server refused of an input; by default it is logged as a warning.
        """
        return Session(
            self._rpc,
            self.name,
            stepper=stepper,
            lease=lease,
            columns=columns,
            state_hash=state_hash,
            agent_events=agent_events,
            buffer=buffer,
            on_rejected=on_rejected,
        )

    def watch(
        self,
        *,
        columns: Sequence[str] = DEFAULT_COLUMNS,
        state_hash: bool = False,
        buffer: int = 1,
        patience: float = 10.0,
        on_agent_events: Callable[[AgentEvents], None] | None = None,
    ) -> AsyncGenerator[Frame, None]:
        """Frames without a session, beginning with the world's state now, in the order of ticks.

        A stream that breaks is opened again; `patience` [s] without one raises Unavailable. A deleted world raises
        StreamClosed. `on_agent_events`: called with what happened to agents, before the frame of that tick. Other
        arguments as in `session`.
        """
        wanted = subscription(columns, state_hash, on_agent_events is not None)
        return watch_frames(self._rpc, self.name, wanted, buffer, patience, on_agent_events)

    # --- agents ---

    async def add_agents(
        self,
        positions: ArrayLike,
        *,
        ids: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        preferred_velocities: ArrayLike | None = None,
        goals: ArrayLike | None = None,
        paths: Path | Sequence[Path | None] | None = None,
        kinematic: ArrayLike | None = None,
        headings: ArrayLike | None = None,
        all_or_nothing: bool = False,
        **params: Unpack[batches.ParamColumns],
    ) -> IdArray:
        """Adds n agents and returns their ids, shape (n,).

        positions: [m] shape (n, 2). ids: [1, 2^31), shape (n,); None: the server makes them, from 2^31 up.
        velocities, preferred_velocities: [m/s] shape (n, 2), or (2,) for all. goals: [m] the same; a row of NaN: none.
        paths: one for all, or one (or None) for each. An agent goes by one of preferred velocity, goal and path; of
        several given here, by the last of these. kinematic: one or shape (n,), see `update_agents`. headings: [rad] one
        or shape (n,): where they face; velocities are turned there.
        params: every name of `AgentParams`, with one number for all or shape (n,); what is None or left out takes the
        world's default. More agents than fit into a message go in several batches.

        Agents may be added on top of each other; `place_agents` looks for room.
        """
        added = await self.place_agents(
            positions,
            placement=Placement.UNSPECIFIED,
            ids=ids,
            velocities=velocities,
            preferred_velocities=preferred_velocities,
            goals=goals,
            paths=paths,
            kinematic=kinematic,
            headings=headings,
            all_or_nothing=all_or_nothing,
            **params,
        )
        return added.ids

    async def place_agents(
        self,
        positions: ArrayLike,
        *,
        placement: Placement | PlacementName = Placement.NUDGE,
        nudge_distance: float | None = None,
        ids: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        preferred_velocities: ArrayLike | None = None,
        goals: ArrayLike | None = None,
        paths: Path | Sequence[Path | None] | None = None,
        kinematic: ArrayLike | None = None,
        headings: ArrayLike | None = None,
        all_or_nothing: bool = False,
        **params: Unpack[batches.ParamColumns],
    ) -> BatchResult:
        """Adds n agents where there is room, one after the other; the result has their ids and their positions.

        placement: what becomes of one whose place is taken: put at the nearest free place ("nudge"), refused
        ("reject"), or added all the same ("allow"); what taken means is said at `Placement`. nudge_distance: [m] no
        farther than that, (0, 1000]; None: 8 times its radius. Who finds no place is refused, with the reason OCCUPIED.
        Other arguments as in `add_agents`.
        """
        positions = np.asarray(positions, np.float32)
        if positions.ndim != 2 or positions.shape[1] != 2:
            raise ValueError(f"positions have shape {positions.shape}, valid is (n, 2)")
        items = batches.agent_items(
            len(positions),
            ids,
            {
                "position": positions,
                "velocity": velocities,
                "preferred_velocity": preferred_velocities,
                "goal": goals,
            },
            params,
            _schema.v1.AgentSpec,
            paths,
            kinematic,
            headings,
        )
        policy = Placement[placement.upper()] if isinstance(placement, str) else placement
        for item in items:
            item.placement = policy
            if nudge_distance is not None:
                item.nudge_distance = nudge_distance
        return await self._batch("AgentService", "AddAgents", "agents", items, all_or_nothing)

    async def update_agents(
        self,
        ids: ArrayLike,
        *,
        positions: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        preferred_velocities: ArrayLike | None = None,
        goals: ArrayLike | None = None,
        paths: Path | Sequence[Path | None] | None = None,
        kinematic: ArrayLike | None = None,
        headings: ArrayLike | None = None,
        move_to: ArrayLike | None = None,
        move_ticks: ArrayLike = 1,
        all_or_nothing: bool = False,
        **params: Unpack[batches.ParamColumns],
    ) -> BatchResult:
        """Changes agents; what is None or left out stays. A position teleports. Shapes and units as in `add_agents`.

        kinematic: such an agent moves exactly as told: its preferred velocity is its velocity, past max_speed, agents
        and obstacles, and others do all of the avoiding; it has neither goal nor path. move_to: [m] where a kinematic
        agent is to be after move_ticks, [1, 10000], on a straight way; there it stands.
        """
        chosen = as_ids(ids)
        items = batches.agent_items(
            len(chosen),
            chosen,
            {
                "position": positions,
                "velocity": velocities,
                "preferred_velocity": preferred_velocities,
                "goal": goals,
            },
            params,
            _schema.v1.AgentUpdate,
            paths,
            kinematic,
            headings,
        )
        if move_to is not None:
            batches.set_moves(items, move_to, move_ticks)
        return await self._batch("AgentService", "UpdateAgents", "agents", items, all_or_nothing)

    async def remove_agents(self, ids: ArrayLike, *, all_or_nothing: bool = False) -> BatchResult:
        """Removes agents by their ids."""
        return await self._batch("AgentService", "RemoveAgents", "ids", as_ids(ids).tolist(), all_or_nothing)

    async def remove_all_agents(self) -> None:
        """Removes every agent; obstacles stay."""
        await self._call("AgentService", "RemoveAgents", request_id=batches.new_request_id(), all=True)

    async def agents(self, ids: ArrayLike | None = None) -> Agents:
        """Agents as they stand, with parameters: all, or those of `ids` that exist.

        For a look now and then; frames are far cheaper. Pages are read one after the other, so in a world that ticks
        they may be of different ticks.
        """
        chosen = [] if ids is None else as_ids(ids).tolist()
        pages = [p async for p in self._pages("AgentService", "ListAgents", ids=chosen, page_size=5_000)]
        found = [agent for page in pages for agent in page.agents]
        never = _schema.v1.Vector2(x=np.nan, y=np.nan)
        wanted = [a.preferred_velocity if a.HasField("preferred_velocity") else never for a in found]
        return Agents(
            tick=pages[-1].tick,
            ids=np.array([agent.id for agent in found], np.uint32),
            positions=_vectors([agent.position for agent in found]),
            velocities=_vectors([agent.velocity for agent in found]),
            preferred_velocities=_vectors(wanted),
            goals=_vectors([a.goal if a.HasField("goal") else never for a in found]),
            paths=tuple(_path(a.path) if a.HasField("path") else None for a in found),
            move_to=_vectors([a.move_to.position if a.HasField("move_to") else never for a in found]),
            kinematic=np.array([agent.kinematic for agent in found], np.bool_),
            headings=np.array([agent.heading for agent in found], np.float32),
            status=np.array([agent.status for agent in found], np.uint8),
            status_reasons=np.array([agent.status_reason for agent in found], np.uint8),
            params={
                field.name: np.array(
                    [getattr(agent.params, field.name) for agent in found], batches.param_type(field.name)
                )
                for field in dataclasses.fields(AgentParams)
            },
        )

    # --- obstacles ---

    async def add_solid(
        self,
        vertices: ArrayLike,
        *,
        id: int = 0,
        layer: int | None = None,
        z: float | None = None,
        height: float | None = None,
    ) -> int:
        """Adds a polygon that agents stay out of; returns its id.

        vertices: [m] shape (n, 2), 3 to 4,096 in either direction, the first not repeated at the end. InvalidArgument
        names a bad vertex by index. id: [1, 2^31); 0: the server makes one. layer, z, height: who sees it, see
        `ObstacleSpec`; by default everybody.
        """
        return await self._add_obstacle(ObstacleSpec(ObstacleKind.SOLID, vertices, layer, z, height), id)

    async def add_enclosure(
        self,
        vertices: ArrayLike,
        *,
        id: int = 0,
        layer: int | None = None,
        z: float | None = None,
        height: float | None = None,
    ) -> int:
        """Adds a polygon that agents stay in; arguments as in `add_solid`."""
        return await self._add_obstacle(ObstacleSpec(ObstacleKind.ENCLOSURE, vertices, layer, z, height), id)

    async def add_wall(
        self,
        vertices: ArrayLike,
        *,
        id: int = 0,
        layer: int | None = None,
        z: float | None = None,
        height: float | None = None,
    ) -> int:
        """Adds an open polyline, in force from both sides, of 2 to 4,096 vertices; else as in `add_solid`."""
        return await self._add_obstacle(ObstacleSpec(ObstacleKind.WALL, vertices, layer, z, height), id)

    async def add_capsule(
        self,
        start: ArrayLike,
        end: ArrayLike,
        radius: float,
        *,
        velocity: ArrayLike = (0, 0),
        id: int = 0,
        layer: int | None = None,
        z: float | None = None,
        height: float | None = None,
    ) -> int:
        """Adds an obstacle that moves: all within `radius` [m], (0, 1000], of the straight way from `start` to `end`.

        velocity: [m/s] with which it goes through everything, until told otherwise by `move_obstacles`. Agents see it
        coming and make room; who is too slow is run over, and not moved out of it. Others as in `add_solid`.
        """
        vx, vy = np.asarray(velocity, np.float32).tolist()
        ends = [np.asarray(start, np.float32), np.asarray(end, np.float32)]
        spec = ObstacleSpec(ObstacleKind.CAPSULE, np.stack(ends), layer, z, height, radius, (vx, vy))
        return await self._add_obstacle(spec, id)

    async def add_obstacles(
        self,
        obstacles: Sequence[ObstacleSpec | tuple[ObstacleKind, ArrayLike]],
        *,
        ids: Sequence[int] | None = None,
        all_or_nothing: bool = False,
    ) -> IdArray:
        """Adds many obstacles in few messages, a kind and its vertices each, or all of an ObstacleSpec; returns ids."""
        items = _obstacle_specs([o if isinstance(o, ObstacleSpec) else ObstacleSpec(*o) for o in obstacles], ids)
        return (await self._batch("ObstacleService", "AddObstacles", "obstacles", items, all_or_nothing)).ids

    async def update_obstacle(
        self,
        id: int,
        kind: ObstacleKind,
        vertices: ArrayLike,
        *,
        layer: int | None = None,
        z: float | None = None,
        height: float | None = None,
        radius: float | None = None,
        velocity: tuple[float, float] | None = None,
    ) -> None:
        """Replaces an obstacle, all of it: what is not told takes its default, as in `ObstacleSpec`."""
        items = _obstacle_specs([ObstacleSpec(kind, vertices, layer, z, height, radius, velocity)], [id])
        await self._one("UpdateObstacles", items)

    async def move_obstacles(
        self,
        ids: ArrayLike,
        *,
        velocities: ArrayLike | None = None,
        translations: ArrayLike | None = None,
        all_or_nothing: bool = False,
    ) -> BatchResult:
        """Gives capsules other velocities, and puts obstacles elsewhere, for less than an update.

        velocities: [m/s] shape (n, 2), or (2,) for all, of capsules alone. translations: [m] the same, of any kind: all
        of it goes so far at once. Agents that a polygon is put on are moved to free ground in the next tick.
        """
        chosen = as_ids(ids)
        vectors = {"velocity": velocities, "translation": translations}
        items = batches.agent_items(len(chosen), chosen, vectors, {}, _schema.v1.ObstacleMove)
        return await self._batch("ObstacleService", "MoveObstacles", "obstacles", items, all_or_nothing)

    async def remove_obstacles(self, ids: ArrayLike, *, all_or_nothing: bool = False) -> BatchResult:
        """Removes obstacles by their ids."""
        return await self._batch("ObstacleService", "RemoveObstacles", "ids", as_ids(ids).tolist(), all_or_nothing)

    async def obstacles(self) -> list[Obstacle]:
        """All obstacles, as normalised, in ascending id."""
        return [
            _obstacle(obstacle)
            async for page in self._pages("ObstacleService", "ListObstacles", page_size=1_000)
            for obstacle in page.obstacles
        ]

    # --- calls ---

    async def _add_obstacle(self, spec: ObstacleSpec, id_: int) -> int:
        return int((await self._one("AddObstacles", _obstacle_specs([spec], [id_]))).ids[0])

    async def _one(self, method: str, items: list[Any]) -> BatchResult:
        """A batch of one obstacle, whose error is raised as its own."""
        try:
            return await self._batch("ObstacleService", method, "obstacles", items, False)
        except BatchError as error:
            raise error.items[0].error from None

    async def _batch(
        self, service: str, method: str, field: str, items: Sequence[Any], all_or_nothing: bool
    ) -> BatchResult:
        return await batches.send(self._rpc, service, method, self.name, field, items, all_or_nothing, self._limits)

    async def _call(self, service: str, method: str, **fields: Any) -> Any:
        request = _schema.route(service, method).request(world=self.name, **fields)
        return await self._rpc.call(service, method, request)

    async def _world_call(self, method: str, **fields: Any) -> WorldInfo:
        return world_value((await self._call("WorldService", method, **fields)).world)

    async def _pages(self, service: str, method: str, **fields: Any) -> AsyncIterator[Any]:
        token = ""
        while True:
            page = await self._call(service, method, page_token=token, **fields)
            yield page
            token = page.next_page_token
            if not token:
                return


def _obstacle_specs(obstacles: Sequence[ObstacleSpec], ids: Sequence[int] | None) -> list[Any]:
    if ids is not None and len(ids) != len(obstacles):
        raise ValueError(f"{len(ids)} ids for {len(obstacles)} obstacles")
    specs = []
    for index, obstacle in enumerate(obstacles):
        told = {k: v for k, v in vars(obstacle).items() if v is not None and k != "vertices"}
        x, y = batches.outline(obstacle.vertices)
        if obstacle.velocity is not None:
            told["velocity"] = _schema.v1.Vector2(x=obstacle.velocity[0], y=obstacle.velocity[1])
        specs.append(_schema.v1.ObstacleSpec(id=ids[index] if ids is not None else 0, x=x, y=y, **told))
    return specs


def _obstacle(message: Any) -> Obstacle:
    vertices = np.stack((np.array(message.x), np.array(message.y)), 1).astype(np.float32)
    z, height, radius = (
        getattr(message, name) if message.HasField(name) else None for name in ("z", "height", "radius")
    )
    return Obstacle(
        id=message.id,
        kind=ObstacleKind.of(message.kind),
        vertices=vertices,
        area=message.area,
        radius=radius,
        velocity=(message.velocity.x, message.velocity.y) if message.HasField("velocity") else None,
        layer=message.layer,
        z=z,
        height=height,
    )


def _path(message: Any) -> Path:
    points = np.stack((np.array(message.x), np.array(message.y)), 1).astype(np.float32)
    return Path(points, message.pass_radius, message.next)


def _vectors(messages: list[Any]) -> FloatArray:
    return np.array([(message.x, message.y) for message in messages], np.float32).reshape(-1, 2)
