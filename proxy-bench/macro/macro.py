"""Side-by-side run of Loligo and its peers. Prints and writes one Markdown table.

Every row is run for every peer in each round (interleaved), the median of the rounds counts. CPU is
user and system time of the peer's whole process tree from /proc/PID/stat, divided by the requests
(or bytes) that were done meanwhile.
"""

import contextlib
import dataclasses
import http.client
import re
import socket
import ssl
import statistics
import subprocess
import sys
import time

import bench
import chart
import http2
import server
from bench import SIZES
from peers import PEERS, TITLES
from server import HERE, chosen, program, table

IDLE = 15000


@dataclasses.dataclass(frozen=True)
class Row:
    """What is asked; `kind` is hit, miss, revalidate, stream or tunnel."""

    name: str
    title: str
    kind: str
    size: str = ""
    peers: frozenset = frozenset(PEERS)
    flavour: str = "plain"
    absolute: bool = False
    secure: str = ""  # over TLS: h1 or h2
    idle: int = 0
    urls: int = 1000
    targets: frozenset = frozenset()  # peers that a target of ours names

    def flavour_of(self, peer):
        if peer == "limit":
            return "relay" if self.kind in ("miss", "stream", "tunnel") else "serve"
        return self.flavour

    def is_of_bytes(self):
        return self.kind in ("stream", "tunnel")


CACHES = frozenset(PEERS) - {"limit"}
ALL_ROWS = [
    Row("hit-1k", "memory hit 1 KB", "hit", "1k", targets=frozenset({"haproxy", "limit"})),
    Row("hit-4k", "memory hit 4 KB", "hit", "4k", targets=frozenset({"haproxy", "limit"})),
    Row("hit-64k", "hit 64 KB", "hit", "64k", targets=frozenset({"nginx"})),
    Row("hit-1m", "hit 1 MB", "hit", "1m", urls=200, targets=frozenset({"nginx"})),
    Row("hit-4k-logged", "memory hit 4 KB, access log on", "hit", "4k",
        frozenset({"loligo", "squid", "nginx"}), flavour="logged", targets=frozenset({"nginx"})),
    Row("hit-4k-forward", "memory hit 4 KB, absolute-form", "hit", "4k",
        frozenset({"limit", "loligo", "squid", "trafficserver"}), absolute=True,
        targets=frozenset({"trafficserver"})),
    Row("revalidate-1k", "conditional hit 1 KB, 304", "revalidate", "1k",
        CACHES - {"haproxy"}),
    Row("idle-1k", f"memory hit 1 KB beside {IDLE:,} idle connections", "hit", "1k",
        frozenset(PEERS), idle=IDLE),
    Row("miss-1k", "miss 1 KB, stored in memory", "miss", "1k"),
    Row("miss-4k", "miss 4 KB, stored in memory", "miss", "4k", targets=frozenset({"haproxy", "limit"})),
    Row("miss-4k-disk", "miss 4 KB, stored in memory and on disk", "miss", "4k",
        frozenset({"loligo", "nginx", "trafficserver"}), flavour="disk",
        targets=frozenset({"nginx", "trafficserver"})),
    Row("hit-4k-disk", "disk hit 4 KB, page cache warm", "hit", "4k",
        frozenset({"loligo", "nginx", "trafficserver"}), flavour="disk-hit", urls=40_000,
        targets=frozenset({"nginx", "trafficserver"})),
    Row("stream", "no-store pass-through", "stream", targets=frozenset({"limit", "haproxy"})),
    Row("tunnel", "CONNECT tunnel", "tunnel", peers=frozenset({"limit", "loligo", "squid"}),
        targets=frozenset({"limit"})),
]
SECURE = {"tls": ("h1", "TLS"), "h2": ("h2", "HTTP/2 and TLS")}
ALL_ROWS += [
    dataclasses.replace(
        row, name=f"{row.name}-{suffix}", title=f"{row.title}, {title}", secure=version, flavour="tls",
        peers=frozenset({"loligo", "nginx", "haproxy"}), targets=frozenset({"nginx", "haproxy"}),
    )
    for suffix, (version, title) in SECURE.items()
    for row in ALL_ROWS if row.name in ("hit-1k", "hit-4k", "hit-64k", "hit-1m", "miss-4k")
]
ROWS = [row.name for row in ALL_ROWS]
UNVERIFIED = ssl._create_unverified_context()  # certificates are made for each run
USUAL_ROWS = ["hit-1k", "hit-4k", "hit-64k", "hit-4k-forward", "miss-4k", "stream"]
USUAL_PEERS = ["loligo", "squid", "nginx", "haproxy"]


def load(seconds, options, row, peer, origin, word):
    """Asks for a row's objects; latencies are in microseconds."""
    return http2.load(seconds, row, peer, word) if row.secure == "h2" else wrk(seconds, options, row, peer, origin, word)


