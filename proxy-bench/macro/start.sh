#!/usr/bin/env bash
# From start to full speed; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run start "wrk nginx" "$@"
