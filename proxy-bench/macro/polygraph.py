"""A workload like Web Polygraph's, side by side: Loligo, Squid's stores, nginx and Traffic Server.

polyload asks each peer in turn for the same sequence of objects and verifies every byte; polyorigin
computes them. What is hit is told by the origin's count of requests, and by a field in each answer
that names the request it was made for. CPU is user and system time of the peer's whole process tree,
divided by the requests done meanwhile. Parts:

  main    fill until the working set was offered once, then measure; working set below the cache
  memory  the same for Loligo with its disk, and with all objects in a memory tier of the cache's size
  twice   fill to twice the size of the cache, in quarters
  big     a working set of 2.3 times the cache grows, then slides; the disk used is watched
  dirs    as main, Loligo with one cache_dir and with two of half the size
  mix     PolyMix-4's kinds of requests and an origin that thinks, at a steady rate
  think   an origin that takes 0, 50 and 500 ms in turn, at a steady rate
  peak    the highest rate at which the mean response time stays below a bound
"""

import argparse
import contextlib
import dataclasses
import json
import os
import re
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import server
from server import Failed, chosen, program, table

PARTS = ["main", "memory", "twice", "big", "dirs", "mix", "think", "peak"]
PEERS = [
    "loligo", "squid-null", "squid-ufs", "squid-aufs", "squid-diskd", "squid-rock", "nginx",
    "trafficserver",
]
PEER_LISTS = ["peers", "twice_peers", "big_peers", "mix_peers", "think_peers", "peak_peers"]
MEASURED, WARMING = 1, 2  # worlds: sets of URLs
FILL_DAMPING = 5 / 55  # of the recurrence, as PolyMix fills
SPECIAL_DAMPING = 0.1  # of the other kinds of requests, likewise
# PolyMix-4's shares of the kinds of requests that are not plain, and of aborts
MIX = "ims200=0.05,ims304=0.10,reload=0.05,abort=0.001,cut=0.001"
PEAK_APPROACH, PEAK_STEP = 1.5, 0.05
PEAK_ERRORS = 0.005  # more of the requests that fail are as bad as a long response time
CACHABLE = 0.8  # share of the objects, by the table in polymix.h
WARM_RECURRENCE = 0.99  # what it brings takes room from what is measured


@dataclasses.dataclass
class Setup:
    """A peer with its sizes; `label` stands in the tables."""

    label: str
    peer: str
    memory_mb: int
    cache_mb: int
    dirs: int = 1
    java_flags: str = ""
    memory_object: str = "512 KB"
    many: int = 0  # connections of clients, where that is more than a configuration allows as a rule
    lines: str = ""  # more of the configuration


@dataclasses.dataclass
class Phase:
    name: str
    window: int
    recurrence: float
    count: int = 0
    new: int = 0
    rate: float = 0
    seconds: float = 0
    think: tuple = ()  # milliseconds of the origin, mean and deviation; none: as the options say
    mix: dict = dataclasses.field(default_factory=dict)  # shares of kinds of requests


class Origin(server.Server):
    def __init__(self, scratch, options):
        self.options = options
        super().__init__("polyorigin", scratch / "origin")

    def command_line(self):
        return [str(self.options.bin / "polyorigin"), str(self.port)]

    def asked(self):
        """Requests for objects, and bytes of their bodies, since the start."""
        return self.tell("status")

    def think(self, mean_ms, deviation_ms=0):
        """How long it waits from now on before it answers."""
        self.tell(f"think/{mean_ms}/{deviation_ms}")

    def tell(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=10) as status:
            requests, octets = status.read().split()
        return int(requests), int(octets)


class Peer(server.Server):
    def __init__(self, setup, directory, origin, options):
        self.setup, self.options = setup, options
        self.kind, _, self.store = setup.peer.partition("-")
        self.admin = server.free_port()
        if self.kind == "trafficserver":
            template = "poly/runroot.yaml"
        else:
            template = f"poly/{self.kind}.conf"
        words = {
            "ORIGIN": origin.port,
            "MEMORY_MB": setup.memory_mb,
            "MEMORY_OCTETS": setup.memory_mb * 2**20,
            "MEMORY_OBJECT": setup.memory_object,
            "CACHE_MB": setup.cache_mb,
            "CACHE_DIRS": "",
            "ADMIN": self.admin,
            "LOOPS": options.loops,
            # a client's connection may need another one to the origin
            "CONNECTIONS": 2 * setup.many or 4096,
            "DESCRIPTORS": max(65536, 3 * setup.many),
            "POOL": setup.many or 128,
            "THROTTLE": max(30000, 4 * setup.many),
        }
        self.caches = []
        if self.store != "null":
            count = setup.dirs if self.kind == "loligo" else 1
            self.caches = [directory / f"cache{i}" if i else directory / "cache" for i in range(count)]
        if self.kind in ("loligo", "squid") and self.caches:
            store = self.store or "rock"
            more = options.store_options.get(store, "") if self.kind == "squid" else ""
            size = setup.cache_mb // len(self.caches)
            words["CACHE_DIRS"] = "\n".join(
                f"cache_dir {store} {cache} {size} {more}" for cache in self.caches
            )
        super().__init__(setup.label, directory, template, words)
        with self.conf.open("a") as conf:
            conf.write(setup.lines)
        for cache in self.caches:
            cache.mkdir()
            cache.chmod(0o777)
        if self.kind == "trafficserver":
            own = f"http://127.0.0.1:{origin.port}/"
            server.traffic_server_root(
                self, self.caches[0], setup.cache_mb, {"http://bench.example/": own}
            )

    def command_line(self):
        if self.kind == "loligo":
            return [
                self.options.java, *self.setup.java_flags.split(), "-jar", str(self.options.jar),
                "run", "-f", str(self.conf),
            ]
        if self.kind == "squid":
            return [program("squid"), "-N", "-n", f"bench{self.port}", "-f", str(self.conf)]
        if self.kind == "trafficserver":
            return [program("traffic_server"), f"--run-root={self.conf}"]
        return [program("nginx"), "-p", str(self.dir), "-c", str(self.conf)]

    def start(self):
        if self.kind == "squid" and self.caches:
            subprocess.run(
                [*self.command_line(), "-z"], check=False, timeout=120,
                stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
            )
        super().start()

    def stop(self):
        super().stop()
        for left in pathlib.Path("/dev/shm").glob(f"bench{self.port}*"):
            left.unlink(missing_ok=True)

    def disk_mb(self):
        return sum(blocks_of(cache) for cache in self.caches) * 512 / 2**20

    def counters(self):
        """Loligo's own counters by name, empty where there are none."""
        if self.kind != "loligo":
            return {}
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/metrics", timeout=10) as page:
                lines = page.read().decode().splitlines()
        except OSError:
            return {}
        return {
            name: float(value)
            for name, _, value in (line.rpartition(" ") for line in lines if not line.startswith("#"))
        }


