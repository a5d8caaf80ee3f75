"""Memory hits of 1 KB by a forward port with an access log: an older jar (--before) and the present one in turn, the
present one also with an open live page and a scraper, and with the JSON log. Gives CPU and bytes of heap per hit.
Prints and writes one Markdown table.
"""

import copy
import pathlib
import re
import statistics
import subprocess
import threading
import urllib.request

import bench
import server
from peers import FLAVOURS, Peer

SCRAPE_SECONDS = 15
JSON = {"loligo": {"LOG": "access_log stdio:@DIR@/access.log logformat=loligo_json"}}


class Watched(Peer):
    """A jar with the log of its collections."""

    def __init__(self, title, jar, flavour, here, options):
        own = copy.copy(options)
        own.jar = jar
        scratch = here.scratch / re.sub(r"\W+", "-", title)
        scratch.mkdir()
        scratch.chmod(0o755)
        self.title = title
        self.collections = scratch / "gc.log"
        own.java_flags = f"{options.java_flags} -Xlog:gc:file={self.collections}:uptime:filecount=0".strip()
        super().__init__("loligo", flavour, scratch, here.memory, here.origin.port, own)

    def allocated(self):
        """Bytes of heap that were allocated until the last collection."""
        line = re.compile(r"Pause .* (\d+)K->(\d+)K|Pause .* (\d+)M->(\d+)M")
        total = left = 0
        for before, after, before_mb, after_mb in line.findall(self.collections.read_text()):
            used = int(before) * 2**10 if before else int(before_mb) * 2**20
            total += used - left
            left = int(after) * 2**10 if after else int(after_mb) * 2**20
        return total

    def collect(self):
        self.jcmd("GC.run")


class Page:
    """An open live page, and a scraper that asks for the metrics."""

    def __init__(self, peer):
        self.base = f"http://127.0.0.1:{peer.words['ADMIN']}"
        self.ends = threading.Event()
        self.events = 0
        self.threads = [threading.Thread(target=run, daemon=True) for run in (self.read, self.scrape)]
        for thread in self.threads:
            thread.start()

    def read(self):
        with urllib.request.urlopen(f"{self.base}/live", timeout=30) as events:
            for line in events:
                self.events += line.startswith(b"data:")
                if self.ends.is_set():
                    return

    def scrape(self):
        while not self.ends.wait(SCRAPE_SECONDS):
            with urllib.request.urlopen(f"{self.base}/metrics", timeout=30) as metrics:
                metrics.read()

    def close(self):
        self.ends.set()
        for thread in self.threads:
            thread.join(30)


def load(peer, origin, options):
    """CPU microseconds and bytes of heap per request."""
    peer.collect()
    before, heap = peer.cpu(), peer.allocated()
    done = subprocess.run(
        [
            str(options.bin / "rate"), "-o", f"http://127.0.0.1:{origin.port}",
            *map(str, (peer.forward, options.clients, options.duration, options.rate, "1k", 1)),
        ],
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )
    micros = (peer.cpu() - before) * 1e6
    if done.returncode:
        raise server.Failed(f"{peer.title}: {done.stdout or done.stderr}")
    peer.collect()
    requests = int(done.stdout.split()[0])
    return micros / requests, (peer.allocated() - heap) / requests


def measure(peers, origin, options):
    found = {}
    for number in range(-options.warm_rounds, options.rounds):
        for peer in peers:
            page = Page(peer) if peer.with_page else None
            micros, heap = load(peer, origin, options)
            if page:
                page.close()
                if page.events < options.duration - 1:
                    raise server.Failed(f"{peer.title}: {page.events} events")
            server.say(f"round {number + 1} {peer.title}: {micros:.2f} us, {heap:.0f} bytes")
            if number >= 0:
                found.setdefault(peer.title, []).append((micros, heap))
    return found


def report(found, options):
    lines = bench.head(
        "What watching costs a hit", options, ["loligo"],
        f"one URL of 1 KB by a forward port, {options.clients} persistent connections, {options.rate} requests a "
        f"second for {options.duration} s; {options.rounds} rounds in turn after {options.warm_rounds} unmeasured ones; "
        "access log in the format squid, or loligo_json; one thread each",
        "heap: what all threads allocated, from the log of the collections",
    )
    lines += ["", "Median (lowest-highest) per request:", ""]
    base_micros, base_heap = ([one[i] for one in next(iter(found.values()))] for i in (0, 1))
    rows = []
    for title, values in found.items():
        micros, heap = [one[0] for one in values], [one[1] for one in values]
        rows.append([
            title, server.spread(micros, ".2f"), f"{statistics.median(micros) / statistics.median(base_micros):.3f}",
            server.spread(heap, ".0f"), f"{statistics.median(heap) - statistics.median(base_heap):+.0f}",
        ])
    lines += server.table(["", "CPU us", "ratio", "heap bytes", "more"], rows)
    return "\n".join(lines) + "\n"


def main():
    parser = bench.parser(
        __doc__, "watching", words={"warm_rounds": "unmeasured rounds before", "rate": "requests a second"},
        rounds=7, warm_rounds=4, clients=10, duration=4, rate=20_000,
    )
    parser.add_argument("--before", type=pathlib.Path, required=True, help="a jar from before")
    options = server.begun(parser.parse_args())
    FLAVOURS["json"] = JSON
    with bench.running("watching", options) as here:
        peers = []
        for title, jar, flavour, with_page in (
            ("before", options.before, "logged", False),
            ("now", options.jar, "logged", False),
            ("now, page open, scraped", options.jar, "logged", True),
            ("now, JSON log", options.jar, "json", False),
        ):
            peer = Watched(title, jar, flavour, here, options)
            peer.with_page = with_page
            peers.append(here.add(peer))
        found = measure(peers, here.origin, options)
    server.write_results(report(found, options), options, "watching")


if __name__ == "__main__":
    main()
