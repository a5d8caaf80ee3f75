"""What a slow disk does to those who do not need it, what cold reads cost, and what a restart costs clients. Parts:

  isolation  memory hits, misses, disk hits, and HEAD, If-None-Match, POST and PURGE for objects on disk at steady
             rates, calm and while the disk stands still: the cache_dir is on a file system of its own in an image,
             which is frozen, its device throttled and its pages dropped for the time of the phase. In the middle
             of each phase the JVM collects. Fails where p99 of memory hits is more than twice the calm one, or a
             time to safepoint longer than 2 ms.
  cold       revisits of a filled cache with the page cache warm, dropped, and warm again
  restart    a filled cache after SIGTERM, with its pages dropped, and after kill -9 under write load: time
             to the port, to all that was stored, and what of it is found
  at-once    few objects on disk, SIGTERM or kill -9, a start, and all objects asked for at once when the port
             opens. Fails where one of them is fetched again after SIGTERM, or more than the write buffer after kill -9.

Isolation needs root, a loop device and mount namespaces; disk.sh makes the namespace.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import bench
import polygraph
import server
from polygraph import Load, Origin, Peer, Setup
from server import Failed, chosen, program, table

PARTS = ["isolation", "cold", "restart", "at-once"]
RATIO = 2  # p99 of memory hits, stalled over calm
SAFEPOINT_MICROS = 2000
# kinds of requests for objects on disk, and their shares
OTHER_KINDS = {"head": 0.25, "inm": 0.25, "post": 0.25, "purge": 0.25}
FILLED, HOT, NEW, WARMING = 1, 3, 4, 2  # worlds
BLKIO = pathlib.Path("/sys/fs/cgroup/blkio")
LIMITS = ["read_bps_device", "write_bps_device"]
PHASES = ["calm", "stall", "after"]
LOADS = {
    "hot": "memory hits and unstorable", "new": "new objects", "disk": "disk hits and new objects",
    "other": "HEAD, If-None-Match, POST, PURGE on disk",
}


class Image:
    """An ext4 file system in a file on a loop device, mounted where told, that can be made to hang."""

    def __init__(self, file, megabytes):
        self.file, self.device, self.place = file, None, None
        with open(file, "wb") as image:
            image.truncate(megabytes * 2**20)
        quiet("mkfs.ext4", "-q", "-F", str(file))

    def mount(self, place):
        self.device = quiet("losetup", "-f", "--show", str(self.file)).strip()
        quiet("mount", "-o", "noatime", self.device, str(place))
        self.place = place
        (place / "lost+found").rmdir()
        place.chmod(0o777)

    def throttles(self):
        return [path for limit in LIMITS if (path := BLKIO / f"blkio.throttle.{limit}").exists()]

    def stall(self, seconds):
        """Returns a process that lets go by itself, even if this script is gone by then."""
        number = pathlib.Path(f"/sys/block/{pathlib.Path(self.device).name}/dev").read_text().strip()
        hold = [f"echo '{number} 1' > {path}" for path in self.throttles()]
        free = [f"echo '{number} 0' > {path}" for path in self.throttles()]
        freeze, thaw = (f"{program('fsfreeze')} {flag} {self.place}" for flag in ("-f", "-u"))
        script = "\n".join([
            f"trap '' HUP INT TERM; {freeze} || exit 1", *hold, f"sleep {seconds}", *free, thaw
        ])
        return subprocess.Popen(["sh", "-c", script], stdin=subprocess.DEVNULL, start_new_session=True)

    def close(self):
        if self.place:
            subprocess.run([program("umount"), str(self.place)], check=False)
        if self.device:
            subprocess.run([program("losetup"), "-d", self.device], check=False)


def quiet(name, *words):
    path = program(name)
    done = subprocess.run(
        [path or name, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    ) if path else None
    if not done or done.returncode:
        raise Failed(f"{name}: {done.stderr.strip() if done else 'not there'}")
    return done.stdout


def drop_pages(folders):
    """Writes all back and drops the page cache; returns how."""
    os.sync()
    try:
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")
        return "drop_caches"
    except OSError:
        for folder in folders:
            for path in folder.rglob("*"):
                if path.is_file():
                    with open(path, "rb") as file:
                        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return "posix_fadvise"


def isolation(scratch, origin, options):
    """Results of the loads by phase and round, and times to safepoint by phase."""
    directory = scratch / "isolation"
    log = scratch / "safepoints.log"
    flags = (
        f"{options.java_flags} -XX:+UnlockDiagnosticVMOptions -XX:+SafepointALot "
        f"-XX:GuaranteedSafepointInterval=20 {server.log_safepoints(log)}"
    )
    name = options.isolation_peer
    setup = Setup(name, name, options.memory_mb, options.cache_mb, java_flags=flags)
    peer = image = stalled = None
    loads = {}
    try:
        peer = Peer(setup, directory, origin, options)
        image = Image(scratch / "disk.img", options.cache_mb * 5 // 4 + 64)
        image.mount(peer.caches[0])
        peer.start()
        loads = {name: Load(peer.port, options, connections=count) for name, count in
                 (("hot", 8), ("new", 8), ("disk", 16), ("other", options.other_connections))}
        fill = options.recurrence * polygraph.FILL_DAMPING
        loads["disk"].run("fill", FILLED, options.window, fill, 0, options.window, options.phase_seconds)
        loads["hot"].run("fill", HOT, options.hot, 0, 0, options.hot, 60)
        loads["hot"].run("warm", HOT, 0, 1, 0, 0, options.warmup)
        results, reaching, stall_held = [], {phase: [] for phase in PHASES}, True
        collections = {phase: [] for phase in PHASES}
        for _ in range(options.rounds):
            found = {}
            for phase in PHASES:
                if phase == "stall":
                    drop_pages(peer.caches)
                    stalled = image.stall(options.seconds)
                    time.sleep(0.2)
                    stall_held &= stalled.poll() is None
                started = time.time()
                found[phase], collected = together(loads, peer, options)
                collections[phase].append(collected)
                reaching[phase] += server.safepoints(log, "Reaching safepoint", started, time.time())
                if stalled:
                    stalled.wait()
                    stalled = None
                say(phase, found[phase])
            results.append(found)
        return {
            "rounds": results, "reaching": reaching, "held": stall_held, "collections": collections,
            "mapped": shared_mappings(peer.process.pid),
            "means": "frozen" + (", device throttled to 1 B/s" if image.throttles() else ""),
            "disk": peer.disk_mb(),
        }
    finally:
        if stalled:
            stalled.wait()
        for load in loads.values():
            load.stop()
        if peer:
            peer.stop()
        if image:
            image.close()
        shutil.rmtree(directory, ignore_errors=True)


def shared_mappings(pid):
    """Files that the process has mapped shared and writable: a page of one that is on a frozen disk stops its thread."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as lines:
        fields = [line.split(maxsplit=5) for line in lines]
    return sorted({field[5].strip() for field in fields if len(field) == 6 and field[1].startswith("rw-s")})


