#!/usr/bin/env bash
# What watching costs a memory hit: an older jar and this one in turn; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run watching "nginx" "$@"
