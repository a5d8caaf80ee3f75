#!/usr/bin/env bash
# Memory hits at steady rates; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run sweep "wrk nginx" "$@"
