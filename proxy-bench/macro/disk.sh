#!/usr/bin/env bash
# What a stalled disk does to memory hits, and what cold reads cost; see ../README.md. The first needs
# root: this script moves into a mount namespace of its own, so that its file system is seen nowhere
# else. All arguments go to disk.py: disk.sh --help lists them.
set -euo pipefail
if [[ -z ${DISK_NAMESPACE:-} && $(id -u) -eq 0 ]] && unshare --mount true 2>/dev/null; then
  DISK_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=build.sh
source "$here/build.sh"
need python3 gcc java
build_programs
exec python3 -B "$here/disk.py" --bin "$bin" "$@"