def wrk(seconds, options, row, peer, origin, word):
    base = f"https://127.0.0.1:{peer.secure}" if row.secure else f"http://127.0.0.1:{peer.forward if row.absolute else peer.port}"
    authority = f"127.0.0.1:{origin.port}" if row.absolute else "-"
    etag = origin.etag(row.size) if row.kind == "revalidate" else "-"
    output = subprocess.run(
        [
            program("wrk"), "-t1", f"-c{options.connections}", f"-d{seconds}s", "--timeout", "30s",
            "-s", str(HERE / "urls.lua"), base, "--",
            row.kind, row.size, authority, word, str(row.urls), etag,
        ],
        check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    ).stdout
    found = re.search(r"RESULT" + r" (\d+)" * 8, output)
    requests, micros, octets, errors, p50, p99, p999, longest = map(int, found.groups())
    if errors:
        print(f"    {errors} errors:\n{output}", file=sys.stderr)
    return {
        "requests": requests, "seconds": micros / 1e6, "octets": octets, "errors": errors,
        "p50": p50, "p99": p99, "p999": p999, "longest": longest,
    }


def check_bodies(row, peer, origin, word):
    """What a row asks for, twice: the bytes must be the origin's."""
    expected = (origin.www / f"{row.size}.bin").read_bytes()
    for _ in range(2):
        if row.secure:
            connection = http.client.HTTPSConnection("127.0.0.1", peer.secure, context=UNVERIFIED)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", peer.forward if row.absolute else peer.port)
        authority = f"127.0.0.1:{origin.port}" if row.absolute else "bench.example"
        path = f"/{row.size}/{word}-check"
        target = f"http://{authority}{path}" if row.absolute else path
        connection.putrequest("GET", target, skip_host=True)
        connection.putheader("Host", authority)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if body != expected and peer.peer != "limit":
            raise server.Failed(f"{peer.name} gave another body for {target}: {answer.status}, {len(body)} bytes")


@contextlib.contextmanager
def idle_connections(peer, count):
    """So many connections that had an answer each and are kept open."""
    request = b"GET /1k/idle HTTP/1.1\r\nHost: bench.example\r\n\r\n"
    sockets = []
    try:
        for _ in range(count):
            one = socket.create_connection(("127.0.0.1", peer.port))
            sockets.append(one)
            one.sendall(request)
            while len(one.recv(65536)) == 65536:
                pass
        yield
    finally:
        for one in sockets:
            one.close()


def warm(seconds, options, row, peer, origin, word):
    """Load for so many seconds, and longer where a row of hits was not asked for all of its objects yet."""
    while load(seconds, options, row, peer, origin, word)["requests"] < row.urls and row.kind == "hit":
        seconds = 2 * max(1, seconds)


def run_requests(row, peer, origin, options, word):
    check_bodies(row, peer, origin, word)
    load(options.warmup, options, row, peer, origin, word + "w")
    idle = min(row.idle, peer.idle_at_most())
    memory = peer.live_memory() if idle else 0
    with idle_connections(peer, idle):
        load(1, options, row, peer, origin, word + "i")
        held = peer.live_memory() - memory if idle else 0
        fetched = origin.requests()
        before, since = peer.cpu(), time.time()
        result = load(options.duration, options, row, peer, origin, word)
        result["cpu"] = (peer.cpu() - before) / max(1, result["requests"]) * 1e6
        result.update(since=since, until=time.time())  # of the epoch
    result["rate"] = result["requests"] / result["seconds"]
    result["fetched"] = (origin.requests() - fetched) / max(1, result["requests"])
    if idle:
        result["each"] = held / idle
    expected = result["fetched"] > 0.98 if row.kind == "miss" else result["fetched"] < 0.01
    if row.kind == "revalidate":
        expected = expected and result["octets"] / max(1, result["requests"]) < SIZES[row.size]
    result["odd"] = peer.peer != "limit" and not expected or result["errors"] > 0
    return result


def download(row, peer, origin, name):
    url = f"http://127.0.0.1:{peer.port}/stream/{name}"
    through = []
    if row.kind == "tunnel" and peer.peer != "limit":
        url = f"http://127.0.0.1:{origin.port}/stream/{name}"
        through = ["--proxytunnel", "-x", f"http://127.0.0.1:{peer.forward}"]
    started = time.monotonic()
    text = subprocess.run(
        [
            program("curl"), "-sS", "-q", *(through or ["--noproxy", "*"]), "-o", "/dev/null",
            "-w", "%{http_code} %{size_download}", "-H", "Host: bench.example", url,
        ],
        check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    ).stdout
    code, size = text.split()
    if code != "200":
        raise server.Failed(f"{peer.name}: stream answered {code}")
    return int(size), time.monotonic() - started


