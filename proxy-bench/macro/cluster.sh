#!/usr/bin/env bash
# What a hit at another node of a cluster costs, and what purge mode costs a hit; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run cluster "nginx openssl" "$@"
