#!/usr/bin/env bash
# From start to full speed; see ../README.md. All arguments go to start.py: start.sh --help lists
# them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=build.sh
source "$here/build.sh"
need python3 gcc wrk nginx java
build_programs
exec python3 -B "$here/start.py" --bin "$bin" "$@"