def together(loads, peer, options):
    """All loads at once, each at its rate, for the seconds of a phase, and seconds that a collection in it took.

    Every memory hit that is due in a phase is asked for, however late; the other loads end with the phase.
    """
    with concurrent.futures.ThreadPoolExecutor(len(loads) + 1) as pool:
        running = {
            "hot": pool.submit(
                loads["hot"].run, "hot", HOT, 0, 1, int(options.hot_rate * options.seconds), rate=options.hot_rate
            ),
            "new": pool.submit(loads["new"].run, "new", NEW, 1, 0, 0, 0, options.seconds, options.new_rate),
            "disk": pool.submit(
                loads["disk"].run, "disk", FILLED, options.window, options.recurrence, 0, 0,
                options.seconds, options.disk_rate,
            ),
            "other": pool.submit(
                loads["other"].run, "other", FILLED, 0, 1, 0, 0, options.seconds, options.other_rate,
                known=options.window, **OTHER_KINDS,
            ),
        }
        collection = pool.submit(collect, peer, options)
        return {name: future.result() for name, future in running.items()}, collection.result()


def collect(peer, options):
    """Forces a collection half a phase from now; the seconds that it took, 0 where there is no JVM."""
    time.sleep(options.seconds / 2)
    if peer.kind != "loligo":
        return 0
    started = time.monotonic()
    server.jcmd(options, peer.process, "GC.run")
    return time.monotonic() - started


