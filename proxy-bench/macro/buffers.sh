#!/usr/bin/env bash
# Streams through stream buffers of several sizes; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run buffers "wrk curl nginx" "$@"
