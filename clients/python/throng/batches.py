"""Batches: items from columns, cut so that each fits into a message, and their answers joined."""

from __future__ import annotations

import dataclasses
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from throng import _schema, errors
from throng._rpc import Rpc
from throng.frames import FloatArray, IdArray, as_ids
from throng.values import Advice, Path, advice_value

# One batch applies between two ticks, so that a larger one would delay the world.
_USUAL_ITEMS = 5_000
_USUAL_BYTES = 1 << 20


class ParamColumns(TypedDict, total=False):
    """Parameters of agents by the names of `AgentParams`: None, one number for all, or shape (n,)."""

    radius: ArrayLike | None
    max_speed: ArrayLike | None
    neighbor_distance: ArrayLike | None
    max_neighbors: ArrayLike | None
    time_horizon: ArrayLike | None
    time_horizon_obstacles: ArrayLike | None
    responsibility: ArrayLike | None
    layer: ArrayLike | None
    avoids: ArrayLike | None
    z: ArrayLike | None
    height: ArrayLike | None
    preferred_speed: ArrayLike | None
    arrival_radius: ArrayLike | None
    slow_down_distance: ArrayLike | None
    smoothing_time: ArrayLike | None
    max_acceleration: ArrayLike | None
    max_turn_rate: ArrayLike | None
    drive: ArrayLike | None
    tracking_error: ArrayLike | None


class AdviceWarning(UserWarning):
    """Values that are valid each, and do not go together."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """What one batch may hold, as the server says."""

    message_bytes: int = 4 << 20
    batch_items: int = 10_000


@dataclasses.dataclass(frozen=True)
class BatchResult:
    """What came of a batch in which nothing was refused."""

    ids: IdArray
    """Of the agents or obstacles, in the order in which they were given."""
    tick: int
    """Ticks finished when the batch (the last one, if it was cut) was applied."""
    warnings: tuple[Advice, ...] = ()
    """Of the first 16 items of each batch that have any; each is given to Python's `warnings` too, as AdviceWarning."""
    positions: FloatArray | None = None
    """[m] shape (n, 2): where agents came to stand that were added with `Placement.NUDGE`; None of other batches"""


def agent_items(
    count: int,
    ids: ArrayLike | None,
    vectors: Mapping[str, ArrayLike | None],
    params: Mapping[str, Any],
    message: Any,
    paths: Path | Sequence[Path | None] | None = None,
    kinematic: ArrayLike | None = None,
    headings: ArrayLike | None = None,
) -> list[Any]:
    """AgentSpec or AgentUpdate messages from columns.

    vectors: by field name, None or shape (n, 2), or (2,) for all. params: by field name, None, a number or shape (n,).
    paths: one for all, or one for each. Raises ValueError for what does not fit to `count`.
    """
    items: list[Any] = [message() for _ in range(count)]
    if ids is not None:
        for item, id_ in zip(items, _checked("ids", as_ids(ids), (count,)).tolist()):
            item.id = id_
    for field, values in vectors.items():
        if values is None:
            continue
        rows = _checked(field, np.asarray(values, np.float32), (count, 2)).tolist()
        for item, (x, y) in zip(items, rows):
            if field == "goal" and np.isnan(x) and np.isnan(y):
                continue
            vector = getattr(item, field)
            vector.SetInParent()
            vector.x, vector.y = x, y
    for field, values in params.items():
        if values is None:
            continue
        if field not in ParamColumns.__annotations__:
            raise TypeError(f"there is no parameter {field!r}: there are {', '.join(ParamColumns.__annotations__)}")
        kind = np.int64 if param_type(field) is not np.float32 else np.float64
        try:
            column = np.asarray(values, kind)
        except (TypeError, ValueError, OverflowError) as error:  # such as NaN where a count belongs
            raise ValueError(f"{field} = {values!r}: {error}") from None
        for item, value in zip(items, _checked(field, column, (count,)).tolist()):
            _set_param(item.params, field, value)
    _set_paths(items, paths)
    if kinematic is not None:
        for item, value in zip(items, _checked("kinematic", np.asarray(kinematic, bool), (count,)).tolist()):
            item.kinematic = value
    if headings is not None:
        for item, value in zip(items, _checked("headings", np.asarray(headings, np.float64), (count,)).tolist()):
            item.heading = value
    return items


