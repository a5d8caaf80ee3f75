"""Shared by the scripts that put load on rows of the table: their arguments, an origin with peers beside it, and
the head of a report.
"""

import argparse
import contextlib
import os
import pathlib
import subprocess
import urllib.request

import server
from peers import PEERS, Peer, is_there
from server import program

SIZES = {"128b": 2**7, "1k": 2**10, "4k": 2**12, "64k": 2**16, "1m": 2**20}
PATIENCE_SECONDS = 600  # for all objects of a cache

WORDS = {
    "duration": "seconds of each measurement",
    "warmup": "seconds before each measurement",
    "first_warmup": "seconds before the first round, for each request row of Loligo",
    "rounds": "in each of them the peers take turns",
    "loops": "loligo_event_loops",
}


def parser(about, kind, *, peers="", connections=64, loops=1, words=None, **numbers):
    """Arguments that these scripts share, with their defaults.

    `kind` names the result file; there is no --peers where `peers` is empty; `numbers` are the
    script's own options that take a number, which `words` explain.
    """
    words = WORDS | (words or {})
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--bin", type=pathlib.Path, required=True, help="where the C programs are; the .sh gives it")
    if peers:
        made.add_argument("--peers", default=peers, help="of " + ",".join(PEERS))
    for name, value in {**numbers, "connections": connections, "loops": loops}.items():
        made.add_argument(f"--{name.replace('_', '-')}", type=int, default=value, help=words.get(name))
    server.common_arguments(made)
    made.add_argument("--out", type=pathlib.Path, help=f"default: results/DATE-{kind}.md; - prints only")
    return made


def peers_there(names, options):
    """Those of the names, separated by commas, that are installed; says which are not."""
    found = []
    for name in server.chosen(names, PEERS, "peers"):
        if is_there(name, options):
            found.append(name)
        else:
            server.say(f"left out, not there: {name}")
    return found


class Origin(server.Server):
    """An nginx that has every size under any name; `www` holds the files."""

    def __init__(self, scratch, www):
        super().__init__("origin", scratch / "origin", "origin.conf")
        self.www = www
        os.symlink(www, self.dir / "www")

    def command_line(self):
        return [program("nginx"), "-p", str(self.dir), "-c", str(self.conf)]

    def etag(self, size):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{size}/0", timeout=10) as answer:
            return answer.headers["ETag"]

    def requests(self):
        """Requests that it was asked since its start."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/status", timeout=10) as status:
            return int(status.read().split(b"\n")[2].split()[2])


def origin_in(scratch, stream_mb):
    www = scratch / "origin-files"
    www.mkdir()
    for name, size in SIZES.items():
        (www / f"{name}.bin").write_bytes(os.urandom(size))
    for name, size in {"full": stream_mb, "short": min(stream_mb, 512)}.items():
        with open(www / f"{name}.sparse", "wb") as file:
            file.truncate(size * 2**20)
    for path in [scratch, www]:
        path.chmod(0o755)
    return Origin(scratch, www)


class Bench:
    """An origin that runs, and peers beside it; `scratch` is a folder of its own. See `running`."""

    def __init__(self, scratch, memory, stack, options):
        self.scratch, self.memory, self.options = scratch, memory, options
        self.stack = stack
        self.origin = None

    def add(self, one):
        """Starts a server, which ends with the bench; returns it."""
        self.stack.callback(one.stop)
        one.start()
        return one

    def peer(self, name, flavour, options=None, room=None):
        """A peer that is not started; `options` say how, where not those of the bench."""
        return Peer(name, flavour, self.scratch, self.memory, self.origin.port, options or self.options, room)

    def start(self, name, flavour):
        return self.add(self.peer(name, flavour))

    @contextlib.contextmanager
    def fresh(self, name, flavour, options=None, room=None):
        """A peer that starts with nothing and leaves nothing."""
        one = self.peer(name, flavour, options, room)
        try:
            one.start()
            yield one
        finally:
            one.discard()


@contextlib.contextmanager
def running(name, options, stream_mb=1):
    """A bench; whatever has been started ends with it, the last one first."""
    with server.folders(name) as (scratch, memory), contextlib.ExitStack() as stack:
        bench = Bench(scratch, memory, stack, options)
        bench.origin = bench.add(origin_in(scratch, stream_mb))
        yield bench


def ask_all(peer, origin, size, count, options):
    """Asks once for each of so many objects, as fast as they come, and compares their content; how often the
    origin was asked meanwhile.
    """
    asked = origin.requests()
    done = subprocess.run(
        [
            str(options.bin / "rate"), "-p", str(PATIENCE_SECONDS),
            *map(str, (peer.port, options.connections, 1, count, size, count, origin.www / f"{size}.bin")),
        ],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )
    if done.returncode:
        raise server.Failed(f"{peer.name}: {count} objects of {size}: {done.stdout or done.stderr}")
    return origin.requests() - asked - 1  # which asked for this number


def head(title, options, peers, *conditions):
    """The first lines of a report: title and date, the machine, conditions, versions of the peers, the load before."""
    return [
        f"# {title}, {options.started:%Y-%m-%d %H:%M} UTC", "", *server.machine(options),
        *[f"- {condition}" for condition in conditions],
        *[f"- {peer}: {server.version(peer, options)}" for peer in peers],
        f"- load average before: {' '.join(f'{load:.2f}' for load in options.load)}",
    ]
