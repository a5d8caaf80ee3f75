"""Loligo with stream buffers of several sizes, and of them the peers: a large object that may not be stored
through one curl, the system calls that moved it, and small misses with two buffers.
Prints and writes one Markdown table.
"""

import bench
import macro
import server
from peers import BUFFERS_KB, TITLES

PEERS = "limit,nginx,haproxy,trafficserver,squid"
SMALL_KB, USUAL_KB = 4, 64
STREAM = macro.row_named("stream")
# With its head the second does not fit into the smallest buffer.
MISSES = [macro.row_named("miss-1k"), macro.row_named("miss-4k")]


def title(peer):
    kind, _, kb = peer.flavour.partition("-")
    return f"{kb} KB" if kind == "buffer" else TITLES.get(peer.peer, peer.peer)


def result_rows(found, keys):
    return [
        [title(peer), *[macro.cell(results, key, digits) for key, digits in keys]] for peer, results in found.items()
    ]


def ratio(found, key, over, under):
    by_size = {peer.flavour: results for peer, results in found.items()}
    return macro.median(by_size[f"buffer-{over}"], key) / macro.median(by_size[f"buffer-{under}"], key)


def report(streams, calls, misses, options):
    lines = [
        *bench.head(
            "Stream buffers", options, ["loligo"], f"loligo_event_loops {options.loops}",
            f"{options.rounds} interleaved rounds, median (lowest-highest)",
        ), "",
        f"{STREAM.title}, {options.stream_mb} MB by one curl, by loligo_stream_buffer_size; the calls are of "
        f"a stream of 512 MB under strace:", "",
    ]
    body = result_rows(streams, [("cpu", 2), ("rate", 0)])
    for row, peer in zip(body, streams):
        row.append("; ".join(
            f"{call} {number:,.0f} of {size:,.0f}" for call, (number, size) in calls.get(peer, {}).items()) or "-")
    lines += server.table(["buffer", "CPU s per GB", "MB/s", "calls per GB, median bytes"], body)
    lines += [
        "", f"{USUAL_KB} KB over {SMALL_KB} KB: rate {ratio(streams, 'rate', USUAL_KB, SMALL_KB):.2f}, "
        f"CPU {ratio(streams, 'cpu', USUAL_KB, SMALL_KB):.2f}.", "",
        f"Misses, {options.connections} connections, {options.duration} s after {options.first_warmup} s of warm-up:",
    ]
    for row, found in misses.items():
        lines += ["", *server.table(
            [row.title, "CPU us per request", "requests per s"], result_rows(found, [("cpu", 1), ("rate", 0)]))]
        lines += ["", f"{USUAL_KB} KB over {SMALL_KB} KB: CPU {ratio(found, 'cpu', USUAL_KB, SMALL_KB):.2f}."]
    return "\n".join(lines) + "\n"


def measure(here, options):
    """Results by server of streams, of their system calls and of small misses."""
    origin = here.origin
    loligos = {kb: here.start("loligo", f"buffer-{kb}") for kb in BUFFERS_KB}
    peers = [here.start(name, STREAM.flavour_of(name)) for name in bench.peers_there(PEERS, options)]
    streaming = [*loligos.values(), *peers]
    small = [loligos[SMALL_KB], loligos[USUAL_KB]]
    for one in streaming:
        macro.download(STREAM, one, origin, "full")
    streams = {one: [] for one in streaming}
    for number in range(options.rounds):
        for one, results in streams.items():
            results.append(macro.run_stream(STREAM, one, origin))
            server.say(f"round {number + 1} {one.name}: {results[-1]}")
    calls = {one: macro.trace(one, origin, here.scratch) for one in streaming} if server.program("strace") else {}
    misses = {row: {one: [] for one in small} for row in MISSES}
    for row, found in misses.items():
        for one in small:
            macro.load(options.first_warmup, options, row, one, origin, "w")
        for number in range(options.rounds):
            for one, results in found.items():
                results.append(macro.run_requests(row, one, origin, options, f"r{number}"))
                server.say(f"round {number + 1} {row.name} {one.name}: {results[-1]}")
    return streams, calls, misses


def main():
    options = server.begun(bench.parser(
        __doc__, "buffers", rounds=5, stream_mb=5120, duration=4, warmup=2, first_warmup=30
    ).parse_args())
    with bench.running("buffers", options, options.stream_mb) as here:
        text = report(*measure(here, options), options)
    server.write_results(text, options, "buffers")


if __name__ == "__main__":
    main()
