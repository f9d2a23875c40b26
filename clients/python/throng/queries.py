"""Questions about a world: who is near, what is in the way."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from throng import _schema
from throng._rpc import Rpc
from throng.frames import FloatArray, IdArray
from throng.values import HalfPlaneSource, SolveOutcome


@dataclasses.dataclass(frozen=True, eq=False)
class FoundAgents:
    """Agents in ascending (distance, id), in columns of length n."""

    tick: int
    """After which they stood so"""
    ids: IdArray
    positions: FloatArray
    """[m] shape (n, 2)"""
    distances: FloatArray
    """[m] from the point asked about to each centre, shape (n,)"""
    truncated: bool
    """More were inside than `limit`; these are the nearest"""

    def __len__(self) -> int:
        return len(self.ids)


@dataclasses.dataclass(frozen=True)
class Visibility:
    """Whether nothing is in the way; true where that is so."""

    tick: int
    visible: bool
    obstacle: int | None
    """In the way, if not visible: the obstacle met first, of equally far ones the lowest id; None: the bounds"""

    def __bool__(self) -> bool:
        return self.visible


@dataclasses.dataclass(frozen=True)
class RayHit:
    """The first thing on a ray: either an agent or an obstacle."""

    tick: int
    point: tuple[float, float]
    """[m] where"""
    normal: tuple[float, float]
    """Of unit length, towards where the ray comes from"""
    distance: float
    """[m] from the ray's beginning"""
    fraction: float
    """The same as part of the way, [0, 1]"""
    agent: int | None
    obstacle: int | None


@dataclasses.dataclass(frozen=True)
class HalfPlane:
    """Permitted velocities w have (w - point) . normal >= 0."""

    point: tuple[float, float]
    """[m/s]"""
    normal: tuple[float, float]
    """Of unit length"""
    source: HalfPlaneSource
    id: int
    """Of the agent or obstacle"""
    share: float
    """Of the avoidance, that the agent takes; 1 for what is hard"""
    hard: bool
    """Never relaxed"""
    violation: float
    """[m/s] by which the solved velocity violates it; 0 if not"""
    binding: bool
    """The solved velocity lies on it, or where it was relaxed to: it held the agent back"""


@dataclasses.dataclass(frozen=True, eq=False)
class Explanation:
    """The step to come of one agent. If nothing comes before it, it gives `velocity` to the bit. Velocities in m/s."""

    tick: int
    agent: int
    neighbors: FoundAgents
    """Considered; `truncated`: max_neighbors were found, and there may be more in range"""
    half_planes: tuple[HalfPlane, ...]
    """In the order in which the program takes them: hard ones first"""
    wanted_velocity: tuple[float, float]
    """By what it was told: input, goal or path"""
    preferred_velocity: tuple[float, float]
    """Given to the program"""
    solved_velocity: tuple[float, float]
    """What the program gave"""
    limited_velocity: tuple[float, float]
    """After the extensions: the move but for containment"""
    velocity: tuple[float, float]
    """After the step"""
    position: tuple[float, float]
    """[m] after the step"""
    outcome: SolveOutcome
    stepped_aside: bool
    """Symmetry breaking pushes it"""
    rested: bool
    """Rest stops it"""
    recovered: bool
    """It is put on free ground first, and all of this begins there"""
    cut: bool
    """Containment cuts the move short"""


@dataclasses.dataclass(frozen=True)
class SightFilter:
    """Which agents and obstacles are looked at, as an agent would see them that has these values; None: all."""

    avoids: int | None = None
    """Bits of layers"""
    z: float | None = None
    """[m] the height band is [z, z + height]"""
    height: float = 0.0
    """[m] of no account without z"""


