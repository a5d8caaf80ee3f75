"""Side-by-side run of Loligo and its peers. Prints and writes one Markdown table.

Every row is run for every peer in each round (interleaved), the median of the rounds counts. CPU is
user and system time of the peer's whole process tree from /proc/PID/stat, divided by the requests
(or octets) that were done meanwhile.
"""

import argparse
import datetime
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import server
from server import HERE, chosen, program, table

SIZES = {"1k": 1024, "4k": 4096, "64k": 65536}
ROWS = ["hit-1k", "hit-4k", "hit-64k", "hit-4k-forward", "miss-4k", "stream"]
TITLES = {
    "hit-1k": "memory hit 1 KB",
    "hit-4k": "memory hit 4 KB",
    "hit-64k": "memory hit 64 KB",
    "hit-4k-forward": "memory hit 4 KB, absolute-form",
    "miss-4k": "miss 4 KB, stored in memory",
    "stream": "no-store pass-through",
}
PEERS = ["loligo", "squid", "nginx", "haproxy"]
FORWARD = {"loligo", "squid"}


class Server(server.Server):
    def __init__(self, name, scratch, memory, origin=0, options=None):
        self.options = options
        self.forward = server.free_port()
        template = {"origin": "origin.conf", "haproxy": "haproxy.cfg"}.get(name, f"{name}.conf")
        words = {
            "FORWARD": self.forward, "ORIGIN": origin, "MEMORY": memory,
            "LOOPS": options.loops if options else 1,
        }
        super().__init__(name, scratch / name, template, words)

    def command_line(self):
        if self.name == "loligo":
            return [
                self.options.java, *self.options.java_flags.split(), "-jar", str(self.options.jar),
                "run", "-f", str(self.conf),
            ]
        if self.name == "squid":
            return [program("squid"), "-N", "-n", f"bench{self.port}", "-f", str(self.conf)]
        if self.name == "haproxy":
            return [program("haproxy"), "-db", "-f", str(self.conf)]
        return [program("nginx"), "-p", str(self.dir), "-c", str(self.conf)]


def make_origin(scratch, memory, stream_mb):
    www = scratch / "origin-files"
    www.mkdir()
    for name, size in SIZES.items():
        (www / f"{name}.bin").write_bytes(os.urandom(size))
    for name, size in {"full": stream_mb, "short": min(stream_mb, 512)}.items():
        with open(www / f"{name}.sparse", "wb") as file:
            file.truncate(size * 2**20)
    (scratch / "origin").mkdir(exist_ok=True)
    (scratch / "origin").rmdir()
    for path in [scratch, www]:
        path.chmod(0o755)
    origin = Server("origin", scratch, memory)
    os.symlink(www, origin.dir / "www")
    return origin


def origin_requests(origin):
    with urllib.request.urlopen(f"http://127.0.0.1:{origin.port}/status") as status:
        return int(status.read().split(b"\n")[2].split()[2])


def wrk(port, seconds, connections, kind, size, authority, word):
    output = subprocess.run(
        [
            program("wrk"), "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s",
            "-s", str(HERE / "urls.lua"), f"http://127.0.0.1:{port}", "--",
            kind, size, authority, word,
        ],
        check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    ).stdout
    found = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+) (\d+)", output)
    requests, micros, errors, p50, p99 = map(int, found.groups())
    if errors:
        print(f"    {errors} errors:\n{output}", file=sys.stderr)
    return {"requests": requests, "seconds": micros / 1e6, "errors": errors, "p50": p50, "p99": p99}


def run_requests(row, peer, origin, options, word):
    kind, size = row.split("-")[:2]
    absolute = row.endswith("-forward")
    port = peer.forward if absolute else peer.port
    authority = f"127.0.0.1:{origin.port}" if absolute else "-"
    wrk(port, options.warmup, options.connections, kind, size, authority, word + "w")
    fetched = origin_requests(origin)
    before = peer.cpu()
    result = wrk(port, options.duration, options.connections, kind, size, authority, word)
    result["cpu"] = (peer.cpu() - before) / max(1, result["requests"]) * 1e6
    result["rate"] = result["requests"] / result["seconds"]
    result["fetched"] = (origin_requests(origin) - fetched) / max(1, result["requests"])
    expected = result["fetched"] < 0.01 if kind == "hit" else result["fetched"] > 0.98
    result["odd"] = not expected
    return result


