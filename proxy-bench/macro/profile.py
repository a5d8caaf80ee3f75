"""Where the CPU of Loligo goes, by what it is spent on: async-profiler while a row of macro.py runs.
Writes a Markdown table and a flame graph for each row.
"""

import argparse
import pathlib
import platform
import sys

import flame
import macro
import server
from peers import Peer

FLAGS = "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints"


def library():
    folder = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[platform.machine()]
    return server.TREE / "proxy-bench/target/profiler" / folder / "libasyncProfiler.so"


def profile(row, origin, scratch, memory, options):
    """CPU per request before, and the stacks of a measurement like it."""
    peer = Peer("loligo", row.flavour_of("loligo"), scratch, memory, origin.port, options)
    stacks = scratch / f"{row.name}.txt"
    try:
        peer.start()
        macro.check_bodies(row, peer, origin, "p")
        macro.wrk(options.warmup, options, row, peer, origin, "w")
        before = peer.cpu()
        result = macro.wrk(options.duration, options, row, peer, origin, "m")
        micros = (peer.cpu() - before) / result["requests"] * 1e6
        command = f"event=cpu,interval={options.interval}us,threads,file={stacks}"
        peer.jcmd("JVMTI.agent_load", str(library()), f'"start,{command}"')
        macro.wrk(options.duration, options, row, peer, origin, "s")
        peer.jcmd("JVMTI.agent_load", str(library()), f'"stop,collapsed,{command}"')
    finally:
        peer.discard()
    return micros, flame.read(stacks)


def report(found, options):
    shares = {name: flame.shares(stacks) for name, (_, stacks) in found.items()}
    rows = [macro.row_named(name) for name in found]
    lines = [
        f"# Where the CPU goes, {options.started:%Y-%m-%d %H:%M} UTC", "", *server.machine(options),
        f"- {options.connections} connections, {options.duration} s after {options.warmup} s of warm-up each, "
        f"a sample every {options.interval} us of CPU; access logs off; loligo_event_loops {options.loops}",
        "- us per request were taken just before, without the profiler; shares are of all threads of the process",
        "", "CPU microseconds per request:", "",
    ]
    body = [["**all**", *[f"**{found[row.name][0]:.1f}**" for row in rows]]]
    for name in flame.COLOURS:
        if any(shares[row.name].get(name) for row in rows):
            body.append([name, *[
                f"{found[row.name][0] * shares[row.name].get(name, 0):.2f} ({shares[row.name].get(name, 0):.1%})"
                for row in rows
            ]])
    return "\n".join([*lines, *server.table(["", *[row.title for row in rows]], body)]) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    rows = [row.name for row in macro.ALL_ROWS if row.kind in ("hit", "miss", "revalidate")]
    parser.add_argument("--rows", default="hit-1k,hit-64k,miss-4k,miss-4k-disk", help="of " + ",".join(rows))
    parser.add_argument("--duration", type=int, default=15, help="seconds of each profile")
    parser.add_argument("--warmup", type=int, default=60)
    parser.add_argument("--interval", type=int, default=500, help="microseconds of CPU between samples")
    server.load_arguments(parser)
    parser.set_defaults(java_flags=FLAGS)
    parser.add_argument("--out", type=pathlib.Path, help="default: results/DATE-profile.md; - prints only")
    options = parser.parse_args()
    options.rows = server.chosen(options.rows, rows, "rows")
    return options


def main():
    options = server.begun(arguments())
    if not library().is_file():
        sys.exit("first: mvn -pl proxy-bench dependency:unpack@profiler")
    found = {}
    with server.folders("profile") as (scratch, memory):
        origin = macro.make_origin(scratch, 1)
        try:
            origin.start()
            for name in options.rows:
                found[name] = profile(macro.row_named(name), origin, scratch, memory, options)
        finally:
            origin.stop()
    written = server.write_results(report(found, options), options, "profile")
    for name, (_, stacks) in found.items():
        if written:
            title = macro.row_named(name).title
            written.with_name(f"{written.stem}-{name}.svg").write_text(flame.svg(stacks, title), encoding="utf-8")


if __name__ == "__main__":
    main()
