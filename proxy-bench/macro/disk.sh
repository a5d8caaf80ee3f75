#!/usr/bin/env bash
# What a stalled disk does to memory hits, what cold reads cost, and restarts; see ../README.md. The first
# needs root: this script moves into a mount namespace of its own, so that its file system is seen nowhere else.
if [[ -z ${DISK_NAMESPACE:-} && $(id -u) -eq 0 ]] && unshare --mount true 2>/dev/null; then
  DISK_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run disk "" "$@"