def download(port, name):
    started = time.monotonic()
    text = subprocess.run(
        [
            program("curl"), "-sS", "-q", "--noproxy", "*", "-o", "/dev/null",
            "-w", "%{http_code} %{size_download}", f"http://127.0.0.1:{port}/stream/{name}",
        ],
        check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    ).stdout
    code, size = text.split()
    if code != "200":
        sys.exit(f"stream answered {code}")
    return int(size), time.monotonic() - started


def run_stream(peer):
    download(peer.port, "short")
    before = peer.cpu()
    size, seconds = download(peer.port, "full")
    gigabytes = size / 2**30
    return {
        "cpu": (peer.cpu() - before) / gigabytes,
        "rate": size / 1e6 / seconds,
        "rss": peer.resident_mb(),
        "odd": False,
    }


CALLS = re.compile(
    r"(?:\d+ +)?(?:<\.\.\. )?(read|readv|recvfrom|recvmsg|write|writev|sendto|sendmsg|sendfile|splice)"
    r"\b.*= (\d+)$"
)


def trace(peer, scratch):
    """System calls that moved content while 512 MB went through, by strace."""
    log = scratch / f"strace-{peer.name}.txt"
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
    size, _ = download(peer.port, "short")
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


def conditions(peers, options):
    lines = [
        *server.machine(options),
        f"- {options.rounds} interleaved rounds of {options.duration} s after {options.warmup} s of "
        f"warm-up each, medians; {options.connections} keep-alive connections, 1,000 URLs; "
        f"stream of {options.stream_mb} MB by one curl, once before the first round",
        f"- access logs off everywhere; one thread or worker each "
        f"(loligo_event_loops {options.loops})",
    ]
    lines += [f"- {peer}: {server.version(peer, options)}" for peer in peers]
    lines.append(f"- load average before: {' '.join(f'{load:.2f}' for load in options.load)}")
    return lines


def median(results, key):
    return statistics.median(result[key] for result in results)


def spread(results, key, digits):
    values = [result[key] for result in results]
    return f"{min(values):.{digits}f}-{max(values):.{digits}f}"


def cpu_cell(results, digits):
    if not results:
        return "-"
    odd = " (!)" if any(result["odd"] for result in results) else ""
    return f"{median(results, 'cpu'):.{digits}f} ({spread(results, 'cpu', digits)}){odd}"


def ratio_cell(all_results, row, peer):
    ours, theirs = all_results.get((row, "loligo")), all_results.get((row, peer))
    if not ours or not theirs or not median(theirs, "cpu"):
        return "-"
    return f"{median(ours, 'cpu') / median(theirs, 'cpu'):.2f}"


