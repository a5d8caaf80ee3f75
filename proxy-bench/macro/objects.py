"""What a stored object costs in memory beyond its content, as the machine sees it: the proportional set size (PSS) of
a proxy before and after real requests have stored so many objects of 4 KB. Each figure is of a process of its own,
started for it. For Loligo also what its ledger and its live heap say. Prints and writes one Markdown file.

Traffic Server keeps in memory only what was read again, so each object is read once after it was stored.
"""

import re
import time

import bench
import server
from bench import SIZES
from peers import TITLES, room_for

SIZE = "4k"
WARM_URLS = 1000
CLASSES = 12  # of the heap that the report shows


def warm(peer, here, options):
    """Hits and some misses, so that code, buffers and connections are there before anything is counted."""
    until = time.monotonic() + options.warmup
    while time.monotonic() < until:
        bench.ask_all(peer, here.origin, "1k", WARM_URLS, options)


def measure(name, count, here, options):
    """Bytes for each of so many objects, beyond its content."""
    with here.fresh(name, "plain", room=room_for(name, count, SIZES[SIZE])) as peer:
        warm(peer, here, options)
        before = peer.footprint()
        if bench.ask_all(peer, here.origin, SIZE, count, options) < count:
            raise server.Failed(f"{peer.name}: the origin was asked for fewer than {count} objects")
        time.sleep(options.settle)
        stored = peer.footprint()
        heap = heap_mb(peer) if name == "loligo" else None
        lost = bench.ask_all(peer, here.origin, SIZE, count, options)
        time.sleep(options.settle)
        result = {
            "stored": (stored - before) / count - SIZES[SIZE], "read": (peer.footprint() - before) / count - SIZES[SIZE],
            "before": before / 2**20, "odd": lost > count / 100,
        }
        if heap:
            result.update(heap=heap, after=Books(peer))
    return result


def heap_mb(peer):
    """Megabytes of heap that are committed, and of them in use, collected or not."""
    total, used = re.search(r"total (\d+)K, used (\d+)K", peer.jcmd("GC.heap_info")).groups()
    return int(total) / 1024, int(used) / 1024


class Books:
    """What a Loligo says of its memory after full collections: its owners of memory, and its classes."""

    def __init__(self, peer):
        peer.jcmd("GC.run")
        peer.jcmd("GC.run")  # what the first one made free of soft and weak references
        histogram = peer.jcmd("GC.class_histogram")
        self.classes = {
            name: (int(instances), int(octets))
            for instances, octets, name in re.findall(r"^ *\d+: +(\d+) +(\d+) +(\S+)", histogram, re.MULTILINE)
        }
        self.heap = int(re.search(r"^Total +\d+ +(\d+)", histogram, re.MULTILINE).group(1))
        owner = re.compile(r'loligo_memory_used_bytes\{owner="(\w+)"\}')
        self.owners = {found.group(1): value for name, value in peer.metrics().items() if (found := owner.fullmatch(name))}

    def grown(self, empty):
        """Classes with instances and bytes beyond those of an empty process, the largest first."""
        none = (0, 0)
        grown = [
            (name, instances - empty.classes.get(name, none)[0], octets - empty.classes.get(name, none)[1])
            for name, (instances, octets) in self.classes.items()
        ]
        return sorted(grown, key=lambda one: one[2], reverse=True)

    def ledger(self):
        """Live heap, and direct memory that the allocator holds."""
        return self.heap + self.owners["allocator"]


def empty_books(here, options):
    """Those of a Loligo that has stored nothing: its collections must not change the heap that is measured."""
    with here.fresh("loligo", "plain", room=room_for("loligo", max(options.objects), SIZES[SIZE])) as peer:
        warm(peer, here, options)
        return Books(peer)


def run(peers, here, options):
    found, empty = {}, None
    for number in range(options.rounds):
        for count in options.objects:
            for name in peers:
                result = measure(name, count, here, options)
                found.setdefault((name, count), []).append(result)
                server.say(f"round {number + 1} {name} {count:,}: {result['stored']:.0f} bytes stored, {result['read']:.0f} read")
    if "loligo" in peers:
        empty = empty_books(here, options)
    return found, empty


def cell(results, key):
    if not results:
        return "-"
    return server.spread([one[key] for one in results], ",.0f") + (" (!)" if any(one["odd"] for one in results) else "")


def report(found, empty, peers, options):
    lines = bench.head(
        "Memory of stored objects", options, peers,
        f"objects of 4 KB, each asked for once, then once more, by {options.connections} connections; a process for each "
        f"figure, after {options.warmup} s of hits of 1 KB; {options.rounds} rounds in turn; {options.settle} s of quiet before each figure",
        "PSS is of the whole process tree, from /proc/PID/smaps_rollup; nginx: and its files in memory",
    )
    lines += ["", "Bytes of PSS for each object beyond its content: median (lowest-highest).", ""]
    lines += server.table(["peer", *[f"{count:,} {when}" for count in options.objects for when in ("stored", "read")]], [
        [TITLES.get(name, name), *[cell(found.get((name, count)), key) for count in options.objects for key in ("stored", "read")]]
        for name in peers
    ])
    lines += ["", "(!): more than one in a hundred were fetched again when they were read."]
    if empty:
        lines += loligo(found, empty, options)
    return "\n".join(lines) + "\n"


def loligo(found, empty, options):
    """Of the last round: ledger, heap, and the classes that take most of it."""
    last = {count: found["loligo", count][-1] for count in options.objects}
    rows = [["ledger: live heap and direct memory", *[f"{(one['after'].ledger() - empty.ledger()) / count - SIZES[SIZE]:,.0f}" for count, one in last.items()]],
            ["live heap", *[f"{(one['after'].heap - empty.heap) / count:,.0f}" for count, one in last.items()]]]
    for owner in empty.owners:
        rows.append([f"owner {owner}", *[
            f"{(one['after'].owners[owner] - empty.owners[owner]) / count:,.0f}" for count, one in last.items()]])
    lines = ["", "Loligo, bytes for each object after full collections, beyond a process that stored none; only the ledger is without "
             "the content. An owner may contain another (`docs/memory.md`).", ""]
    lines += server.table(["", *[f"{count:,}" for count in last]], rows)
    lines += ["", "Heap of Loligo before these collections, MB: " + "; ".join(
        f"{count:,} objects: {one['heap'][0]:,.0f} committed, {one['heap'][1]:,.0f} in use; PSS before {one['before']:,.0f}"
        for count, one in last.items()) + ".", ""]
    count = max(options.objects)
    grown = last[count]["after"].grown(empty)
    lines += [f"Classes whose part of the live heap grew most, with {count:,} objects:", ""]
    lines += server.table(["class", "instances for each object", "bytes for each object"], [
        [f"`{name}`", f"{instances / count:.2f}", f"{octets / count:,.0f}"] for name, instances, octets in grown[:CLASSES]
    ])
    return lines


def main():
    parser = bench.parser(
        __doc__, "objects", peers="loligo,varnish,trafficserver,squid,nginx",
        words={"warmup": "seconds before the first figure", "settle": "seconds of quiet before each further figure"},
        rounds=3, warmup=10, settle=5,
    )
    parser.add_argument("--objects", default="100000,300000", help="numbers of stored objects")
    options = server.begun(parser.parse_args())
    options.objects = [int(count) for count in options.objects.split(",")]
    peers = bench.peers_there(options.peers, options)
    with bench.running("objects", options) as here:
        found, empty = run(peers, here, options)
    server.write_results(report(found, empty, peers, options), options, "objects")


if __name__ == "__main__":
    main()
