# Shared by deploy/quickstart.sh, deploy/image-test.sh, tests/run.sh and .ci/run; meant to be sourced by bash.
#
# The shape of a script that uses it:
#   start_log NAME             all details go to build/logs/NAME.log from here on
#   step "build the server"    names what happens next; a failure is reported with this name, the log and its end
#   run COMMAND ...            runs quietly, output to the log
# shellcheck shell=bash

set -Eeuo pipefail

THRONG_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
THRONG_STEP="start"
THRONG_LOG=/dev/null

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
# Ends the script with a message that needs no log beside it.
die() {
  trap - ERR
  warn "error: $*"
  exit 1
}

start_log() {
  mkdir -p "$THRONG_ROOT/build/logs"
  THRONG_LOG="$THRONG_ROOT/build/logs/$1.log"
  : >"$THRONG_LOG"
  trap 'report_failure $?' ERR
}

step() {
  THRONG_STEP="$*"
  say "==> $THRONG_STEP"
  printf '==> %s\n' "$THRONG_STEP" >>"$THRONG_LOG"
}

# Prints what failed and where to read on. The end of the log goes along, since in CI nobody can open the file.
report_failure() {
  trap - ERR
  if ((BASH_SUBSHELL > 0)); then exit "$1"; fi # the shell above reports it, once
  warn ""
  warn "failed (exit code $1) at: $THRONG_STEP"
  if [[ -s $THRONG_LOG ]]; then
    # A compiler's first error is worth more than the last lines after it.
    local first
    first=$(grep -n -m1 -E '^FAILED: |CMake Error|^E: ' "$THRONG_LOG" | cut -d: -f1 || true)
    warn "---- from $THRONG_LOG:"
    if [[ -n $first ]]; then sed -n "$first,$((first + 30))p" "$THRONG_LOG" | cut -c1-400 >&2; fi
    if [[ -z $first ]]; then tail -n 30 "$THRONG_LOG" | cut -c1-400 >&2; fi
    warn "----"
  fi
  exit 1
}

run() { "$@" >>"$THRONG_LOG" 2>&1 </dev/null; }

# Reads "PERCENT TEXT" lines and shows them: one moving line on a terminal, else a line for each further quarter.
show_progress() {
  local percent text shown=-1 width=${COLUMNS:-100}
  while read -r percent text; do
    [[ $percent =~ ^[0-9]+$ ]] || continue
    if ((percent / 25 < shown)); then shown=-1; fi # installing begins at 0 again after downloading
    if [[ -t 1 ]]; then
      printf '\r\033[K    %3d %% %s' "$percent" "${text:0:$((width - 12))}"
    elif ((percent / 25 > shown)); then
      shown=$((percent / 25))
      printf '    %3d %%\n' "$percent"
    fi
  done
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
}

# Lines of deploy/packages/NAME.txt, for each NAME: a package, and maybe a command that does as well where it is there.
packages_of() {
  local name
  for name in "$@"; do
    sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$THRONG_ROOT/deploy/packages/$name.txt"
  done
}

missing_packages() {
  local package command
  packages_of "$@" | while read -r package command; do
    if [[ -n $command ]] && command -v "$command" >/dev/null; then continue; fi
    [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || printf '%s\n' "$package"
  done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@"; }

# Installs what is missing of deploy/packages/NAME.txt for each NAME. Asks the package manager only if something is.
install_packages() {
  step "look for the packages of: $*"
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    die "this script installs with apt-get (Debian 12, Ubuntu 24.04), which is not here. Install what" \
      "deploy/packages/*.txt name in your system's way, then call again with SKIP_INSTALL=1."
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    say "    all there"
    return 0
  fi
  if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
    die "these packages are missing, and neither root nor sudo is there to install them: ${missing[*]}"
  fi
  step "install ${#missing[@]} packages: ${missing[*]}"
  run apt_get update -qq
  # Beside its own output apt-get says "pmstatus:PACKAGE:PERCENT:TEXT" and "dlstatus:N:PERCENT:TEXT" (on descriptor 1,
  # since sudo closes all others).
  apt_get install -y -qq --no-install-recommends -o APT::Status-Fd=1 "${missing[@]}" 2>&1 </dev/null |
    tee -a "$THRONG_LOG" |
    sed -u -n -E 's/^(dl|pm)status:[^:]*:([0-9]+)[^:]*:(.*)/\2 \3/p' | show_progress
}

install_packages_unless_told() {
  if [[ -n ${SKIP_INSTALL:-} ]]; then
    say "SKIP_INSTALL is set: installing nothing"
    return 0
  fi
  install_packages "$@"
}

# How many compilers to run: one a core, and no more than memory holds (a gRPC source takes up to 1 GiB).
build_jobs() {
  if [[ -n ${BUILD_JOBS:-} ]]; then
    printf '%s\n' "$BUILD_JOBS"
    return 0
  fi
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)
  printf '%s\n' "$((memory < 1 ? 1 : memory < cores ? memory : cores))"
}

# configure PRESET [CMAKE ARGUMENT ...]
configure() {
  step "configure the preset $1 (into build/$1)"
  (cd "$THRONG_ROOT" && run cmake --preset "$@")
}

# build PRESET [TARGET ...]
build() {
  local preset=$1 jobs targets=()
  shift
  if (($# > 0)); then targets=(--target "$@"); fi
  jobs=$(build_jobs)
  step "build ${*:-everything} with $jobs jobs (log: ${THRONG_LOG#"$THRONG_ROOT"/})"
  # Ninja says "[done/all] what"; the log gets all, the terminal the share done.
  (cd "$THRONG_ROOT" && cmake --build --preset "$preset" -j "$jobs" ${targets[@]+"${targets[@]}"} 2>&1 </dev/null) |
    tee -a "$THRONG_LOG" |
    sed -u -n -E 's/^\[([0-9]+)\/([0-9]+)\] (.*)/\1 \2 \3/p' |
    awk '{d = $1; n = $2; $1 = $2 = ""; printf "%d %s of %s%s\n", 100 * d / n, d, n, $0; fflush()}' | show_progress
}

# True if nothing listens on this TCP port of localhost.
port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
