#!/usr/bin/env bash
# JMH benchmarks of the parser, of copies, and of the disk tier; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
need python3 java
exec python3 -B "$here/jmh.py" "$@"
