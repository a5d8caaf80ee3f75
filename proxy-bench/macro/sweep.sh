#!/usr/bin/env bash
# Memory hits at steady rates; see ../README.md. All arguments go to sweep.py: sweep.sh --help
# lists them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=build.sh
source "$here/build.sh"
need python3 gcc wrk nginx java
build_programs
exec python3 -B "$here/sweep.py" --bin "$bin" "$@"
