#!/usr/bin/env bash
# Memory of a stored object beyond its content, beside the peers; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run objects "nginx" "$@"
