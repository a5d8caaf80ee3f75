"""Stacks as a profiler collapses them, told apart by what they are for, and drawn as a flame graph."""

import re
from html import escape

# the first that a frame matches, looked at from the innermost frame outwards, has the sample
CATEGORIES = [
    ("kernel: network", "#d62728",
     r"(tcp|udp|ip|inet|sock|sk|skb|net|dev|loopback|ep|eventpoll|__x64_sys_(recv|send|writev?|read|epoll)\w*)_"
     r"|__x64_sys_(recv|send|writev|epoll)|do_epoll|do_writev"),
    ("kernel: files", "#ff9896", r"(ext4|xfs|btrfs|blk|bio|filemap|iomap|jbd2|generic_perform_write)_?|__x64_sys_p(read|write)"),
    ("kernel: other", "#f7b6b2", r"entry_SYSCALL|do_syscall|asm_|__x64_sys_|exc_page_fault|ret_from_fork|schedule"),
    ("collector", "#7f7f7f", r"G1|Parallel|GCTask|GangWorker|VM_G1|WorkerThread|OopOop|ConcurrentGC|RSHash|OtherRegions"),
    ("compiler", "#c7c7c7", r"CompileBroker|C2Compiler|Compilation::|Phase[A-Z]|Compile::"),
    ("access log", "#bcbd22", r"io/loligo/server/accesslog/"),
    ("metrics", "#dbdb8d", r"io/loligo/server/(metrics|record|explain|jmx)/|io/micrometer/"),
    ("buffers", "#9467bd", r"io/netty/buffer/|io/netty/util/(Recycler|ReferenceCount|ResourceLeak)"),
    ("disk tier", "#8c564b", r"io/loligo/store/(disk|directory|admission)/|net/openhft/"),
    ("memory tier", "#e377c2", r"io/loligo/store/(memory|packing|purge|keys)/|com/github/benmanes/|io/loligo/core/caching/Key"),
    ("in flight", "#17becf", r"io/loligo/store/"),
    ("parsing", "#2ca02c", r"io/loligo/core/(http1|message|structured|range)/"),
    ("decision", "#1f77b4", r"io/loligo/core/(caching|acl|config)/"),
    ("exchange", "#aec7e8", r"io/loligo/server/(exchange|peer|time|boot)/"),
    ("client side", "#ffbb78", r"io/loligo/server/(downstream|tunnel)"),
    ("origin side", "#98df8a", r"io/loligo/server/upstream"),
    ("event loop", "#ff7f0e", r"io/netty/|io/loligo/server/transport"),
]
OTHER = ("other", "#eeeeee")
PATTERNS = [(name, colour, re.compile(pattern)) for name, colour, pattern in CATEGORIES]
COLOURS = {name: colour for name, colour, _ in CATEGORIES} | {OTHER[0]: OTHER[1]}
WIDTH, ROW, LEAST = 1200, 15, 0.0025


def frame_category(frame):
    return next((name for name, _, pattern in PATTERNS if pattern.match(frame)), None)


def category(frames):
    """Of a sample: a kernel frame anywhere says which, else the innermost frame that says something."""
    kernel = [name for frame in frames if (name := frame_category(frame)) and name.startswith("kernel")]
    for name in ("kernel: network", "kernel: files", "kernel: other"):
        if name in kernel:
            return name
    return next((name for frame in reversed(frames) if (name := frame_category(frame))), OTHER[0])


def read(path):
    """Pairs of frames, outermost first, and samples; the number of a thread is cut from its name."""
    stacks = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            stack, _, count = line.rstrip("\n").rpartition(" ")
            frames = stack.split(";")
            frames[0] = re.sub(r"(-\d+)* tid=\d+|#\d+", "", frames[0])
            stacks.append((frames, int(count)))
    return stacks


def shares(stacks):
    """Category to its share of all samples, the largest first."""
    total = sum(count for _, count in stacks)
    found = {}
    for frames, count in stacks:
        name = category(frames)
        found[name] = found.get(name, 0) + count / total
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def tree(stacks):
    """Nested dictionaries of frame to [samples, samples by category, children]."""
    root = [0, {}, {}]
    for frames, count in stacks:
        name = category(frames)
        node = root
        for frame in ["all", *frames]:
            node = node[2].setdefault(frame, [0, {}, {}])
            node[0] += count
            node[1][name] = node[1].get(name, 0) + count
    return root[2]["all"]


def svg(stacks, title):
    """Width is samples; a frame has the colour of what most of its samples are for."""
    root = tree(stacks)
    shapes, depth = [], 0

    def draw(name, node, x, level):
        nonlocal depth
        width = node[0] / root[0] * WIDTH
        if width < WIDTH * LEAST:
            return
        depth = max(depth, level)
        most = max(node[1], key=node[1].get)
        short = name.replace("io/loligo/", "").rpartition("/")[2] if "/" in name else name
        text = short[: int(width / 6)] if width > 20 else ""
        shapes.append((x, level, width, COLOURS[most], f"{name}: {node[0] / root[0]:.1%}, {most}", text))
        for child, below in node[2].items():
            draw(child, below, x, level + 1)
            x += below[0] / root[0] * WIDTH

    draw("all", root, 0, 0)
    legend = 22 + 14 * len(COLOURS)
    height = legend + (depth + 1) * ROW + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" '
        f'font-size="10"><rect width="100%" height="100%" fill="white"/><text x="5" y="15" font-size="13">'
        f"{escape(title)}</text>"
    ]
    for i, (name, share) in enumerate(shares(stacks).items()):
        y = 22 + 14 * i
        lines.append(f'<rect x="5" y="{y}" width="12" height="12" fill="{COLOURS[name]}"/>'
                     f'<text x="22" y="{y + 10}">{share:.1%} {escape(name)}</text>')
    for x, level, width, colour, what, text in shapes:
        y = height - 10 - (level + 1) * ROW
        lines.append(f'<g><title>{escape(what)}</title><rect x="{x:.1f}" y="{y}" width="{max(0.5, width - 0.5):.1f}" '
                     f'height="{ROW - 1}" fill="{colour}"/><text x="{x + 2:.1f}" y="{y + 11}">{escape(text)}</text></g>')
    return "\n".join([*lines, "</svg>"]) + "\n"
