"""The programs that macro.py compares, each configured for one thread of work."""

import re
import urllib.request

import server
from server import program

PEERS = ["limit", "loligo", "squid", "nginx", "haproxy", "trafficserver", "varnish"]
TITLES = {"trafficserver": "Traffic Server", "limit": "limit"}
CACHE_MB = 512
DISK_MB = 2048
SMALL_MB = 8  # of memory, where hits are to come from disk
# sizes of loligo_stream_buffer_size that buffers.py compares
BUFFERS_KB = [4, 8, 16, 32, 64, 128, 256, 512]

NCSA = "/usr/lib/squid/basic_ncsa_auth"
# what a flavour changes in a template, by peer
LOGIN = """auth_param basic program @HELPER@ @DIR@/users
auth_param basic realm bench
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all"""
FLAVOURS = {
    "plain": {},
    "login": {peer: {"ACCESS": LOGIN.replace("@HELPER@", NCSA)} for peer in ("loligo", "squid")},
    "logged": {
        "loligo": {"LOG": "access_log stdio:@DIR@/access.log squid"},
        "squid": {"LOG": "access_log stdio:@DIR@/access.log squid"},
        "nginx": {"LOG": "access_log @DIR@/access.log combined buffer=64k flush=1s;"},
    },
    "objects": {peer: {"CACHE_MB": 1024, "MEMORY_OCTETS": 2**30} for peer in PEERS},
    "disk": {
        "loligo": {"MORE": f"cache_dir rock @DIR@/cache {DISK_MB}"},
        "nginx": {"STORE": "@DIR@/cache"},
        "trafficserver": {},
    },
    "disk-hit": {
        "loligo": {"MORE": f"cache_dir rock @DIR@/cache {DISK_MB}", "CACHE_MB": SMALL_MB},
        "nginx": {"STORE": "@DIR@/cache"},
        "trafficserver": {"MEMORY_OCTETS": SMALL_MB * 2**20},
    },
    **{f"buffer-{kb}": {"loligo": {"MORE": f"loligo_stream_buffer_size {kb} KB"}} for kb in BUFFERS_KB},
}
ALL = "http_access allow all"
USUAL = {"loligo": {"LOG": "access_log none", "MORE": "", "ACCESS": ALL}, "squid": {"LOG": "access_log none", "ACCESS": ALL},
         "nginx": {"LOG": "access_log off;"}}


def is_there(peer, options):
    if peer == "loligo":
        return options.jar.is_file()
    if peer == "limit":
        return (options.bin / "limit").is_file()
    return program({"trafficserver": "traffic_server", "varnish": "varnishd"}.get(peer, peer))


class Peer(server.Server):
    """One program; `forward` is the port that takes absolute-form and CONNECT."""

    def __init__(self, peer, flavour, scratch, memory, origin, options):
        self.options = options
        self.peer = peer
        self.flavour = flavour
        self.origin = origin
        self.forward = server.free_port()
        words = {
            "FORWARD": self.forward, "ORIGIN": origin, "STORE": memory / f"nginx-{flavour}",
            "CACHE_MB": CACHE_MB, "MEMORY_OCTETS": CACHE_MB * 2**20, "LOOPS": options.loops,
            "CONNECTIONS": 20000, "THROTTLE": 30000, "ADMIN": server.free_port(), **USUAL.get(peer, {}), **FLAVOURS.get(flavour, {}).get(peer, {}),
        }
        directory = scratch / f"{peer}-{flavour}"
        words = {name: str(value).replace("@DIR@", str(directory)) for name, value in words.items()}
        template = {
            "haproxy": "haproxy.cfg", "trafficserver": "poly/runroot.yaml", "limit": None, "varnish": None,
        }.get(peer, f"{peer}.conf")
        super().__init__(f"{peer} ({flavour})", directory, template, words)
        if peer == "trafficserver":
            self.forward = self.port
            (self.dir / "cache").mkdir(mode=0o777)
            own = f"http://127.0.0.1:{origin}/"
            server.traffic_server_root(
                self, self.dir / "cache", DISK_MB, {"http://bench.example/": own, own: own}
            )
        elif peer == "limit":
            self.forward = self.port

    def command_line(self):
        if self.peer == "loligo":
            return [
                self.options.java, *self.options.java_flags.split(), "-jar", str(self.options.jar),
                "run", "-f", str(self.conf),
            ]
        if self.peer == "squid":
            return [program("squid"), "-N", "-n", f"bench{self.port}", "-f", str(self.conf)]
        if self.peer == "haproxy":
            return [program("haproxy"), "-db", "-f", str(self.conf)]
        if self.peer == "trafficserver":
            return [program("traffic_server"), f"--run-root={self.conf}"]
        if self.peer == "varnish":
            return [
                program("varnishd"), "-F", "-a", f"127.0.0.1:{self.port}",
                "-b", f"127.0.0.1:{self.origin}", "-s", f"malloc,{self.words['CACHE_MB']}m",
                "-n", str(self.dir / "varnish"),
            ]
        if self.peer == "limit":
            words = ["relay", self.port, self.origin] if self.flavour == "relay" else ["serve", self.port]
            return [str(self.options.bin / "limit"), *map(str, words)]
        return [program("nginx"), "-p", str(self.dir), "-c", str(self.conf)]

    def idle_at_most(self):
        """Connections that its configuration allows beside those that ask."""
        return 7000 if self.peer == "haproxy" else 15000

    def live_memory(self):
        """Bytes: of a JVM its live heap after a full collection plus its direct memory, else resident."""
        if self.peer != "loligo":
            return self.resident_mb() * 2**20
        self.jcmd("GC.run")
        self.jcmd("GC.run")  # what the first one made free of soft and weak references
        used = re.search(r"used (\d+)K", self.jcmd("GC.heap_info"))
        return int(used.group(1)) * 1024 + self.direct_bytes()

    def jcmd(self, *words):
        return server.jcmd(self.options, self.process, *words)

    def direct_bytes(self):
        """Direct memory that its allocator holds, by its own ledger."""
        url = f"http://127.0.0.1:{self.words['ADMIN']}/metrics"
        with urllib.request.urlopen(url, timeout=10) as page:
            lines = page.read().decode().splitlines()
        held = 'loligo_memory_used_bytes{owner="allocator"} '
        return float(next(line for line in lines if line.startswith(held)).rpartition(" ")[2])
