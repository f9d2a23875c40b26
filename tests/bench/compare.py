#!/usr/bin/env python3
"""Prints a report that tests/bench/report.sh --json wrote, or compares two of them.

    compare.py FILE             the rows, with the targets and whether they are reached (--markdown: for a README)
    compare.py BEFORE AFTER     what changed, row by row

Rows are matched by scene, agents, threads and level. Machines and their load differ, so what is judged are figures of
two that ran in turns: ratio (twin to engine, more is better) and relative (engine to what the row is compared with,
less is better); and the bytes an agent. Times are shown, not judged. Exit code: 0, or 1 if a figure got worse by more
than the tolerance or is missing in AFTER, or 2 for files that are not such reports.
"""

import argparse
import json
import sys

KEY = ("scene", "agents", "threads", "level")
# A figure, and whether more of it is better or less.
JUDGED = (("ratio", 1), ("relative", -1), ("bytes_per_agent", -1))
# A figure, its target, and whether it is to reach it from below or to stay under it.
TARGETS = (
    ("ratio", "ratio_target", 1),
    ("relative", "relative_target", -1),
    ("bytes_per_agent", "bytes_target", -1),
    ("build_ms", "build_target_ms", -1),
)
COLUMNS = ("engine_ns", "twin_ns", "ratio", "relative", "bytes_per_agent", "build_ms", "edit_ms")


def read_rows(path: str) -> dict[tuple, dict]:
    """Rows of a report by their key."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if not isinstance(document, list) or not document:
        raise ValueError(f"{path} is not a list of rows")
    return {tuple(row[name] for name in KEY): row for row in document}


def name_of(key: tuple) -> list[str]:
    return [key[0], f"{key[1]:,}", str(key[2]), key[3]]


def figure(row: dict, name: str) -> str:
    """A figure as text, empty where the row has none."""
    if name not in row:
        return ""
    return f"{row[name]:.{1 if name.endswith('_ns') or name.startswith('bytes') else 2}f}"


def targets_of(row: dict) -> str:
    """Targets of a row, and whether it reaches them."""
    texts = []
    for name, target, sign in TARGETS:
        if target in row and name in row:
            reached = sign * row[name] >= sign * row[target]
            bound = "at least" if sign > 0 else "at most"
            texts.append(f"{name} {bound} {row[target]:g}: {'reached' if reached else 'MISSED'}")
    return ", ".join(texts)


def table(rows: dict[tuple, dict], markdown: bool) -> list[str]:
    """All rows of a report."""
    header = [*KEY, *COLUMNS, "compared with", "target"]
    lines = [name_of(key) + [figure(row, name) for name in COLUMNS] + [row.get("base", ""), targets_of(row)]
             for key, row in rows.items()]
    return markdown_lines(header, lines) if markdown else plain_lines(header, lines)


def is_number(column: int) -> bool:
    return 1 <= column <= 2 or 4 <= column < 4 + len(COLUMNS)


def markdown_lines(header: list[str], lines: list[list[str]]) -> list[str]:
    rule = ["---:" if is_number(column) else "---" for column in range(len(header))]
    return ["| " + " | ".join(line) + " |" for line in (header, rule, *lines)]


def plain_lines(header: list[str], lines: list[list[str]]) -> list[str]:
    widths = [max(len(line[column]) for line in (header, *lines)) for column in range(len(header))]
    return [
        "  ".join(
            text.rjust(width) if is_number(column) else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in (header, *lines)
    ]


def changes_of(old: dict, new: dict, tolerance: float) -> tuple[list[str], bool]:
    """What became of the judged figures of a row, and whether all is well."""
    texts = []
    good = True
    for name, sign in JUDGED:
        if name not in old:
            continue
        if name not in new:
            texts.append(f"{name} missing")
            good = False
            continue
        change = new[name] / old[name] - 1.0
        worse = sign * change < -tolerance
        good = good and not worse
        texts.append(f"{name} {old[name]:g} -> {new[name]:g} ({change:+.1%}{', worse' if worse else ''})")
    for name in ("engine_ns", "build_ms", "edit_ms"):
        if name in old and name in new:
            texts.append(f"{name} {old[name]:g} -> {new[name]:g}")
    return texts, good


def compare(before: dict[tuple, dict], after: dict[tuple, dict], tolerance: float) -> tuple[list[str], bool]:
    """Lines about each row, and whether all is well."""
    lines = []
    good = True
    for key, old in before.items():
        name = "{:<22}{:>10}{:>3}  {:<7}".format(*name_of(key))
        if key not in after:
            lines.append(f"{name} missing")
            good = False
            continue
        texts, well = changes_of(old, after[key], tolerance)
        lines.append(f"{name} {', '.join(texts)}")
        good = good and well
    return lines, good


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="FILE")
    parser.add_argument("after", metavar="AFTER", nargs="?")
    parser.add_argument("--tolerance", type=float, default=0.05, help="part by which a figure may get worse (0.05)")
    parser.add_argument("--markdown", action="store_true", help="print one report as a table in Markdown")
    options = parser.parse_args(arguments)
    try:
        before = read_rows(options.before)
        if options.after is None:
            print("\n".join(table(before, options.markdown)))
            return 0
        after = read_rows(options.after)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    lines, good = compare(before, after, options.tolerance)
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
