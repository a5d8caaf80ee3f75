"""What a request costs after a short and after a long warm-up. Each figure is of a process that was started for it,
with nothing stored. Prints and writes one Markdown table; fails where a target is missed.
"""

import argparse
import dataclasses

import bench
import macro
import server
from peers import TITLES

MEMORY, DISK = macro.row_named("miss-4k"), macro.row_named("miss-4k-disk")


@dataclasses.dataclass(frozen=True)
class Target:
    """A row's CPU per request over that of another row or peer."""

    title: str
    row: macro.Row
    over_row: macro.Row
    over_peer: str
    most: float


TARGETS = [
    Target("miss with disk / without", DISK, MEMORY, "loligo", 1.25),
    Target("miss with disk / Traffic Server's", DISK, DISK, "trafficserver", 0.7),
]


def measure(rows, names, here, options):
    """Results by row, peer and seconds of warm-up."""
    found = {}
    for number in range(options.rounds):
        for warmup in options.warmups:
            for row in rows:
                for name in [name for name in names if name in row.peers & (row.targets | {"loligo"})]:
                    with here.fresh(name, row.flavour_of(name)) as peer:
                        warm = argparse.Namespace(**{**vars(options), "warmup": warmup})
                        result = macro.run_requests(row, peer, here.origin, warm, f"r{number}")
                    found.setdefault((row.name, name, warmup), []).append(result)
                    server.say(f"round {number + 1} {row.name} {name} after {warmup} s: {result['cpu']:.1f} us")
    return found


def ratio(found, target, warmup):
    """None where one of the two was not measured."""
    ours = found.get((target.row.name, "loligo", warmup))
    theirs = found.get((target.over_row.name, target.over_peer, warmup))
    return macro.median(ours, "cpu") / macro.median(theirs, "cpu") if ours and theirs else None


def ratios(found, options):
    return [(target, warmup, ratio(found, target, warmup)) for target in TARGETS for warmup in options.warmups]


def report(found, rows, names, options):
    lines = bench.head(
        "Warm-up", options, names,
        f"{options.rounds} rounds, the peers in turn; each measurement of {options.duration} s is of a process started for it, "
        f"after {' or '.join(map(str, options.warmups))} s of the same load; {options.connections} connections; access logs off; "
        "one thread or worker each",
    )
    lines += ["", "CPU microseconds per request: median (lowest-highest).", ""]
    lines += server.table(["row", "warm-up s", *[TITLES.get(name, name) for name in names]], [
        [row.title, str(warmup), *[macro.cell(found.get((row.name, name, warmup)), "cpu", 1) for name in names]]
        for row in rows for warmup in options.warmups
    ])
    lines += ["", "(!): errors, or the origin was asked less often than misses need.", "", "CPU per request, ratios:", ""]
    lines += server.table(["ratio", "warm-up s", "measured", "target", "met"], [
        [target.title, str(warmup), "-" if value is None else f"{value:.2f}", f"<= {target.most}",
         "not run" if value is None else "yes" if value <= target.most else "no"]
        for target, warmup, value in ratios(found, options)
    ])
    return "\n".join(lines) + "\n"


def arguments():
    parser = bench.parser(__doc__, "warm", peers="loligo,nginx,trafficserver", rounds=3, duration=10)
    parser.add_argument("--rows", default="miss-4k,miss-4k-disk", help="of the request rows of run.sh")
    parser.add_argument("--warmups", default="20,120", help="seconds")
    options = parser.parse_args()
    options.warmups = [int(seconds) for seconds in options.warmups.split(",")]
    return options


def main():
    options = server.begun(arguments())
    rows = [macro.row_named(name) for name in server.chosen(options.rows, macro.ROWS, "rows")]
    names = bench.peers_there(options.peers, options)
    with bench.running("warm", options) as here:
        found = measure(rows, names, here, options)
    server.write_results(report(found, rows, names, options), options, "warm")
    missed = [f"{target.title} after {warmup} s: {value:.2f} (expected: at most {target.most})"
              for target, warmup, value in ratios(found, options) if value is not None and value > target.most]
    if missed:
        raise server.Failed("\n".join(missed))


if __name__ == "__main__":
    main()
