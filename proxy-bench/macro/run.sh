#!/usr/bin/env bash
# Loligo beside Squid, nginx and HAProxy on one machine; see ../README.md. All arguments go to
# macro.py: run.sh --help lists them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
missing=()
for program in python3 wrk curl nginx java; do
  PATH="$PATH:/usr/sbin" command -v "$program" >/dev/null || missing+=("$program")
done
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "install first: ${missing[*]}" >&2
  exit 1
fi
exec python3 -B "$here/macro.py" "$@"
