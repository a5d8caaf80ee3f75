#!/usr/bin/env bash
# Loligo beside Squid's stores, nginx and Traffic Server under a workload like Web Polygraph's; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
run polygraph "" "$@"
