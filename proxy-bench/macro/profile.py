"""Where the CPU of Loligo goes, by what it is spent on: async-profiler while a row of macro.py runs.
Writes a Markdown table and a flame graph for each row.
"""

import os
import pathlib
import platform
import sys

import bench
import flame
import macro
import server

FLAGS = "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints"


def library():
    folder = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[platform.machine()]
    return server.TREE / "proxy-bench/target/profiler" / folder / "libasyncProfiler.so"


def profile(row, here, options):
    """CPU per request before, and the stacks of a measurement like it."""
    origin, stacks = here.origin, here.scratch / f"{row.name}.txt"
    with here.fresh("loligo", row.flavour_of("loligo")) as peer:
        macro.check_bodies(row, peer, origin, "p")
        macro.warm(options.warmup, options, row, peer, origin, "w")
        before = peer.cpu()
        result = macro.load(options.duration, options, row, peer, origin, "m")
        micros = (peer.cpu() - before) / result["requests"] * 1e6
        command = f"event=cpu,interval={options.interval}us,threads,file={stacks}"
        peer.jcmd("JVMTI.agent_load", str(library()), f'"start,{command}"')
        macro.load(options.duration, options, row, peer, origin, "s")
        peer.jcmd("JVMTI.agent_load", str(library()), f'"stop,collapsed,{command}"')
    return micros, flame.read(stacks)


def report(found, options):
    shares = {name: flame.shares(stacks) for name, (_, stacks) in found.items()}
    rows = [macro.row_named(name) for name in found]
    lines = bench.head(
        "Where the CPU goes", options, ["loligo"],
        f"{options.connections} connections, {options.duration} s after {options.warmup} s of warm-up each, "
        f"a sample every {options.interval} us of CPU; access logs off; loligo_event_loops {options.loops}",
        "us per request were taken just before, without the profiler; shares are of all threads of the process",
    )
    lines += ["", "CPU microseconds per request:", ""]
    body = [["**all**", *[f"**{found[row.name][0]:.1f}**" for row in rows]]]
    for name in flame.COLOURS:
        if any(shares[row.name].get(name) for row in rows):
            body.append([name, *[
                f"{found[row.name][0] * shares[row.name].get(name, 0):.2f} ({shares[row.name].get(name, 0):.1%})"
                for row in rows
            ]])
    return "\n".join([*lines, *server.table(["", *[row.title for row in rows]], body)]) + "\n"


def arguments():
    parser = bench.parser(
        __doc__, "profile", duration=15, warmup=60, interval=500,
        words={"duration": "seconds of each profile", "interval": "microseconds of CPU between samples"},
    )
    rows = [row.name for row in macro.ALL_ROWS if row.kind in ("hit", "miss", "revalidate")]
    parser.add_argument("--rows", default="hit-1k,hit-64k,hit-4k-disk,miss-4k,miss-4k-disk", help="of " + ",".join(rows))
    parser.set_defaults(java_flags=FLAGS)
    options = parser.parse_args()
    options.rows = server.chosen(options.rows, rows, "rows")
    return options


def main():
    options = server.begun(arguments())
    if not library().is_file():
        sys.exit("first: mvn -pl proxy-bench dependency:unpack@profiler")
    paranoid = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
    if os.geteuid() and int(paranoid.read_text()) > 1:
        sys.exit(f"first, as root: echo 1 >{paranoid}")
    with bench.running("profile", options) as here:
        found = {name: profile(macro.row_named(name), here, options) for name in options.rows}
    written = server.write_results(report(found, options), options, "profile")
    for name, (_, stacks) in found.items():
        if written:
            title = macro.row_named(name).title
            written.with_name(f"{written.stem}-{name}.svg").write_text(flame.svg(stacks, title), encoding="utf-8")


if __name__ == "__main__":
    main()
