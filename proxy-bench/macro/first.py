"""CPU of the first transactions after a start: a Polymix-like load begins as soon as the port is open, with nothing
stored. The same process then runs both phases again at the end, on other URLs: its steady figures. For Loligo with
several JVMs and flags, and for its peers. Prints and writes one Markdown table.

  first.py --jdks /path/of/17/bin/java,/path/of/25/bin/java --flags= --flags=-Xshare:auto

  first.py --rehearsals 0,10

Without flags Loligo uses the archive beside its jar; with any -Xshare option it does not. --rehearsals runs each with
and without `loligo_rehearsal`: its seconds.
"""

import argparse
import contextlib
import dataclasses
import pathlib
import re
import shutil
import statistics
import tempfile
import time

import polygraph
import server
import tail

# threads by the begin of their names, in the order of the table
KINDS = {
    "loops": "loligo-loop", "C2": "C2 CompilerThre", "C1": "C1 CompilerThre",
    "collector": "G1 |GC Thread|ZWorker|ZDriver|ZDirector|VM Thread|Parallel", "disk": "loligo-disk",
}
PHASES = ("fill", "measure")


@dataclasses.dataclass(frozen=True)
class Start:
    """A contender, and the lines that it has besides those of the template."""

    title: str
    contender: tail.Contender
    lines: str = ""


def starts_of(contenders, rehearsals):
    found = []
    for one in contenders:
        for seconds in rehearsals.split(",") if one.peer == "loligo" else "0":
            found.append(Start(one.title, one) if seconds == "0" else Start(
                f"{one.title}, rehearsal {seconds} s", one, f"loligo_rehearsal {seconds} seconds\n"))
    return found


def threads(pid):
    """CPU seconds by kind of thread, of the threads that live."""
    found = dict.fromkeys([*KINDS, "other"], 0.0)
    for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            head, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        name = head.partition("(")[2]
        kind = next((kind for kind, begin in KINDS.items() if re.match(begin, name)), "other")
        found[kind] += sum(map(int, rest.split()[11:13])) / server.TICKS
    return found


def phase(peer, load, name, world, window, recurrence, options, count):
    total, each = peer.cpu(), threads(peer.process.pid)
    result = load.run(
        name, world, window, recurrence, seconds=options.phase_seconds, bias=options.size_bias, count=count)
    after, cpu = threads(peer.process.pid), peer.cpu() - total
    return {
        "ms": cpu / max(1, result["done"]) * 1000, "cpu": cpu, "rate": result["done"] / result["seconds"],
        "odd": result["errors"] + result["wrong"], "threads": {kind: after[kind] - each[kind] for kind in after},
    }


