"""From start to full speed: starts Loligo, loads it at once and without pause, and says when its port
was open, and for each second what it answered and what that cost, compared with what it does in the
end. Prints and writes one Markdown table.
"""

import argparse
import pathlib
import statistics
import sys
import time

import macro
import server
from peers import Peer

# The last seconds of each start: full speed.
FINAL_SECONDS = 10
ENOUGH = 0.9


def one_start(row, origin, scratch, memory, options):
    """Seconds to the open port, then rate and CPU microseconds per request of each second under load."""
    peer = Peer("loligo", row.flavour_of("loligo"), scratch, memory, origin.port, options)
    began = time.monotonic()
    try:
        peer.start()
        opened = time.monotonic() - began
        seconds = []
        for second in range(options.seconds):
            before = peer.cpu()
            done = macro.wrk(1, options, row, peer, origin, f"{second}")
            seconds.append((
                done["requests"] / done["seconds"], (peer.cpu() - before) / max(1, done["requests"]) * 1e6,
            ))
        return opened, seconds
    finally:
        peer.discard()


def full_speed(seconds):
    return statistics.median(rate for rate, _ in seconds[-FINAL_SECONDS:])


def seconds_to_full(seconds):
    """Seconds of load before the first that reaches nine tenths of the end."""
    full = full_speed(seconds)
    return next(at for at, (rate, _) in enumerate(seconds) if rate >= ENOUGH * full)


def report(rows, found, options):
    lines = [
        f"# Start, {options.started:%Y-%m-%d %H:%M} UTC", "", *server.machine(options),
        f"- loligo: {server.version('loligo', options)}, loligo_event_loops {options.loops}",
        f"- {options.starts} starts for each row; loaded by {options.connections} connections from the moment the "
        f"port is open; full speed: median of the last {FINAL_SECONDS} of {options.seconds} s",
        "", "Median (lowest-highest):", "",
    ]
    lines += server.table(
        ["row", "port open after s", f"{ENOUGH} of full speed after s of load", "full speed, requests per s",
         "CPU us per request then"],
        [[
            row.title,
            server.spread([opened for opened, _ in starts], ".2f"),
            server.spread([seconds_to_full(seconds) for _, seconds in starts], ".0f"),
            server.spread([full_speed(seconds) for _, seconds in starts], ",.0f"),
            server.spread([statistics.median(cpu for _, cpu in seconds[-FINAL_SECONDS:]) for _, seconds in starts], ".1f"),
        ] for row, starts in ((row, found[row.name]) for row in rows)],
    )
    lines += ["", "Each second of load: part of that start's full speed, and CPU us per request; medians.", ""]
    lines += server.table(["second", *[row.title for row in rows]], [
        [str(second + 1), *[
            f"{statistics.median(one[second][0] / full_speed(one) for _, one in found[row.name]):.2f}, "
            f"{statistics.median(one[second][1] for _, one in found[row.name]):,.0f}"
            for row in rows
        ]] for second in range(options.seconds)
    ])
    return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="hit-1k,miss-4k", help="of the request rows of run.sh")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=30, help="of load")
    server.load_arguments(parser)
    parser.add_argument("--out", type=pathlib.Path, help="default: results/DATE-start.md; - prints only")
    return parser.parse_args()


def main():
    options = server.begun(arguments())
    rows = [macro.row_named(name) for name in options.rows.split(",")]
    found = {row.name: [] for row in rows}
    with server.folders("start") as (scratch, memory):
        origin = macro.make_origin(scratch, 1)
        try:
            origin.start()
            for number in range(options.starts):
                for row in rows:
                    found[row.name].append(one_start(row, origin, scratch, memory, options))
                    print(f"start {number + 1} {row.name}: port after {found[row.name][-1][0]:.2f} s, "
                          f"nine tenths after {seconds_to_full(found[row.name][-1][1])} s", file=sys.stderr)
        finally:
            origin.stop()
    server.write_results(report(rows, found, options), options, "start")


if __name__ == "__main__":
    main()
