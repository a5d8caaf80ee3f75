"""From start to full speed: starts Loligo, loads it at once and without pause, and says when its port
was open, and for each second what it answered and what that cost, compared with what it does in the
end. Prints and writes one Markdown table.
"""

import statistics
import time

import bench
import macro
import server

# The last seconds of each start: full speed.
FINAL_SECONDS = 10
ENOUGH = 0.9


def one_start(row, here, options):
    """Seconds to the open port, then rate and CPU microseconds per request of each second under load."""
    began = time.monotonic()
    with here.fresh("loligo", row.flavour_of("loligo")) as peer:
        opened = time.monotonic() - began
        seconds = []
        for second in range(options.seconds):
            before = peer.cpu()
            done = macro.load(1, options, row, peer, here.origin, f"{second}")
            seconds.append((
                done["requests"] / done["seconds"], (peer.cpu() - before) / max(1, done["requests"]) * 1e6,
            ))
        return opened, seconds


def full_speed(seconds):
    return statistics.median(rate for rate, _ in seconds[-FINAL_SECONDS:])


def seconds_to_full(seconds):
    """Seconds of load before the first that reaches nine tenths of the end."""
    full = full_speed(seconds)
    return next(at for at, (rate, _) in enumerate(seconds) if rate >= ENOUGH * full)


def report(rows, found, options):
    lines = bench.head(
        "Start", options, ["loligo"], f"loligo_event_loops {options.loops}",
        f"{options.starts} starts for each row; loaded by {options.connections} connections from the moment the "
        f"port is open; full speed: median of the last {FINAL_SECONDS} of {options.seconds} s",
    )
    lines += ["", "Median (lowest-highest):", ""]
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
    parser = bench.parser(__doc__, "start", starts=5, seconds=30)
    parser.add_argument("--rows", default="hit-1k,miss-4k", help="of the request rows of run.sh")
    return parser.parse_args()


def main():
    options = server.begun(arguments())
    rows = [macro.row_named(name) for name in server.chosen(options.rows, macro.ROWS, "rows")]
    found = {row.name: [] for row in rows}
    with bench.running("start", options) as here:
        for number in range(options.starts):
            for row in rows:
                opened, seconds = one_start(row, here, options)
                found[row.name].append((opened, seconds))
                server.say(f"start {number + 1} {row.name}: port after {opened:.2f} s, "
                           f"nine tenths after {seconds_to_full(seconds)} s")
    server.write_results(report(rows, found, options), options, "start")


if __name__ == "__main__":
    main()
