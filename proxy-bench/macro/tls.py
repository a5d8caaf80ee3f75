#!/usr/bin/env python3
"""CPU per request of memory hits over TLS 1.3, HTTP/1.1 and HTTP/2, and in clear text: Loligo, nginx and HAProxy in turn.

Needs h2load, nginx, haproxy, openssl. Nothing else may run on the machine. Each proxy has one loop, worker or thread.
usage: tls.py --jar JAR [--rounds 3] [--duration 6] [--java JAVA] [--peers loligo,nginx,haproxy,bumped,fronted,before] [--rows ROW,...]
bumped: Loligo decrypts (https_port intercept ssl-bump); HAProxy in TCP mode before it, not counted, tells the destination.
fronted: the accel port behind the same HAProxy, so that requests arrive in batches like those of bumped.
before: the clear-text rows of an earlier jar, --before JAR.
--pin: the proxies have one core and h2load the other, and the CPU of Loligo is that of its event loop, without the compilers of the JVM.
prints a table: microseconds of CPU per request, median of the rounds (lowest-highest), and requests per second.
"""

import argparse
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from idle import loop_seconds

SIZES = {"1k": 1024, "4k": 4096, "64k": 65536}
ROWS = [f"{version}-{size}" for version in ("h1", "h2", "clear") for size in SIZES] + ["handshake-1k"]
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")


def cpu_seconds(pids):
    total = 0
    for pid in pids:
        if not os.path.exists(f"/proc/{pid}"):
            continue  # nginx's cache loader has ended
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


