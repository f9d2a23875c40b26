#!/usr/bin/env bash
# From nothing to a moving crowd, on a fresh Debian 12 or Ubuntu 24.04: installs what is missing, builds the preset
# release, starts throngd on localhost and drives a demonstration crowd. Safe to repeat. See --help.
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
  cat <<'TEXT'
usage: deploy/quickstart.sh [options]

Installs what is missing (apt-get; sudo if you are not root), builds throngd and throng into build/release/bin,
starts throngd on localhost and shows a moving crowd. Ctrl-C ends both.

  --no-run           install and build only
  --seconds N        end by itself after N seconds of demonstration
  --ticks N          end by itself after N ticks of the demonstration world
  --agents N         size of the crowd
  --port N           gRPC port (default 50051)
  --http-port N      port of /metrics, /livez and /readyz (default 9464)
  -h, --help         this text

Environment: SKIP_INSTALL=1 installs nothing; BUILD_JOBS=N builds with N jobs.
TEXT
}

no_run=0
port=50051
http_port=9464
demo_args=()

need_number() {
  [[ ${2:-} =~ ^[0-9]+$ ]] || die "$1 takes a whole number, not '${2:-}'"
}

while (($# > 0)); do
  case $1 in
    --no-run) no_run=1 ;;
    --seconds | --ticks | --agents)
      need_number "$1" "${2:-}"
      demo_args+=("$1=$2")
      shift
      ;;
    --port)
      need_number "$1" "${2:-}"
      port=$2
      shift
      ;;
    --http-port)
      need_number "$1" "${2:-}"
      http_port=$2
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "unknown option '$1' (see --help)" ;;
  esac
  shift
done

bin="$THRONG_ROOT/build/release/bin"
server=""

# Asks the server to end, as an operator would, and waits for it; five seconds are promised, so ten are a fault.
stop_server() {
  trap '' INT TERM HUP
  [[ -n $server ]] || return 0
  if kill -TERM "$server" 2>/dev/null; then
    say "stopping throngd"
    timeout 10 tail --pid="$server" -f /dev/null || kill -KILL "$server" 2>/dev/null || true
  fi
  wait "$server" 2>/dev/null || true
  server=""
}

check_ports() {
  local each
  for each in "$port" "$http_port"; do
    port_is_free "$each" || die "port $each of localhost is taken, maybe by a throngd that still runs." \
      "End that program, or choose others with --port and --http-port."
  done
}

start_server() {
  step "start throngd on localhost"
  # A session of its own keeps Ctrl-C from it, so that the crowd ends first and then the server, in order.
  setsid "$bin/throngd" --address=127.0.0.1 --port="$port" --http-port="$http_port" --log-format=text \
    >"$server_log" 2>&1 </dev/null &
  server=$!
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    if "$bin/throng" --address="127.0.0.1:$port" health >/dev/null 2>&1; then return 0; fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 "$server_log" >&2
  stop_server
  die "throngd did not start; its own words are above and in $server_log"
}

start_log quickstart
server_log="$THRONG_ROOT/build/logs/throngd.log"
if ((!no_run)); then check_ports; fi
install_packages_unless_told build
configure release -DTHRONG_BUILD_TESTS=OFF
build release throngd throng
if ((no_run)); then
  say "built: $bin/throngd and $bin/throng"
  exit 0
fi

check_ports
trap stop_server EXIT
trap 'exit 0' INT # the usual way to leave
trap 'exit 143' TERM HUP
start_server
say ""
say "throngd runs."
say "  gRPC       127.0.0.1:$port"
say "  metrics    http://127.0.0.1:$http_port/metrics   (also /livez and /readyz)"
say "  log        ${server_log#"$THRONG_ROOT"/}"
say "  look on    build/release/bin/throng --address=127.0.0.1:$port watch demo      (in another terminal)"
say "Ctrl-C ends the crowd and the server."
say ""
step "run the demonstration crowd (world 'demo')"
result=0
"$bin/throng" --address="127.0.0.1:$port" demo ${demo_args[@]+"${demo_args[@]}"} || result=$?
if ((result != 0)); then
  die "the demonstration ended with exit code $result; the server's log is $server_log"
fi
