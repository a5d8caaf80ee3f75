"""Memory hits at steady rates, from a tenth of what the closed loop reaches to all of it: CPU against
rate, and latencies from the moment a request was due. Prints and writes one Markdown table.
"""

import os
import statistics
import subprocess
import time

import bench
import macro
import server
from peers import TITLES

TENTHS = range(1, 11)
HALF = 5
# What p99.9 at half load shall be below.
TARGET_MICROS = 5000


def at_rate(peer, row, rate, options, content=()):
    """
    One run of rate.c; what could not be answered within ten seconds of its end is an error, as is an
    answer that is not what the file `content` names holds.
    """
    before, stolen = peer.cpu(), server.stolen_seconds()
    output = subprocess.run(
        [str(options.bin / "rate"), *map(str, (
            peer.port, options.connections, options.duration, rate, row.size, row.urls, *content))],
        check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    ).stdout
    cpu, stolen = peer.cpu() - before, server.stolen_seconds() - stolen
    done, nanos, errors, p50, p99, p999, longest, hits = map(int, output.split())
    return {
        "rate": done / nanos * 1e9, "cores": cpu / nanos * 1e9, "errors": errors, "p50": p50, "p99": p99,
        "p999": p999, "longest": longest, "hits": hits, "stolen": stolen / nanos * 1e9 / os.cpu_count(),
    }


def closed_loop(peer, row, origin, options):
    """Warms up; requests per second that it answers at most."""
    macro.check_bodies(row, peer, origin, "s")
    macro.load(options.warmup, options, row, peer, origin, "w")
    most = macro.load(options.duration, options, row, peer, origin, "m")
    return most["requests"] / most["seconds"]


def measure(peers, row, origin, log, options):
    """Results by peer and tenth, and microseconds of each pause of Loligo's JVM at half load."""
    found, pauses = {}, []
    most = {}
    for peer in peers:
        most[peer] = closed_loop(peer, row, origin, options)
        for tenth in TENTHS:
            if tenth != HALF:
                found[(peer.peer, tenth)] = [at_rate(peer, row, most[peer] * tenth / 10, options)]
                server.say(f"{peer.peer} {tenth}0 %: {found[(peer.peer, tenth)][-1]}")
    for _ in range(options.rounds):
        for peer in peers:
            started = time.time()
            result = at_rate(peer, row, most[peer] * HALF / 10, options)
            found.setdefault((peer.peer, HALF), []).append(result)
            server.say(f"{peer.peer} half: {result}")
            if peer.peer == "loligo":
                pauses += server.safepoints(log, "Total", started, time.time())
    return found, pauses


def regression(points):
    """Slope, value at 0, and coefficient of correlation of CPU on rate."""
    rates, cores = zip(*points)
    line = statistics.linear_regression(rates, cores)
    return line.slope, line.intercept, statistics.correlation(rates, cores)


def middle(results, key):
    return statistics.median(result[key] for result in results)


def report(found, pauses, peers, row, options):
    lines = bench.head(
        "Load sweep", options, peers,
        f"{row.title}, {options.connections} keep-alive connections, {row.urls:,} URLs; each rate for "
        f"{options.duration} s after {options.warmup} s of warm-up; access logs off; one thread or worker each",
        f"a request is due at its place in the schedule and its latency counts from there; half load was "
        f"taken {options.rounds} times, the peers in turn, medians",
    )
    lines += ["", "CPU of the process tree regressed on rate, over all ten rates:", ""]
    rows = []
    for peer in peers:
        slope, idle, r = regression([
            (result["rate"], result["cores"]) for tenth in TENTHS for result in found[(peer, tenth)]
        ])
        rows.append([TITLES.get(peer, peer), f"{slope * 1e6:.1f}", f"{idle * 100:.1f}", f"{r:.3f}"])
    lines += server.table(["", "us for each request more", "percent of a core at none", "r"], rows)
    lines += [
        "", "Latency at half load in ms; the last columns: of the machine's CPU what a hypervisor gave to others "
        "meanwhile, in percent, and p99.9 of the half of the rounds in which that was least:", "",
    ]
    rows = []
    for peer in peers:
        half = found[(peer, HALF)]
        quiet = sorted(half, key=lambda one: one["stolen"])[:(len(half) + 1) // 2]
        longest = f"{middle(half, 'p999') / 1000:.2f} ({min(one['p999'] for one in half) / 1000:.2f}" \
            f"-{max(one['p999'] for one in half) / 1000:.2f})"
        rows.append([
            TITLES.get(peer, peer), f"{middle(half, 'rate'):,.0f}", f"{middle(half, 'p50') / 1000:.2f}",
            f"{middle(half, 'p99') / 1000:.2f}", longest, f"{middle(half, 'longest') / 1000:.1f}",
            f"{middle(half, 'stolen') * 100:.1f}", f"{middle(quiet, 'p999') / 1000:.2f}",
        ])
    lines += server.table(["", "requests per s", "p50", "p99", "p99.9", "longest", "stolen", "p99.9, quieter half"], rows)
    if pauses:
        span = options.rounds * options.duration
        long = [pause for pause in pauses if pause > TARGET_MICROS]
        lines += [
            "", f"Pauses of Loligo's JVM meanwhile, by its own log: {len(pauses)} in {span} s, median "
            f"{statistics.median(pauses) / 1000:.2f} ms, longest {pauses[-1] / 1000:.2f} ms, together "
            f"{sum(pauses) / 10_000 / span:.3f} % of the time; above {TARGET_MICROS // 1000} ms {len(long)}, "
            f"{sum(long) / 10_000 / span:.3f} %.",
        ]
    lines += ["", "All rates (of the closed loop's): requests per s, percent of a core, p99.9 in ms.", ""]
    lines += server.table(["", *[TITLES.get(peer, peer) for peer in peers]], [
        [f"{tenth}0 %", *[
            f"{middle(one, 'rate'):,.0f}, {middle(one, 'cores') * 100:.0f}, {middle(one, 'p999') / 1000:.2f}"
            + (" (!)" if any(result["errors"] for result in one) else "")
            for one in (found[(peer, tenth)] for peer in peers)]]
        for tenth in TENTHS
    ])
    return "\n".join(lines) + "\n"


def arguments():
    parser = bench.parser(
        __doc__, "sweep", peers="limit,loligo,haproxy,nginx,trafficserver", rounds=7, duration=5, warmup=30
    )
    parser.add_argument("--row", default="hit-4k", choices=["hit-1k", "hit-4k", "hit-64k"])
    return parser.parse_args()


def main():
    options = server.begun(arguments())
    names = bench.peers_there(options.peers, options)
    row = macro.row_named(options.row)
    flags = options.java_flags
    with bench.running("sweep", options) as here:
        log = here.scratch / "safepoints.log"
        options.java_flags = f"{flags} {server.log_safepoints(log)}".strip()
        peers = [here.start(name, row.flavour_of(name)) for name in names]
        found, pauses = measure(peers, row, here.origin, log, options)
    options.java_flags = f"{flags} {server.log_safepoints(log.name)}".strip()
    server.write_results(report(found, sorted(pauses), names, row, options), options, "sweep")


if __name__ == "__main__":
    main()
