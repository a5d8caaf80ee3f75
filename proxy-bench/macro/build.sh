# Sourced by the scripts beside it: looks for programs, and builds the C programs into `bin`.

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

build_programs() {
  bin=$here/../target/polygraph
  mkdir -p "$bin"
  local name
  for name in polyload polyorigin limit rate; do
    gcc -O2 -Wall -Wextra -Wconversion -Werror -o "$bin/$name" "$here/src/$name.c" -lm
  done
}
