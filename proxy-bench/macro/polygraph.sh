#!/usr/bin/env bash
# Loligo beside Squid's stores, nginx and Traffic Server under a workload like Web Polygraph's; see
# ../README.md. Builds the load generator and the origin, then hands all arguments to polygraph.py:
# polygraph.sh --help lists them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=build.sh
source "$here/build.sh"
need python3 gcc java
build_programs
exec python3 -B "$here/polygraph.py" --bin "$bin" "$@"
