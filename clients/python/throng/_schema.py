"""Message classes and method routes of the wire, made at import from the compiled schema (see setup.py).

They live in a descriptor pool of their own: nothing clashes with other packages that carry `google.rpc`, or with code
that a user generated from the same files.
"""

from __future__ import annotations

import functools
import importlib.resources
from typing import Any, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory


def _load() -> descriptor_pool.DescriptorPool:
    files = descriptor_pb2.FileDescriptorSet.FromString(
        importlib.resources.files(__package__).joinpath("schema.binpb").read_bytes()
    )
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:  # protoc writes a file after the files that it imports
        pool.AddSerializedFile(file.SerializeToString())
    return pool


pool = _load()


class Package:
    """The message classes of one proto package, as attributes: `v1.World`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, message: str) -> Any:
        try:
            descriptor = pool.FindMessageTypeByName(f"{self._name}.{message}")
        except KeyError:
            raise AttributeError(f"no message {message} in {self._name}") from None
        message_class = message_factory.GetMessageClass(descriptor)
        setattr(self, message, message_class)
        return message_class


v1 = Package("throng.v1")
columns = Package("throng.columns.v1")
rpc = Package("google.rpc")


class Route(NamedTuple):
    """How one method is called."""

    path: str
    request: Any
    response: Any


@functools.cache
def route(service: str, method: str) -> Route:
    """The route of a method of throng.v1, such as ("WorldService", "CreateWorld")."""
    descriptor = pool.FindServiceByName(f"throng.v1.{service}").FindMethodByName(method)
    return Route(
        f"/throng.v1.{service}/{method}",
        message_factory.GetMessageClass(descriptor.input_type),
        message_factory.GetMessageClass(descriptor.output_type),
    )
