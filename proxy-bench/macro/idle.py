#!/usr/bin/env python3
"""Memory of a connection that waits: idle in clear text, idle with TLS 1.3, stuck in its handshake.

Needs openssl. Other work on the machine does not matter. The heap is touched before, so that VmRSS grows by native memory only.
usage: idle.py --jar JAR [--java JAVA] [--base 1000] [--count 6000] [--stuck 0]
prints a table: bytes of native memory and of heap for each connection, from --count connections beyond the first --base.

With --stuck N it also prints the CPU that the event loop takes for a hit in clear text (h2load, default memory): alone, beside N
handshakes that are stuck, after these have left, and beside N idle connections in clear text. The compilers and collectors of
the JVM are not in it. Nothing else may run on the machine then.
"""

import argparse
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time

FIXED_MEMORY = ["-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:MaxDirectMemorySize=600m"]
REQUEST = b"GET /page HTTP/1.1\r\nHost: bench.test\r\n\r\n"
BODY = b"x" * 1024


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def serve(listening):
    """An origin of one page."""
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        client.recv(65536)
        client.sendall(b"HTTP/1.1 200 OK\r\nCache-Control: max-age=10000\r\nConnection: close\r\n"
                       + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY)
        client.close()


def loop_seconds(pid):
    """CPU of the event loops of a proxy, in seconds."""
    nanos = 0
    for thread in os.scandir(f"/proc/{pid}/task"):
        with open(thread.path + "/comm") as comm, open(thread.path + "/schedstat") as stat:
            if comm.read().startswith("loligo-loop"):
                nanos += int(stat.read().split()[0])
    return nanos / 1e9


class Proxy:
    def __init__(self, folder, jar, java, origin, memory):
        self.clear, self.tls = free_port(), free_port()
        conf = os.path.join(folder, "loligo.conf")
        with open(conf, "w") as out:
            out.write(f"""
https_port 127.0.0.1:{self.tls} accel tls-cert={folder}/pair.pem
http_port 127.0.0.1:{self.clear} accel
cache_peer 127.0.0.1 parent {origin} 0 no-query originserver
http_access allow all
access_log none
cache_log {folder}/cache.log
pid_filename none
loligo_event_loops 1
loligo_max_requests_per_connection 0
{memory}
loligo_tls_handshake_timeout 10 minutes
client_idle_pconn_timeout 10 minutes
loligo_admin_port 127.0.0.1:{free_port()}
""")
        options = FIXED_MEMORY if memory else []
        self.process = subprocess.Popen(
            [java, *options, "-jar", jar, "run", "-f", conf],
            stdout=open(os.path.join(folder, "out"), "w"), stderr=subprocess.STDOUT)
        for port in (self.clear, self.tls):
            for _ in range(600):
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)

    def cpu_of_a_hit(self, seconds):
        """Microseconds of CPU for a request in clear text, and requests per second."""
        before = loop_seconds(self.process.pid)
        out = subprocess.run(
            ["h2load", "--h1", "-m", "1", "-c", "32", "-D", str(seconds), "--warm-up-time", "0",
             f"http://127.0.0.1:{self.clear}/page"], capture_output=True, text=True, check=True).stdout
        done, failed = map(int, re.search(r"(\d+) succeeded, (\d+) failed", out).groups())
        if failed or not done:
            raise SystemExit("h2load failed: " + out)
        return (loop_seconds(self.process.pid) - before) / done * 1e6, done / seconds

    def stop(self):
        self.process.terminate()
        self.process.wait(60)

    def memory(self):
        """(native, heap) in bytes; what nobody refers to is collected before."""
        for _ in range(2):
            subprocess.run(["jcmd", str(self.process.pid), "GC.run"], capture_output=True, check=True)
            time.sleep(0.5)
        info = subprocess.run(
            ["jcmd", str(self.process.pid), "GC.heap_info"], capture_output=True, text=True, check=True).stdout
        heap = sum(int(kb) for kb in re.findall(r"generation\s+total \d+K, used (\d+)K", info))
        with open(f"/proc/{self.process.pid}/status") as status:
            rss = int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))
        return rss * 1024, heap * 1024


def answered(connection):
    connection.sendall(REQUEST)
    received = b""
    while not received.endswith(BODY):
        more = connection.recv(65536)
        if not more:
            raise SystemExit("the proxy closed an idle connection")
        received += more
    return connection


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jar", required=True)
    parser.add_argument("--java", default="java")
    parser.add_argument("--base", type=int, default=1000)
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--stuck", type=int, default=0)
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="loligo-idle-")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", "key.pem", "-out", "cert.pem", "-days", "9", "-subj", "/CN=bench.test",
         "-addext", "subjectAltName=DNS:bench.test"], cwd=folder, check=True, capture_output=True)
    with open(os.path.join(folder, "pair.pem"), "w") as out:
        for name in ("cert.pem", "key.pem"):
            out.write(open(os.path.join(folder, name)).read())
    context = ssl.create_default_context(cafile=os.path.join(folder, "cert.pem"))
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listening,), daemon=True).start()
    origin = listening.getsockname()[1]
    proxy = Proxy(folder, os.path.abspath(args.jar), args.java, origin, "cache_mem 32 MB\nloligo_transit_memory 512 MB")

    def connected(port):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def clear():
        return answered(connected(proxy.clear))

    def tls():
        raw = connected(proxy.tls)
        return answered(context.wrap_socket(raw, server_hostname="bench.test"))

    def stuck():
        received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        try:
            context.wrap_bio(received, sent, server_hostname="bench.test").do_handshake()
        except ssl.SSLWantReadError:
            pass
        raw = connected(proxy.tls)
        raw.sendall(sent.read())
        raw.recv(1)  # the server's messages have come
        return raw

    print("| connection | native, B | heap, B | together, B |\n| --- | --- | --- | --- |")
    try:
        for name, connect in (("clear text, idle", clear), ("TLS 1.3, idle", tls), ("TLS 1.3, stuck in the handshake", stuck)):
            connections = [connect() for _ in range(args.base)]
            before = proxy.memory()
            connections += [connect() for _ in range(args.count)]
            native, heap = ((now - then) / args.count for now, then in zip(proxy.memory(), before))
            print(f"| {name} | {native:,.0f} | {heap:,.0f} | {native + heap:,.0f} |", flush=True)
            for connection in connections:
                connection.close()
        if args.stuck:
            proxy.stop()
            proxy = Proxy(folder, os.path.abspath(args.jar), args.java, origin, "")
            proxy.cpu_of_a_hit(20)  # compiled by then
            print("\n| beside it | CPU of a hit, us | hits/s |\n| --- | --- | --- |")
            for name, number, connect in (
                ("nothing", 0, stuck), ("handshakes that are stuck", args.stuck, stuck), ("nothing again", 0, stuck),
                ("idle connections in clear text", args.stuck, clear),
            ):
                connections = [connect() for _ in range(number)]
                for _ in range(3):
                    print("| {} | {:.1f} | {:,.0f} |".format(name, *proxy.cpu_of_a_hit(3)), flush=True)
                for connection in connections:
                    connection.close()
    finally:
        proxy.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
