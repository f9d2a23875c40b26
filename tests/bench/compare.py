#!/usr/bin/env python3
"""Compares two files that tests/bench/report.sh --json wrote.

Rows are matched by scene, agents, threads and level. Machines and their load differ, so what counts is the ratio of
twin to engine, both measured in one run. Exit code: 0, or 1 if the ratio of a row fell by more than the tolerance,
or a row of the first file is missing in the second, or 2 for files that are not such reports.
"""

import argparse
import json
import sys

KEY = ("scene", "agents", "threads", "level")


def read_rows(path: str) -> dict[tuple, dict]:
    """Rows of a report by their key."""
    with open(path, encoding="utf-8") as file:
        return {tuple(row[name] for name in KEY): row for row in json.load(file)["rows"]}


def compare(before: dict[tuple, dict], after: dict[tuple, dict], tolerance: float) -> tuple[list[str], bool]:
    """Lines of a table, and whether all is well."""
    lines = [f"{'scene':<12} {'agents':>8} {'threads':>8} {'level':>8} {'engine ns':>18} {'ratio':>15} {'change':>8}"]
    good = True
    for key, old in before.items():
        name = f"{key[0]:<12} {key[1]:>8} {key[2]:>8} {key[3]:>8}"
        new = after.get(key)
        if new is None:
            lines.append(f"{name} missing")
            good = False
            continue
        change = new["ratio"] / old["ratio"] - 1.0
        worse = change < -tolerance
        good = good and not worse
        lines.append(
            f"{name} {old['engine_ns']:>8.1f} {new['engine_ns']:>9.1f} {old['ratio']:>7.2f} {new['ratio']:>7.2f}"
            f" {change:>+8.1%}{'  slower' if worse else ''}"
        )
    return lines, good


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--tolerance", type=float, default=0.05, help="part by which a ratio may fall (default 0.05)")
    options = parser.parse_args(arguments)
    try:
        before, after = read_rows(options.before), read_rows(options.after)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    lines, good = compare(before, after, options.tolerance)
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
