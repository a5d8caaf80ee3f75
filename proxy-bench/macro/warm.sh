#!/usr/bin/env bash
# What a miss costs after a short and after a long warm-up; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run warm "wrk nginx" "$@"
