#!/usr/bin/env bash
# Where the CPU goes; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run profile "wrk nginx" "$@"