def blocks_of(folder):
    """Blocks of 512 bytes that are allocated to a folder and all below it."""
    blocks, todo = 0, [str(folder)]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    try:
                        blocks += entry.stat(follow_symlinks=False).st_blocks
                    except FileNotFoundError:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
        except FileNotFoundError:
            continue
    return blocks


class DiskWatch:
    """Looks at the disk a peer uses while a phase runs, one fiftieth of the time at most."""

    def __init__(self, peer):
        self.peer, self.most, self.over = peer, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def look(self):
        self.most = max(self.most, self.peer.disk_mb())

    def watch(self):
        pause = 1
        while not self.over.wait(pause):
            started = time.monotonic()
            self.look()
            pause = max(1, 50 * (time.monotonic() - started))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.look()


class Load:
    """polyload, which keeps its sequence from phase to phase."""

    def __init__(self, port, options, lrus=(), connections=None):
        self.process = subprocess.Popen(
            [
                str(options.bin / "polyload"), str(port), str(connections or options.connections),
                str(options.seed), *map(str, lrus),
            ],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )

    def run(self, name, world, window, recurrence, count=0, new=0, seconds=0.0, rate=0.0, bias=0.0, **keys):
        """Runs a phase; polyload.c explains the words of its line, and the keys."""
        line = f"{name} {world} {window} {recurrence:.6f} {count} {new} {seconds} {rate} {bias}"
        line += "".join(f" {key}={value}" for key, value in keys.items()) + "\n"
        due = count / rate if rate else 0
        guard = threading.Timer(max(seconds, due) + 120, self.process.kill)
        guard.start()
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            guard.cancel()
        if not answer:
            raise Failed(f"polyload ended in phase {name}")
        return json.loads(answer)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    close = stop


def measure(peer, origin, load, phase, options):
    """One phase against one peer; what it did and what it cost."""
    counters = peer.counters()
    origin.think(*(phase.think or (options.delay_ms,)))
    requests, octets = origin.asked()
    cpu = peer.cpu()
    with DiskWatch(peer) as disk:
        result = load.run(
            phase.name, MEASURED, phase.window, phase.recurrence, phase.count, phase.new,
            phase.seconds or options.phase_seconds, phase.rate, options.size_bias, **phase.mix,
        )
        result["cpu"] = (peer.cpu() - cpu) / max(1, result["done"]) * 1000
    after_requests, after_octets = origin.asked()
    result["rate"] = result["done"] / result["seconds"]
    # whatever the clients did not get in the end was asked for all the same
    result["hit_ratio"] = 1 - (after_requests - requests) / max(1, result["requests"])
    result["byte_hit_ratio"] = 1 - (after_octets - octets) / max(1, result["octets"])
    result["ideal"] = result["ideal_hits"] / max(1, result["requests"])
    result["byte_ideal"] = result["ideal_octets"] / max(1, result["octets"])
    result["seen"] = result["hits"] / max(1, result["done"])
    result["disk"] = disk.most
    result["rss"] = peer.resident_mb()
    result["short"] = result["requests"] < phase.count or result["new"] < phase.new
    result["counters"] = {
        name: value - counters.get(name, 0) for name, value in peer.counters().items()
        if value != counters.get(name, 0)
    }
    if peer.process.poll() is not None:
        raise Failed(f"{peer.name} ended with {peer.process.returncode}")
    return result


