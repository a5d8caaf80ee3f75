"""Load over HTTP/2 with TLS by h2load, for rows of macro.py."""

import pathlib
import subprocess
import tempfile

import server
from server import program

CONNECTIONS = 16
STREAMS = 8
FIRST = 500  # requests until it is known how many a second takes
ENOUGH = 0.9  # of the time that is wanted


def load(seconds, row, peer, word):
    """Asks for a row's objects for about so many seconds: requests, seconds, errors, and latencies in microseconds.

    h2load may never end where it is to end after a time and a connection is not there by then, so it gets a number of
    requests. Its connections ask for the URLs of a list in step, so misses have an h2load for each connection.
    """
    if not program("h2load"):
        raise server.Failed("install first: h2load (nghttp2-client)")
    found, errors, spent, part = [], 0, 0.0, 0
    if row.name not in peer.paces:
        # each object of a row of hits once, too
        first, _ = ask(f"{word}-first", 1, row.urls if row.kind == "hit" else FIRST, row, peer)
        peer.paces[row.name] = len(first) / seconds_of(first)
    while spent < seconds * ENOUGH:
        amount = max(CONNECTIONS * STREAMS, round(peer.paces[row.name] * (seconds - spent)))
        some, failed = ask(f"{word}-{part}", CONNECTIONS, amount, row, peer)
        peer.paces[row.name] = len(some) / seconds_of(some)
        found, errors, spent, part = found + some, errors + failed, spent + seconds_of(some), part + 1
    took = sorted(took for _, took in found)
    quantiles = {name: took[int(len(took) * share)] for name, share in (("p50", 0.5), ("p99", 0.99), ("p999", 0.999))}
    return {"requests": len(took), "seconds": spent, "errors": errors, **quantiles, "longest": took[-1]}


def seconds_of(requests):
    return (max(map(sum, requests)) - min(start for start, _ in requests)) / 1e6


def ask(word, connections, amount, row, peer):
    """Start and time of each request in microseconds, and the number of those that failed."""
    authority = f"https://127.0.0.1:{peer.secure}/{row.size}"
    with tempfile.TemporaryDirectory(prefix="h2load-", dir=server.in_memory()) as folder:
        folder = pathlib.Path(folder)
        if row.kind == "miss":
            each = -(-amount // connections)
            commands = [
                command(folder / str(number), [f"{authority}/{word}-{number}-{i}" for i in range(each)], 1, each)
                for number in range(connections)
            ]
        else:
            commands = [command(folder / "0", [f"{authority}/{i + 1}" for i in range(row.urls)], connections, amount)]
        errors = run(commands, peer)
        lines = [line.split() for log in folder.glob("*.log") for line in log.read_text().splitlines()]
    good = [(int(start), int(took)) for start, status, took, *_ in lines if status == "200"]
    if not good:
        raise server.Failed(f"{peer.name}: h2load had no response")
    return good, errors + len(lines) - len(good)


def command(name, urls, connections, amount):
    """An h2load that asks for the URLs and logs its requests."""
    urls_file, log = name.with_suffix(".urls"), name.with_suffix(".log")
    urls_file.write_text("\n".join(urls) + "\n")
    return [
        program("h2load"), f"-m{STREAMS}", f"-c{connections}", f"-n{max(connections, amount)}", "-i", str(urls_file),
        f"--log-file={log}",
    ]


def run(commands, peer):
    """Runs all at once; the number of requests without a response."""
    running = [
        subprocess.Popen(one, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for one in commands
    ]
    errors = 0
    for process in running:
        text = process.communicate()[0]
        line = next((line for line in text.splitlines() if line.startswith("requests: ")), None)
        if process.returncode or line is None or "Application protocol: h2" not in text:
            raise server.Failed(f"{peer.name}: h2load:\n{text}")
        counts = {what: int(count) for count, what in (part.split() for part in line.removeprefix("requests: ").split(", "))}
        errors += counts["total"] - counts["done"] + counts["timeout"]
    return errors
