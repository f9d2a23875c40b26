"""Errors out of statuses and messages, without a server."""

from __future__ import annotations

import grpc
import grpc.aio
import pytest
import throng
from throng import _schema, errors


def failed(code: grpc.StatusCode, *details) -> throng.ThrongError:
    """The exception for a status with these details."""
    status = _schema.rpc.Status(code=code.value[0], message="no")
    for detail in details:
        status.details.add(
            type_url=f"type.googleapis.com/{detail.DESCRIPTOR.full_name}", value=detail.SerializeToString()
        )
    trailer = grpc.aio.Metadata(("grpc-status-details-bin", status.SerializeToString()))
    return errors.of_call(grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailer, "no"))


BAD_REQUEST = _schema.rpc.BadRequest(field_violations=[{"field": "a.b", "description": "-1 is not in (0, 1000]"}])
TYPED = _schema.v1.Error(
    code=3, message="bad", reason="INVALID_VALUE", violations=[{"field": "c", "value": "7", "range": "[0, 1]"}]
)


def test_a_typed_detail_is_preferred() -> None:
    error = failed(grpc.StatusCode.INVALID_ARGUMENT, BAD_REQUEST, TYPED)
    assert isinstance(error, throng.InvalidArgument) and isinstance(error, ValueError)
    assert error.violations == (throng.Violation("c", "7", "[0, 1]"),)
    assert error.reason == "INVALID_VALUE"
    assert "c = 7, valid is [0, 1]" in str(error)


def test_standard_details_do_alone() -> None:
    info = _schema.rpc.ErrorInfo(reason="LIMIT", domain="throng", metadata={"limit": "max_worlds"})
    error = failed(grpc.StatusCode.RESOURCE_EXHAUSTED, BAD_REQUEST, info)
    assert isinstance(error, throng.ResourceExhausted)
    assert error.violations == (throng.Violation("a.b", "-1", "(0, 1000]"),)
    assert (error.reason, error.metadata) == ("LIMIT", {"limit": "max_worlds"})


def test_a_bare_status_does_too() -> None:
    bare = errors.of_call(
        grpc.aio.AioRpcError(grpc.StatusCode.DATA_LOSS, grpc.aio.Metadata(), grpc.aio.Metadata(), "lost")
    )
    assert type(bare) is throng.ThrongError and bare.code is grpc.StatusCode.DATA_LOSS and str(bare) == "lost"


@pytest.mark.parametrize(
    "code, ours, builtin",
    [
        (grpc.StatusCode.NOT_FOUND, throng.NotFound, LookupError),
        (grpc.StatusCode.UNAVAILABLE, throng.Unavailable, ConnectionError),
        (grpc.StatusCode.DEADLINE_EXCEEDED, throng.DeadlineExceeded, TimeoutError),
        (grpc.StatusCode.PERMISSION_DENIED, throng.PermissionDenied, PermissionError),
    ],
)
def test_classes_are_also_what_python_calls_them(code, ours, builtin) -> None:
    error = failed(code)
    assert isinstance(error, ours) and isinstance(error, builtin)
