"""Build step: compiles the repository's proto/ folder into one descriptor set, throng/schema.binpb.

The package makes its message classes from that file when it is imported. So no generated code is committed or shipped,
and the installed package does not depend on which protobuf release compiled it, as generated code does.
"""

from __future__ import annotations

import pathlib

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parents[1] / "proto"
SCHEMA = pathlib.Path("throng", "schema.binpb")


def write_schema(target: pathlib.Path) -> None:
    """Compiles proto/ to `target`. A source archive has no proto/ beside it, but carries the result."""
    if not PROTO.is_dir():
        carried = HERE / SCHEMA
        if not carried.is_file():
            raise SystemExit(f"neither {PROTO} nor {carried} is there: build from a clone of the repository")
        if carried != target:
            target.write_bytes(carried.read_bytes())
        return
    import grpc_tools
    from grpc_tools import protoc

    well_known = pathlib.Path(grpc_tools.__file__).parent / "_proto"
    files = sorted(str(file.relative_to(PROTO)) for file in PROTO.rglob("*.proto"))
    target.parent.mkdir(parents=True, exist_ok=True)
    arguments = ["protoc", f"-I{PROTO}", f"-I{well_known}", "--include_imports", f"--descriptor_set_out={target}"]
    if protoc.main(arguments + files) != 0:
        raise SystemExit(f"protoc could not compile {PROTO}")


class BuildWithSchema(build_py):
    """Puts the schema into the wheel, or, for an editable install, beside the sources."""

    def _schema(self) -> pathlib.Path:
        return HERE / SCHEMA if self.editable_mode else pathlib.Path(self.build_lib, SCHEMA)

    def run(self) -> None:
        super().run()
        write_schema(self._schema())

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), str(self._schema())]


class SdistWithSchema(sdist):
    """Puts the schema into a source archive."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        write_schema(pathlib.Path(base_dir, SCHEMA))


setup(cmdclass={"build_py": BuildWithSchema, "sdist": SdistWithSchema})
