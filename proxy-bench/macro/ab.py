"""Memory hits of 1 and 4 KB as `ab -c 10 -n 100000` asks for them, each on a connection of its own and
with keep-alive; of Loligo also an object of its own, for which neither cache nor origin is asked. Prints
and writes one Markdown table.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys

import macro
import server
from peers import PEERS, TITLES, Peer, is_there

OWN_OBJECT = "/squid-internal-static/icons/SN.png"


def ab(peer, path, keep_alive, options):
    """Requests per second, and CPU microseconds per request."""
    where = [f"http://127.0.0.1:{peer.forward}{path}"] if path == OWN_OBJECT else \
        ["-H", "Host: bench.example", f"http://127.0.0.1:{peer.port}{path}"]
    before = peer.cpu()
    output = subprocess.run(
        [
            server.program("ab"), "-q", "-c", str(options.clients), "-n", str(options.requests),
            *(["-k"] if keep_alive else []), *where,
        ],
        check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    ).stdout
    cpu = peer.cpu() - before
    failed = int(re.search(r"Failed requests: +(\d+)", output).group(1))
    if failed or "Non-2xx" in output:
        raise server.Failed(f"{peer.name}, {path}:\n{output}")
    return float(re.search(r"Requests per second: +([\d.]+)", output).group(1)), cpu / options.requests * 1e6


def kinds(peer):
    """What is asked: title, path, keep-alive."""
    found = [(f"{size} KB", f"/{size}k/1") for size in (1, 4)]
    if peer == "loligo":
        found.append(("an own object", OWN_OBJECT))
    return [
        (f"{title}, {how}", path, keep) for title, path in found
        for how, keep in (("a connection each", False), ("keep-alive", True))
    ]


def measure(peers, origin, options):
    """Rates and CPU by peer and title."""
    found = {}
    for peer in peers:
        for size in ("hit-1k", "hit-4k"):
            row = macro.row_named(size)
            macro.check_bodies(row, peer, origin, "a")
            macro.wrk(options.warmup, options, row, peer, origin, "w")
        for _, path, keep in kinds(peer.peer):
            ab(peer, path, keep, options)
    for number in range(options.rounds):
        for peer in peers:
            for title, path, keep in kinds(peer.peer):
                fetched = macro.origin_requests(origin)
                found.setdefault((peer.peer, title), []).append(ab(peer, path, keep, options))
                if macro.origin_requests(origin) - fetched > options.requests / 100:
                    raise server.Failed(f"{peer.name}, {title}: no hits")
                print(f"round {number + 1} {peer.peer} {title}: {found[(peer.peer, title)][-1]}", file=sys.stderr)
    return found


def report(found, peers, options):
    lines = [
        f"# Hits by ab, {options.started:%Y-%m-%d %H:%M} UTC", "", *server.machine(options),
        f"- `ab -c {options.clients} -n {options.requests}` with and without `-k`, one URL; {options.rounds} rounds, the "
        f"peers in turn, after {options.warmup} s of wrk with each size and one run of each kind; access logs off; one "
        "thread or worker each",
    ]
    lines += [f"- {peer}: {server.version(peer, options)}" for peer in peers]
    lines += ["", "Median (lowest-highest) of requests per second, and of CPU us per request:", ""]
    titles = list(dict.fromkeys(title for peer in peers for title, _, _ in kinds(peer)))
    lines += server.table(["", *[TITLES.get(peer, peer) for peer in peers]], [
        [title, *[
            "; ".join(server.spread(one, form) for one, form in zip(zip(*found[(peer, title)]), (",.0f", ".1f")))
            if (peer, title) in found else "-" for peer in peers
        ]] for title in titles
    ])
    rate = {key: statistics.median(rate for rate, _ in runs) for key, runs in found.items()}
    lines += ["", "Requests per second of Loligo over the peer's, and of 4 KB over 1 KB:", ""]
    others = [peer for peer in peers if peer != "loligo"]
    lines += server.table(["", *[TITLES.get(peer, peer) for peer in others], "4 KB over 1 KB"], [
        [title, *[f"{rate[('loligo', title)] / rate[(peer, title)]:.2f}" for peer in others],
         f"{rate[('loligo', title)] / rate[('loligo', title.replace('4 KB', '1 KB'))]:.2f}" if "4 KB" in title else "-"]
        for title in titles if "KB" in title
    ])
    return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default="loligo,squid", help="of " + ",".join(PEERS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--requests", type=int, default=100000)
    parser.add_argument("--warmup", type=int, default=10)
    server.load_arguments(parser)
    parser.add_argument("--out", type=pathlib.Path, help="default: results/DATE-ab.md; - prints only")
    return parser.parse_args()


def main():
    options = server.begun(arguments())
    names = [peer for peer in server.chosen(options.peers, PEERS, "peers") if is_there(peer, options)]
    servers = []
    with server.folders("ab") as (scratch, memory):
        try:
            origin = macro.make_origin(scratch, 1)
            servers.append(origin)
            origin.start()
            for name in names:
                servers.append(Peer(name, "serve" if name == "limit" else "plain", scratch, memory, origin.port, options))
                servers[-1].start()
            found = measure(servers[1:], origin, options)
        finally:
            for started in reversed(servers):
                started.stop()
    server.write_results(report(found, names, options), options, "ab")


if __name__ == "__main__":
    main()
