"""The slowest of misses that are stored in memory: latencies up to the longest, CPU, and the pauses of the JVM, for Loligo
with several JVMs and flags and for its peers. Each figure is of a process of its own, which may have stored many small
objects before. Prints and writes one Markdown table.

wrk, which asks in a closed loop, adds to its latencies those of the requests that a late response kept it from sending, so a
pause of 50 ms counts as many late requests, not as one for each connection. (h2load, for rows of HTTP/2, does not.)

  tail.py --jdks /path/of/17/bin/java,/path/of/25/bin/java --flags= --flags="-Xmx512m" --flags="25:-XX:+UseZGC -Xmx1g"
"""

import copy
import dataclasses
import re
import statistics
import subprocess

import bench
import http2
import macro
import server
from bench import SIZES
from peers import TITLES, room_for

STORED_SIZE = "128b"
STORES_NONE = {"limit", "nginx"}  # a million files take some gigabytes of memory


@dataclasses.dataclass(frozen=True)
class Contender:
    """A peer; of Loligo also a JVM and its flags."""

    title: str
    peer: str
    java: str = ""
    flags: str = ""


def jdk_of(java):
    """The number of its feature release."""
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    return re.search(r'version "(\d+)', told).group(1)


def contenders(names, options):
    """Loligo with each JVM and the flags that are for it, and the peers as they are."""
    found = []
    for name in names:
        if name != "loligo":
            found.append(Contender(TITLES.get(name, name), name))
            continue
        for java in options.jdks.split(","):
            jdk = jdk_of(java)
            for flags in options.flags or [options.java_flags]:
                wanted = re.match(r"(\d+):", flags)
                if not wanted or wanted.group(1) == jdk:
                    flags = flags.removeprefix(f"{jdk}:").strip()
                    found.append(Contender(f"Loligo, JDK {jdk}, {flags or 'no flags'}", name, java, flags))
    return found


def measure(contender, row, count, here, options):
    """A figure of a process that has stored so many small objects before."""
    own = copy.copy(options)
    pauses = here.scratch / "safepoints.log"
    pauses.unlink(missing_ok=True)
    if contender.java:
        own.java, own.java_flags = contender.java, f"{contender.flags} {server.log_safepoints(pauses)}".strip()
    room = room_for(contender.peer, count, SIZES[STORED_SIZE]) if count else None
    with here.fresh(contender.peer, row.flavour_of(contender.peer), own, room) as peer:
        if count:
            bench.ask_all(peer, here.origin, STORED_SIZE, count, options)
        result = macro.run_requests(row, peer, here.origin, options, "t")
        result["pss"] = server.pss_bytes(peer.process.pid) / 2**20
        if contender.java:
            millis = [micros / 1000 for micros in server.safepoints(pauses, "Total", result["since"], result["until"])]
            result.update(pauses=len(millis), pause=max(millis, default=0), paused=sum(millis))
            result["entries"] = peer.metrics()["loligo_store_entries"]
    return result


def run(rivals, rows, here, options):
    """Results by row, number of objects stored before, and title."""
    found = {}
    for number in range(options.rounds):
        for row in rows:
            for count in options.stored:
                for one in [one for one in rivals if one.peer in row.peers and not (count and one.peer in STORES_NONE)]:
                    result = measure(one, row, count, here, options)
                    found.setdefault((row.name, count), {}).setdefault(one.title, []).append(result)
                    server.say(f"round {number + 1} {row.name}, {count:,} stored, {one.title}: {result['cpu']:.1f} us, "
                               f"p99 {result['p99'] / 1000:.2f} ms")
    return found


COLUMNS = [  # title, key, divisor, digits, whether with lowest and highest
    ("CPU us", "cpu", 1, 1, True), ("p50 ms", "p50", 1000, 2, False), ("p99 ms", "p99", 1000, 2, True),
    ("p99.9 ms", "p999", 1000, 1, True), ("longest ms", "longest", 1000, 1, True), ("requests/s", "rate", 1, 0, False),
    ("pauses", "pauses", 1, 0, False), ("longest pause ms", "pause", 1, 1, True), ("all pauses ms", "paused", 1, 0, False),
    ("PSS MB", "pss", 1, 0, False), ("stored at the end", "entries", 1, 0, False),
]


def cell(results, key, divisor, digits, whole):
    if key not in results[0]:
        return "-"
    odd = " (!)" if key == "cpu" and any(one["odd"] for one in results) else ""
    values, form = [one[key] / divisor for one in results], f",.{digits}f"
    return (server.spread(values, form) if whole else f"{statistics.median(values):{form}}") + odd


def report(found, rows, names, options):
    lines = bench.head(
        "The slowest misses", options, names,
        f"{options.rounds} rounds in turn; each measurement of {options.duration} s is of a process started for it, after "
        f"{options.warmup} s of the same load; {options.connections} connections of wrk in a closed loop (HTTP/2: "
        f"{http2.CONNECTIONS} of h2load with {http2.STREAMS} streams); access logs off; one loop, thread or worker each",
        "latencies of wrk include those of requests that a late response kept it from sending; pauses: all safepoints of the JVM",
    )
    for row in rows:
        for count in [count for count in options.stored if (row.name, count) in found]:
            lines += ["", f"## {row.title}; {count:,} objects of {SIZES[STORED_SIZE]} bytes stored before", "",
                      "Median, and lowest to highest.", ""]
            lines += server.table(["", *[title for title, *_ in COLUMNS], "p99 / HAProxy's"], [
                [title, *[cell(results, *column) for _, *column in COLUMNS], ratio(found[row.name, count], title)]
                for title, results in found[row.name, count].items()
            ])
    lines += ["", "(!): errors, or the origin was asked less often than misses need."]
    return "\n".join(lines) + "\n"


def ratio(results, title):
    theirs = results.get("haproxy")
    return f"{macro.median(results[title], 'p99') / macro.median(theirs, 'p99'):.2f}" if theirs else "-"


def main():
    parser = bench.parser(__doc__, "tail", peers="loligo,haproxy,trafficserver,nginx", rounds=3, duration=20, warmup=20)
    parser.add_argument("--rows", default="miss-4k", help="of the request rows of run.sh")
    parser.add_argument("--stored", default="0", help="numbers of small objects stored before, 0,1000000 for both")
    parser.add_argument("--jdks", help="java programs for Loligo; default: that of --java")
    parser.add_argument("--flags", action="append", help="of a JVM; NUMBER: before them is the only JDK that gets them; may be given "
                        "again. A lower -Xmx needs -XX:MaxDirectMemorySize")
    options = parser.parse_args()
    options.jdks = options.jdks or options.java
    options.stored = [int(count) for count in options.stored.split(",")]
    server.begun(options)
    rows = [macro.row_named(name) for name in server.chosen(options.rows, macro.ROWS, "rows")]
    names = bench.peers_there(options.peers, options)
    with bench.running("tail", options) as here:
        found = run(contenders(names, options), rows, here, options)
    server.write_results(report(found, rows, names, options), options, "tail")


if __name__ == "__main__":
    main()
