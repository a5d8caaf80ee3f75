"""What greedy clients do to others: 1 KB memory hits at a steady rate, calm and beside one attack after
the other, each in full size and as fast as two threads or wrk can make it. Every byte of every hit is
compared. Another server, which nobody attacks, is asked at the same rate: what it is late is the machine's.
Prints and writes one Markdown table.
"""

import argparse
import concurrent.futures
import contextlib
import functools
import socket
import statistics
import struct
import threading
import time

import bench
import macro
import server
import sweep

RESET = struct.pack("ii", 1, 0)
HIT = macro.row_named("hit-1k")
GET = b"GET %s HTTP/1.1\r\nHost: bench.example\r\n\r\n"
POST = b"POST /sink HTTP/1.1\r\nHost: bench.example\r\nTransfer-Encoding: chunked\r\n\r\n"
UNFINISHED = b"GET / HTTP/1.1\r\nHost: bench.example\r\n"
LARGE_HEAD = UNFINISHED + b"A: " + b"x" * 130_000
MANY_FIELDS = UNFINISHED + b"A: x\r\n" * 10_000 + b"\r\n"
EXTENSIONS = POST + (b"1;" + b"e" * 4_000 + b"\r\nx\r\n") * 20
SMALL_CHUNKS = POST + b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n"
PIPELINED = 100
CALM = "calm"


def connect(peer, receive=0):
    """A connection that ends with a reset, so that no port of ours is left waiting."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    if receive:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    one.settimeout(10)
    one.connect(("127.0.0.1", peer.port))
    return one


@contextlib.contextmanager
def repeated(*steps, times=1):
    """A thread for each step, which takes it again and again; gives a dictionary that has the rate in the end."""
    over, result, counts = threading.Event(), {}, [0] * len(steps)

    def run(place):
        while not over.is_set():
            with contextlib.suppress(OSError):  # which is how a proxy defends itself
                steps[place]()
            counts[place] += times

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(steps))]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    try:
        yield result
    finally:
        over.set()
        for thread in threads:
            thread.join()
        result["attack"] = f"{sum(counts) / (time.monotonic() - began):,.0f}/s"


def ask(peer, data):
    """Sends on a connection of its own, and goes when something comes back."""
    with connect(peer) as one:
        with contextlib.suppress(OSError):
            one.sendall(data)
        one.recv(1_000)


def asked(data):
    return lambda peer, _: repeated(*[lambda: ask(peer, data)] * 2)


def churn(peer, _):
    """One thread asks for a hit on each connection, the other for nothing."""
    return repeated(lambda: ask(peer, GET % b"/1k/0"), lambda: connect(peer).close())


@contextlib.contextmanager
def pipelined(peer, _):
    """Two connections that ask without waiting; another thread each takes the answers."""
    batch = (GET % b"/1k/0") * PIPELINED
    with connect(peer) as one, connect(peer) as other:
        with repeated(lambda: one.recv(1 << 20), lambda: other.recv(1 << 20)):
            with repeated(lambda: one.sendall(batch), lambda: other.sendall(batch), times=PIPELINED) as result:
                yield result


@contextlib.contextmanager
def held(peer, count, data, receive=0):
    """So many connections on which that was sent."""
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(connect(peer, receive)) for _ in range(count)]
        for one in connections:
            one.sendall(data)
        yield connections


@contextlib.contextmanager
def idle(peer, _):
    with macro.idle_connections(peer, 5_000):
        yield {"attack": "5,000"}


@contextlib.contextmanager
def stalled(peer, _):
    with held(peer, 20, GET % b"/stream/full", 8_192) as connections:
        yield {"attack": f"{len(connections)}"}


@contextlib.contextmanager
def slow_heads(peer, _):
    with held(peer, 2_000, UNFINISHED + b"A: ") as connections:
        turns = iter(connections * 1_000)

        def one_byte():
            time.sleep(1 / len(connections))
            next(turns).sendall(b"x")

        with repeated(one_byte):
            yield {"attack": f"{len(connections):,}"}


@contextlib.contextmanager
def loaded(row, peer, options):
    """wrk, for as long as one who asks at a rate."""
    greedy = argparse.Namespace(**{**vars(options), "connections": 64})
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        load = pool.submit(
            macro.load, options.duration + 2, greedy, macro.row_named(row), peer, None, f"{time.monotonic_ns()}"
        )
        result = {}
        yield result
        done = load.result()
        result["attack"] = f"{done['requests'] / done['seconds']:,.0f}/s"


ATTACKS = {
    CALM: ("none", lambda *_: contextlib.nullcontext({"attack": ""})),
    "idle": ("idle connections that had an answer each", idle),
    "head": ("heads of 130 KB", asked(LARGE_HEAD)),
    "fields": ("heads of 10,000 fields", asked(MANY_FIELDS)),
    "slow-head": ("heads of one byte per second", slow_heads),
    "extensions": ("uploads with chunk extensions of 4 KB", asked(EXTENSIONS)),
    "chunks": ("uploads of 20,000 chunks of one byte", asked(SMALL_CHUNKS)),
    "storm": ("distinct URLs of 4 KB on 64 connections", functools.partial(loaded, "miss-4k")),
    "flood": ("hits on 64 connections", functools.partial(loaded, "hit-1k")),
    "pipelined": ("hits pipelined on 2 connections", pipelined),
    "churn": ("connections opened and reset", churn),
    "aborts": ("aborts in mid-transfer of 64 MB", asked(GET % b"/stream/full")),
    "stalled": ("stalled readers of 64 MB", stalled),
}


def measure(name, peer, bystander, origin, options):
    """The well-behaved client's figures, how late the bystander was, and how much there was of the attack."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool, ATTACKS[name][1](peer, options) as attack:
        time.sleep(1)
        beside = pool.submit(sweep.at_rate, bystander, HIT, options.rate, options)
        found = sweep.at_rate(peer, HIT, options.rate, options, [origin.www / f"{HIT.size}.bin"])
        found["beside"] = beside.result()["p99"]
    time.sleep(1)
    found |= attack
    server.say(f"{name}: {found}")
    return found