def run_stream(row, peer, origin):
    download(row, peer, origin, "short")
    before = peer.cpu()
    size, seconds = download(row, peer, origin, "full")
    gigabytes = size / 2**30
    return {
        "cpu": (peer.cpu() - before) / gigabytes,
        "rate": size / 1e6 / seconds,
        "rss": peer.resident_mb(),
        "odd": False,
    }


def row_named(name):
    return next(row for row in ALL_ROWS if row.name == name)


CALLS = re.compile(
    r"(?:\d+ +)?(?:<\.\.\. )?(read|readv|recvfrom|recvmsg|write|writev|sendto|sendmsg|sendfile|splice)"
    r"\b.*= (\d+)$"
)


def trace(peer, origin, scratch):
    """System calls that moved content while 512 MB went through, by strace."""
    log = scratch / f"strace-{peer.peer}.txt"
    tracer = subprocess.Popen(
        [
            program("strace"), "-f", "-qq", "-s", "0", "-o", str(log), "-e",
            "trace=read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg,sendfile,splice",
            *[word for pid in server.process_tree(peer.process.pid)
              for word in ("-p", str(pid))],
        ],
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    time.sleep(1.5)
    size, _ = download(row_named("stream"), peer, origin, "short")
    tracer.terminate()
    tracer.wait()
    sizes = {}
    with open(log, encoding="latin-1") as lines:
        for line in lines:
            found = CALLS.match(line.rstrip())
            if found and int(found.group(2)) > 0:
                sizes.setdefault(found.group(1), []).append(int(found.group(2)))
    gigabytes = size / 2**30
    return {
        call: (len(all_sizes) / gigabytes, statistics.median(all_sizes))
        for call, all_sizes in sorted(sizes.items())
        if sum(all_sizes) > size / 100
    }


def conditions(options):
    return [
        f"{options.rounds} interleaved rounds of {options.duration} s after {options.warmup} s of "
        f"warm-up each, medians; {options.first_warmup} s of warm-up for each row of Loligo's before all; "
        f"{options.connections} keep-alive connections of wrk (HTTP/2: {http2.CONNECTIONS} of h2load with {http2.STREAMS} "
        f"streams), 1,000 URLs (1 MB: 200; disk hits: 40,000, memory for 2,000 of them); "
        f"stream of {options.stream_mb} MB by one curl, once before the first round",
        f"access logs off but where a row says so; one thread or worker each (loligo_event_loops "
        f"{options.loops}; Varnish as it comes)",
    ]


def median(results, key):
    return statistics.median(result[key] for result in results)


def spread(results, key, digits):
    values = [result[key] for result in results]
    return f"{min(values):,.{digits}f}-{max(values):,.{digits}f}"


def cell(results, key, digits):
    if not results or key not in results[0]:
        return "-"
    odd = " (!)" if any(result["odd"] for result in results) else ""
    return f"{median(results, key):,.{digits}f} ({spread(results, key, digits)}){odd}"


def ratio_cell(found, row, peer):
    ours, theirs = found.get((row.name, "loligo")), found.get((row.name, peer))
    if not ours or not theirs or not median(theirs, "cpu"):
        return "-"
    return f"{median(ours, 'cpu') / median(theirs, 'cpu'):.2f}"


def report(found, traces, peers, rows, options):
    lines = [*bench.head("Macro benchmark", options, peers, *conditions(options)), ""]
    titles = [TITLES.get(peer, peer) for peer in peers]
    others = [peer for peer in peers if peer != "loligo"] if "loligo" in peers else []
    requests = [row for row in rows if row.kind in ("hit", "miss", "revalidate")]
    if requests:
        lines += ["CPU microseconds per request: median (lowest-highest).", ""]
        lines += table(["row", *titles], [
            [row.title, *[cell(found.get((row.name, peer)), "cpu", 1) for peer in peers]]
            for row in requests
        ])
        lines += ["", "CPU per request, Loligo divided by the peer:", ""]
        lines += table(["row", *[TITLES.get(peer, peer) for peer in others]], [
            [row.title, *[ratio_cell(found, row, peer) for peer in others]] for row in requests
        ])
        lines += ["", "Requests per second, and latency p50/p99 in ms:", ""]
        lines += table(["row", *titles], [
            [row.title, *[
                f"{median(one, 'rate'):,.0f}, {median(one, 'p50') / 1000:.2f}/{median(one, 'p99') / 1000:.2f}"
                if (one := found.get((row.name, peer))) else "-" for peer in peers]]
            for row in requests
        ])
        lines += ["", "(!): errors, or the origin was asked more (hits) or less (misses) often than the row is meant to."]
    memory = [row for row in rows if row.idle]
    if memory:
        lines += [
            "", "Bytes for each idle connection (HAProxy: 7,000 of them, as it reckons with two descriptors "
            "for each). Loligo: live heap after a full collection plus its direct memory ledger; others: resident "
            "memory.", "",
        ]
        lines += table(["row", *titles], [
            [row.title, *[cell(found.get((row.name, peer)), "each", 0) for peer in peers]]
            for row in memory
        ])
    for row in [row for row in rows if row.is_of_bytes()]:
        lines += ["", f"{row.title}, {options.stream_mb} MB:", ""]
        body = [
            [title, *[cell(found.get((row.name, peer)), key, digits) for peer in peers]]
            for title, key, digits in
            [("CPU s per GB", "cpu", 2), ("MB/s", "rate", 0), ("resident MB afterwards", "rss", 0)]
        ]
        if others:
            body.append(["CPU, Loligo divided by it", *[ratio_cell(found, row, peer) for peer in peers]])
        lines += table(["", *titles], body)
    if traces:
        lines += ["", "System calls that moved content, from strace over a stream of its own: calls per GB, median bytes each.", ""]
        lines += table(["peer", "call", "calls per GB", "median bytes"], [
            [peer, call, f"{calls:,.0f}", f"{size:,.0f}"]
            for peer, calls_of in traces.items() for call, (calls, size) in calls_of.items()
        ])
    return "\n".join(lines) + "\n"


def bars(found, peers, rows):
    """For the chart: title of a row to its peers and their medians of CPU per request."""
    return {
        row.title: {
            TITLES.get(peer, peer): median(found[(row.name, peer)], "cpu")
            for peer in peers if (row.name, peer) in found
        }
        for row in rows if row.kind in ("hit", "miss", "revalidate")
    }


def arguments():
    parser = bench.parser(
        __doc__, "macro", rounds=3, duration=10, warmup=5, first_warmup=20, stream_mb=5120
    )
    parser.add_argument("--rows", default=",".join(USUAL_ROWS), help="all, secure (those with TLS), or of " + ",".join(ROWS))
    parser.add_argument("--peers", default=",".join(USUAL_PEERS),
                        help="all, targets (each row with the peers that its target names), or of " + ",".join(PEERS))
    parser.add_argument("--strace", action="store_true", help="show sizes of reads and writes")
    return parser.parse_args()


def main():
    options = server.begun(arguments())
    groups = {"all": ALL_ROWS, "secure": [row for row in ALL_ROWS if row.secure]}
    rows = groups.get(options.rows) or [row_named(name) for name in chosen(options.rows, ROWS, "rows")]
    if options.peers == "targets":
        rows = [dataclasses.replace(row, peers=row.peers & (row.targets | {"loligo"})) for row in rows]
    asked = ",".join(PEERS) if options.peers in ("all", "targets") else options.peers
    peers = bench.peers_there(asked, options)
    with bench.running("macro", options, options.stream_mb) as here:
        found, traces = measure(rows, peers, here, options)
    text = report(found, traces, peers, rows, options)
    written = server.write_results(text, options, "macro")
    if written:
        written.with_suffix(".svg").write_text(chart.bars(bars(found, peers, rows), "CPU us per request"))


def measure(rows, peers, here, options):
    """Results by row and peer, and traces by peer."""
    running = {}
    for row in rows:
        for peer in [peer for peer in peers if peer in row.peers]:
            which = (peer, row.flavour_of(peer))
            if which not in running:
                running[which] = here.start(*which)
    found, traces = {}, {}
    for round_number in range(options.rounds + 1):
        for row in rows:
            for peer in [peer for peer in peers if peer in row.peers]:
                one = running[(peer, row.flavour_of(peer))]
                run_once(row, one, here.origin, options, round_number, found)
    if options.strace and program("strace"):
        traces = {
            peer: trace(running[(peer, "plain")], here.origin, here.scratch)
            for peer in peers if (peer, "plain") in running
        }
    return found, traces


def run_once(row, peer, origin, options, round_number, found):
    """One measurement; round 0 only warms up."""
    word = f"r{round_number}"
    if round_number == 0:
        if row.is_of_bytes():
            download(row, peer, origin, "full")
        elif options.first_warmup:
            # what is compiled ahead of time needs none
            warm(options.first_warmup if peer.peer == "loligo" else 2, options, row, peer, origin, word)
        return
    elif row.is_of_bytes():
        result = run_stream(row, peer, origin)
    else:
        result = run_requests(row, peer, origin, options, word)
    found.setdefault((row.name, peer.peer), []).append(result)
    shown = ", ".join(
        f"{key} {value:,.2f}" for key, value in result.items()
        if key in ("cpu", "rate", "fetched", "errors", "rss", "each")
    )
    server.say(f"round {round_number} {row.name} {peer.peer}: {shown}")


if __name__ == "__main__":
    main()
