#!/usr/bin/env bash
# usage: tests/bench/instructions.sh [--scene NAME] [--agents N] [--steps N] [--level NAME]...
# Counts instructions per agent and step of the engine (crossing-25, 1,000 agents, 20 steps after 20 to warm up), on each
# level given or on all. They do not drift with load, unlike times. Takes the processor's counter through perf where the
# machine lets it, else callgrind, which runs no AVX-512: that level is then left out, and said so.
set -euo pipefail

scene=crossing-25
agents=1000
warm_up=20
steps=20
levels=()
while (($# > 0)); do
  case "$1" in
    --scene) scene=$2 ;;
    --agents) agents=$2 ;;
    --steps) steps=$2 ;;
    --level) levels+=("$2") ;;
    *)
      sed -n '2,5s/^# //p' "$0"
      [[ $1 == -h || $1 == --help ]] && exit 0
      exit 2
      ;;
  esac
  shift 2 || { echo "instructions.sh: an option lacks its value" >&2; exit 2; }
done
((${#levels[@]} > 0)) || levels=(scalar avx2 avx512)

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! { [ -f "$root/build/release/build.ninja" ] || (cd "$root" && cmake --preset release); } >"$work/log" 2>&1 ||
  ! (cd "$root" && cmake --build --preset release --target throng_bench_steps) >>"$work/log" 2>&1; then
  tail -n 30 "$work/log" >&2
  echo "instructions.sh: the build failed" >&2
  exit 2
fi
program=$root/build/release/bin/throng_bench_steps

# Instructions of a whole run with so many measured steps, by perf; nothing where the machine has no counter for us.
perf_total() {
  perf stat -x, -e instructions:u -o "$work/perf" -- "$program" "$scene" "$agents" "$1" "$warm_up" "$2" >/dev/null 2>&1 &&
    sed -n 's/^\([0-9][0-9]*\),.*instructions.*/\1/p' "$work/perf"
}
# Of the measured steps alone. Whole runs differ by their steps only, so the rest falls away.
by_perf() { echo $(($(perf_total "$1" "$steps") - $(perf_total "$1" 0))); }
by_callgrind() {
  valgrind --tool=callgrind --callgrind-out-file="$work/callgrind" --collect-atstart=no \
    --toggle-collect='throng::bench::MeasuredSteps*' "$program" "$scene" "$agents" "$1" "$warm_up" "$steps" \
    >"$work/out" 2>&1 || { cat "$work/out" >&2; return 1; }
  sed -n 's/^\(totals\|summary\): \([0-9]*\).*/\2/p' "$work/callgrind" | head -n 1
}

if command -v perf >/dev/null && [ -n "$(perf_total scalar 0)" ]; then
  count=by_perf
elif command -v valgrind >/dev/null; then
  count=by_callgrind
else
  echo "instructions.sh: needs perf with a counter, or valgrind" >&2
  exit 2
fi

echo "instructions per agent and step ($scene, $agents agents, ${count#by_})"
for level in "${levels[@]}"; do
  if ! "$program" "$scene" 1 "$level" 0 0 >/dev/null 2>&1; then
    echo "$level: this machine has it not, or there is no such scene"
  elif [[ $level == avx512 && $count == by_callgrind ]]; then
    echo "$level: not counted, since valgrind runs no AVX-512"
  else
    total=$($count "$level")
    echo "$level: $((total / (agents * steps)))"
  fi
done
