"""What the macro scripts share: programs on ports of their own, what they cost, and the report."""

import contextlib
import datetime
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
TICKS = os.sysconf("SC_CLK_TCK")


def program(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def children():
    """Parent to children, of all processes."""
    tree = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        tree.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    return tree


def process_tree(root):
    """A process and its descendants."""
    tree = children()
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        found.append(pid)
        todo.extend(tree.get(pid, []))
    return found


def cpu_seconds(root):
    """User and system time of a process, its descendants, and those it has waited for."""
    total = 0
    for pid in process_tree(root):
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(field) for field in fields[11:15])
    return total / TICKS


def resident_mb(root):
    total = 0
    for pid in process_tree(root):
        try:
            total += int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
    return total * os.sysconf("SC_PAGE_SIZE") / 2**20


def pss_bytes(root):
    """Memory of a process and its descendants; a page that several processes map is divided among them."""
    total = 0
    for pid in process_tree(root):
        try:
            text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        total += int(re.search(r"^Pss: +(\d+) kB", text, re.MULTILINE).group(1)) * 1024
    return total


class Failed(SystemExit):
    """A program did not do what a measurement needs; ends the script where nobody catches it."""


class Server:
    """A program on a port of its own, in a directory of its own, configured from a template.

    A subclass gives the command; `start` is apart from the constructor, so that a server that does
    not come up can be stopped like any other.
    """

    def __init__(self, name, directory, template=None, words=None):
        self.name = name
        self.port = free_port()
        self.dir = directory
        self.dir.mkdir()
        # Squid started by root drops to a user of its own, who must be able to write here
        self.dir.chmod(0o777)
        self.words = {"DIR": self.dir, "PORT": self.port, **(words or {})}
        self.conf = self.fill(template) if template else None
        self.output = open(self.dir / "output.txt", "w", encoding="utf-8")
        self.process = None

    def fill(self, template, folder=None):
        """Writes the template, its words replaced, into a folder; returns the file."""
        text = (HERE / "conf" / template).read_text()
        for word, value in self.words.items():
            text = text.replace(f"@{word}@", str(value))
        to = (folder or self.dir) / pathlib.Path(template).name
        to.write_text(text)
        to.chmod(0o644)
        return to

    def command_line(self):
        raise NotImplementedError

    def environment(self):
        return None

    def start(self):
        self.launch()
        self.await_port()

    def launch(self):
        """Starts the process, which may have ended before; its port is not open yet."""
        if self.output.closed:
            self.output = open(self.dir / "output.txt", "a", encoding="utf-8")
        self.process = subprocess.Popen(
            self.command_line(), stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
            env=self.environment(), start_new_session=True,
        )

    def await_port(self, every=0.1):
        """Returns when the port takes connections; looks after each so many seconds."""
        given_up = time.monotonic() + 30
        while time.monotonic() < given_up and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(every)
        raise Failed(f"{self.name} does not listen:\n" + (self.dir / "output.txt").read_text())

    def cpu(self):
        return cpu_seconds(self.process.pid)

    def resident_mb(self):
        return resident_mb(self.process.pid)

    def stop(self):
        """Ends the program and whatever it has started, gently first."""
        if self.process is not None:
            descendants = process_tree(self.process.pid)
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            end_session(descendants[1:], self.process.pid)
        self.output.close()

    def kill(self):
        """Ends the program and whatever it has started by SIGKILL."""
        pids = process_tree(self.process.pid)
        self.process.kill()
        self.process.wait()
        end_session(pids[1:], self.process.pid)

    def discard(self):
        """Ends it, and its folder is another one's to take."""
        self.stop()
        shutil.rmtree(self.dir, ignore_errors=True)


def traffic_server_root(peer, cache, cache_mb, remaps):
    """The folders and files that Traffic Server wants, beside its run root file."""
    etc = peer.dir / "etc"
    for folder in ("etc", "run", "log", "share"):
        (peer.dir / folder).mkdir()
    peer.fill("poly/records.config", etc)
    (etc / "storage.config").write_text(f"{cache} {cache_mb}M\n")
    (etc / "remap.config").write_text("".join(f"map {one} {to}\n" for one, to in remaps.items()))
    for name in ("plugin", "cache", "hosting", "parent", "volume"):
        (etc / f"{name}.config").write_text("")
    (etc / "ip_allow.yaml").write_text(
        "ip_allow:\n  - apply: in\n    ip_addrs: 127.0.0.1\n    action: allow\n    methods: ALL\n"
    )


def end_session(pids, session):
    """Kills processes that outlived the one that led their session, and waits for their end: they hold its port."""
    left = pids
    while left := [pid for pid in left if is_of_session(pid, session)]:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)


def is_of_session(pid, session):
    """A pid that is used again has another session."""
    try:
        return os.getsid(pid) == session
    except ProcessLookupError:
        return False


