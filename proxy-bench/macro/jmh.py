"""JMH benchmarks of the parser, of copies, and of the disk tier's put and get, as one table with what each allocates.
Words behind -- go to JMH: jmh.sh -- -f 1 -wi 1 -i 1 -p contentBytes=4096
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import bench
import server

USUAL = "HeadParserBenchmark|WireBenchmark|BodyCopyBenchmark|DiskTierBenchmark"


def measure(options):
    """What JMH has written."""
    with tempfile.TemporaryDirectory(prefix="jmh-", dir=options.dir) as folder:
        file = pathlib.Path(folder) / "results.json"
        words = ["-prof", "gc", "-rf", "json", "-rff", str(file), "-jvmArgsPrepend", f"-Djava.io.tmpdir={folder}"]
        subprocess.run(
            [options.java, "-jar", str(options.benchmarks_jar), options.benchmarks, *words, *options.jmh],
            check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr,
        )
        return json.loads(file.read_text())


def row(result, names):
    values = [value for fork in result["primaryMetric"]["rawData"] for value in fork]
    heap = result["secondaryMetrics"]["gc.alloc.rate.norm"]["score"]
    parameters = result.get("params", {})
    return [
        result["benchmark"].rpartition(".")[2], *[parameters.get(name, "-") for name in names],
        server.spread(values, ",.1f" if max(values) < 1000 else ",.0f"), f"{heap:,.0f}",
    ]


def report(results, options):
    first = results[0]
    lines = bench.head(
        "Micro benchmarks", options, [],
        f"JMH {first['jmhVersion']}: {first['forks']} forks of {first['measurementIterations']} iterations of "
        f"{first['measurementTime']} after {first['warmupIterations']} of {first['warmupTime']}; {first['threads']} thread",
        f"flags of the measured JVM: {' '.join(first['jvmArgs']).replace(str(options.dir or tempfile.gettempdir()), 'DIR')}",
    )
    for name in dict.fromkeys(result["benchmark"].split(".")[-2] for result in results):
        of_class = [result for result in results if result["benchmark"].split(".")[-2] == name]
        names = list(dict.fromkeys(key for result in of_class for key in result.get("params", {})))
        lines += ["", f"## {name}", ""]
        lines += server.table(
            ["benchmark", *names, f"{first['primaryMetric']['scoreUnit']}, median (lowest-highest)", "heap, bytes per op"],
            [row(result, names) for result in of_class],
        )
    return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", default=USUAL, help="a pattern of their names")
    parser.add_argument("--benchmarks-jar", type=pathlib.Path, default=server.TREE / "proxy-bench/target/benchmarks.jar")
    parser.add_argument("--dir", type=pathlib.Path, help="where the disk tier is; default: the system's temporary folder")
    server.common_arguments(parser)
    parser.add_argument("--out", type=pathlib.Path, help="default: results/DATE-jmh.md; - prints only")
    parser.add_argument("jmh", nargs="*", help="options of JMH, behind --")
    options = parser.parse_args()
    if not options.benchmarks_jar.is_file():
        sys.exit("first: mvn -pl proxy-bench -am -Dmaven.test.skip=true package")
    return options


def main():
    options = server.begun(arguments())
    server.write_results(report(measure(options), options), options, "jmh")


if __name__ == "__main__":
    main()
