#!/usr/bin/env bash
# Memory hits asked for by ab, with and without keep-alive; see ../README.md. All arguments go to
# ab.py: ab.sh --help lists them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=build.sh
source "$here/build.sh"
need python3 gcc wrk ab nginx java
build_programs
exec python3 -B "$here/ab.py" --bin "$bin" "$@"