def say(phase, found):
    server.say(f"isolation {phase}: " + "; ".join(
        f"{name} {result['done']} done, hits p99 {result['hit_p99'] / 1000:.2f} ms, "
        f"misses p99 {result['miss_p99'] / 1000:.2f} ms, {result['wrong']} wrong, {result['errors']} errors"
        for name, result in found.items()
    ))


def device_read_mb(peer):
    total = 0
    for pid in server.process_tree(peer.process.pid):
        with contextlib.suppress(OSError):
            text = pathlib.Path(f"/proc/{pid}/io").read_text()
            total += int(re.search(r"^read_bytes: (\d+)", text, re.MULTILINE).group(1))
    return total / 2**20


def cold(scratch, origin, options):
    """Results by peer and phase."""
    results = {}
    for name in options.peers:
        directory = scratch / f"cold-{name}"
        setup = Setup(name, name, options.memory_mb, options.cache_mb, java_flags=options.java_flags)
        peer = load = None
        found = results[name] = {}
        try:
            peer = Peer(setup, directory, origin, options)
            peer.start()
            load = Load(peer.port, options, connections=8)
            load.run("warm", WARMING, 1000, 0.9, 0, 0, options.warmup if name == "loligo" else 2)
            fill = options.recurrence * polygraph.FILL_DAMPING
            load.run("fill", FILLED, options.window, fill, 0, options.window, options.phase_seconds)
            for phase in ("warm", "cold", "warm again"):
                if phase == "cold":
                    found["means"] = drop_pages(peer.caches)
                read, cpu = device_read_mb(peer), peer.cpu()
                result = load.run("revisits", FILLED, 0, 1, options.requests, 0, options.phase_seconds)
                result["cpu"] = (peer.cpu() - cpu) / max(1, result["done"]) * 1000
                result["read"] = device_read_mb(peer) - read
                found[phase] = result
                server.say(
                    f"cold {name} {phase}: hits p50/p99 "
                    f"{result['hit_p50'] / 1000:.2f}/{result['hit_p99'] / 1000:.2f} ms, "
                    f"{result['read']:,.0f} MB from the device, {result['wrong']} wrong"
                )
        except Failed as failure:
            server.say(f"cold {name} failed: {failure}")
        finally:
            if load:
                load.stop()
            if peer:
                peer.stop()
            shutil.rmtree(directory, ignore_errors=True)
    return results


class Restarted:
    """Starts a peer again over what it has on disk, and takes times from the start of the process."""

    def __init__(self, peer):
        self.started = time.monotonic()
        peer.launch()
        self.port = self.since(lambda: answers(peer.port))
        self.ready = self.since(lambda: state(peer) == "ready")
        self.objects = disk_number(peer, "objects")

    def since(self, reached):
        while not reached():
            if time.monotonic() - self.started > 120:
                raise Failed("not back within two minutes")
            time.sleep(0.01)
        return time.monotonic() - self.started


def answers(port):
    """Whether somebody answers HTTP there."""
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as client:
            client.settimeout(1)
            client.sendall(b"OPTIONS * HTTP/1.1\r\nHost: bench.example\r\nMax-Forwards: 0\r\n\r\n")
            return client.recv(5) == b"HTTP/"
    except OSError:
        return False


def directory(peer):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{peer.admin}/disk", timeout=5) as page:
            return json.loads(page.read())[0]
    except OSError:
        return {}


def state(peer):
    return directory(peer).get("state", "").lower()


def disk_number(peer, name):
    return directory(peer).get(name, 0)


