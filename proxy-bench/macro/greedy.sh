#!/usr/bin/env bash
# What greedy clients do to others' memory hits; see ../README.md. All arguments go to greedy.py:
# greedy.sh --help lists them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=build.sh
source "$here/build.sh"
need python3 gcc wrk nginx java
build_programs
exec python3 -B "$here/greedy.py" --bin "$bin" "$@"
