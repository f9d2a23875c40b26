"""Installs clients/python into a virtual environment and runs these tests and the type checker there.

    run.py --throngd build/release/bin/throngd --venv FOLDER [-- pytest's arguments]

The environment stays for the next run; the package is installed again only when its files or proto/ changed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PACKAGE = ROOT / "clients" / "python"


def fingerprint() -> str:
    """Of all that the installed package comes from, and of the interpreter."""
    digest = hashlib.sha256(sys.version.encode())
    sources = [PACKAGE / "pyproject.toml", PACKAGE / "setup.py", *(PACKAGE / "throng").glob("*.py")]
    for file in sorted([*sources, *(ROOT / "proto").rglob("*.proto")]):
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def prepare(folder: pathlib.Path) -> pathlib.Path:
    """Makes the environment what the sources ask for, and returns its interpreter."""
    python = folder / "bin" / "python"
    stamp = folder / "installed"
    wanted = fingerprint()
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    print(f"installing {PACKAGE.relative_to(ROOT)} with its test tools into {folder} (from PyPI)", flush=True)
    try:
        venv.create(folder, with_pip=True, clear=True)
    except subprocess.CalledProcessError:
        sys.exit("No virtual environment could be made. On Debian and Ubuntu the package python3-venv is needed.")
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{PACKAGE}[test,examples]"]
    if subprocess.run(command).returncode != 0:
        sys.exit("The Python client could not be installed. Is PyPI (or the index that pip is set to) reachable?")
    stamp.write_text(wanted)
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description="Tests of the Python client against a server program.")
    parser.add_argument("--throngd", type=pathlib.Path, required=True, help="the server program")
    parser.add_argument("--venv", type=pathlib.Path, required=True, help="folder of the virtual environment")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest")
    arguments = parser.parse_args()
    if not arguments.throngd.is_file():
        sys.exit(f"{arguments.throngd} is not there: build the target throngd first")
    python = prepare(arguments.venv.resolve())
    environment = {**os.environ, "THRONGD": str(arguments.throngd.resolve()), "PYTHONDONTWRITEBYTECODE": "1"}
    # Not from the repository's root, where `throng` would not be the installed package.
    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE), *arguments.pytest]
    types = [python, "-m", "mypy", "--config-file", str(PACKAGE / "pyproject.toml")]
    types += ["--cache-dir", str(arguments.venv / "mypy"), "-p", "throng"]
    for command in (tests, types):
        if subprocess.run(command, cwd=HERE, env=environment).returncode != 0:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
