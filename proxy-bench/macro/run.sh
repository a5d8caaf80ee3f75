#!/usr/bin/env bash
# Loligo beside its peers on one machine; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run macro "wrk curl nginx" "$@"
