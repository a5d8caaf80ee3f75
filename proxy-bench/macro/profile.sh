#!/usr/bin/env bash
# Where the CPU goes; see ../README.md. All arguments go to profile.py: profile.sh --help lists
# them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=build.sh
source "$here/build.sh"
need python3 gcc wrk nginx java
build_programs
exec python3 -B "$here/profile.py" --bin "$bin" "$@"