def restart(scratch, origin, options):
    """Rows of the table: how it ended, times, objects before and after, hits of what is ideal."""
    folder = scratch / "restart"
    setup = Setup("restart", "loligo", options.memory_mb, options.restart_mb, java_flags=options.java_flags)
    count = int(options.restart_mb * 0.8 * 2**20 / options.octets_of_new)
    peer = load = None
    rows = []
    try:
        peer = Peer(setup, folder, origin, options)
        began = time.monotonic()
        peer.start()
        load = Load(peer.port, options)
        load.run("fill", FILLED, count, 0, 0, count, options.phase_seconds)
        for ending in ("SIGTERM", "SIGTERM, pages dropped", "kill -9 under write load"):
            before = disk_number(peer, "objects")
            if ending.startswith("kill"):
                writing = Load(peer.port, options, connections=16)
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    written = pool.submit(writing.run, "new", NEW, 1, 0, 0, 0, 10)
                    time.sleep(8)
                    peer.kill()
                    with contextlib.suppress(Failed):
                        written.result()
                writing.stop()
                ended = 0.0
            else:
                began = time.monotonic()
                peer.stop()
                ended = time.monotonic() - began
            if "dropped" in ending:
                drop_pages(peer.caches)
            back = Restarted(peer)
            result = load.run("revisits", FILLED, 0, 1, options.requests, 0, options.phase_seconds)
            rows.append([
                ending, f"{peer.disk_mb():,.0f}", f"{ended:.2f}", f"{back.port:.2f}", f"{back.ready:.2f}",
                f"{before:,}", f"{back.objects:,}", f"{result['hits'] / max(1, result['ideal_hits']):.4f}",
                str(result["wrong"]),
            ])
            server.say(f"restart {rows[-1]}")
    finally:
        if load:
            load.stop()
        if peer:
            peer.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return rows


ENDINGS = {
    "SIGTERM": (0, Peer.stop),
    "kill -9 after a while": (5, Peer.kill),  # seconds that nobody asks for anything before
    "kill -9 at once": (0, Peer.kill),
}


def at_once(scratch, origin, options):
    """A dictionary for each peer, number of objects and ending."""
    found = []
    for name in options.at_once_peers:
        for objects in options.at_once_objects:
            for ending in ENDINGS:
                try:
                    found.append(one_at_once(name, objects, ending, scratch, origin, options))
                    server.say(f"at once {found[-1]}")
                except Failed as failure:
                    server.say(f"at once {name}, {ending}: {failure}")
                    found.append({"peer": name, "ending": ending, "failure": str(failure).splitlines()[0]})
    return found


def one_at_once(name, objects, ending, scratch, origin, options):
    folder = scratch / "at-once"
    setup = Setup(name, name, options.memory_mb, options.cache_mb, java_flags=options.java_flags)
    quiet_seconds, end = ENDINGS[ending]
    peer = load = None
    try:
        peer = Peer(setup, folder, origin, options)
        peer.start()
        load = Load(peer.port, options, connections=options.at_once_connections)
        new = int(objects / polygraph.CACHABLE)
        load.run("fill", FILLED, objects, 0, 0, new, options.phase_seconds, options.at_once_fill_rate)
        time.sleep(quiet_seconds)
        end(peer)
        started = time.monotonic()
        peer.launch()
        peer.await_port(0.001)
        opened = time.monotonic() - started
        fetched, _ = origin.asked()
        result = load.run("once", FILLED, 0, 1, seconds=options.phase_seconds, once=1)
        return {
            "peer": name, "ending": ending, "opened": opened, "asked": result["requests"], "hits": result["hits"],
            "fetched": origin.asked()[0] - fetched, "lost": result["octets"] - result["hit_octets"],
            "latency": times(result, "hit"), "wrong": result["wrong"], "errors": result["errors"],
        }
    finally:
        if load:
            load.stop()
        if peer:
            peer.stop()
        shutil.rmtree(folder, ignore_errors=True)


