#!/usr/bin/env bash
# CPU of the first transactions after a start, with several JVMs and flags; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run first "" "$@"