def one_start(start, options, scratch, origin):
    contender = start.contender
    options.java = contender.java or options.java
    setup = polygraph.Setup(
        contender.peer, contender.peer, options.memory_mb, options.cache_mb, java_flags=contender.flags,
        lines=start.lines)
    parent = pathlib.Path(tempfile.mkdtemp(prefix="start-", dir=scratch))
    parent.chmod(0o755)
    peer = polygraph.Peer(setup, parent / contender.peer, origin, options)
    try:
        began = time.monotonic()
        # Squid first makes its folders
        (peer.start if peer.kind == "squid" else peer.launch)()
        peer.await_port(0.01)
        found = {"port": time.monotonic() - began, "port_cpu": peer.cpu()}
        filling = options.recurrence * polygraph.FILL_DAMPING
        # the load keeps its sequence, so that the second fill brings new objects
        with contextlib.closing(polygraph.Load(peer.port, options)) as load:
            def both(world, prefix, fill, measured):
                for name, recurrence, count in (("fill", filling, fill), ("measure", options.recurrence, measured)):
                    found[prefix + name] = phase(
                        peer, load, name, world, options.fill, recurrence, options, count)
            both(1, "", options.fill, options.measured)
            both(2, "between ", options.steady // 2, options.steady // 2)
            both(1, "steady ", options.fill, options.measured)
        return found
    finally:
        peer.stop()
        shutil.rmtree(parent, ignore_errors=True)


def row(title, starts):
    cells = [title, server.spread([one["port"] for one in starts], ".2f"),
             server.spread([one["port_cpu"] for one in starts], ".2f")]
    for name in PHASES:
        first, steady = ([one[kind]["ms"] for one in starts] for kind in (name, f"steady {name}"))
        odd = " (!)" if any(one[name]["odd"] + one[f"steady {name}"]["odd"] for one in starts) else ""
        cells += [server.spread(first, ".3f") + odd, server.spread(steady, ".3f"),
                  f"{statistics.median(first) / statistics.median(steady):.2f}"]
    return cells


def thread_rows(title, starts):
    return [
        [title, name, *[f"{statistics.median(values):.2f}" for values in (
            [one[name]["cpu"] for one in starts],
            *[[one[name]["threads"][kind] for one in starts] for kind in [*KINDS, "other"]],
        )]]
        for name in [*PHASES, *[f"steady {name}" for name in PHASES]]
    ]


def report(found, rivals, options):
    lines = [f"# First transactions, {options.started:%Y-%m-%d %H:%M} UTC", "", *server.machine(options)]
    lines += [
        f"- {options.rounds} rounds in turn, each of a process of its own; {options.fill:,} transactions fill, {options.measured:,} are "
        f"measured, {options.steady:,} follow before the steady figures; {options.connections} connections; "
        f"{options.memory_mb} MB of memory, {options.cache_mb} MB of disk; access logs off", "",
        "CPU of the process in ms per transaction; median (lowest-highest).", "",
    ]
    lines += server.table(
        ["", "port open after s", "CPU s until then", "fill", "steady", "ratio", "measure", "steady", "ratio"],
        [row(title, starts) for title, starts in found.items()])
    ours = [one.title for one in rivals if one.contender.peer == "loligo"]
    if ours:
        lines += ["", "CPU seconds by threads of Loligo, medians.", ""]
        lines += server.table(
            ["", "phase", "all", *KINDS, "other"], [cells for title in ours for cells in thread_rows(title, found[title])])
    lines += ["", "(!): errors, or a body was not that of the origin."]
    return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--bin", type=pathlib.Path, required=True)
    add("--peers", default="loligo", help="also trafficserver, nginx, squid-rock and others of polygraph.sh")
    add("--jdks", help="java programs for Loligo; default: that of --java")
    add("--flags", action="append", help="of a JVM; NUMBER: before them is the only JDK that gets them; may be given again")
    add("--rehearsals", default="0", help="seconds of loligo_rehearsal, 0: without; with commas between")
    add("--rounds", type=int, default=3)
    add("--fill", type=int, default=40_000)
    add("--measured", type=int, default=50_000)
    add("--steady", type=int, default=210_000)
    add("--cache-mb", type=int, default=2048)
    add("--memory-mb", type=int, default=64)
    add("--recurrence", type=float, default=0.725)
    add("--size-bias", type=float, default=0.9)
    add("--connections", type=int, default=64)
    add("--loops", type=int, default=1)
    add("--delay-ms", type=int, default=0)
    add("--phase-seconds", type=float, default=300)
    add("--seed", type=int, default=1)
    add("--dir", type=pathlib.Path, help="of the caches")
    add("--out", type=pathlib.Path)
    server.common_arguments(parser)
    options = parser.parse_args()
    options.jdks = options.jdks or options.java
    options.store_options = {"rock": ""}
    return options


def main():
    options = server.begun(arguments())
    rivals = starts_of(tail.contenders(options.peers.split(","), options), options.rehearsals)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="first-", dir=options.dir))
    scratch.chmod(0o755)
    origin = polygraph.Origin(scratch, options)
    found = {one.title: [] for one in rivals}
    try:
        origin.start()
        origin.think(options.delay_ms)
        for number in range(options.rounds):
            for one in rivals:
                result = one_start(one, options, scratch, origin)
                found[one.title].append(result)
                server.say(f"round {number + 1} {one.title}: port {result['port']:.2f} s, {result['port_cpu']:.2f} CPU s; " + "; ".join(
                    f"{name} {part['ms']:.3f} ms {part['rate']:,.0f}/s {part['odd']} odd"
                    for name, part in result.items() if isinstance(part, dict)))
    finally:
        origin.stop()
        shutil.rmtree(scratch, ignore_errors=True)
    server.write_results(report(found, rivals, options), options, "first")


if __name__ == "__main__":
    main()
