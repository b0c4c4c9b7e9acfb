"""`./bench large`: time and memory of a large table with fully grown trees, stage by stage.

A simulated table like that of a year of flights: 327,000 rows, 12 numeric columns and three categorical ones,
encoded as 83 columns of zeros and ones, and the delay at arrival in whole minutes. A forest of 100 fully grown trees
is trained on it, LMDI+ is fitted with the defaults of `lmdi explain`, and all rows are scored, in one process with all
threads. Printed for each stage: seconds, processor seconds of all threads, and the most resident memory (VmHWM).

`--rows` and `--trees` make it smaller. `--write` keeps the results in benches/results/large.csv, with the machine, and
puts their table into docs/scale.md; `--table` does the second alone, from the results that are kept.
"""

import argparse
import os

import common

GIGA = 1e9
STAGES = {"table": "simulate the table", "train": "train", "fit": "fit", "score": "score all rows"}
RESULTS = common.ROOT / "benches" / "results" / "large.csv"
PAGE = common.ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- large: written by ./bench large -->\n", "<!-- large: end -->"
COLUMNS = [
    "rows", "columns", "trees", "leaves",
    *(f"{stage}_{what}" for stage in STAGES for what in ("seconds", "processor", "peak")),
    "load", "machine",
]  # fmt: skip


def table(result):
    """The table as the docs show it."""
    size = {name: int(result[name]) for name in ("rows", "columns", "trees", "leaves")}
    lines = ["", "| stage | s | processor s | peak GB |", "|---|---:|---:|---:|"]
    for stage, name in STAGES.items():
        seconds, processor = float(result[f"{stage}_seconds"]), float(result[f"{stage}_processor"])
        peak = float(result[f"{stage}_peak"]) / GIGA
        lines.append(f"| {name} | {seconds:,.1f} | {processor:,.1f} | {peak:.2f} |")
    lines += [
        "",
        f"{size['rows']:,} rows, {size['columns']} encoded columns, {size['trees']} trees, {size['leaves']:,} leaves.",
        f"Measured on {result['machine']}; load before: {float(result['load']):.1f}.",
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=327_000, metavar="N")
    parser.add_argument("--trees", type=int, default=100, metavar="N")
    parser.add_argument("--binary", help="bench_large, where it is built already")
    parser.add_argument("--write", action="store_true", help="keep the results and put their table into the docs")
    parser.add_argument("--table", action="store_true", help="only put the table into the docs")
    options = parser.parse_args()
    if not options.table:
        binary = options.binary or common.build("bench_large")
        threads = len(os.sched_getaffinity(0))
        load = os.getloadavg()[0]
        result = common.run(binary, f"rows={options.rows}", f"trees={options.trees}", threads=threads)
        result |= {"load": load, "machine": common.machine(threads, binary)}
        print(table(result))
        if options.write:
            common.write_results(RESULTS, COLUMNS, [{key: result[key] for key in COLUMNS}])
    if options.write or options.table:
        common.put_table(PAGE, BEGIN, END, table(common.read_results(RESULTS)[0]))


if __name__ == "__main__":
    main()
