# Sourced by the scripts beside it: `run NAME "PROGRAMS" "$@"` looks for programs, builds those in C, and hands all
# arguments to NAME.py, whose --help lists them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

need() {
  local missing=() program
  for program in "$@"; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null || missing+=("$program")
  done
  if [[ ${#missing[@]} -gt 0 ]]; then
    echo "install first: ${missing[*]}" >&2
    exit 1
  fi
}

run() {
  local script=$1 programs=$2 bin=$here/../target/polygraph name
  shift 2
  # shellcheck disable=SC2086 # a list of words
  need python3 gcc java $programs
  mkdir -p "$bin"
  for name in polyload polyorigin limit rate; do
    gcc -O2 -Wall -Wextra -Wconversion -Werror -o "$bin/$name" "$here/src/$name.c" -lm
  done
  exec python3 -B "$here/$script.py" --bin "$bin" "$@"
}
