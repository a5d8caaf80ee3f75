#!/usr/bin/env bash
# Where the CPU goes, by async-profiler, which Maven brings; see ../README.md.
# shellcheck source=build.sh
source "$(dirname "$0")/build.sh"
if [[ ! -d $here/../target/profiler && " $* " != *" --help "* ]]; then
  need mvn
  mvn -q -f "$here/../../pom.xml" -pl proxy-bench dependency:unpack@profiler
fi
run profile "wrk nginx" "$@"
