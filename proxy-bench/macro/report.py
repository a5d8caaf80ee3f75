#!/usr/bin/env python3
"""Writes the access log of a made-up office day, for `loligo report`.

    report.py squid|loligo_stages LINES > access.log

The load has peaks at 11:00, 15:30 and 20:30; 50 % are hits, 46 % misses, the rest tunnels and denials. Three requests of ten go to one of 40
million files, the others mostly to few. The same arguments give the same log.
"""
import math
import random
import sys

START = 1795305600  # 2026-11-22 00:00 UTC
MINUTES = 24 * 60


def load(minute):
    hour = minute / 60
    peaks = ((11, 2.2, 1), (15.5, 2, 0.8), (20.5, 1.5, 0.3))
    return 0.25 + sum(high * math.exp(-(((hour - at) / wide) ** 2)) for at, wide, high in peaks)


def lognormal(chance, mu, sigma):
    return int(math.exp(chance.gauss(mu, sigma)))


def hit(chance, stages, size, draw, now):
    """A hit: result code, status, bytes and microseconds; fills in its stages."""
    transfer = size / (0.6 + 2 * chance.random())
    stages["lookup"] = 20
    if draw < 0.25:
        stages["proxyReply"] = int(60 + transfer * 0.4)
        return "TCP_MEM_HIT", 200, size
    if draw < 0.38:
        stages["diskQueue"] = int(30 * now * lognormal(chance, 0, 1))
        stages["diskFirstRead"] = lognormal(chance, 8.6, 0.5)
        if size > 65536 or (size > 8192 and chance.random() < 0.2):
            stages["diskRest"] = int(stages["diskFirstRead"] * 0.6 * (1 + size // 65536))
        stages["proxyReply"] = int(80 + transfer * 0.5)
        return "TCP_HIT", 200, size
    stages["proxyReply"] = int(30 + 20 * chance.random())
    if draw < 0.46:
        return "TCP_IMS_HIT", 304, 320
    if draw < 0.47:
        return "TCP_NEGATIVE_HIT", 404, 500
    fetch(chance, stages, 10.8, now, 0.5)
    stages["serverLastByte"] = stages["serverFirstByte"] + 50
    return "TCP_REFRESH_UNMODIFIED", 304, 330


def fetch(chance, stages, mu, now, new_connections):
    if chance.random() < new_connections:
        stages["dns"] = lognormal(chance, 7.5, 1.2)
        stages["proxyConnect"] = lognormal(chance, 10.3, 0.5)
    stages["serverFirstByte"] = lognormal(chance, mu + 0.3 * now, 0.8)


def miss(chance, stages, size, now):
    transfer = int(size / (0.6 + 2 * chance.random()))
    fetch(chance, stages, 11.6, now, 0.6)
    stages["serverLastByte"] = stages["serverFirstByte"] + transfer
    stages["proxyReply"] = 60 + transfer
    if chance.random() < 0.7:
        stages["diskWriteQueue"] = int(200 * now)
        stages["diskWrite"] = int(400 + size * 0.02)
    return "TCP_MISS", 200, size


def line(chance, at, now, staged):
    draw = chance.random()
    often = chance.random() < 0.7
    file = int(chance.paretovariate(0.55)) % 1_000_000 if often else chance.randrange(40_000_000)
    size = 300 + lognormal(chance, 8.6, 1.5)
    method = "GET"
    stages = {"clientConnect": lognormal(chance, 6.2, 1), "acl": 12}
    if draw < 0.5:
        tag, status, size = hit(chance, stages, size, draw, now)
    elif draw < 0.96:
        tag, status, size = miss(chance, stages, size, now)
    elif draw < 0.985:
        tag, status, method = "TCP_TUNNEL", 200, "CONNECT"
        stages["proxyReply"] = lognormal(chance, 16, 1.5)
    else:
        tag, status, size = "TCP_DENIED", 403, 3900
    parts = ("lookup", "diskQueue", "diskFirstRead", "diskRest", "dns", "proxyConnect", "serverLastByte")
    micros = sum(stages.get(part, 0) for part in parts) + (0 if "serverLastByte" in stages else stages.get("proxyReply", 50))
    peer = "HIER_DIRECT/198.51.100.%d" % (file % 200) if "serverLastByte" in stages else "HIER_NONE/-"
    text = "%.3f %6d 10.0.%d.%d %s/%03d %d %s http://www%d.example.com/images/%d/object-%d.jpg - %s image/jpeg" % (
        at, micros // 1000, file % 4, file % 250, tag, status, size, method, file % 500, file % 97, file, peer)
    return text + " " + ",".join("%s:%d" % one for one in stages.items()) if staged else text


def main():
    staged, count = sys.argv[1] == "loligo_stages", int(sys.argv[2])
    chance = random.Random(5)
    loads = [load(minute) for minute in range(MINUTES)]
    made = 0
    for minute in range(MINUTES):
        upto = round(count * sum(loads[: minute + 1]) / sum(loads))
        times = sorted(START + minute * 60 + chance.random() * 60 for _ in range(upto - made))
        made = upto
        sys.stdout.write("".join(line(chance, at, loads[minute], staged) + "\n" for at in times))


main()
