#!/usr/bin/env bash
# Loligo beside its peers on one machine; see ../README.md. All arguments go to
# macro.py: run.sh --help lists them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=build.sh
source "$here/build.sh"
need python3 gcc wrk curl nginx java
build_programs
exec python3 -B "$here/macro.py" --bin "$bin" "$@"
