"""The programs that macro.py compares, each configured for one thread of work."""

import pathlib
import re
import shutil
import subprocess
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
    "tls": {  # wrk and h2load give different hosts, so each object is stored twice
        "loligo": {"MORE": "https_port 127.0.0.1:@SECURE@ accel defaultsite=bench.example vhost tls-cert=@DIR@/pair.pem\n"
                           "loligo_max_requests_per_connection 0", "CACHE_MB": 2 * CACHE_MB},
        "nginx": {"TLS": "listen 127.0.0.1:@SECURE@ ssl http2 backlog=1024; ssl_certificate @DIR@/pair.pem; "
                         "ssl_certificate_key @DIR@/pair.pem; ssl_protocols TLSv1.3;"},
        "haproxy": {"TLS": "bind 127.0.0.1:@SECURE@ backlog 1024 ssl crt @DIR@/pair.pem alpn h2,http/1.1 ssl-min-ver TLSv1.3",
                    "CACHE_MB": 2 * CACHE_MB},
    },
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
         "nginx": {"LOG": "access_log off;", "TLS": ""}, "haproxy": {"TLS": ""}}


def room_for(peer, count, octets):
    """Words of a peer that keeps so many objects of a size in memory, and some more."""
    room_mb = count * (octets + 2048) // 2**20 + CACHE_MB
    return {
        "CACHE_MB": min(room_mb, 4095) if peer == "haproxy" else room_mb, "MEMORY_OCTETS": room_mb * 2**20,
        "KEYS_MB": 64 + count // 4000, "STORE_MB": 2048 + count * (octets + 8192) // 2**20,
        "DISK_MB": 2 * room_mb, "OBJECT_OCTETS": max(1024, octets),
    }


def is_there(peer, options):
    if peer == "loligo":
        return options.jar.is_file()
    if peer == "limit":
        return (options.bin / "limit").is_file()
    return program({"trafficserver": "traffic_server", "varnish": "varnishd"}.get(peer, peer))


class Peer(server.Server):
    """One program; `forward` is the port that takes absolute-form and CONNECT, `secure` the one with TLS where its
    flavour has that; `room` are further words, as of room_for.
    """

    def __init__(self, peer, flavour, scratch, memory, origin, options, room=None):
        self.options = options
        self.peer = peer
        self.flavour = flavour
        self.origin = origin
        self.paces = {}  # requests a second of h2load, by row
        self.forward, self.secure = server.free_port(), server.free_port()
        words = {
            "FORWARD": self.forward, "ORIGIN": origin, "STORE": memory / f"nginx-{flavour}",
            "CACHE_MB": CACHE_MB, "MEMORY_OCTETS": CACHE_MB * 2**20, "LOOPS": options.loops,
            "KEYS_MB": 64, "STORE_MB": 2048, "DISK_MB": DISK_MB,
            "CONNECTIONS": 20000, "THROTTLE": 30000, "ADMIN": server.free_port(), **USUAL.get(peer, {}), **FLAVOURS.get(flavour, {}).get(peer, {}),
            **(room or {}),
        }
        directory = scratch / f"{peer}-{flavour}"
        words = {
            name: str(value).replace("@DIR@", str(directory)).replace("@SECURE@", str(self.secure))
            for name, value in words.items()
        }
        template = {
            "haproxy": "haproxy.cfg", "trafficserver": "poly/runroot.yaml", "limit": None, "varnish": None,
        }.get(peer, f"{peer}.conf")
        super().__init__(f"{peer} ({flavour})", directory, template, words)
        if peer == "trafficserver":
            self.forward = self.port
            (self.dir / "cache").mkdir(mode=0o777)
            own = f"http://127.0.0.1:{origin}/"
            server.traffic_server_root(
                self, self.dir / "cache", self.words["DISK_MB"], {"http://bench.example/": own, own: own}
            )
            if "OBJECT_OCTETS" in self.words:
                # its filter forgets an object before all others were asked for, and would keep none in memory
                with open(self.dir / "etc/records.config", "a", encoding="utf-8") as records:
                    records.write(f"CONFIG proxy.config.cache.min_average_object_size INT {self.words['OBJECT_OCTETS']}\n"
                                  "CONFIG proxy.config.cache.ram_cache.use_seen_filter INT 0\n")
        elif peer == "limit":
            self.forward = self.port
        if flavour == "tls":
            self.make_certificate()

    def make_certificate(self):
        """A key on P-256 and its certificate, in pair.pem."""
        if not program("openssl"):
            raise server.Failed("install first: openssl")
        pair = self.dir / "pair.pem"
        subprocess.run(
            [
                program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", str(self.dir / "key.pem"), "-out", str(pair), "-days", "9", "-subj", "/CN=bench.example",
                "-addext", "subjectAltName=DNS:bench.example,IP:127.0.0.1",
            ],
            check=True, capture_output=True, stdin=subprocess.DEVNULL,
        )
        with open(pair, "a", encoding="ascii") as both:
            both.write((self.dir / "key.pem").read_text())
        pair.chmod(0o644)

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

    def footprint(self):
        """Bytes of memory that the machine has less of: of its processes, and of nginx's files in memory."""
        octets = server.pss_bytes(self.process.pid)
        if self.peer == "nginx":
            octets += sum(
                (one.stat().st_blocks * 512) for one in pathlib.Path(self.words["STORE"]).rglob("*") if one.is_file()
            )
        return octets

    def discard(self):
        super().discard()
        shutil.rmtree(self.words["STORE"], ignore_errors=True)

    def jcmd(self, *words):
        return server.jcmd(self.options, self.process, *words)

    def direct_bytes(self):
        """Direct memory that its allocator holds, by its own ledger."""
        return self.metrics()['loligo_memory_used_bytes{owner="allocator"}']

    def metrics(self):
        """Values of Loligo's metrics, by name with labels."""
        url = f"http://127.0.0.1:{self.words['ADMIN']}/metrics"
        with urllib.request.urlopen(url, timeout=10) as page:
            lines = page.read().decode().splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}
