"""Memory hits of 1 KB by a forward port, with `Proxy-Authorization: Basic` in each request: without rules about
users, and with `acl known proxy_auth REQUIRED` and a file of users. Prints and writes one Markdown table.
"""

import base64
import statistics
import subprocess

import bench
import server
from peers import TITLES

USER, PASSWORD = "bench", "secret"
FLAVOURS = ["plain", "login"]


def users(peer):
    """Its file of users, with a hash that is quick: only the first request of a user pays for it."""
    hashed = subprocess.run(
        ["openssl", "passwd", "-apr1", PASSWORD], check=True, capture_output=True, text=True
    ).stdout.strip()
    file = peer.dir / "users"
    file.write_text(f"{USER}:{hashed}\n")
    file.chmod(0o644)


def load(peer, origin, options):
    """CPU microseconds per request."""
    login = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    before = peer.cpu()
    done = subprocess.run(
        [
            str(options.bin / "rate"), "-o", f"http://127.0.0.1:{origin.port}",
            "-f", f"Proxy-Authorization: Basic {login}",
            *map(str, (peer.forward, options.clients, options.duration, options.rate, "1k", 1)),
        ],
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )
    micros = (peer.cpu() - before) * 1e6
    if done.returncode:
        raise server.Failed(f"{peer.name}: {done.stdout or done.stderr}")
    return micros / int(done.stdout.split()[0])


def measure(peers, origin, options):
    found = {}
    for number in range(-options.warm_rounds, options.rounds):
        for peer in peers:
            fetched = origin.requests()
            micros = load(peer, origin, options)
            if number > -options.warm_rounds and origin.requests() - fetched > 100:
                raise server.Failed(f"{peer.name}: no hits")
            server.say(f"round {number + 1} {peer.name}: {micros:.2f}")
            if number >= 0:
                found.setdefault((peer.peer, peer.flavour), []).append(micros)
    return found


def report(found, names, options):
    lines = bench.head(
        "Hits with a login", options, names,
        f"one URL of 1 KB by a forward port, {options.clients} persistent connections, {options.rate} requests a "
        f"second for {options.duration} s; "
        f"{options.rounds} rounds in turn after {options.warm_rounds} unmeasured ones; access logs off; one thread each",
    )
    lines += ["", "Median (lowest-highest) of CPU us per request:", ""]
    rows = []
    for peer in names:
        without, with_login = (found[(peer, flavour)] for flavour in FLAVOURS)
        ratio = statistics.median(with_login) / statistics.median(without)
        rows.append([
            TITLES.get(peer, peer), server.spread(without, ".2f"), server.spread(with_login, ".2f"), f"{ratio:.3f}",
        ])
    lines += server.table(["", "without", "with a login", "ratio"], rows)
    return "\n".join(lines) + "\n"


def main():
    options = server.begun(
        bench.parser(
            __doc__, "login", peers="loligo,squid", words={"warm_rounds": "unmeasured rounds before", "rate": "requests a second"},
            rounds=7, warm_rounds=4, clients=10, duration=4, rate=20_000,
        ).parse_args()
    )
    names = bench.peers_there(options.peers, options)
    with bench.running("login", options) as here:
        peers = []
        for name in names:
            for flavour in FLAVOURS:
                peer = here.peer(name, flavour)
                users(peer)
                peers.append(here.add(peer))
        found = measure(peers, here.origin, options)
    server.write_results(report(found, names, options), options, "login")


if __name__ == "__main__":
    main()