def at_once_problems(found, options):
    """Of Loligo: what should have been found and was not."""
    for one in found:
        if one["peer"] != "loligo":
            continue
        what = f"at once, {one['ending']}: "
        if "failure" in one:
            yield what + one["failure"]
        elif one["wrong"] or one["errors"]:
            yield what + f"{one['wrong']} wrong, {one['errors']} errors"
        elif one["ending"] == "SIGTERM" and one["hits"] < one["asked"]:
            yield what + f"{one['hits']} hits of {one['asked']}"
        elif one["lost"] > options.write_buffer_mb * 2**20:
            yield what + f"{one['lost'] / 2**20:.1f} MB lost (expected: at most {options.write_buffer_mb:g})"


def at_once_lines(found, options):
    return [
        "## Restart, and all asked for at once", "",
        "Objects were stored once, the proxy ended and started again, and all of them were asked for on "
        f"{options.at_once_connections} connections as soon as the port took one. After kill -9 what was in the write buffer "
        f"may be lost, {options.write_buffer_mb:g} MB.", "",
        *table(
            ["peer", "ended by", "port open after s", "asked", "hits", "fetched", "lost KB", "hits p50/p99/max ms",
             "wrong", "errors"],
            [
                [one["peer"], one["ending"], one["failure"], *["-"] * 7] if "failure" in one else
                [one["peer"], one["ending"], f"{one['opened']:.2f}", f"{one['asked']:,}", f"{one['hits']:,}",
                 f"{one['fetched']:,}", f"{one['lost'] / 1024:,.0f}", one["latency"], str(one["wrong"]), str(one["errors"])]
                for one in found
            ],
        ),
    ]


def restart_lines(rows):
    return [
        "## Restart", "",
        "Seconds from the start of the process; found: of revisits of random objects stored before.", "",
        *table(
            ["ended by", "disk MB", "to end s", "port answers s", "all reachable s", "objects before",
             "after", "found", "wrong"], rows,
        ),
    ]


def times(result, kind):
    if not result[f"{kind}_max"]:
        return "-"
    return "/".join(f"{result[f'{kind}_{which}'] / 1000:.2f}" for which in ("p50", "p99", "max"))


def hot_p99(found, phase):
    """Milliseconds; median of the rounds."""
    return statistics.median(results[phase]["hot"]["hit_p99"] for results in found["rounds"]) / 1000


def isolation_problems(found, options):
    calm, stall = (hot_p99(found, phase) for phase in ("calm", "stall"))
    if not found["held"]:
        yield "the stall did not hold"
    if not calm or stall > RATIO * calm:
        yield f"p99 of memory hits stalled: {stall:.2f} ms (expected: at most {RATIO} times {calm:.2f})"
    if options.isolation_peer == "loligo":
        longest = max(found["reaching"]["stall"], default=float("inf"))  # no safepoint was reached at all
        if longest > SAFEPOINT_MICROS:
            yield f"longest time to safepoint stalled: {longest:,.0f} us (expected: at most {SAFEPOINT_MICROS:,})"
    lost = [result for results in found["rounds"] for phase in PHASES for result in [results[phase]["hot"]]
            if result["wrong"] or result["errors"]]
    if lost:
        yield f"{len(lost)} phases with memory hits that failed or were wrong"