class Bench:
    def __init__(self, folder, args):
        self.folder, self.args = folder, args
        self.origin_port = free_port()
        self.processes = []

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        return path

    def start(self, *command):
        if self.args.pin:
            command = ("taskset", "-c", "0", *command)
        process = subprocess.Popen(
            command, cwd=self.folder, stdout=open(os.path.join(self.folder, "out"), "a"), stderr=subprocess.STDOUT
        )
        self.processes.append(process)
        return process

    def prepare(self):
        pair = os.path.join(self.folder, "pair.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", "key.pem", "-out", "cert.pem", "-days", "9", "-subj", "/CN=bench.test",
             "-addext", "subjectAltName=DNS:bench.test,IP:127.0.0.1"],
            cwd=self.folder, check=True, capture_output=True)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", "ca.key", "-out", "ca.crt", "-days", "9", "-subj", "/CN=Bench authority",
             "-addext", "basicConstraints=critical,CA:TRUE"],
            cwd=self.folder, check=True, capture_output=True)
        with open(os.path.join(self.folder, "ca.pem"), "w") as out:
            for name in ("ca.crt", "ca.key"):
                out.write(open(os.path.join(self.folder, name)).read())
        with open(pair, "w") as out:
            for name in ("cert.pem", "key.pem"):
                out.write(open(os.path.join(self.folder, name)).read())
        for name, size in SIZES.items():
            self.write(f"www/{name}", "x" * size)
        conf = self.write("origin.conf", f"""
worker_processes 1; daemon off; pid {self.folder}/origin.pid; error_log {self.folder}/origin.err;
events {{ }}
http {{ access_log off; server {{ listen 127.0.0.1:{self.origin_port};
  location / {{ root {self.folder}/www; add_header Cache-Control max-age=100000; }} }} }}
""")
        self.start("nginx", "-c", conf)
        wait_for(self.origin_port)

    def front(self, port, inner):
        """HAProxy in TCP mode, which tells the addresses."""
        conf = self.write(f"front-{port}.cfg", f"""
global
  nbthread 1
  maxconn 4000
defaults
  mode tcp
  timeout client 1m
  timeout server 1m
  timeout connect 5s
listen f
  bind 127.0.0.1:{port}
  server s 127.0.0.1:{inner} send-proxy-v2
""")
        self.start("haproxy", "-f", conf)

    def proxy(self, peer):
        port, clear = free_port(), free_port()
        if peer in ("loligo", "before", "fronted"):
            jar = self.args.before if peer == "before" else self.args.jar
            inner = free_port() if peer == "fronted" else port
            secure = "" if peer == "before" else f"https_port 127.0.0.1:{inner} accel tls-cert={self.folder}/pair.pem"
            if peer == "fronted":
                secure += " require-proxy-header\nproxy_protocol_access allow all"
            conf = self.write(f"{peer}.conf", f"""
{secure}
http_port 127.0.0.1:{clear} accel defaultsite=bench.test
cache_peer 127.0.0.1 parent {self.origin_port} 0 no-query originserver
http_access allow all
access_log none
cache_log {self.folder}/cache-{peer}.log
pid_filename none
cache_mem 256 MB
loligo_event_loops 1
loligo_admin_port 127.0.0.1:{free_port()}
loligo_max_requests_per_connection 0
""")
            process = self.start(self.args.java, "-jar", os.path.abspath(jar), "run", "-f", conf)
            if peer == "fronted":
                wait_for(inner)
                self.front(port, inner)
        elif peer == "bumped":
            inner = free_port()
            conf = self.write("bumped.conf", f"""
https_port 127.0.0.1:{inner} intercept ssl-bump require-proxy-header tls-cert={self.folder}/ca.pem
http_port 127.0.0.1:{free_port()}
proxy_protocol_access allow all
ssl_bump bump all
cache_peer 127.0.0.1 parent {self.origin_port} 0 no-query originserver
never_direct allow all
http_access allow all
access_log none
cache_log {self.folder}/cache-bumped.log
pid_filename none
cache_mem 256 MB
loligo_event_loops 1
loligo_admin_port 127.0.0.1:{free_port()}
loligo_max_requests_per_connection 0
""")
            process = self.start(self.args.java, "-jar", os.path.abspath(self.args.jar), "run", "-f", conf)
            wait_for(inner)
            self.front(port, inner)
        elif peer == "nginx":
            os.makedirs(f"{self.folder}/nginx-cache", exist_ok=True)
            conf = self.write("nginx.conf", f"""
worker_processes 1; daemon off; pid {self.folder}/nginx.pid; error_log {self.folder}/nginx.err;
events {{ worker_connections 20000; }}
http {{ access_log off; keepalive_requests 100000000; sendfile on; tcp_nopush on;
  proxy_cache_path {self.folder}/nginx-cache keys_zone=c:10m; open_file_cache max=100 inactive=1h;
  server {{ listen 127.0.0.1:{clear}; listen 127.0.0.1:{port} ssl http2; ssl_certificate {self.folder}/cert.pem;
    ssl_certificate_key {self.folder}/key.pem; ssl_protocols TLSv1.3;
    location / {{ proxy_pass http://127.0.0.1:{self.origin_port}; proxy_cache c; proxy_cache_valid 1h; }} }} }}
""")
            process = self.start("nginx", "-c", conf)
        else:
            conf = self.write("haproxy.cfg", f"""
global
  nbthread 1
  maxconn 4000
  tune.bufsize 131072
defaults
  mode http
  timeout client 1m
  timeout server 1m
  timeout connect 5s
cache c
  total-max-size 64
  max-object-size 100000
  max-age 3600
frontend f
  bind 127.0.0.1:{clear}
  bind 127.0.0.1:{port} ssl crt {self.folder}/pair.pem alpn h2,http/1.1 ssl-min-ver TLSv1.3
  http-request cache-use c
  http-response cache-store c
  default_backend b
backend b
  http-request cache-use c
  http-response cache-store c
  server s 127.0.0.1:{self.origin_port}
""")
            process = self.start("haproxy", "-f", conf)
        wait_for(clear if peer == "before" else port)
        time.sleep(0.5)
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
        return process, (port, clear), [process.pid] + [int(child) for child in children]

    def load(self, row, ports, seconds):
        version, size = row.split("-")
        secure, clear = ports
        url = f"http://127.0.0.1:{clear}/{size}" if version == "clear" else f"https://127.0.0.1:{secure}/{size}"
        if version == "handshake":
            # 400 connections with a request each, again and again; h2load resumes no session
            done = 0
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                out = self.h2load(["--h1", "-n", "400", "-c", "400", url])
                done += out
            return done
        streams = ["-m", "16"] if version == "h2" else ["--h1", "-m", "1"]
        return self.h2load(streams + ["-c", "32", "-D", str(seconds), "--warm-up-time", "0", url])

    def h2load(self, arguments):
        pin = ["taskset", "-c", "1"] if self.args.pin else []
        out = subprocess.run([*pin, "h2load", *arguments], capture_output=True, text=True).stdout
        found = re.search(r"requests: (\d+) total, .* (\d+) succeeded, (\d+) failed, (\d+) errored", out)
        if not found or int(found.group(3)) or int(found.group(4)):
            raise SystemExit("h2load failed: " + out)
        return int(found.group(2))

    def measure(self, row, ports, pids, seconds):
        cpu = (lambda: loop_seconds(pids[0]) or cpu_seconds(pids)) if self.args.pin else (lambda: cpu_seconds(pids))
        before, start = cpu(), time.monotonic()
        requests = self.load(row, ports, seconds)
        return (cpu() - before) / requests * 1e6, requests / (time.monotonic() - start)

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
        self.processes = []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jar", required=True)
    parser.add_argument("--before")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--java", default="java")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--duration", type=int, default=6)
    parser.add_argument("--warmup", type=int, default=15)
    parser.add_argument("--peers", default="loligo,nginx,haproxy")
    parser.add_argument("--rows", default=",".join(ROWS))
    args = parser.parse_args()
    peers, rows = args.peers.split(","), args.rows.split(",")
    folder = tempfile.mkdtemp(prefix="loligo-tls-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    os.chmod(folder, 0o755)
    bench = Bench(folder, args)
    figures = {}
    try:
        bench.prepare()
        running = {peer: bench.proxy(peer) for peer in peers}
        for peer, (_, ports, pids) in running.items():
            for row in rows:
                bench.load(row, ports, 1 if peer in ("nginx", "haproxy") else args.warmup)
        for _ in range(args.rounds):
            for row in rows:
                for peer, (_, ports, pids) in running.items():
                    figures.setdefault((row, peer), []).append(bench.measure(row, ports, pids, args.duration))
    finally:
        bench.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print("| row | " + " | ".join(f"{peer}, us of CPU | {peer}, requests/s" for peer in peers) + " |")
    print("| --- |" + " --- | --- |" * len(peers))
    for row in rows:
        cells = []
        for peer in peers:
            cpu = sorted(figure[0] for figure in figures[row, peer])
            rate = statistics.median(figure[1] for figure in figures[row, peer])
            cells.append(f"{statistics.median(cpu):.1f} ({cpu[0]:.1f}-{cpu[-1]:.1f}) | {rate:,.0f}")
        print(f"| {row} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
