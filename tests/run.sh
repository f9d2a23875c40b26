#!/usr/bin/env bash
# Builds everything and runs all tests, on a fresh Debian 12 or Ubuntu 24.04: installs what is missing, builds the
# preset, shows ctest's lines and ends with its exit code. Safe to repeat. See --help.
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../deploy/lib.sh"

usage() {
  cat <<'TEXT'
usage: tests/run.sh [options]

Installs what is missing (apt-get; sudo if you are not root), builds a preset and runs its tests.

  --preset NAME      release (default), debug, asan or tsan
  --label REGEX      only tests with such a label (unit, integration, ...); may be given again, one match is enough
  --long             also the tests labelled long, which take minutes
  -j N               tests at a time (default 2)
  -h, --help         this text

Environment: SKIP_INSTALL=1 installs nothing; BUILD_JOBS=N builds with N jobs.
TEXT
}

preset=release
labels=""
long=0
jobs=2
while (($# > 0)); do
  case $1 in
    --preset | --label | -j) [[ -n ${2:-} ]] || die "$1 takes a value (see --help)" ;;&
    --preset)
      preset=$2
      shift
      ;;
    --label)
      labels="${labels:+$labels|}$2"
      shift
      ;;
    -j)
      jobs=$2
      shift
      ;;
    --long) long=1 ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "unknown option '$1' (see --help)" ;;
  esac
  shift
done
case $preset in
  release | debug | asan | tsan) ;;
  *) die "unknown preset '$preset': release, debug, asan or tsan" ;;
esac

start_log "tests-$preset"
install_packages_unless_told build test
configure "$preset" -DTHRONG_BUILD_TESTS=ON
build "$preset"

step "run the tests of the preset $preset, $jobs at a time"
select=()
if [[ -n $labels ]]; then select+=(-L "$labels"); fi
if ((!long)); then select+=(-LE '^long$'); fi
# A crash report of a sanitizer without symbols helps nobody; a leak in a library of the system is not ours to fix.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
trap - ERR # ctest has its own words for a failure
cd "$THRONG_ROOT" || exit
ctest --preset "$preset" -j "$jobs" --timeout 300 --no-tests=error ${select[@]+"${select[@]}"} </dev/null