def isolation_lines(found, options):
    calm, stall = (hot_p99(found, phase) for phase in ("calm", "stall"))
    lines = [
        "## Isolation", "",
        f"{options.isolation_peer}: {options.rounds} rounds of {options.seconds:g} s each calm, stalled ({found['means']}, pages dropped) and after; "
        f"{options.hot} hot objects at {options.hot_rate:g}/s, new ones at {options.new_rate:g}/s, disk load at "
        f"{options.disk_rate:g}/s, HEAD, If-None-Match, POST and PURGE in equal parts at {options.other_rate:g}/s; cache "
        f"{options.cache_mb} MB, {found['disk']:,.0f} MB of it used at the end, memory {options.memory_mb} MB. "
        "Latency counts from when a request was due.", "",
        f"p99 of hot hits, medians: calm {calm:.2f} ms, stalled {stall:.2f} ms, "
        f"ratio {stall / calm if calm else 0:.2f} (target <= {RATIO}).",
        "", "Files mapped shared and writable: " + (", ".join(pathlib.Path(name).name for name in found["mapped"]) or "none") + ".",
    ]
    if not found["held"]:
        lines += ["", "**The stall did not hold: these figures do not say what they are meant to.**"]
    rows = [
        [str(number), phase, LOADS[name], f"{result['requests']}", f"{result['done']}",
         f"{result['hits']}", times(result, "hit"), times(result, "miss"), str(result["wrong"]), str(result["errors"])]
        for number, results in enumerate(found["rounds"], 1)
        for phase in PHASES for name, result in results[phase].items()
    ]
    lines += ["", *table(
        ["round", "phase", "load", "asked", "done", "hits", "hits p50/p99/max ms", "misses p50/p99/max ms", "wrong", "errors"], rows
    )]
    lines += ["", "By kind, all rounds: number answered, median of p50, and the longest, in ms.", ""]
    lines += table(["phase", *OTHER_KINDS], [
        [phase, *[
            f"{sum(results[phase]['other'][f'{kind}_count'] for results in found['rounds'])}, p50 "
            f"{statistics.median(results[phase]['other'][f'{kind}_p50'] for results in found['rounds']) / 1000:.2f}, max "
            f"{max(results[phase]['other'][f'{kind}_max'] for results in found['rounds']) / 1000:.0f}"
            for kind in OTHER_KINDS
        ]] for phase in PHASES
    ])
    lines += [
        "", f"Time to safepoint, microseconds, all rounds (safepoints forced every 20 ms; target: at most {SAFEPOINT_MICROS} "
        "stalled), and seconds that the collections took:", "",
    ]
    lines += table(["phase", "safepoints", "p50", "p99", "max", "collections s"], [
        [phase, str(len(values)), *(
            f"{values[min(len(values) - 1, int(len(values) * part))]:,.0f}" if values else "-"
            for part in (0.5, 0.99, 1)
        ), " ".join(f"{took:.2f}" for took in found["collections"][phase])]
        for phase, values in ((phase, sorted(values)) for phase, values in found["reaching"].items())
    ])
    return lines


