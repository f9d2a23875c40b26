"""Errors as exceptions, with the field, the value and the range that the server names."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import grpc

from throng import _schema
from throng.values import ClosingReason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DETAILS_KEY = "grpc-status-details-bin"
_CODES = {code.value[0]: code for code in grpc.StatusCode}


@dataclasses.dataclass(frozen=True)
class Violation:
    """One value that the server refused."""

    field: str
    """Path of the field in the request, such as ``agents[3].params.radius``."""
    value: str
    """The value as the server read it; empty if it did not say."""
    range: str
    """What would have been valid, such as ``(0, 1000]``."""

    def __str__(self) -> str:
        return f"{self.field} = {self.value}, valid is {self.range}" if self.value else f"{self.field}: {self.range}"


class ThrongError(Exception):
    """What a call on the server failed with. Its subclasses stand for the canonical status codes."""

    def __init__(
        self,
        message: str,
        code: grpc.StatusCode = grpc.StatusCode.UNKNOWN,
        violations: Sequence[Violation] = (),
        reason: str = "",
        metadata: dict[str, str] | None = None,
    ) -> None:
        lines = [message, *(str(violation) for violation in violations if violation.field not in message)]
        super().__init__("; ".join(line for line in lines if line) or code.name)
        self.message = message
        self.code = code
        self.violations = tuple(violations)
        self.reason = reason
        """For programs, such as AGENT_NOT_FOUND; see throng/v1/error.proto. Empty if the server gave none."""
        self.metadata = dict(metadata or {})
        """With the reason LIMIT: `limit` (its name), `value` (in force) and `flag` (that sets it)."""


class InvalidArgument(ThrongError, ValueError):
    """A value is out of its range; see `violations`."""


class NotFound(ThrongError, LookupError):
    """There is no such world, agent, obstacle or session."""


class AlreadyExists(ThrongError):
    """The name or id is taken."""


class PermissionDenied(ThrongError, PermissionError):
    """The caller may not do this."""


class ResourceExhausted(ThrongError):
    """A limit of the server is reached; `metadata` names it, its value and its flag."""


class FailedPrecondition(ThrongError):
    """The state of the world or session does not allow this now."""


class Aborted(ThrongError):
    """Not done because something else in the same batch was refused."""


class Unavailable(ThrongError, ConnectionError):
    """The server cannot be reached, or is going down."""


class DeadlineExceeded(ThrongError, TimeoutError):
    """No answer within the call's timeout."""


class Unimplemented(ThrongError, NotImplementedError):
    """The server is older than this client, and has no such call."""


_CLASSES: dict[grpc.StatusCode, type[ThrongError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.OUT_OF_RANGE: InvalidArgument,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.ALREADY_EXISTS: AlreadyExists,
    grpc.StatusCode.PERMISSION_DENIED: PermissionDenied,
    grpc.StatusCode.UNAUTHENTICATED: PermissionDenied,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhausted,
    grpc.StatusCode.FAILED_PRECONDITION: FailedPrecondition,
    grpc.StatusCode.ABORTED: Aborted,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
    grpc.StatusCode.UNIMPLEMENTED: Unimplemented,
}


class ProtocolError(ThrongError):
    """The server sent what the protocol rules out."""


class StreamClosed(ThrongError):
    """The server ended a session's or a watcher's stream for good; `closing` says why."""

    def __init__(self, closing: ClosingReason, message: str, code: grpc.StatusCode) -> None:
        super().__init__(message or closing.name.lower().replace("_", " "), code)
        self.closing = closing


@dataclasses.dataclass(frozen=True)
class ItemError:
    """One item of a batch or of an input that was refused."""

    index: int
    """Its place in what the caller handed over."""
    id: int
    """Of the agent or obstacle; 0 if there is none."""
    error: ThrongError


class BatchError(ThrongError):
    """Some items of a batch were refused. The others are applied, unless the batch was all-or-nothing."""

    def __init__(self, items: Sequence[ItemError], ids: NDArray[np.uint32], tick: int, applied: bool) -> None:
        # The cause, not the first of the valid items that were refused with it.
        first = next((item for item in items if item.error.reason != "BATCH_REFUSED"), items[0])
        rest = f" (and {len(items) - 1} more)" if len(items) > 1 else ""
        super().__init__(f"item {first.index}: {first.error}{rest}", first.error.code, first.error.violations)
        self.items = tuple(items)
        """The refused items, in their order."""
        self.ids = ids
        """The id of every item, refused or not, 0 where there is none. Same length as the batch."""
        self.tick = tick
        """Ticks finished when the rest was applied."""
        self.applied = applied
        """Whether anything was."""


def of_code(code: grpc.StatusCode, *args: Any, **kwargs: Any) -> ThrongError:
    """The exception that stands for a status code."""
    return _CLASSES.get(code, ThrongError)(args[0], code, *args[1:], **kwargs)


def of_message(error: Any) -> ThrongError:
    """The exception for a `throng.v1.Error`."""
    violations = [Violation(v.field, v.value, v.range) for v in error.violations]
    code = _CODES.get(error.code, grpc.StatusCode.UNKNOWN)
    return of_code(code, error.message, violations, error.reason, dict(error.metadata))


def of_call(error: grpc.aio.AioRpcError) -> ThrongError:
    """The exception for a call that failed, with the details from its trailer."""
    details = _details(error)
    if "throng.v1.Error" in details:
        return of_message(_schema.v1.Error.FromString(details["throng.v1.Error"]))
    violations = [
        _of_description(violation.field, violation.description)
        for violation in _schema.rpc.BadRequest.FromString(details.get("google.rpc.BadRequest", b"")).field_violations
    ]
    info = _schema.rpc.ErrorInfo.FromString(details.get("google.rpc.ErrorInfo", b""))
    return of_code(error.code(), error.details() or "", violations, info.reason, dict(info.metadata))


def _details(error: grpc.aio.AioRpcError) -> dict[str, bytes]:
    """The packed details of a status, by the names of their messages."""
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            return {d.type_url.rpartition("/")[2]: d.value for d in _schema.rpc.Status.FromString(value).details}
    return {}


def _of_description(field: str, description: str) -> Violation:
    """Parts "VALUE is not in RANGE"; what has another form is all range."""
    value, parted, valid = description.partition(" is not in ")
    return Violation(field, value, valid) if parted else Violation(field, "", description)