def begun(options):
    """The same options, with when the script began and how busy the machine was. It may open as many descriptors
    as it is allowed to from here on; told to end, it stops its servers.
    """
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit("told to end"))
    options.started = datetime.datetime.now(datetime.timezone.utc)
    options.load = os.getloadavg()
    return options


def allow_descriptors(count):
    """Lets this process and what it starts open so many, or as many as it may; returns the number."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for limit in (max(hard, count), hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
            return limit
        except (ValueError, OSError):
            continue
    return hard


def jcmd(options, process, *words):
    """What jcmd prints; `process` is of options.java. The JVM that jcmd is takes no CPU from what is measured."""
    program_file = pathlib.Path(options.java).resolve().parent / "jcmd"
    return subprocess.run(
        ["nice", "-n", "19", str(program_file), str(process.pid), *words], check=True, capture_output=True, text=True,
        stdin=subprocess.DEVNULL,
    ).stdout


def stolen_seconds():
    """Time that the machine's CPUs wanted and a hypervisor gave to others."""
    return int(pathlib.Path("/proc/stat").read_text().split(maxsplit=9)[8]) / TICKS


def version(peer, options):
    name = peer.split("-")[0]
    command = {
        "loligo": [options.java, "-jar", str(options.jar), "--version"],
        "squid": [program("squid"), "-v"],
        "nginx": [program("nginx"), "-v"],
        "haproxy": [program("haproxy"), "-v"],
        "trafficserver": [program("traffic_server"), "--version"],
        "varnish": [program("varnishd"), "-V"],
        "limit": ["gcc", "--version"],
    }[name]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return ((done.stdout + done.stderr).strip().splitlines() or ["unknown"])[0]


def machine(options):
    """Lines on the machine, the commit and the JDK."""
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", cpuinfo)
    memory = int(re.search(r"MemTotal: *(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1))
    java = subprocess.run([options.java, "-version"], capture_output=True, text=True, check=False)
    git = ["git", "-C", str(TREE)]
    commit = subprocess.run(git + ["rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    dirty = subprocess.run(git + ["status", "--porcelain"], capture_output=True, text=True, check=False)
    return [
        f"- machine: {model.group(1) if model else platform.machine()}, {os.cpu_count()} cores, "
        f"{memory // 2**20} GB, Linux {platform.release()}; load generator and origin on the same cores",
        f"- commit: {commit.stdout.strip()}{' with changes' if dirty.stdout.strip() else ''}",
        f"- JDK: {(java.stderr.splitlines() or ['unknown'])[0]}; flags: {options.java_flags or 'none'}",
    ]


def spread(values, form):
    """Median, and from the lowest to the highest."""
    return f"{statistics.median(values):{form}} ({min(values):{form}}-{max(values):{form}})"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def common_arguments(parser):
    parser.add_argument("--java", default=program("java"))
    parser.add_argument("--java-flags", default="")
    parser.add_argument("--jar", type=pathlib.Path, default=TREE / "proxy-server/target/loligo.jar")


def say(text):
    print(f"{datetime.datetime.now():%H:%M:%S} {text}", file=sys.stderr)


def in_memory():
    """A folder of the machine that is in memory, or None."""
    shared = pathlib.Path("/dev/shm")
    return shared if shared.is_dir() else None


@contextlib.contextmanager
def folders(name):
    """A folder to work in, and one in memory where the machine has that; both are gone in the end."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-"))
    memory = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=in_memory()))
    memory.chmod(0o777)
    try:
        yield scratch, memory
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.rmtree(memory, ignore_errors=True)


def chosen(text, known, what):
    names = text.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"unknown {what}: {', '.join(unknown)} (expected: {', '.join(known)})")
    return names


def log_safepoints(file):
    """A flag of the JVM."""
    return f"-Xlog:safepoint=info:file={file}:timemillis:filecount=0"


def safepoints(log, what, since, until):
    """Microseconds of "Reaching safepoint" or "Total" of each in a span of time (seconds of the epoch), sorted."""
    line = re.compile(rf"\[(\d+)ms\].*\b{what}: +(\d+) ns")
    found = map(line.search, log.read_text().splitlines() if log.exists() else [])
    return sorted(
        int(one.group(2)) / 1000 for one in found if one and since * 1000 <= int(one.group(1)) < until * 1000
    )


def write_results(text, options, kind):
    """Prints the text and writes results/DATE-KIND.md, or another name where that is taken; the file, or None."""
    print(text)
    out = options.out or HERE.parent / "results" / f"{options.started:%Y-%m-%d}-{kind}.md"
    if not options.out and out.exists():
        out = out.with_name(f"{options.started:%Y-%m-%d-%H%M}-{kind}.md")
    if str(out) == "-":
        return None
    if out.exists():
        out = out.with_name(f"{out.stem}-{datetime.datetime.now():%H%M%S}{out.suffix}")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    print(f"written: {out}", file=sys.stderr)
    return out
