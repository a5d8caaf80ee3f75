"""Memory hits of 1 and 4 KB as `ab -c 10 -n 100000` asks for them, each on a connection of its own and
with keep-alive; of Loligo also an object of its own, for which neither cache nor origin is asked. Prints
and writes one Markdown table.
"""

import re
import statistics
import subprocess

import bench
import macro
import server
from peers import TITLES

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
            macro.load(options.warmup, options, row, peer, origin, "w")
        for _, path, keep in kinds(peer.peer):
            ab(peer, path, keep, options)
    for number in range(options.rounds):
        for peer in peers:
            for title, path, keep in kinds(peer.peer):
                fetched = origin.requests()
                found.setdefault((peer.peer, title), []).append(ab(peer, path, keep, options))
                if origin.requests() - fetched > options.requests / 100:
                    raise server.Failed(f"{peer.name}, {title}: no hits")
                server.say(f"round {number + 1} {peer.peer} {title}: {found[(peer.peer, title)][-1]}")
    return found


def report(found, peers, options):
    lines = bench.head(
        "Hits by ab", options, peers,
        f"`ab -c {options.clients} -n {options.requests}` with and without `-k`, one URL; {options.rounds} rounds, the "
        f"peers in turn, after {options.warmup} s of wrk with each size and one run of each kind; access logs off; one "
        "thread or worker each",
    )
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


def main():
    options = server.begun(
        bench.parser(__doc__, "ab", peers="loligo,squid", rounds=5, clients=10, requests=100_000, warmup=10).parse_args()
    )
    names = bench.peers_there(options.peers, options)
    with bench.running("ab", options) as here:
        peers = [here.start(name, "serve" if name == "limit" else "plain") for name in names]
        found = measure(peers, here.origin, options)
    server.write_results(report(found, names, options), options, "ab")


if __name__ == "__main__":
    main()
