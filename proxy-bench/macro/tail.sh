#!/usr/bin/env bash
# The slowest misses, and the pauses of the JVM, with several JVMs and flags; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run tail "wrk nginx" "$@"
