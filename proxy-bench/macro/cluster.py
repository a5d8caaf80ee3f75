"""CPU of hits in a cluster of two nodes. Part peer: a hit that the other node owns, against one of the owner itself,
4 KB and 64 KB, in clear text and with TLS between the nodes. Part purge: a hit of a node of mode=purge, against one of
a proxy alone. Rounds in turn; prints and writes Markdown.
"""

import statistics
import subprocess
import time
import urllib.request

import bench
import server
from server import program

PARTS = ("peer", "purge")

# One node owns (nearly) all keys, and the other one is asked for them. It has no room for copies of hot ones.
OWNING, ASKING = 1000, 1
OWNING_MB, ASKING_MB = 512, 8
SETTLED = ('"members": 2,', '"trusted": true')
PATIENCE_SECONDS = 90
WARM_RATE = 6_000


class Node(server.Server):
    """A proxy with a forward port; `line` is its part of the cluster, or nothing."""

    def __init__(self, name, scratch, options, cache_mb, line=""):
        self.options = options
        words = {"NAME": name, "CACHE_MB": cache_mb, "ADMIN": server.free_port(), "LOOPS": options.loops, "CLUSTER": line}
        super().__init__(name, scratch / name, "cluster.conf", words)

    def command_line(self):
        return [
            self.options.java, *self.options.java_flags.split(), "-jar", str(self.options.jar), "run", "-f",
            str(self.conf),
        ]

    def page(self, path):
        return urllib.request.urlopen(f"http://127.0.0.1:{self.words['ADMIN']}{path}", timeout=10).read().decode()

    def settle(self):
        """Returns when it sees the other node, and trusts what it has."""
        given_up = time.monotonic() + PATIENCE_SECONDS
        while not all(word in self.page("/cluster") for word in SETTLED):
            if time.monotonic() > given_up:
                raise server.Failed(f"{self.name} sees no other node: {self.page('/cluster')}")
            time.sleep(0.1)


def certificate(folder):
    """A certificate of its own authority, for all nodes. Returns the lines of the configuration."""
    pair = folder / "node.pem"
    subprocess.run(
        [
            program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", str(folder / "key.pem"), "-out", str(pair), "-days", "9", "-subj", "/CN=node",
        ],
        check=True, capture_output=True, stdin=subprocess.DEVNULL,
    )
    return f"\nloligo_cluster_tls cert={pair} key={folder / 'key.pem'} ca={pair}"


def two_nodes(here, options, name, mode, weights, cache_mb, tls=False):
    """Two nodes that see each other."""
    groups = [server.free_port() for _ in weights]
    members = ",".join(f"127.0.0.1:{port}" for port in groups)
    secured = certificate(here.scratch) if tls else ""
    nodes = [
        here.add(Node(f"{name}{i}", here.scratch, options, cache_mb[i],
                      f"loligo_cluster bench listen=127.0.0.1:{groups[i]} bodies={server.free_port()} "
                      f"members={members} mode={mode} weight={weights[i]}{secured}"))
        for i in range(len(weights))
    ]
    for node in nodes:
        node.settle()
    return nodes


def rates(options):
    """Requests of 4 KB a second, of each measurement; 0: a closed loop."""
    try:
        found = [int(word) for word in options.rate.split(",") if word != "closed"]
    except ValueError:
        raise server.Failed(f"--rate: {options.rate} (expected: numbers and closed, separated by commas)") from None
    return found + [0] * ("closed" in options.rate.split(","))


def urls(size, options):
    return options.urls if size == "4k" else options.urls // 16


def load(asked, nodes, origin, size, rate, seconds, options):
    """CPU microseconds of the nodes per request, bytes a CPU second, and requests a second. Rate 0: closed loop."""
    before = sum(node.cpu() for node in nodes)
    done = subprocess.run(
        [
            str(options.bin / "rate"), *([] if rate else ["-c"]), "-o", f"http://127.0.0.1:{origin.port}",
            *map(str, (asked.port, options.connections, seconds, rate or 1, size, urls(size, options))),
        ],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )
    used = sum(node.cpu() for node in nodes) - before
    if done.returncode:
        raise server.Failed(f"{asked.name}: {done.stdout or done.stderr}")
    requests, nanos = map(int, done.stdout.split()[:2])
    return used * 1e6 / requests, requests * bench.SIZES[size] / used if used else 0, requests * 1e9 / nanos


