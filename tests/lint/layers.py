"""Checks the include structure of the C++ sources against layers.txt, and the length of all sources.

usage: layers.py [--rules FILE] [ROOT]

Reports an include that points up or aside, a third-party header that comes in by another way than its door, a cycle of
includes, a folder without a place in the rules and a file that is too long. Exit code 1 if there is anything to report.
"""

import argparse
import dataclasses
import fnmatch
import pathlib
import re
import sys

CPP_SUFFIXES = {".h", ".cc"}
COUNTED_SUFFIXES = CPP_SUFFIXES | {".py", ".pyi", ".sh", ".proto"}
SKIPPED_FOLDERS = {"build", "node_modules", "__pycache__"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


@dataclasses.dataclass
class Rules:
    roots: list[str]
    stacks: list[list[str]]
    doors: list[tuple[str, list[str]]]
    max_lines: int


def read_rules(path: pathlib.Path) -> Rules:
    rules = Rules([], [], [], sys.maxsize)
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "root" and len(words) == 2:
            rules.roots.append(words[1])
        elif words[0] == "stack" and len(words) > 1:
            rules.stacks.append(words[1:])
        elif words[0] == "door" and len(words) > 2:
            rules.doors.append((words[1], words[2:]))
        elif words[0] == "length" and len(words) == 2:
            rules.max_lines = int(words[1])
        else:
            raise SystemExit(f"{path}:{number}: not understood: {line}")
    return rules


def source_files(root: pathlib.Path, suffixes: set[str]) -> list[str]:
    """Paths below `root`, as text with slashes, in order; hidden folders and build trees are left out."""
    found = []
    for path in root.rglob("*"):
        parts = path.relative_to(root).parts
        if any(part in SKIPPED_FOLDERS or part.startswith(".") or part.endswith("_pb2.py") for part in parts):
            continue
        if path.suffix in suffixes and path.is_file():
            found.append("/".join(parts))
    return sorted(found)


def layer_of(path: str, rules: Rules) -> str | None:
    """The longest folder named in a stack that holds `path`."""
    folders = {folder for stack in rules.stacks for folder in stack}
    holding = [folder for folder in folders if path.startswith(folder + "/")]
    return max(holding, key=len, default=None)


def may_include(user: str, used: str, rules: Rules) -> bool:
    if user == used:
        return True
    return any(
        user in stack and used in stack and stack.index(used) < stack.index(user) for stack in rules.stacks
    )


def resolve(name: str, user: str, files: set[str], rules: Rules) -> str | None:
    """Which of our files an include means, if any: beside the user first, as the compiler does, then from the roots."""
    beside = str(pathlib.PurePosixPath(user).parent / name)
    candidates = [beside] + [name if root == "." else f"{root}/{name}" for root in rules.roots]
    return next((candidate for candidate in candidates if candidate in files), None)


def through_a_door(name: str, user: str, rules: Rules) -> bool:
    for pattern, paths in rules.doors:
        if fnmatch.fnmatch(name, pattern if "*" in pattern else pattern + "*"):
            if not any(fnmatch.fnmatch(user, path) for path in paths):
                return False
    return True


def find_cycle(graph: dict[str, list[str]]) -> list[str] | None:
    """A chain of files that ends where it began, or None."""
    done: set[str] = set()

    def visit(node: str, chain: list[str]) -> list[str] | None:
        if node in chain:
            return chain[chain.index(node) :] + [node]
        if node in done:
            return None
        for following in graph.get(node, []):
            cycle = visit(following, chain + [node])
            if cycle:
                return cycle
        done.add(node)
        return None

    for start in sorted(graph):
        cycle = visit(start, [])
        if cycle:
            return cycle
    return None


def check(root: pathlib.Path, rules: Rules) -> list[str]:
    problems = []
    sources = source_files(root, CPP_SUFFIXES)
    files = set(sources)
    graph: dict[str, list[str]] = {}
    for user in sources:
        user_layer = layer_of(user, rules)
        if user_layer is None:
            problems.append(f"{user}: its folder has no place in the layers")
            continue
        graph[user] = []
        for number, line in enumerate((root / user).read_text().splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match.group(2)
            where = f"{user}:{number}"
            used = resolve(name, user, files, rules)
            if used is None:
                if not through_a_door(name, user, rules):
                    problems.append(f"{where}: {name} has a door elsewhere")
                continue
            graph[user].append(used)
            used_layer = layer_of(used, rules)
            if used_layer is not None and not may_include(user_layer, used_layer, rules):
                problems.append(f"{where}: {user_layer} may not include {used_layer} ({used})")
    cycle = find_cycle(graph)
    if cycle:
        problems.append("cycle of includes: " + " -> ".join(cycle))
    for path in source_files(root, COUNTED_SUFFIXES):
        lines = len((root / path).read_text().splitlines())
        if lines > rules.max_lines:
            problems.append(f"{path}: {lines} lines, more than {rules.max_lines}")
    return problems


def main() -> int:
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rules", type=pathlib.Path, default=here / "layers.txt")
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=here.parent.parent)
    arguments = parser.parse_args()
    problems = check(arguments.root, read_rules(arguments.rules))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
