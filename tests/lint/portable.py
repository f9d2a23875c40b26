"""Checks that no file of the tree names a place that exists only on somebody's machine or network.

usage: portable.py [ROOT]

Reports absolute paths of home and work folders and host names of package registries. Exit code 1 if there are any.
"""

import pathlib
import re
import subprocess
import sys

# Written with classes such as [.] so that this file does not match itself.
PATTERNS = {
    "absolute path of a machine": re.compile(r"(?<![\w.}/$*-])/(work|home|root|Users|mnt|srv)[/](?=[\w.])"),
    "host of a package registry": re.compile(
        r"(deb|security|snapshot)[.]debian[.]org|archive[.]ubuntu[.]com|registry[.]npmjs|registry[.]yarnpkg|pypi[.]org"
        r"|pythonhosted[.]org|proxy[.]golang[.]org|static[.]crates[.]io|index[.]crates[.]io|repo1?[.]maven"
    ),
}
SKIPPED_FOLDERS = {".git", "build", "node_modules", "__pycache__"}


def tree_files(root: pathlib.Path) -> list[pathlib.Path]:
    """What git would commit; without git (a source archive), all that is no build output."""
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    if listing.returncode == 0:
        names = [root / name for name in listing.stdout.decode().split("\0") if name]
        return sorted(path for path in names if path.is_file())
    return sorted(
        path
        for path in root.rglob("*")
        if path.is_file() and not SKIPPED_FOLDERS & set(path.relative_to(root).parts)
    )


def check(root: pathlib.Path) -> list[str]:
    problems = []
    for path in tree_files(root):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture or other binary data
        for number, line in enumerate(text.splitlines(), start=1):
            for what, pattern in PATTERNS.items():
                match = pattern.search(line)
                if match:
                    problems.append(f"{path.relative_to(root)}:{number}: {what}: {match.group(0)}")
    return problems


def main() -> int:
    here = pathlib.Path(__file__).resolve().parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent.parent
    problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