def row(name, found, calm):
    p99 = [one["p99"] / 1000 for one in found]
    hits, errors = (sum(one[what] for one in found) for what in ("hits", "errors"))
    return [
        ATTACKS[name][0], found[-1]["attack"], f"{sweep.middle(found, 'p50') / 1000:.2f}",
        f"{statistics.median(p99):.2f} ({min(p99):.2f}-{max(p99):.2f})",
        f"{max(one['longest'] for one in found) / 1000:.1f}", f"{sweep.middle(found, 'p99') / calm:.1f}",
        f"{sweep.middle(found, 'beside') / 1000:.2f}",
        f"{sweep.middle(found, 'cores'):.2f}", f"{hits:,}", f"{errors:,}",
    ]


def worst_of(found):
    """By how many ms a p99 was longer than the bystander's, at most, and how many hits failed."""
    every = [one for results in found.values() for one in results]
    return max(one["p99"] - one["beside"] for one in every) / 1000, sum(one["errors"] for one in every)


def report(found, options):
    calm = sweep.middle(found[CALM], "p99")
    worst, failed = worst_of(found)
    lines = bench.head(
        "Beside greedy clients", options, ["loligo"], f"loligo_event_loops {options.loops}, no limits configured",
        f"1 KB memory hits, {options.rate}/s on {options.connections} keep-alive connections, {HIT.urls:,} URLs, "
        f"{options.rounds} rounds of {options.duration} s each, one before that does not count; latency counts from when a request was due; every "
        "byte is compared",
        "attackers are two threads of Python (and more that only read), or wrk; the bystander (macro/src/limit.c) is asked "
        "at the same rate and not attacked: what it is late is the machine's",
    )
    lines += [
        "", f"Worst p99 of any round {worst:.1f} ms above the bystander's (bound: {options.bound} ms), failed or wrong: {failed} "
        "(bound: 0).", "",
    ]
    return "\n".join(lines + server.table(
        ["attack", "of it", "p50 ms", "p99 ms", "longest ms", "p99 to calm", "bystander's p99", "proxy's cores", "hits", "failed"],
        [row(name, results, calm) for name, results in found.items()],
    )) + "\n"


def arguments():
    parser = bench.parser(
        __doc__, "greedy", rate=500, rounds=3, duration=10, warmup=20, bound=25, connections=4, loops=2,
        words={"rate": "hits a second", "duration": "seconds beside each attack",
               "bound": "ms that p99 may be above the bystander's"},
    )
    parser.add_argument("--attacks", default=",".join(ATTACKS), help="of " + ",".join(ATTACKS))
    return parser.parse_args()


def main():
    options = server.begun(arguments())
    attacks = [CALM] + [name for name in server.chosen(options.attacks, ATTACKS, "attacks") if name != CALM]
    found = {name: [] for name in attacks}
    with bench.running("greedy", options, 64) as here:
        peer, bystander = here.start("loligo", "plain"), here.start("limit", "serve")
        macro.check_bodies(HIT, peer, here.origin, "g")
        macro.load(options.warmup, options, HIT, peer, here.origin, "w")
        for number in range(options.rounds + 1):
            for name in attacks:
                measured = measure(name, peer, bystander, here.origin, options)
                if number > 0:  # the first compiles what an attack meets
                    found[name].append(measured)
    server.write_results(report(found, options), options, "greedy")
    worst, failed = worst_of(found)
    if worst >= options.bound or failed:
        raise server.Failed("the bound does not hold")


if __name__ == "__main__":
    main()