def rounds(cases, origin, options):
    """Of cases (title, asked node, counted nodes, size, rate): the measurements of each title."""
    for title, asked, nodes, size, rate in cases:
        # each object at least once, from an origin that keeps up
        pace = rate or (WARM_RATE if size == "4k" else WARM_RATE // 4)
        seconds = max(1 + urls(size, options) / pace, options.warmup / len(cases))
        load(asked, nodes, origin, size, pace, seconds, options)
        server.say(f"warm: {title}")
    found = {}
    for number in range(options.rounds):
        for title, asked, nodes, size, rate in cases:
            before = origin.requests()
            micros, octets, done = load(asked, nodes, origin, size, rate, options.duration, options)
            missed = origin.requests() - before - 1
            server.say(
                f"round {number + 1} {title}: {micros:.1f} us, {octets / 1e9:.2f} GB/s, {done:.0f} requests/s, {missed} misses"
            )
            found.setdefault(title, []).append((micros, octets, missed, done))
    return found


def peer_part(here, options):
    cases = []
    for name in server.chosen(options.tls, ("clear", "tls"), "connections"):
        weights, cache_mb = (OWNING, ASKING), (OWNING_MB, ASKING_MB)
        owner, asking = two_nodes(here, options, name, "share", weights, cache_mb, name == "tls")
        for rate in rates(options):
            for size, paced in (("4k", rate), ("64k", rate // 4)):
                how = f"{name}, {f'{paced} requests/s' if rate else 'closed loop'}"
                cases.append((f"{size}, hit of the owner, {how}", owner, (owner, asking), size, paced))
                cases.append((f"{size}, hit by the other node, {how}", asking, (owner, asking), size, paced))
    found = rounds(cases, here.origin, options)
    titles = list(found)
    rows = []
    for local, remote in zip(titles[::2], titles[1::2]):
        one, two = ([value[0] for value in found[title]] for title in (local, remote))
        rows.append([
            remote, server.spread(one, ".1f"), server.spread(two, ".1f"),
            f"{statistics.median(two) / statistics.median(one):.2f}",
            f"{2 * statistics.median(value[1] for value in found[remote]) / 1e9:.2f}",
            *(f"{statistics.median(value[3] for value in found[title]):.0f}" for title in (local, remote)),
            str(sum(value[2] for value in found[remote])),
        ])
    return ["", "Median (lowest-highest), CPU of both nodes together:", "", *server.table(
        [
            "", "hit of the owner, us", "hit by the other node, us", "ratio", "GB/s of two cores", "owner, requests/s",
            "other node, requests/s", "misses",
        ], rows
    )]


def purge_part(here, options):
    alone = here.add(Node("alone", here.scratch, options, OWNING_MB))
    node, _ = two_nodes(here, options, "purge", "purge", (1, 1), (OWNING_MB, OWNING_MB))
    rate = rates(options)[0]
    cases = [("alone", alone, (alone,), "4k", rate), ("node of mode=purge", node, (node,), "4k", rate)]
    found = rounds(cases, here.origin, options)
    one, two = ([value[0] for value in found[title]] for title in found)
    return ["", "Median (lowest-highest) of CPU us of a hit of 4 KB, that of the node alone:", "", *server.table(
        ["alone", "node of mode=purge", "ratio"],
        [[server.spread(one, ".2f"), server.spread(two, ".2f"), f"{statistics.median(two) / statistics.median(one):.3f}"]],
    )]


def main():
    parser = bench.parser(
        __doc__, "cluster", connections=16, words={"urls": "objects of 4 KB; a sixteenth of it of 64 KB",
                                                   "warmup": "seconds in all before the first round of a part"},
        rounds=5, duration=4, warmup=60, urls=16_000,
    )
    parser.add_argument(
        "--rate", default="6000",
        help="requests of 4 KB a second, a quarter of it of 64 KB; several, or `closed` (all connections always ask), "
        "separated by commas; part purge uses the first one",
    )
    parser.add_argument("--tls", default="clear,tls", help="connections between the nodes, of clear,tls")
    parser.add_argument("--part", default=",".join(PARTS), help="of " + ",".join(PARTS))
    options = server.begun(parser.parse_args())
    parts = server.chosen(options.part, PARTS, "parts")
    with bench.running("cluster", options) as here:
        lines = bench.head(
            "Hits in a cluster of two nodes", options, ["loligo"],
            f"{options.urls} objects of 4 KB, {options.urls // 16} of 64 KB, in turn, by a forward port, {options.connections} "
            f"persistent connections, requests of 4 KB a second: {options.rate}, for {options.duration} s, of 64 KB a "
            f"quarter of that; {options.rounds} rounds in turn after {options.warmup} s; one event loop each",
        )
        for part in parts:
            lines += {"peer": peer_part, "purge": purge_part}[part](here, options)
    server.write_results("\n".join(lines) + "\n", options, "cluster")


if __name__ == "__main__":
    main()
