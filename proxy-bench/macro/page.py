"""Memory hits of 1 KB as fast as the machine can, pipelined on kept connections, while the live page is open in
Chromium, and the same without the page. Each second has to bring the page an update, and its console no error. Prints
and writes one Markdown table.
"""

import contextlib
import json
import os
import re
import statistics
import subprocess
import time

import bench
import server
from server import program

#: An update that comes later than this was missed.
MOST_SECONDS = 2
PATIENCE_SECONDS = 30

WATCH = """
(() => {
  const page = window.watched = { times: [], rates: [] };
  new MutationObserver(() => {
    page.times.push(performance.now());
    page.rates.push(Number(document.getElementById('requests').value));
  }).observe(document.documentElement, { attributeFilter: ['data-events'] });
})()
"""


class Browser:
    """Chromium without a window, with one page, driven over a pipe."""

    def __init__(self, scratch):
        down, up = os.pipe(), os.pipe()
        os.set_inheritable(down[0], True)
        os.set_inheritable(up[1], True)
        self.process = subprocess.Popen(
            [
                "bash", "-c", f'exec "$@" 3<&{down[0]} 4>&{up[1]}', "bash",
                program("chromium-headless-shell"), "--headless", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
                f"--user-data-dir={scratch / 'browser'}", "--remote-debugging-pipe", "about:blank",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(down[0], up[1]), start_new_session=True,
        )
        os.close(down[0])
        os.close(up[1])
        self.to = os.fdopen(down[1], "wb", buffering=0)
        self.answers = os.fdopen(up[0], "rb")
        self.number = 0
        self.session = None
        self.problems = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.to.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "result" not in answer:
                    raise server.Failed(f"{method}: {answer}")
                return answer["result"]
            self.note(answer)

    def message(self):
        text = bytearray()
        while not text.endswith(b"\0"):
            byte = self.answers.read(1)
            if not byte:
                raise server.Failed("the browser has ended")
            text += byte
        return json.loads(text[:-1])

    def note(self, event):
        method = event.get("method")
        if method in ("Runtime.exceptionThrown", "Log.entryAdded") or (
            method == "Runtime.consoleAPICalled" and event["params"]["type"] in ("error", "warning", "assert")
        ):
            self.problems.append(json.dumps(event["params"])[:300])

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise server.Failed(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def stop(self):
        with contextlib.suppress(BrokenPipeError):
            self.to.close()
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)
        self.answers.close()


class Page:
    """The live page of a peer, and what it shows from now on."""

    def __init__(self, peer, browser):
        self.browser = browser
        self.browser.call("Page.navigate", url=f"http://127.0.0.1:{peer.words['ADMIN']}/")
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.browser.value("Number(document.documentElement?.dataset.events ?? 0) >= 2"):
            if time.monotonic() > end:
                raise server.Failed("the page gets no state")
            time.sleep(0.1)
        self.browser.value(WATCH)

    def seen(self):
        """Milliseconds of the updates, the rates that they showed, and the problems of the console."""
        seen = self.browser.value("watched")
        return seen["times"], seen["rates"], self.browser.problems


def load(peer, options):
    """Requests a second that h2load got answered."""
    done = subprocess.run(
        [
            program("h2load"), "--h1", "-D", str(options.duration), "-c", str(options.connections), "-t", "1",
            "-m", str(options.pipelined), f"http://127.0.0.1:{peer.port}/1k/0",
        ],
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )
    rate = re.search(r"finished in .*, ([\d.]+) req/s", done.stdout)
    failed = re.search(r"(\d+) failed, (\d+) errored, (\d+) timeout", done.stdout)
    if done.returncode or not rate or any(int(number) for number in failed.groups()):
        raise server.Failed(f"h2load: {done.stdout}{done.stderr}")
    return float(rate.group(1))


def measure(peer, here, options):
    found = []
    load(peer, options)  # the compiler is at work
    for number in range(options.rounds):
        alone = load(peer, options)
        scratch = here.scratch / f"page-{number}"
        scratch.mkdir()
        browser = Browser(scratch)
        here.stack.callback(browser.stop)
        page = Page(peer, browser)
        rate = load(peer, options)
        times, shown, problems = page.seen()
        browser.stop()
        gaps = [(later - sooner) / 1000 for sooner, later in zip(times, times[1:])]
        server.say(
            f"round {number + 1}: {alone:,.0f} requests a second, {rate:,.0f} with the page; {len(times)} updates, "
            f"the longest after {max(gaps, default=0):.2f} s"
        )
        if problems:
            raise server.Failed("the console of the page: " + "; ".join(problems))
        if len(times) < options.duration - 1 or max(gaps) > MOST_SECONDS:
            raise server.Failed(f"{len(times)} updates in {options.duration} s, the longest after {max(gaps):.2f} s")
        found.append((alone, rate, len(times), max(gaps), max(shown)))
    return found


def report(found, options):
    lines = bench.head(
        "The live page at full speed", options, ["loligo"],
        f"one URL of 1 KB by an accel port, {options.connections} connections with {options.pipelined} requests in "
        f"flight each, by h2load with one thread, for {options.duration} s; the page in chromium-headless-shell; "
        f"{options.rounds} rounds; no access log",
        "updates: those that the page showed; the highest rate is what it showed in a second",
    )
    names = [
        ("requests a second without the page", ",.0f"), ("with the page", ",.0f"), ("updates", ".0f"),
        ("longest time between two, s", ".2f"), ("highest rate shown", ",.0f"),
    ]
    rows = [[name, server.spread([one[i] for one in found], form)] for i, (name, form) in enumerate(names)]
    lines += ["", "Median (lowest-highest):", "", *server.table(["", ""], rows)]
    lines += ["", f"No error on the console of the page in {statistics.median([len(found)]):.0f} rounds."]
    return "\n".join(lines) + "\n"


def main():
    parser = bench.parser(
        __doc__, "page", words={"pipelined": "requests in flight on a connection"},
        rounds=3, connections=8, pipelined=16, duration=20,
    )
    options = server.begun(parser.parse_args())
    with bench.running("page", options) as here:
        found = measure(here.start("loligo", "plain"), here, options)
    server.write_results(report(found, options), options, "page")


if __name__ == "__main__":
    main()
