#!/usr/bin/env python3
"""Prints the README's table from a file that throng_quality --json wrote: plain / with extensions."""
import json
import sys


def number(value, digits):
    return "–" if value is None else f"{value:.{digits}f}"


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)
    print("| scene | agents | arrived % | last arrival / free time | deepest overlap m | wall crossings | zigzag 1/s | idle m/s "
          "| stalled | flow 1/(s m) |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for off, on in zip(rows[::2], rows[1::2]):
        def both(text, off=off, on=on):
            return f"{text(off)} / {text(on)}"
        cells = [off["scene"], str(off["agents"]), both(lambda row: number(100 * row["arrived"], 0)),
                 both(lambda row: number(row["last_over_free"], 2)), both(lambda row: number(row["deepest_overlap"], 3)),
                 both(lambda row: str(row["wall_crossings"])), both(lambda row: number(row["zigzag_per_agent_s"], 2)),
                 both(lambda row: number(row["idle_speed"], 2)), both(lambda row: str(row["stalled"])),
                 "–" if off["flow"] is None else both(lambda row: number(row["flow"], 2))]
        print("| " + " | ".join(cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
