#!/usr/bin/env bash
# Memory hits asked for by ab, with and without keep-alive; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run ab "wrk ab nginx" "$@"