def report(all_results, traces, peers, rows, options):
    others = [peer for peer in peers if peer != "loligo"]
    lines = [f"# Macro benchmark, {options.started:%Y-%m-%d %H:%M} UTC", "", *conditions(peers, options), ""]
    requests = [row for row in rows if row != "stream"]
    if requests:
        lines += ["CPU microseconds per request: median (lowest-highest); ratio is Loligo divided by the peer.", ""]
        lines += table(
            ["row", *peers, *[f"ratio to {peer}" for peer in others if "loligo" in peers]],
            [
                [TITLES[row], *[cpu_cell(all_results.get((row, peer)), 1) for peer in peers],
                 *[ratio_cell(all_results, row, peer) for peer in others if "loligo" in peers]]
                for row in requests
            ],
        )
        lines += ["", "Requests per second, and latency p50/p99 in ms:", ""]
        lines += table(
            ["row", *peers],
            [
                [TITLES[row], *[
                    f"{median(found, 'rate'):,.0f}, {median(found, 'p50') / 1000:.2f}/{median(found, 'p99') / 1000:.2f}"
                    if (found := all_results.get((row, peer))) else "-" for peer in peers]]
                for row in requests
            ],
        )
        lines += ["", "(!): the origin was asked more (hits) or less (misses) often than the row is meant to."]
    if "stream" in rows:
        lines += ["", f"{TITLES['stream']}, {options.stream_mb} MB:", ""]
        body = [["CPU s per GB", *[cpu_cell(all_results.get(("stream", peer)), 2) for peer in peers]]]
        for title, key in {"MB/s": "rate", "resident MB afterwards": "rss"}.items():
            body.append([title, *[f"{median(all_results[('stream', peer)], key):,.0f}" for peer in peers]])
        if "loligo" in peers:
            body.append(["CPU, Loligo divided by it", *[ratio_cell(all_results, "stream", peer) for peer in peers]])
        lines += table(["", *peers], body)
    if traces:
        lines += ["", "System calls that moved content, from strace over a stream of its own: calls per GB, median octets each.", ""]
        lines += table(
            ["peer", "call", "calls per GB", "median octets"],
            [
                [peer, call, f"{calls:,.0f}", f"{size:,.0f}"]
                for peer, found in traces.items() for call, (calls, size) in found.items()
            ],
        )
    return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--duration", type=int, default=10, help="seconds of each measurement")
    parser.add_argument("--warmup", type=int, default=5, help="seconds before each measurement")
    parser.add_argument("--first-warmup", type=int, default=20, help="seconds before the first round, for each request row")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--rows", default=",".join(ROWS), help="of " + ",".join(ROWS))
    parser.add_argument("--peers", default=",".join(PEERS), help="of " + ",".join(PEERS))
    parser.add_argument("--stream-mb", type=int, default=5120)
    parser.add_argument("--strace", action="store_true", help="show sizes of reads and writes")
    parser.add_argument("--loops", type=int, default=1, help="loligo_event_loops")
    server.common_arguments(parser)
    parser.add_argument("--out", type=pathlib.Path, help="default: results/DATE-macro.md; - prints only")
    return parser.parse_args()


def main():
    server.exit_on_signals()
    options = arguments()
    options.started = datetime.datetime.now(datetime.timezone.utc)
    options.load = os.getloadavg()
    rows = chosen(options.rows, ROWS, "rows")
    peers = chosen(options.peers, PEERS, "peers")
    for peer in list(peers):
        present = options.jar.is_file() if peer == "loligo" else program(peer)
        if not present:
            print(f"left out, not there: {peer}", file=sys.stderr)
            peers.remove(peer)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="macro-"))
    shared = pathlib.Path("/dev/shm")
    memory = pathlib.Path(tempfile.mkdtemp(prefix="macro-", dir=shared if shared.is_dir() else None))
    memory.chmod(0o777)
    servers = []
    try:
        origin = make_origin(scratch, memory, options.stream_mb)
        servers.append(origin)
        origin.start()
        running = {}
        for peer in peers:
            running[peer] = Server(peer, scratch, memory, origin.port, options)
            servers.append(running[peer])
            running[peer].start()
        results, traces = {}, {}
        for round_number in range(options.rounds + 1):
            for row in rows:
                for peer in peers:
                    if row.endswith("-forward") and peer not in FORWARD:
                        continue
                    run_once(row, running[peer], origin, options, round_number, results)
        if options.strace and program("strace"):
            traces = {peer: trace(running[peer], scratch) for peer in peers}
        text = report(results, traces, peers, rows, options)
    finally:
        for started in reversed(servers):
            started.stop()
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.rmtree(memory, ignore_errors=True)
    server.write_results(text, options, "macro")


def run_once(row, peer, origin, options, round_number, results):
    """One measurement; round 0 only warms up."""
    word = f"r{round_number}"
    if round_number == 0:
        if row == "stream":
            download(peer.port, "full")
        elif options.first_warmup:
            kind, size = row.split("-")[:2]
            absolute = row.endswith("-forward")
            wrk(
                peer.forward if absolute else peer.port, options.first_warmup, options.connections,
                kind, size, f"127.0.0.1:{origin.port}" if absolute else "-", word,
            )
        return
    result = run_stream(peer) if row == "stream" else run_requests(row, peer, origin, options, word)
    results.setdefault((row, peer.name), []).append(result)
    shown = ", ".join(
        f"{key} {value:,.2f}" for key, value in result.items() if key in ("cpu", "rate", "fetched", "rss")
    )
    print(f"round {round_number} {row} {peer.name}: {shown}", file=sys.stderr)


if __name__ == "__main__":
    main()
