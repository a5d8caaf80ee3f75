#!/usr/bin/env bash
# What greedy clients do to others' memory hits; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run greedy "wrk nginx" "$@"