@contextlib.contextmanager
def warmed(part, setup, scratch, origin, options):
    """A peer with an empty cache, warm."""
    # a blank would have to be quoted in each peer's own way
    directory = scratch / re.sub(r"\W+", "-", f"{part}-{setup.label}")
    peer = load = None
    try:
        peer = Peer(setup, directory, origin, options)
        peer.start()
        load = Load(peer.port, options)
        origin.think(options.delay_ms)
        window = max(100, options.window // 12)
        # a cache in memory keeps what it has seen often: filling it up would be another experiment
        soak = int(1.25 * setup.cache_mb * 2**20 / options.octets_of_new) or window
        seconds = options.warmup if peer.kind == "loligo" else options.peer_warmup
        # new ones until a disk is full, if there is time, so that its emptying is warm, and none of
        # them twice, which would stay; new ones again at the end, as what is measured begins with;
        # all of it twice, as a JVM compiles anew what it sees in another use for the first time
        for name, recurrence, new, share in 2 * [
            ("soak", 0, soak, 0.25), ("warm", WARM_RECURRENCE, 0, 0.175), ("refill", 0, 2 * window, 0.075)
        ]:
            if seconds:
                load.run(name, WARMING, window, recurrence, 0, new, seconds * share)
                peer.counters()  # somebody always watches
        load.stop()
        yield peer
    except Failed:
        if options.keep_logs:
            keep_logs(directory, options.keep_logs / f"{part}-{setup.label}")
        raise
    finally:
        if load:
            load.stop()
        if peer:
            peer.stop()
        shutil.rmtree(directory, ignore_errors=True)
        os.sync()


def run(part, setup, phases, scratch, origin, options):
    """A peer from an empty cache to its end; returns the results of its phases."""
    results = {}
    connections = {"peak": options.peak_connections, "mix": options.open_connections, "think": options.open_connections}
    try:
        with warmed(part, setup, scratch, origin, options) as peer, \
                contextlib.closing(Load(peer.port, options, connections=connections.get(part))) as load:
            for phase in phases:
                results[phase.name] = result = measure(peer, origin, load, phase, options)
                say(part, setup, phase, result)
            if part == "peak":
                find_peak(setup, peer, origin, load, results, options)
    except Failed as failure:
        server.say(f"{part} {setup.label} failed: {failure}")
        results["failure"] = str(failure).splitlines()[0]
    return results


def find_peak(setup, peer, origin, load, results, options):
    """Adds samples to the results. The rate goes up in large steps until the response time is too long, then by
    5 % up where it is short and down where it is long, until it is within the window or two neighbours enclose it.
    """
    def sample(kind, rate, seconds):
        phase = Phase(
            f"{kind}-{len(results)}", options.window, options.recurrence, rate=rate, seconds=seconds,
            think=options.think, mix=options.mix,
        )
        result = results[phase.name] = measure(peer, origin, load, phase, options)
        bad = result["errors"] > PEAK_ERRORS * result["requests"]
        result["due"], result["mean_s"] = rate, result["mean"] / 1e6
        result["verdict"] = (
            "above" if bad or result["mean_s"] > options.peak_window[1]
            else "below" if result["mean_s"] < options.peak_window[0] else "within"
        )
        server.say(
            f"peak {setup.label}: {rate:,.0f}/s, mean {result['mean_s']:.2f} s, {result['verdict']}; "
            f"{result['in_flight']:,} in flight, {result['errors']} errors"
        )
        return result["verdict"]

    rate = options.peak_from
    while sample("approach", rate, options.approach_seconds) == "below":
        rate *= PEAK_APPROACH
    rate /= PEAK_APPROACH
    held, refused = 0, float("inf")
    for _ in range(options.peak_samples):
        verdict = sample("sample", rate, options.sample_seconds)
        if verdict == "within":
            break
        if verdict == "below":
            held = max(held, rate)
            rate *= 1 + PEAK_STEP
        else:
            refused = min(refused, rate)
            rate *= 1 - PEAK_STEP
        if held and refused < held * (1 + PEAK_STEP) * 1.01:
            break


def samples(results):
    return [result for name, result in results.items() if name.startswith("sample-")]


def peak(results):
    """The sample with the highest rate that held; None where there is none."""
    held = [result for result in samples(results) if result["verdict"] != "above"]
    return max(held, key=lambda result: result["due"], default=None)


def is_enclosed(best, results):
    """Whether the next higher rate was refused, so that the peak is one."""
    return best["verdict"] == "within" or any(
        one["verdict"] == "above" and one["due"] < best["due"] * (1 + PEAK_STEP) * 1.01 for one in samples(results)
    )


def keep_logs(directory, to):
    to.mkdir(parents=True, exist_ok=True)
    for path in directory.rglob("*"):
        if path.suffix in (".txt", ".log", ".conf", ".config") and path.is_file():
            shutil.copy(path, to)


def say(part, setup, phase, result):
    server.say(
        f"{part} {setup.label} {phase.name}: {result['seconds']:.1f} s, {result['rate']:,.0f}/s, {result['cpu']:.3f} CPU ms, "
        f"hits {result['hit_ratio']:.3f} of {result['ideal']:.3f}, "
        f"bytes {result['byte_hit_ratio']:.3f} of {result['byte_ideal']:.3f}, "
        f"disk {result['disk']:,.0f} MB, {result['wrong']} wrong, {result['errors']} errors"
        f"{', cut short' if result['short'] else ''}"
    )


def octets_of_new(options):
    """Bytes that are to be stored per new object, from the sequence itself."""
    load = Load(0, options)
    try:
        result = load.run("sizes", MEASURED, 1, 0, 0, 1_000_000, 60)
    finally:
        load.stop()
    return result["new_octets"] / result["new"]


def lru_of(phases, options, sizes):
    """What LRU caches of these sizes make of the sequence: results by phase."""
    load = Load(0, options, sizes)
    try:
        return {
            phase.name: load.run(
                phase.name, MEASURED, phase.window, phase.recurrence, phase.count, phase.new, 300,
                bias=options.size_bias, **phase.mix,
            )
            for phase in phases
        }
    finally:
        load.stop()


def usual_phases(options):
    return [
        Phase("fill", options.window, options.recurrence * FILL_DAMPING, new=options.window),
        Phase("measure", options.window, options.recurrence, count=options.requests),
    ]


def steady_fill(options):
    """At a rate, as there are more connections than a closed loop should have; from an origin that does not think."""
    fill = usual_phases(options)[0]
    return dataclasses.replace(fill, rate=options.fill_rate, think=(0,))


def plan(part, options):
    """The setups and phases of a part."""
    memory, cache, flags = options.memory_mb, options.cache_mb, options.java_flags

    def setups(peers, cache_mb=cache, memory_mb=memory):
        return [Setup(peer, peer, memory_mb, cache_mb, java_flags=flags) for peer in peers]

    if part == "main":
        return setups(options.peers), usual_phases(options)
    if part == "memory":
        flags = options.memory_java_flags
        return [
            Setup("loligo, disk", "loligo", memory, cache, java_flags=flags),
            Setup("loligo, all in memory", "loligo-null", cache, 0, java_flags=flags,
                  memory_object="64 MB"),
        ], usual_phases(options)
    if part == "dirs":
        return [
            Setup("loligo, 1 cache_dir", "loligo", memory, cache, 1, flags),
            Setup("loligo, 2 cache_dirs", "loligo", memory, cache, 2, flags),
        ], usual_phases(options)
    if part == "mix":
        fill = {kind: share * SPECIAL_DAMPING for kind, share in options.mix.items()}
        return setups(options.mix_peers), [
            dataclasses.replace(steady_fill(options), mix=fill),
            Phase("measure", options.window, options.recurrence, options.requests, rate=options.rate,
                  think=options.think, mix=options.mix),
        ]
    if part == "think":
        return setups(options.think_peers), [steady_fill(options), *[
            Phase(f"{delay}-ms-{number}", options.window, options.recurrence, int(options.rate * options.think_seconds),
                  rate=options.rate, think=(delay,))
            for number in range(1, options.think_rounds + 1) for delay in options.think_ms
        ]]
    if part == "peak":
        return [
            dataclasses.replace(setup, many=options.peak_connections) for setup in setups(options.peak_peers)
        ], [steady_fill(options)]
    if part == "twice":
        quarter = int(2 * cache * 2**20 / options.octets_of_new / 4)
        recurrence = options.recurrence * FILL_DAMPING
        return setups(options.twice_peers), [
            Phase(f"quarter {i}".replace(" ", "-"), options.window, recurrence, new=quarter)
            for i in range(1, 5)
        ]
    window = int(2.3 * options.big_cache_mb * 2**20 / options.octets_of_new)
    big_memory = max(1, memory * options.big_cache_mb // cache)
    return setups(options.big_peers, options.big_cache_mb, big_memory), [
        Phase("grow", window, options.recurrence, new=window),
        Phase("slide", window, options.recurrence, count=options.requests),
    ]


def values(rounds, phase, key):
    return [results[phase][key] for results in rounds if phase in results]


def median(rounds, phase, key):
    found = values(rounds, phase, key)
    return statistics.median(found) if found else None


def cell(rounds, phase, key, digits):
    """Median, and the lowest and highest where there are several."""
    found = values(rounds, phase, key)
    if not found:
        return "-"
    text = f"{statistics.median(found):,.{digits}f}"
    if len(found) > 1:
        text += f" ({min(found):,.{digits}f}-{max(found):,.{digits}f})"
    return text


def milliseconds(rounds, phase, kind):
    return "/".join(
        f"{median(rounds, phase, f'{kind}_{which}') / 1000:.2f}" for which in ("p50", "p99")
    )


def share(rounds, phase, key, ideal):
    part, whole = median(rounds, phase, key), median(rounds, phase, ideal)
    return part / whole if part is not None and whole else None


def row(label, rounds, phase):
    if not values(rounds, phase, "rate"):
        reason = next((results["failure"] for results in rounds if "failure" in results), "not run")
        return [label, reason, *["-"] * 11]
    odd = any(
        abs(results[phase]["hit_ratio"] - results[phase]["seen"]) > 0.01
        for results in rounds if phase in results
    )
    cut = any(values(rounds, phase, "short"))
    return [
        label,
        cell(rounds, phase, "rate", 0) + (" (cut)" if cut else ""),
        cell(rounds, phase, "cpu", 3),
        f"{median(rounds, phase, 'hit_ratio'):.3f}" + (" (!)" if odd else ""),
        text_of(share(rounds, phase, "hit_ratio", "ideal"), 3),
        f"{median(rounds, phase, 'byte_hit_ratio'):.3f}",
        text_of(share(rounds, phase, "byte_hit_ratio", "byte_ideal"), 3),
        milliseconds(rounds, phase, "hit"),
        milliseconds(rounds, phase, "miss"),
        f"{max(values(rounds, phase, 'disk')):,.0f}",
        f"{median(rounds, phase, 'rss'):,.0f}",
        f"{sum(values(rounds, phase, 'wrong'))}",
        f"{sum(values(rounds, phase, 'errors'))}",
    ]


HEAD = [
    "peer", "transactions/s", "CPU ms per transaction", "hit ratio", "of ideal", "byte hit ratio",
    "of ideal", "hits p50/p99 ms", "misses p50/p99 ms", "disk MB, most", "resident MB", "wrong",
    "errors",
]


def text_of(number, digits=2):
    return "-" if number is None else f"{number:.{digits}f}"


def over_all(rounds, phases):
    """Hits of all phases together over the ideal ones."""
    shares = [
        sum(results[phase.name]["hit_ratio"] * results[phase.name]["requests"] for phase in phases)
        / max(1, sum(results[phase.name]["ideal_hits"] for phase in phases))
        for results in rounds if all(phase.name in results for phase in phases)
    ]
    return statistics.median(shares) if shares else None


def part_lines(part, all_results, options):
    setups, phases = plan(part, options)
    found = all_results[part]
    ideal = lru_of(phases, options, sorted({setup.memory_mb * 2**20 for setup in setups}
                                          | {setup.cache_mb * 2**20 for setup in setups if setup.cache_mb}))
    lines = [f"## {part}", ""]
    sizes = ", ".join(sorted({f"{setup.memory_mb:,} MB memory and {setup.cache_mb:,} MB disk" for setup in setups}))
    window_mb = phases[0].window * options.octets_of_new / 2**20
    lines += [f"Working set {phases[0].window:,} objects, {window_mb:,.0f} MB of them cachable; {sizes}."]
    for phase in phases if part != "think" else phases[:1]:
        dry = ideal[phase.name]
        kept = ", ".join(
            f"{lru['octets'] / 2**20:,.0f} MB {lru['hits'] / dry['requests']:.3f} "
            f"({lru['hit_octets'] / dry['octets']:.3f})" for lru in dry["lru"]
        )
        lines += [
            "", f"{phase.name}: {dry['requests']:,} requests, {dry['new']:,} of them new, "
            f"{dry['octets'] / 2**20:,.0f} MB; ideal hit ratio {dry['ideal_hits'] / dry['requests']:.3f} "
            f"({dry['ideal_octets'] / dry['octets']:.3f} of the bytes); exact LRU by bytes: {kept}.", "",
        ]
        lines += table(HEAD, [row(setup.label, found[setup.label], phase.name) for setup in setups])
    if part == "mix":
        lines += mix_lines(found, setups)
    if part == "think":
        lines += think_lines(found, setups, options)
    if part == "peak":
        lines += peak_lines(found, setups, options)
    if part == "big":
        lines += ["", "Hits of both phases over the ideal ones, and disk used over the size given:", ""]
        lines += table(["peer", "of ideal hits", "of the size"], [
            [setup.label, text_of(over_all(found[setup.label], phases), 3), text_of(of_size(found, setup, phases), 3)]
            for setup in setups
        ])
    return lines


def mix_lines(found, setups):
    """What came of the kinds of requests, and response times by kind."""
    kinds = ["plain", "ims200", "ims304", "reload"]
    rows = []
    for setup in setups:
        rounds = [results["measure"] for results in found[setup.label] if "measure" in results]
        if rounds:
            rows.append([
                setup.label, *[f"{statistics.median(one[key] for one in rounds):,.0f}"
                               for key in ("not_modified", "aborted", "cut")],
                f"{statistics.median(one['mean'] for one in rounds) / 1e6:.3f}",
                *["/".join(f"{statistics.median(one[f'{kind}_{which}'] for one in rounds) / 1000:.2f}"
                           for which in ("p50", "p99")) for kind in kinds],
            ])
    return [
        "", "measure, by kind: answers 304, requests that the client and that the origin ended early, mean response time, "
        "and p50/p99 in ms.", "",
        *table(["peer", "304", "client left", "origin left", "mean s", *kinds], rows),
    ]


def think_values(rounds, delay, key, options):
    """Milliseconds, of all phases with that delay."""
    return [
        results[name][key] / 1000 for results in rounds
        for name in (f"{delay}-ms-{number}" for number in range(1, options.think_rounds + 1)) if name in results
    ]


def think_median(rounds, delay, key, options):
    found = think_values(rounds, delay, key, options)
    return statistics.median(found) if found else None


THINK_KEYS = ["hit_p50", "hit_p99", "miss_p50", "miss_p99"]


def think_lines(found, setups, options):
    rows = [
        [setup.label, str(delay), *[
            server.spread(values, ".3f") if (values := think_values(found[setup.label], delay, key, options)) else "-"
            for key in THINK_KEYS
        ]]
        for setup in setups for delay in options.think_ms
    ]
    return [
        "", f"{options.think_rounds} times {options.think_seconds:g} s with each delay, in turn, at {options.rate:g}/s; "
        "ms, median (lowest-highest):", "",
        *table(["peer", "origin's delay ms", "hits p50", "hits p99", "misses p50", "misses p99"], rows),
    ]


def peak_lines(found, setups, options):
    rows, every = [], []
    for setup in setups:
        for number, results in enumerate(found[setup.label], 1):
            best = peak(results)
            rows.append(
                [setup.label, f"{best['due']:,.0f}{'' if is_enclosed(best, results) else ' (?)'}", f"{best['mean_s']:.2f}", f"{best['hit_ratio']:.3f}",
                 f"{best['ideal']:.3f}", f"{best['cpu']:.3f}", f"{best['in_flight']:,}", str(best["errors"]), str(best["wrong"])]
                if best else [setup.label, results.get("failure", "none held"), *["-"] * 7]
            )
            every += [
                [setup.label, str(number), name.partition("-")[0], f"{one['due']:,.0f}", f"{one['seconds']:.0f}", f"{one['mean_s']:.2f}",
                 f"{one['in_flight']:,}{' (all)' if one['in_flight'] >= options.peak_connections else ''}",
                 str(one["errors"]), one["verdict"]]
                for name, one in results.items() if "verdict" in one
            ]
    low, high = options.peak_window
    return [
        "", f"Highest rate at which the mean response time was at most {high} s (window {low}-{high} s), the origin "
        f"thinking {options.think[0]} ms (deviation {options.think[1]}):", "",
        *table(["peer", "peak, requests/s", "mean s", "hit ratio", "ideal", "CPU ms per transaction", "in flight, most",
                "errors", "wrong"], rows),
        "", "(?): the next higher rate was not refused, so that the peak may be higher. All samples; (all): every connection "
        "was in use, so that the load generator was the limit.", "",
        *table(["peer", "round", "kind", "rate", "seconds", "mean s", "in flight, most", "errors", "window"], every),
    ]


def of_size(found, setup, phases):
    most = [value for phase in phases for value in values(found[setup.label], phase.name, "disk")]
    return max(most) / setup.cache_mb if most and setup.cache_mb else None


def ratio(one, other):
    return one / other if one is not None and other else None


def memory_over_lru(rounds, options):
    """Share of memory hits while measuring, over that of an exact LRU of the same size."""
    name = 'loligo_exchanges_total{class="memory_hit"}'
    shares = [
        results["measure"]["counters"][name] / results["measure"]["requests"]
        for results in rounds if name in results.get("measure", {}).get("counters", {})
    ]
    if not shares:
        return None
    dry = lru_of(usual_phases(options), options, [options.memory_mb * 2**20])["measure"]
    return statistics.median(shares) / (dry["lru"][0]["hits"] / dry["requests"])


def targets(all_results, options):
    """Rows: what, ratio, target, whether it was met."""
    rows = []

    def add(what, value, target, below=False):
        met = "not run" if value is None else "yes" if (value < target if below else value >= target) else "no"
        rows.append([what, text_of(value, 3), f"{'<' if below else '>='} {target:.2f}", met])

    main = all_results.get("main", {})
    if "loligo" in main:
        for title, key, best in (("hit ratio", "hit_ratio", "ideal"), ("byte hit ratio", "byte_hit_ratio", "byte_ideal")):
            add(f"A11 {title} / infinite cache, measure", share(main["loligo"], "measure", key, best), 0.97)
        add("A19 memory hits / LRU of the same size, measure", memory_over_lru(main["loligo"], options), 1)
        for peer in ("nginx", "trafficserver"):
            for phase in ("fill", "measure"):
                ours = median(main["loligo"], phase, "cpu")
                add(f"CPU per transaction / {peer}, {phase}", ratio(ours, median(main.get(peer, []), phase, "cpu")), 1, True)
    if "memory" in all_results:
        disk, memory = (all_results["memory"][name] for name in ("loligo, disk", "loligo, all in memory"))
        for phase in ("fill", "measure"):
            add(f"A10 throughput disk / all in memory, {phase}", ratio(median(disk, phase, "rate"), median(memory, phase, "rate")), 0.9)
    if "loligo" in all_results.get("twice", {}):
        found = all_results["twice"]["loligo"]
        add("A12 last quarter / first", ratio(median(found, "quarter-4", "rate"), median(found, "quarter-1", "rate")), 0.9)
    if "loligo" in all_results.get("big", {}):
        setups, phases = plan("big", options)
        setup = next(setup for setup in setups if setup.label == "loligo")
        found = all_results["big"]
        add("working set 2.3 times the cache: of ideal hits, all", over_all(found["loligo"], phases), 0.85)
        add("same, while it slides", share(found["loligo"], "slide", "hit_ratio", "ideal"), 0.85)
        used = of_size(found, setup, phases)
        add("same, disk used / size given", used, 1.0005, True)
    if "dirs" in all_results:
        one, two = (all_results["dirs"][f"loligo, {name}"] for name in ("1 cache_dir", "2 cache_dirs"))
        for phase in ("fill", "measure"):
            add(f"A14 throughput 2 directories / 1, {phase}", ratio(median(two, phase, "rate"), median(one, phase, "rate")), 1)
    if "loligo" in all_results.get("mix", {}):
        for title, key, best in (("hit ratio", "hit_ratio", "ideal"), ("byte hit ratio", "byte_hit_ratio", "byte_ideal")):
            add(f"A11 with IMS, reloads and aborts: {title} / infinite cache",
                share(all_results["mix"]["loligo"], "measure", key, best), 0.97)
    if "loligo" in all_results.get("think", {}):
        rows += think_targets(all_results["think"]["loligo"], options)
    if "loligo" in all_results.get("peak", {}):
        peaks = {
            label: statistics.median(best["due"] for best in held)
            for label, rounds in all_results["peak"].items() if (held := [best for one in rounds if (best := peak(one))])
        }
        for label in [label for label in peaks if label != "loligo"]:
            add(f"A13 peak / {label}", ratio(peaks.get("loligo"), peaks[label]), 1)
    return rows


def think_targets(rounds, options):
    """A16: hits do not move, misses move by the delay."""
    rows, without = [], options.think_ms[0]
    for delay in options.think_ms[1:]:
        values = [
            (f"A16 hits {which}, origin {delay} ms / {without} ms", ratio(
                *[think_median(rounds, each, f"hit_{which}", options) for each in (delay, without)]))
            for which in ("p50", "p99")
        ]
        slow, quick = (think_median(rounds, each, "miss_p50", options) for each in (delay, without))
        moved = (slow - quick) / (delay - without) if slow is not None and quick is not None else None
        values.append((f"A16 misses p50 moved by / {delay - without} ms", moved))
        rows += [
            [what, text_of(value, 3), "0.90-1.10", "not run" if value is None else "yes" if 0.9 <= value <= 1.1 else "no"]
            for what, value in values
        ]
    return rows


OWN = ("disk", "memory", "store", "admission", "exchanges")


def own_counters(all_results):
    """What moved of Loligo's counters of its tiers, by phase of the last round."""
    lines = []
    for part, found in all_results.items():
        for label, rounds in found.items():
            for phase, result in (rounds[-1] if rounds else {}).items():
                if phase == "failure" or part in ("think", "peak") or not result["counters"]:
                    continue
                lines += [f"{part}, {label}, {phase}:"]
                lines += [
                    f"    {name} {value:+,.6g}" for name, value in sorted(result["counters"].items())
                    if name.startswith("loligo_") and "_duration_" not in name and "_bucket" not in name
                    and any(word in name for word in OWN)
                ]
    if not lines:
        return []
    return ["", "## Loligo's counters of its tiers, by phase of the last round", "", "```", *lines, "```"]


def conditions(options):
    filesystem = subprocess.run(
        ["df", "--output=fstype", str(options.scratch)], capture_output=True, text=True, check=False
    ).stdout.split()[-1:]
    kinds = {"loligo": "loligo"}
    for name in PEER_LISTS:
        for peer in getattr(options, name):
            kinds.setdefault(peer.split("-")[0], peer)
    return [
        *server.machine(options),
        f"- parts {', '.join(options.parts)}; {options.rounds} interleaved rounds, medians (lowest-highest); "
        f"seed {options.seed}; scale {options.scale:g}",
        f"- {options.connections} keep-alive connections of one polyload, one request at a time on each; in mix and think "
        f"{options.open_connections:,} and {options.rate:g} requests/s, in peak {options.peak_connections:,}; "
        f"origin polyorigin, {options.delay_ms} ms delay, in mix and peak {options.think[0]} (deviation {options.think[1]}); every byte of every body is compared",
        f"- warm-up before each run, on URLs of their own: {options.warmup:g} s of Loligo's JVM, "
        f"{options.peer_warmup:g} s of the others; half of it or less with new objects, 1.25 times the disk, "
        f"a third with recurrence {WARM_RECURRENCE}, then new ones again, over {options.window // 12:,} objects; "
        f"all of it twice, in half the time each",
        f"- content of PolyMix (image, HTML, download, other), plain GETs except in mix and peak "
        f"({', '.join(f'{kind} {share:g}' for kind, share in options.mix.items())}); recurrence {options.recurrence:g}, "
        f"while filling {options.recurrence * FILL_DAMPING:.3f}; uniform over the sliding working set, one in ten to 1 % of it; "
        f"{options.size_bias:.0%} of the revisits of what is cachable go to the smallest of nine neighbours",
        f"- caches on {' '.join(filesystem)}, nothing synced or dropped between phases; access logs off; "
        f"one event loop, thread of events or worker each (loligo_event_loops {options.loops})",
        f"- Squid's rock with {options.rock_options or 'its defaults'}, diskd with {options.diskd_options or 'its defaults'}",
        f"- flags of the JVM in part memory, for both: {options.memory_java_flags}",
        *[f"- {kind}: {server.version(peer, options)}" for kind, peer in kinds.items() if options.there(peer)],
        f"- load average before: {' '.join(f'{load:.2f}' for load in options.load)}",
    ]


def report(all_results, options):
    lines = [f"# Polygraph-like benchmark, {options.started:%Y-%m-%d %H:%M} UTC", "", *conditions(options), ""]
    rows = targets(all_results, options)
    if rows:
        lines += ["## Targets", "", *table(["ratio", "measured", "target", "met"], rows), ""]
    for part in all_results:
        lines += [*part_lines(part, all_results, options), ""]
    lines += [
        "Hit ratios are one minus what reached the origin over what was asked. (!): answers that "
        "were made for another request tell a ratio that differs by more than 0.01. (cut): the phase "
        "ended at its time limit.",
        *own_counters(all_results),
    ]
    return "\n".join(lines) + "\n"


def add_store_options(add):
    add("--rock-options", default="slot-size=4096", help="of Squid's cache_dir rock")
    add("--diskd-options", default="Q1=256 Q2=288", help="of Squid's cache_dir diskd")


def store_options(options):
    """What stands behind the size on Squid's cache_dir lines, by type."""
    files = "16 256"
    return {
        "ufs": files, "aufs": files, "diskd": f"{files} {options.diskd_options}",
        "rock": options.rock_options,
    }


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--part", default="main", help="of " + ",".join(PARTS))
    add("--peers", default=",".join(PEERS), help="of part main, of " + ",".join(PEERS))
    add("--twice-peers", default="loligo", help="of part twice")
    add("--big-peers", default="loligo,squid-aufs,squid-rock,nginx,trafficserver", help="of part big")
    add("--mix-peers", default="loligo,squid-aufs,squid-rock,nginx,trafficserver", help="of part mix")
    add("--think-peers", default="loligo", help="of part think")
    add("--peak-peers", default="loligo,squid-aufs,squid-rock,nginx,trafficserver", help="of part peak")
    add("--mix", default=MIX, help="of parts mix and peak: shares of kinds of requests, see polyload.c")
    add("--think", default="2500,1000", help="of parts mix and peak: ms of the origin, mean and deviation")
    add("--rate", type=float, default=1000, help="of parts mix and think, requests/s")
    add("--fill-rate", type=float, default=2000, help="of the parts mix, think and peak, requests/s while filling")
    add("--open-connections", type=int, default=4096, help="of parts mix and think")
    add("--think-ms", default="0,50,500", help="of part think, the first one is what the others are compared with")
    add("--think-seconds", type=float, default=20, help="of part think, with each delay")
    add("--think-rounds", type=int, default=5, help="of part think, all delays in turn")
    add("--peak-connections", type=int, default=40_000)
    add("--peak-from", type=float, default=200, help="requests/s")
    add("--peak-window", default="1.4,1.6", help="seconds of mean response time")
    add("--peak-samples", type=int, default=20, help="at most")
    add("--sample-seconds", type=float, default=60, help="of part peak")
    add("--approach-seconds", type=float, default=15, help="of part peak, while the rate goes up in large steps")
    add("--rounds", type=int, default=1)
    add("--scale", type=float, default=1, help="of all sizes and counts, for a quick look")
    add("--working-set-mb", type=float, default=1536)
    add("--cache-mb", type=float, default=2048)
    add("--memory-mb", type=float, default=64)
    add("--big-cache-mb", type=float, default=512, help="of part big; its memory tier shrinks along")
    add("--requests", type=int, default=100_000, help="of the phases after the filling")
    add("--recurrence", type=float, default=0.725, help="revisits; 0.58 of the ideal hits as 0.80 are cachable")
    add("--size-bias", type=float, default=0.9,
        help="share of the revisits that go to the smallest cachable one of nine neighbours, as in PolyMix-4; 0: none")
    add("--connections", type=int, default=64)
    add("--warmup", type=float, default=120, help="seconds, of the JVM")
    add("--peer-warmup", type=float, default=5, help="seconds, of the others")
    add_store_options(add)
    add("--delay-ms", type=int, default=0, help="of the origin")
    add("--phase-seconds", type=float, default=900, help="a phase ends there at the latest")
    add("--seed", type=int, default=1)
    add("--loops", type=int, default=1, help="event loops of Loligo, event threads of Traffic Server")
    add("--dir", type=pathlib.Path, help="where the caches are made; default: the system's temporary folder")
    add("--bin", type=pathlib.Path, required=True, help="folder of polyload and polyorigin")
    add("--keep-logs", type=pathlib.Path, help="folder for the logs of peers that failed")
    add("--memory-java-flags", default="-Xmx2g -XX:MaxDirectMemorySize=3g")
    server.common_arguments(parser)
    add("--out", type=pathlib.Path, help="default: results/DATE-polygraph.md; - prints only")
    options = parser.parse_args()
    options.parts = chosen(options.part, PARTS, "parts")
    options.store_options = store_options(options)
    for name in PEER_LISTS:
        setattr(options, name, chosen(getattr(options, name), PEERS, "peers"))
    options.mix = {kind: float(share) for kind, share in (one.split("=") for one in options.mix.split(",") if one)}
    options.think = tuple(int(ms) for ms in options.think.split(","))
    options.think_ms = [int(ms) for ms in options.think_ms.split(",")]
    options.peak_window = tuple(float(seconds) for seconds in options.peak_window.split(","))
    options.cache_mb = max(8, int(options.cache_mb * options.scale))
    options.big_cache_mb = max(8, int(options.big_cache_mb * options.scale))
    options.memory_mb = max(1, int(options.memory_mb * options.scale))
    options.requests = int(options.requests * options.scale)
    return options


def leave_out_absent(options, *lists):
    """Takes what is not installed out of these lists of peers."""
    programs = {"squid": "squid", "nginx": "nginx", "trafficserver": "traffic_server"}

    def there(peer):
        kind = peer.split("-")[0]
        return options.jar.is_file() if kind == "loligo" else bool(program(programs[kind]))

    options.there = there
    for name in lists:
        for peer in [peer for peer in getattr(options, name) if not there(peer)]:
            server.say(f"left out, not there: {peer}")
            getattr(options, name).remove(peer)


def main():
    options = server.begun(arguments())
    leave_out_absent(options, *PEER_LISTS)
    if "peak" in options.parts:
        allowed = server.allow_descriptors(3 * options.peak_connections) // 2
        if allowed < options.peak_connections:
            server.say(f"{allowed:,} connections instead of {options.peak_connections:,}: a proxy may have {2 * allowed:,} descriptors")
            options.peak_connections = allowed
    if not options.jar.is_file() and {"memory", "dirs"} & set(options.parts):
        sys.exit(f"not there: {options.jar}")
    options.octets_of_new = octets_of_new(options)
    options.window = int(options.working_set_mb * options.scale * 2**20 / options.octets_of_new)
    options.scratch = pathlib.Path(tempfile.mkdtemp(prefix="polygraph-", dir=options.dir))
    options.scratch.chmod(0o755)
    origin = Origin(options.scratch, options)
    all_results = {}
    try:
        origin.start()
        origin.think(options.delay_ms)
        for part in options.parts:
            setups, phases = plan(part, options)
            found = all_results.setdefault(part, {setup.label: [] for setup in setups})
            for _ in range(options.rounds):
                for setup in setups:
                    found[setup.label].append(run(part, setup, phases, options.scratch, origin, options))
        text = report(all_results, options)
    finally:
        origin.stop()
        shutil.rmtree(options.scratch, ignore_errors=True)
    server.write_results(text, options, "polygraph")
    wrong = sum(
        result["wrong"]
        for found in all_results.values() for rounds in found.values() for results in rounds
        for phase, result in results.items() if phase != "failure"
    )
    if wrong:
        sys.exit(f"{wrong} wrong answers")


if __name__ == "__main__":
    main()
