"""Checks that deploy/README.md names every flag and every metric of throngd, and none that is not there.

usage: docs.py [ROOT]

Exit code 1 if there is anything to report.
"""

import pathlib
import re
import sys

METRIC = re.compile(r"\b((?:throng|process)_[a-z_]+)\b")
NOT_METRICS = {"throng_bench", "throng_conformance"}  # programs


def check(config: str, metrics: str, readme: str) -> list[str]:
    problems = []
    flags = {name.replace("_", "-") for name in re.findall(r"ABSL_FLAG\([^,]+, (\w+),", config)}
    told = set(re.findall(r"`--([a-z-]+)`", readme.split("### Flags")[1].split("###")[0])) - {"check-config"}
    problems += [f"flag --{name} is not in the table of flags" for name in sorted(flags - told)]
    problems += [f"flag --{name} is in the table of flags, but not in throngd" for name in sorted(told - flags)]
    series = set(re.findall(r'"((?:throng|process)_[a-z_]+)"', metrics))
    told = set(METRIC.findall(readme)) - NOT_METRICS
    problems += [f"metric {name} is not documented" for name in sorted(series - told)]
    problems += [f"metric {name} is documented, but not in throngd" for name in sorted(told - series)]
    return problems


def main() -> int:
    here = pathlib.Path(__file__).resolve().parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent.parent
    problems = check(
        (root / "server/base/config.cc").read_text(),
        (root / "server/base/metrics.cc").read_text(),
        (root / "deploy/README.md").read_text(),
    )
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
