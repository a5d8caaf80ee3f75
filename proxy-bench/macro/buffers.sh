#!/usr/bin/env bash
# Streams through stream buffers of several sizes; see ../README.md. All arguments go to buffers.py:
# buffers.sh --help lists them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=build.sh
source "$here/build.sh"
need python3 gcc wrk curl nginx java
build_programs
exec python3 -B "$here/buffers.py" --bin "$bin" "$@"