class Queries:
    """What `World` can be asked. Everything is answered as it stands after a finished tick, also while it is paused.

    InvalidArgument names a value that is not finite or out of range; coordinates are within 2^20.
    """

    name: str
    _rpc: Rpc

    async def nearest(
        self, point: ArrayLike, count: int = 1, *, max_distance: float | None = None, filter: SightFilter | None = None
    ) -> FoundAgents:
        """The agents nearest to a point.

        count: at most so many, [1, 10000]. max_distance: [m] only agents strictly nearer, [0, 2^22]; None: any.
        filter: which agents are looked at.
        """
        fields = {} if max_distance is None else {"max_distance": max_distance}
        _check_count("count", count)
        question = {"point": _vector(point), "count": count, "filter": _filter(filter), **fields}
        return _found(await self._ask("FindNearest", **question))

    async def in_disc(
        self, center: ArrayLike, radius: float, *, limit: int = 10_000, filter: SightFilter | None = None
    ) -> FoundAgents:
        """Agents whose centre is within `radius` [m], [0, 2^22], of a point; the `limit` nearest, [1, 10000]."""
        _check_count("limit", limit)
        fields = {"center": _vector(center), "radius": radius, "limit": limit, "filter": _filter(filter)}
        return _found(await self._ask("FindInDisc", **fields))

    async def in_box(
        self, low: ArrayLike, high: ArrayLike, *, limit: int = 10_000, filter: SightFilter | None = None
    ) -> FoundAgents:
        """Agents whose centre is in a box, its border included; the `limit` nearest to its middle, [1, 10000].

        low, high: its corners, low <= high in x and y. Distances are those from the middle.
        """
        _check_count("limit", limit)
        fields = {"min": _vector(low), "max": _vector(high), "limit": limit, "filter": _filter(filter)}
        return _found(await self._ask("FindInBox", **fields))

    async def visible(
        self, start: ArrayLike, end: ArrayLike, *, radius: float = 0.0, filter: SightFilter | None = None
    ) -> Visibility:
        """Whether a disc of `radius` [m], [0, 1000], can go straight from one point to the other.

        It has to start on walkable ground and in the bounds, and its rim may touch neither obstacles nor bounds on the
        way; obstacles that do not pass the filter are not there. Radius 0: a line of sight.
        """
        ends = {"from": _vector(start), "to": _vector(end)}
        answer = await self._ask("TestVisibility", **ends, radius=radius, filter=_filter(filter))
        return Visibility(answer.tick, answer.visible, answer.obstacle_id or None)

    async def cast_ray(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        agents: bool = True,
        obstacles: bool = True,
        ignore: int = 0,
        filter: SightFilter | None = None,
    ) -> RayHit | None:
        """The first thing on the way from one point to the other; None if there is nothing.

        agents: whether agents stop it, at the rims of their discs; from within one it is hit at once. obstacles:
        whether edges of obstacles do, from either side; bounds never do. ignore: the id of an agent that does not; 0:
        none. filter: which agents and obstacles are looked at.
        """
        if not agents and not obstacles:
            raise ValueError("a ray is stopped by agents, by obstacles or by both, not by neither")
        ends = {"from": _vector(start), "to": _vector(end)}
        stops = {"agents": agents, "obstacles": obstacles, "ignored_agent_id": ignore, "filter": _filter(filter)}
        answer = await self._ask("CastRay", **ends, **stops)
        if not answer.hit:
            return None
        return RayHit(
            answer.tick,
            _pair(answer.point),
            _pair(answer.normal),
            answer.distance,
            answer.fraction,
            answer.agent_id or None,
            answer.obstacle_id or None,
        )

    async def explain(self, agent: int) -> Explanation:
        """Why an agent moves as it does: the step to come, if no input or edit comes before it.

        Pause the world, or use a lock-step one, to look at one step. NotFound for an unknown agent.
        """
        answer = await self._ask("Explain", agent_id=agent)
        neighbors = _found(answer, answer.neighbors)
        half_planes = tuple(
            HalfPlane(
                _pair(line.point),
                _pair(line.normal),
                HalfPlaneSource.of(line.source),
                line.id,
                line.share,
                line.hard,
                line.violation,
                line.binding,
            )
            for line in answer.half_planes
        )
        return Explanation(
            tick=answer.tick,
            agent=answer.agent.id,
            neighbors=neighbors,
            half_planes=half_planes,
            wanted_velocity=_pair(answer.wanted_velocity),
            preferred_velocity=_pair(answer.preferred_velocity),
            solved_velocity=_pair(answer.solved_velocity),
            limited_velocity=_pair(answer.limited_velocity),
            velocity=_pair(answer.velocity),
            position=_pair(answer.position),
            outcome=SolveOutcome.of(answer.outcome),
            stepped_aside=answer.stepped_aside,
            rested=answer.rested,
            recovered=answer.recovered,
            cut=answer.cut,
        )

    async def _ask(self, method: str, **fields: Any) -> Any:
        request = _schema.route("QueryService", method).request(world=self.name, **fields)
        return await self._rpc.call("QueryService", method, request)


def _check_count(name: str, count: int) -> None:
    if count < 1:  # the wire's 0 is the default
        raise ValueError(f"{name} is {count}, valid is [1, 10000]")


def _filter(filter: SightFilter | None) -> Any:
    values = {} if filter is None else {k: v for k, v in vars(filter).items() if v is not None}
    return _schema.v1.SightFilter(**values)


def _vector(point: ArrayLike) -> Any:
    vector = np.asarray(point, np.float32)
    if vector.shape != (2,):
        raise ValueError(f"a point has shape {vector.shape}, valid is (2,)")
    return _schema.v1.Vector2(x=float(vector[0]), y=float(vector[1]))


def _pair(vector: Any) -> tuple[float, float]:
    return vector.x, vector.y


def _found(answer: Any, agents: Any = None) -> FoundAgents:
    found = answer.agents if agents is None else agents
    return FoundAgents(
        answer.tick,
        np.array([agent.id for agent in found], np.uint32),
        np.array([_pair(agent.position) for agent in found], np.float32).reshape(-1, 2),
        np.array([agent.distance for agent in found], np.float32),
        getattr(answer, "truncated", False),
    )
