#!/usr/bin/env bash
# What a login costs a memory hit; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run login "nginx openssl" "$@"
