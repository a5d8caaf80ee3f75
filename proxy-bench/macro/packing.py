#!/usr/bin/env python3
"""How much of the disk is content, for ways to lay out responses of Polygraph's sizes.

Writes the table of docs/adr/0006-log-of-segments.md. Arithmetic only; the seed is fixed.
Sizes are those of polymix.h: 65 % images, 15 % HTML, 0.5 % downloads, the rest others.
"""
import math
import random

OBJECTS = 400_000
HEAD = 88 + 45 + 35 + 250  # header of the first block, key, meta, field lines
BLOCK = 65_472
CONTENT = BLOCK - 40
ENDS = 16  # as in Rests
END = 1024


def up(length, unit):
    return -(-length // unit) * unit


def size(rng):
    kind = rng.random()
    if kind < 0.65:
        length = rng.expovariate(1 / 4_500)
    elif kind < 0.80:
        length = rng.expovariate(1 / 8_500)
    else:
        mean, deviation = (300_000, 300_000) if kind < 0.805 else (25_000, 10_000)
        variance = math.log(1 + (deviation / mean) ** 2)
        length = rng.lognormvariate(math.log(mean) - variance / 2, math.sqrt(variance))
    return int(max(300, min(5_000_000, length)))


def extents(content, segment):
    """Bytes of the pieces and of the first block, as Layout has them."""
    if content <= BLOCK - HEAD:
        return [up(HEAD + content, 64)]
    piece = (segment - 64) // BLOCK * CONTENT
    left = content - (BLOCK - HEAD - 8 * -(-content // piece))
    found = []
    while left > 0:
        full, rest = divmod(min(piece, left), CONTENT)
        found.append(full * BLOCK + (up(rest + 40, 64) if rest else 0))
        left -= piece
    return found + [BLOCK]


def log(sizes, segment, kept=0):
    """Bytes of the segments in use; the largest `kept` ends are filled with what fits them best."""
    used, segments, ends = segment, 0, []
    for content in sizes:
        for extent in extents(content, segment):
            best = min((end for end in ends if end >= extent), default=None)
            if best is not None:
                ends.remove(best)
                ends.append(best - extent)
                continue
            if used + extent > segment:
                ends = sorted((end for end in [*ends, segment - used] if end >= END), reverse=True)[:kept]
                used, segments = 64, segments + 1
            used += extent
    return segments * segment


def main():
    rng = random.Random(2026)
    sizes = [size(rng) for _ in range(OBJECTS)]
    content = sum(sizes)
    heads = OBJECTS * HEAD
    print(f"mean {content / OBJECTS:,.0f} bytes of content and {HEAD} of head;")
    one = sum(s <= BLOCK - HEAD for s in sizes) / OBJECTS
    print(f"{one:.3f} of the objects are one block\n")
    print("| layout | content | content and head |")
    print("| --- | --- | --- |")
    rows = [("heads, no waste at all", content + heads)]
    aligned = sum(sum(extents(s, 1 << 20)) for s in sizes)
    rows.append(("log, 64-byte alignment alone", aligned))
    for kib in (256, 512, 1024, 16384):
        rows.append((f"log, segments of {kib:,} KiB, their ends included", log(sizes, kib << 10)))
    for kib in (256, 512, 1024, 16384):
        rows.append((f"log, segments of {kib:,} KiB, the last ends filled", log(sizes, kib << 10, ENDS)))
    for kib in (4, 8, 64):
        total = sum(up(s + HEAD, kib << 10) for s in sizes)
        rows.append((f"granules of {kib} KiB", total))
    for name, total in rows:
        print(f"| {name} | {content / total:.3f} | {(content + heads) / total:.3f} |")


if __name__ == "__main__":
    main()
