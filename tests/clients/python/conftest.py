"""What the tests share: coroutines as tests, one real server for all of them, and a proxy that breaks connections."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import throng

_PATIENCE = 60.0  # [s] after which a test that hangs fails; no test waits for it to pass
_names = itertools.count()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs tests that are coroutines."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}), _PATIENCE))
    return True


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """host:port of a server of this run's own."""
    program = os.environ.get("THRONGD")
    if not program:
        pytest.fail("set THRONGD to the server program, or use run.py")
    ready = tmp_path_factory.mktemp("throngd") / "ready"
    arguments = [program, "--port=0", "--http_port=-1", f"--ready_file={ready}", "--log_level=warning"]
    with subprocess.Popen(arguments, stdout=sys.stderr) as server:
        try:
            yield _address_of(server, ready)
        finally:
            server.terminate()
            assert server.wait(_PATIENCE) == 0


def _address_of(server: subprocess.Popen[bytes], ready: pathlib.Path) -> str:
    """Reads where the server listens, once it does."""
    deadline = time.monotonic() + _PATIENCE
    while not ready.is_file():
        assert server.poll() is None, f"throngd ended with {server.returncode}"
        assert time.monotonic() < deadline, "throngd did not get ready"
        time.sleep(0.01)
    return dict(line.split("=", 1) for line in ready.read_text().splitlines())["grpc"]


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A world's name that no other test has."""
    return f"{request.node.originalname.lower().replace('_', '-')[:80]}-{next(_names)}"


@contextlib.asynccontextmanager
async def world_on(address: str, name: str, **settings: Any) -> AsyncIterator[throng.World]:
    """A world that is deleted in the end."""
    async with throng.connect(address) as server:
        world = await server.create_world(name, **settings)
        try:
            yield world
        finally:
            await world.delete(missing_ok=True)


async def until(frames: AsyncIterator[throng.Frame], wanted: Callable[[throng.Frame], bool]) -> throng.Frame:
    """The first frame that is as wanted."""
    async for frame in frames:
        if wanted(frame):
            return frame
    raise AssertionError("the frames ended")


class Proxy:
    """A TCP proxy in front of the server, whose connections a test cuts as a dying network would."""

    def __init__(self, target: str) -> None:
        self._host, _, port = target.rpartition(":")
        self._port = int(port)
        self._links: list[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = []
        self._silent: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.connections = 0
        self.address = ""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Proxy]:
        """Listens on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            self.stop()

    def stop(self) -> None:
        """Resets all connections and takes no new ones."""
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """Resets all connections of the moment."""
        links, self._links = self._links, []
        for writer in itertools.chain(*links):
            writer.transport.abort()

    def hold_answers(self) -> None:
        """From now on what the server sends over the connections of the moment is lost."""
        self._silent.update(near for near, _ in self._links)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        far_reader, far_writer = await asyncio.open_connection(self._host, self._port)
        self._links.append((writer, far_writer))
        await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                if writer not in self._silent:
                    writer.write(data)
                    await writer.drain()
        writer.close()
