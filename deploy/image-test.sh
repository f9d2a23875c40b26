#!/usr/bin/env bash
# Builds the image of the Dockerfile and runs it for real, without a container engine: as another user, read-only, without
# capabilities, with a memory limit, in a network namespace of its own; then a session, and SIGTERM while a stream is
# open. Needs root and the packages of deploy/packages/image.txt; says so and ends well where they are not. See --help.
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
  cat <<'TEXT'
usage: deploy/image-test.sh [options]

Builds and runs the image as its users would, and checks: user, read-only root, memory limit, health, metrics, a
session, drain with an open stream and exit code 0, nothing to compile with inside. Talks to loopback only, but for the
packages that the build installs from this machine's own sources.

  --require      fail where a tool is missing (else: a notice and exit code 0)
  --clean        remove all that it built, in the end; else base and layers stay in build/image for the next time
  -h, --help     this text
TEXT
}

require=0
clean=0
for argument in "$@"; do
  case $argument in
    --require) require=1 ;;
    --clean) clean=1 ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "unknown option '$argument' (see --help)" ;;
  esac
done

state="$THRONG_ROOT/build/image"
base=docker.io/library/debian:bookworm-slim
image=localhost/throng:test
codename=bookworm
# A store of our own, so that nothing of the machine's images and containers is touched.
store=(--root "$state/storage" --runroot "$state/run" --storage-driver overlay)

missing_tools() {
  local tool
  [[ $(id -u) == 0 ]] || printf 'root '
  for tool in buildah podman debootstrap runc ip unshare; do
    command -v "$tool" >/dev/null || printf '%s ' "$tool"
  done
  [[ -n $(machine_sources) ]] || printf 'sources-of-Debian-%s ' "$codename"
}

# The machine's own package sources for the base's release, as lines of a sources.list.
machine_sources() {
  # shellcheck disable=SC2016  # apt-get fills these in
  { apt-get indextargets --format '$(CREATED_BY) $(CODENAME) $(REPO_URI) $(COMPONENT)' 2>/dev/null || true; } |
    awk -v name="$codename" '$1 == "Packages" && index($2, name) == 1 && $3 ~ /debian/ {print "deb", $3, $2, $4}' |
    sort -u
}

make_base() {
  step "make the base image with debootstrap"
  local folder="$state/base" mirror
  mirror=$(machine_sources | awk -v name="$codename" '$3 == name {print $2; exit}')
  rm -rf "$folder"
  run timeout 300 debootstrap --variant=minbase "$codename" "$folder" "$mirror"
  # Like the published base: no package archives, no lists, no manuals; and nothing that names this machine's sources.
  rm -rf "$folder"/var/cache/apt/* "$folder"/var/lib/apt/lists/* "$folder"/var/log/* "$folder"/usr/share/doc/* \
    "$folder"/usr/share/man/* "$folder"/usr/share/locale/* "$folder"/debootstrap
  : >"$folder/etc/apt/sources.list"
  local container
  container=$(buildah "${store[@]}" from scratch)
  run buildah "${store[@]}" copy "$container" "$folder" /
  run buildah "${store[@]}" config --cmd '["bash"]' "$container"
  run buildah "${store[@]}" commit --rm "$container" "$base"
  rm -rf "$folder"
}

# The machine's apt configuration goes in as read-only volumes: neither Dockerfile nor image names it.
build_image() {
  local apt="$state/apt" file
  rm -rf "$apt"
  mkdir -p "$apt/sources" "$apt/conf"
  machine_sources >"$apt/sources/machine.list"
  for file in /etc/apt/apt.conf.d/*; do
    if grep -qE '^[[:space:]]*Acquire::' "$file"; then cp "$file" "$apt/conf/"; fi
  done
  step "build the image (log: ${THRONG_LOG#"$THRONG_ROOT"/})"
  run timeout 1500 buildah "${store[@]}" bud --isolation chroot --format docker --layers --pull-never \
    --volume "$apt/sources:/etc/apt/sources.list.d:ro" --volume "$apt/conf:/etc/apt/apt.conf.d:ro" \
    --build-arg "THRONG_COMMIT=$(git -C "$THRONG_ROOT" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)" \
    --build-arg "JOBS=$(build_jobs)" --tag "$image" "$THRONG_ROOT"
}

check_contents() {
  step "look into the image: nothing to compile with, no machine's sources"
  local root found size
  size=$(podman "${store[@]}" image inspect --format '{{.Size}}' "$image")
  say "    size: $((size / 1000000)) MB"
  root=$(podman "${store[@]}" image mount "$image")
  found=$(find "$root/usr/bin" "$root/usr/local/bin" "$root/usr/lib" -regextype posix-extended -regex \
    '.*/((x86_64-linux-gnu-|aarch64-linux-gnu-)?(gcc|g\+\+|cc|c\+\+|cpp|ld|as|ar)(-[0-9]+)?|cc1(plus)?|clang.*|cmake|ninja|make|protoc|[^/]*\.a)' \
    -print)
  if [[ -d $root/usr/include ]]; then found+=$(find "$root/usr/include" -name '*.h'); fi
  found+=$(find "$root/etc/apt" -type f -name '*.list' -size +0 -print)
  podman "${store[@]}" image umount "$image" >>"$THRONG_LOG" 2>&1
  [[ -z $found ]] || die "the image holds what it should not: $found"
}

clean_up() {
  umount -R "$state/storage/overlay" >/dev/null 2>&1 || true
  if ((clean)); then rm -rf "$state"; fi
}

absent=$(missing_tools)
if [[ -n $absent ]]; then
  say "notice: the image was not tested; missing here: $absent"
  exit "$require"
fi

start_log image-test
mkdir -p "$state"
trap clean_up EXIT
if ! buildah "${store[@]}" inspect --type image "$base" >/dev/null 2>&1; then make_base; fi
build_image
check_contents
step "run the image in a network namespace of its own"
export THRONG_LOG state image
timeout 180 unshare --net "$THRONG_ROOT/deploy/image-run.sh" </dev/null
say "the image is fine"