def cold_lines(results, options):
    rows = [
        [name, phase, f"{result['done'] / result['seconds']:,.0f}", f"{result['cpu']:.3f}",
         f"{result['hits'] / max(1, result['ideal_hits']):.3f}", times(result, "hit"), times(result, "miss"),
         f"{result['read']:,.0f}", str(result["wrong"]), str(result["errors"])]
        for name, found in results.items() for phase, result in found.items() if phase != "means"
    ]
    means = ", ".join(sorted({found["means"] for found in results.values() if "means" in found}))
    return [
        "## Cold reads", "",
        f"{options.requests:,} revisits of {options.window:,} objects "
        f"({options.window * options.octets_of_new / 2**20:,.0f} MB cachable) in each phase, 8 connections; cache "
        f"{options.cache_mb} MB, memory {options.memory_mb} MB; pages dropped by {means or 'nothing'}.", "",
        *table(
            ["peer", "page cache", "transactions/s", "CPU ms per transaction", "of ideal hits", "hits p50/p99/max ms",
             "misses p50/p99/max ms", "MB from the device", "wrong", "errors"], rows,
        ),
    ]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--part", default=",".join(PARTS), help="of " + ",".join(PARTS))
    add("--peers", default="loligo,nginx,trafficserver,squid-rock", help="of part cold, of " + ",".join(polygraph.PEERS))
    add("--isolation-peer", default="loligo", help="of part isolation, another to see what a stall can do")
    add("--other-rate", type=float, default=80, help="of HEAD, If-None-Match, POST and PURGE in part isolation")
    add("--other-connections", type=int, default=512, help="for them: each may hang with the disk")
    add("--at-once-peers", default="loligo,squid-aufs,nginx,trafficserver", help="of part at-once")
    add("--at-once-objects", default="400,8000", help="numbers of objects in part at-once")
    add("--at-once-fill-rate", type=float, default=1000, help="at which no cache leaves anything unwritten")
    add("--at-once-connections", type=int, default=512)
    add("--write-buffer-mb", type=float, default=4, help="what kill -9 may lose in part at-once")
    add("--rounds", type=int, default=3, help="of part isolation")
    add("--seconds", type=float, default=10, help="of each phase of part isolation")
    add("--hot", type=int, default=400, help="objects that are to be in memory")
    add("--hot-rate", type=float, default=500)
    add("--new-rate", type=float, default=100)
    add("--disk-rate", type=float, default=200)
    add("--requests", type=int, default=10_000, help="revisits in each phase of part cold")
    add("--restart-mb", type=int, default=5120, help="of cache in part restart, 0.8 of it filled")
    add("--cache-mb", type=int, default=512)
    add("--memory-mb", type=int, default=32)
    add("--working-set-mb", type=float, default=320)
    add("--recurrence", type=float, default=0.725)
    add("--warmup", type=float, default=15)
    add("--phase-seconds", type=float, default=300)
    add("--connections", type=int, default=64)
    add("--seed", type=int, default=1)
    add("--loops", type=int, default=1)
    polygraph.add_store_options(add)
    add("--dir", type=pathlib.Path, help="where caches and image are made; default: the system's temporary folder")
    add("--bin", type=pathlib.Path, required=True, help="folder of polyload and polyorigin")
    server.common_arguments(parser)
    add("--out", type=pathlib.Path, help="default: results/DATE-disk.md; - prints only")
    options = parser.parse_args()
    options.parts = chosen(options.part, PARTS, "parts")
    options.store_options = polygraph.store_options(options)
    options.peers = chosen(options.peers, polygraph.PEERS, "peers")
    options.at_once_peers = chosen(options.at_once_peers, polygraph.PEERS, "peers")
    options.at_once_objects = [int(number) for number in options.at_once_objects.split(",")]
    chosen(options.isolation_peer, polygraph.PEERS[:1] + polygraph.PEERS[2:], "isolation peer")
    return options


def main():
    options = server.begun(arguments())
    options.octets_of_new = polygraph.octets_of_new(options)
    options.window = int(options.working_set_mb * 2**20 / options.octets_of_new)
    options.scratch = pathlib.Path(tempfile.mkdtemp(prefix="disk-", dir=options.dir))
    options.scratch.chmod(0o755)
    origin = Origin(options.scratch, options)
    polygraph.leave_out_absent(options, "peers", "at_once_peers")
    lines = [
        *bench.head(
            "Slow and cold disk", options, options.peers,
            f"one event loop each (loligo_event_loops {options.loops}); warm-up of the JVM {options.warmup:g} s; "
            "every byte of every body is compared",
        ), "",
    ]
    problems = []
    try:
        origin.start()
        if "isolation" in options.parts:
            try:
                found = isolation(options.scratch, origin, options)
                lines += [*isolation_lines(found, options), ""]
                problems += isolation_problems(found, options)
            except Failed as failure:
                problems.append(f"isolation: {failure}")
                lines += ["## Isolation", "", f"Not measured: {str(failure).splitlines()[0]}", ""]
        if "cold" in options.parts:
            lines += [*cold_lines(cold(options.scratch, origin, options), options), ""]
        if "restart" in options.parts:
            lines += [*restart_lines(restart(options.scratch, origin, options)), ""]
        if "at-once" in options.parts:
            found = at_once(options.scratch, origin, options)
            lines += [*at_once_lines(found, options), ""]
            problems += at_once_problems(found, options)
    finally:
        origin.stop()
        shutil.rmtree(options.scratch, ignore_errors=True)
    if problems:
        lines += ["## Targets that were missed", "", *[f"- {problem}" for problem in problems], ""]
    server.write_results("\n".join(lines), options, "disk")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
