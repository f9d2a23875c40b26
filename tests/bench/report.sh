#!/usr/bin/env bash
# usage: tests/bench/report.sh [--json FILE] [option of throng_bench]...
# Builds the release preset's throng_bench where it is not up to date, runs it and prints its table: nanoseconds per
# agent and step of the engine and of its textbook twin, in one run. --json also writes a list of rows to a file, each
# with machine, commit and command; tests/bench/compare.py prints such a file as a table and compares two. See
# tests/bench/README.md for the rows and `throng_bench --help` for its options.
set -euo pipefail

case "${1:-}" in
  -h | --help)
    sed -n '2,6s/^# //p' "$0"
    exit 0
    ;;
esac

root=$(cd "$(dirname "$0")/../.." && pwd)
command="tests/bench/report.sh $*"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

echo "Building throng_bench (preset release)"
if ! { [ -f "$root/build/release/build.ninja" ] || (cd "$root" && cmake --preset release); } >"$log" 2>&1 ||
  ! (cd "$root" && cmake --build --preset release --target throng_bench) >>"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "report.sh: the build failed" >&2
  exit 2
fi

machine=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)
changes=$(git -C "$root" status --porcelain --untracked-files=no 2>/dev/null || true)
if [ -n "$changes" ]; then commit="$commit with changes"; fi
"$root/build/release/bin/throng_bench" --context "machine=${machine:-unknown}, $(nproc) processors" \
  --context "commit=$commit" --context "command=$command" "$@"
