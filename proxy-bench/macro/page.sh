#!/usr/bin/env bash
# Does the live page keep up with a proxy at full speed? See ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run page "nginx h2load chromium-headless-shell" "$@"