def set_moves(items: list[Any], places: ArrayLike, ticks: ArrayLike) -> None:
    """Tells kinematic agents where to be in so many ticks. places: shape (n, 2). ticks: a number or shape (n,)."""
    rows = _checked("move_to", np.asarray(places, np.float32), (len(items), 2)).tolist()
    counts = _checked("move_ticks", np.asarray(ticks, np.int64), (len(items),)).tolist()
    for item, (x, y), count in zip(items, rows, counts):
        if not 1 <= count <= 0xFFFFFFFF:
            raise ValueError(f"move_ticks = {count}, valid is [1, 10000]")
        item.move_to.position.x, item.move_to.position.y = x, y
        item.move_to.ticks = count


def param_type(name: str) -> type[np.generic]:
    """Of a parameter's column: float32, or uint32 for counts, bits and enums."""
    field = _schema.v1.AgentParams.DESCRIPTOR.fields_by_name[name]
    return np.float32 if field.cpp_type == field.CPPTYPE_FLOAT else np.uint32


def _set_paths(items: list[Any], paths: Path | Sequence[Path | None] | None) -> None:
    if paths is None:
        return
    chosen = [paths] * len(items) if isinstance(paths, Path) else list(paths)
    if len(chosen) != len(items):
        raise ValueError(f"{len(chosen)} paths for {len(items)} agents")
    for item, path in zip(items, chosen):
        if path is None:
            continue
        x, y = outline(path.points)
        item.path.CopyFrom(_schema.v1.Path(x=x, y=y, pass_radius=path.pass_radius, next=path.next))


def outline(vertices: ArrayLike) -> tuple[list[float], list[float]]:
    """The columns of an obstacle's vertices, shape (n, 2)."""
    points = np.asarray(vertices, np.float32)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"vertices have shape {points.shape}, valid is (n, 2)")
    return points[:, 0].tolist(), points[:, 1].tolist()


async def send(
    rpc: Rpc,
    service: str,
    method: str,
    world: str,
    field: str,
    items: Sequence[Any],
    all_or_nothing: bool,
    limits: Limits,
) -> BatchResult:
    """Sends items in as many batches as they need, one after the other, each safe to repeat.

    Raises BatchError if any item was refused, after all batches are sent, and ValueError if an all-or-nothing batch
    does not fit into one message.
    """
    request_class = _schema.route(service, method).request
    if all_or_nothing:
        batches = list(_cut(items, limits.message_bytes * 3 // 4, limits.batch_items))
    else:
        bytes_ = min(_USUAL_BYTES, limits.message_bytes // 2)
        batches = list(_cut(items, bytes_, min(_USUAL_ITEMS, limits.batch_items)))
    if all_or_nothing and len(batches) > 1:
        raise ValueError(f"{len(items)} items do not fit into one batch, so they cannot be all-or-nothing")
    ids: list[int] = []
    positions: list[tuple[float, float]] = []
    refused: list[errors.ItemError] = []
    advice: list[Advice] = []
    tick, applied = 0, False
    for batch in batches:
        request = request_class(world=world, request_id=new_request_id(), all_or_nothing=all_or_nothing)
        getattr(request, field).extend(batch)
        result = (await rpc.call(service, method, request)).result
        for index, item in enumerate(result.results, start=len(ids)):
            if item.HasField("error"):
                refused.append(errors.ItemError(index, item.id, errors.of_message(item.error)))
            advice.extend(advice_value(warning) for warning in item.warnings)
            if item.HasField("position"):
                positions.append((item.position.x, item.position.y))
        ids.extend(item.id for item in result.results)
        tick, applied = result.tick, applied or result.applied
    joined = np.array(ids, np.uint32)
    for warning in advice:
        warnings.warn(warning.message, AdviceWarning, stacklevel=3)
    if refused:
        raise errors.BatchError(refused, joined, tick, applied)
    return BatchResult(joined, tick, tuple(advice), np.array(positions, np.float32) if positions else None)


def _set_param(params: Any, field: str, value: Any) -> None:
    try:
        setattr(params, field, value)
    except ValueError:  # a uint32 that is negative or too large never gets as far as the server
        raise ValueError(f"{field} = {value}, valid is [0, 2^32)") from None


def _checked(name: str, values: Any, shape: tuple[int, ...]) -> Any:
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise ValueError(f"{name} has shape {values.shape}, valid is {shape}") from None


def _cut(items: Sequence[Any], most_bytes: int, most_items: int) -> Iterator[list[Any]]:
    batch: list[Any] = []
    size = 0
    for item in items:
        bytes_ = 5 if isinstance(item, int) else item.ByteSize() + 8
        if batch and (size + bytes_ > most_bytes or len(batch) >= most_items):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += bytes_
    if batch:
        yield batch


def new_request_id() -> str:
    """An id that no other batch has."""
    return uuid.uuid4().hex
