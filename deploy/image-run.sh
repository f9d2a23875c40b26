#!/usr/bin/env bash
# The second half of deploy/image-test.sh, which starts it inside a network namespace of its own: runs the image and looks
# at it from outside and inside. Takes THRONG_LOG, state and image from the environment.
# shellcheck source=deploy/lib.sh
log=$THRONG_LOG
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
THRONG_LOG=$log
trap 'report_failure $?' ERR

: "${state:?}" "${image:?}"
# Podman as a plain child process: no systemd, no network set-up (the namespace around us is the network).
podman=(podman --root "$state/storage" --runroot "$state/run" --storage-driver overlay --cgroup-manager cgroupfs
  --runtime runc)
limits=(--network host --cgroups enabled --ulimit nofile=4096:4096 --ulimit nproc=1024:1024 --read-only
  --cap-drop ALL --security-opt no-new-privileges --memory 256m)
name=throng-image-test

quietly() { "$@" >>"$THRONG_LOG" 2>&1 </dev/null; }
inside() { "${podman[@]}" exec "$name" "$@" </dev/null; }
# The image's own command line, in a container beside the server's; the namespace's loopback joins them.
client() { timeout 60 "${podman[@]}" run --rm --no-healthcheck "${limits[@]}" --entrypoint throng "$image" "$@" </dev/null; }
expect() { # expect WHAT VALUE WANTED
  [[ $2 == "$3" ]] || die "$1 is '$2', not '$3'"
  say "    $1: $2"
}
http() { # http PATH: the body of a GET, from outside of the container
  exec 4<>/dev/tcp/127.0.0.1/9464 || die "nothing listens on port 9464"
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" >&4
  timeout 5 cat <&4
  exec 4<&-
}

# What the kernel holds process 1 of the container to, not what was asked for.
memory_limit() {
  local path
  if path=$(grep -oP '^\d+:memory:\K.*' "/proc/$pid/cgroup"); then
    cat "/sys/fs/cgroup/memory$path/memory.limit_in_bytes"
  else
    cat "/sys/fs/cgroup$(grep -oP '^0::\K.*' "/proc/$pid/cgroup")/memory.max"
  fi
}

remove_containers() {
  quietly timeout 30 "${podman[@]}" rm --force --all --time 1 || true
}
trap remove_containers EXIT

wait_until_healthy() {
  local tries
  for ((tries = 0; tries < 60; ++tries)); do
    # Nothing runs the HEALTHCHECK by itself without systemd; this is the same command, run by podman.
    if quietly timeout 10 "${podman[@]}" healthcheck run "$name"; then return 0; fi
    [[ $("${podman[@]}" inspect --format '{{.State.Running}}' "$name") == true ]] || break
    sleep 0.25
  done
  "${podman[@]}" logs "$name" >&2 || true
  die "the container does not get healthy"
}

ip link set lo up
remove_containers
quietly "${podman[@]}" run --detach --name "$name" "${limits[@]}" "$image"
wait_until_healthy
say "    healthy, by the image's HEALTHCHECK"
pid=$("${podman[@]}" inspect --format '{{.State.Pid}}' "$name")
expect "user" "$(inside id -u)" 65532
expect "program of process 1" "$(inside cat /proc/1/comm)" throngd
expect "capabilities" "$(awk '/^CapEff/ {print $2}' "/proc/$pid/status")" 0000000000000000
expect "no new privileges" "$(awk '/^NoNewPrivs/ {print $2}' "/proc/$pid/status")" 1
expect "memory limit" "$(memory_limit)" $((256 * 1024 * 1024))
if inside sh -c 'echo x >/etc/x' 2>/dev/null; then die "the root file system can be written to"; fi
say "    root file system: read-only"
http /readyz | grep -q "200 OK" || die "/readyz does not answer 200"
http /metrics | grep -q '^throng_build_info' || die "/metrics has no throng_build_info"
say "    /readyz and /metrics answer"

step "a session against the container"
client demo --seconds=3 >>"$THRONG_LOG" 2>&1
http /metrics | grep -E '^throng_(frames_sent|inputs_applied)' | sed 's/^/    /'

step "stop by SIGTERM while a stream is open"
stream_log="$state/stream.log"
client world create held >>"$THRONG_LOG" 2>&1
client watch held >"$stream_log" 2>&1 &
watcher=$!
for ((tries = 0; tries < 100; ++tries)); do
  if grep -q '^world=held' "$stream_log"; then break; fi
  sleep 0.1
done
grep -q '^world=held' "$stream_log" || die "the watcher shows nothing"
expect "open streams" "$(http /metrics | awk '/^throng_streams / {print int($2)}')" 1
began=$(date +%s%N)
quietly timeout 30 "${podman[@]}" stop --time 20 "$name"
millis=$((($(date +%s%N) - began) / 1000000))
wait "$watcher" || true
expect "exit code" "$("${podman[@]}" inspect --format '{{.State.ExitCode}}' "$name")" 0
((millis < 5000)) || die "the stop took $millis ms, more than 5000"
say "    stopped in $millis ms; the watcher, which tried to come back: $(grep '^throng:' "$stream_log" | cut -c1-60)"
"${podman[@]}" logs "$name" 2>&1 | grep -q '"event":"stopped"' || die "the server's log does not end with its stop"
