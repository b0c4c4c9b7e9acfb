"""`./bench scale`: how time and memory of LMDI+ grow, one axis at a time.

Simulated tables (20 numeric columns, a smooth and a stepwise signal), forests of 100 trees with at most 256 leaves
trained by our own histogram splitter, explained with the defaults of `lmdi explain`. On each axis one number doubles:

- rows, from 10,000 to 1,280,000; all others at 20,000 rows:
- trees, and numeric columns (features);
- with 20 trees, leaves of a tree; the last size is fully grown, with one row in most leaves;
- with 20 trees, classes, which are as many outputs as there are classes from three on;
- with 20 trees, encoded columns, the 0/1 columns of categorical columns with 16 levels each, beside the 20 numeric
  ones.

Each size runs in a fresh process with all threads: it simulates the table, loads the forest, fits and scores every
row. Every size is measured in `--rounds` short processes, all sizes in turn, so that a disturbance which lasts does
not fall on one size alone. Printed: processor seconds of all threads for fit and score (the least of all runs; a
process repeats what is short) with their growth over the size before, and the most resident memory (VmHWM) while
fitting and while scoring, with its growth. The process holds the table and the forest all along; scoring also holds
the scores.

`--write` keeps the results of the axes that were run in benches/results/scale.csv, with the machine, and puts their
table into docs/scale.md; `--table` does the second alone, from the results that are kept.
"""

import argparse
import os
import tempfile

import common

MEGA = 1024 * 1024
RESULTS = common.ROOT / "benches" / "results" / "scale.csv"
PAGE = common.ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- growth: written by ./bench scale -->\n", "<!-- growth: end -->"
COLUMNS = [
    "axis", "size", "leaves", "table_bytes", "model_bytes", "train_seconds",
    "fit_seconds", "fit_peak", "score_seconds", "score_peak", "machine",
]  # fmt: skip
GROWING = ["fit_seconds", "fit_peak", "score_seconds", "score_peak"]

# What is set on each axis, and its sizes. Without a limit of its own (0), a tree is fully grown.
AXES = {
    "rows": [{"rows": 10_000 * 2**k} for k in range(8)],
    "trees": [{"trees": 50 * 2**k} for k in range(4)],
    "features": [{"features": 10 * 2**k} for k in range(4)],
    "leaves": [{"leaves": n, "trees": 20} for n in (1_600, 3_200, 6_400, 0)],
    "classes": [{"classes": 2**k, "trees": 20} for k in range(1, 5)],
    "encoded": [{"encoded": 32 * 2**k, "trees": 20} for k in range(4)],
}
TITLES = {
    "rows": "rows",
    "trees": "trees",
    "features": "numeric columns",
    "leaves": "leaves of a tree",
    "classes": "classes",
    "encoded": "encoded columns",
}


def measure(binary, sizes, rounds, threads):
    """Trains a forest of each size, then explains all of them in turn."""
    shapes = [[f"{name}={number}" for name, number in size.items()] for size in sizes]
    with tempfile.TemporaryDirectory() as directory:
        models = [os.path.join(directory, f"forest{at}.lmdi") for at in range(len(shapes))]
        measured = [
            common.run(binary, "train", model, *shape, threads=threads)
            for shape, model in zip(shapes, models)
        ]
        for _ in range(rounds):
            for shape, model, best in zip(shapes, models, measured):
                now = common.run(binary, "explain", model, *shape, threads=threads)
                for key, value in now.items():
                    better = min if key.endswith("seconds") else max
                    best[key] = better(value, best.get(key, value))
    return measured


def size_of(axis, size, found):
    """The number that doubles; a fully grown tree has as many leaves as it got."""
    return round(found["leaves"] / size["trees"]) if axis == "leaves" else size[axis]


def results_of(axis, sizes, measured, name):
    return [
        {**{key: found.get(key) for key in COLUMNS}, "axis": axis, "size": size_of(axis, size, found), "machine": name}
        for size, found in zip(sizes, measured)
    ]


def growth(now, before, key):
    return f"x{float(now[key]) / float(before[key]):.2f}" if before else ""


def table(results):
    """One table per axis, as the docs show them."""
    lines = []
    for axis, title in TITLES.items():
        part = [line for line in results if line["axis"] == axis]
        if not part:
            continue
        lines += [
            "",
            f"| {title} | train s | fit s | | fit MB | | score s | | score MB | |",
            "|---:|---:|---:|---|---:|---|---:|---|---:|---|",
        ]
        for now, before in zip(part, [None, *part]):
            cells = [f"{int(now['size']):,}", f"{float(now['train_seconds']):.1f}"]
            for key in GROWING:
                value = float(now[key])
                shown = f"{value:.2f}" if key.endswith("seconds") else f"{value / MEGA:,.0f}"
                cells += [shown, growth(now, before, key)]
            lines.append(f"| {' | '.join(cells)} |")
    machines = sorted({line["machine"] for line in results})
    lines += ["", f"Measured on {'; '.join(machines)}.", ""]
    return "\n".join(lines)


def keep(results):
    """Replaces the axes that were measured; the others stay."""
    measured = {line["axis"] for line in results}
    lines = [line for line in common.read_results(RESULTS) if line["axis"] not in measured] + results
    lines.sort(key=lambda line: list(AXES).index(line["axis"]))
    common.write_results(RESULTS, COLUMNS, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--axes", nargs="*", choices=AXES, default=list(AXES))
    parser.add_argument("--most-rows", type=int, default=1_280_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--binary", help="bench_scale, where it is built already")
    parser.add_argument("--write", action="store_true", help="keep the results and put their table into the docs")
    parser.add_argument("--table", action="store_true", help="only put the table into the docs")
    options = parser.parse_args()
    if not options.table:
        binary = options.binary or common.build("bench_scale")
        threads = len(os.sched_getaffinity(0))
        name = common.machine(threads, binary)
        print(f"{name}; load before: {os.getloadavg()[0]:.1f}")
        results = []
        for axis in options.axes:
            sizes = [size for size in AXES[axis] if size.get("rows", 0) <= options.most_rows]
            results += results_of(axis, sizes, measure(binary, sizes, options.rounds, threads), name)
            print(table([line for line in results if line["axis"] == axis]), flush=True)
        if options.write:
            keep(results)
    if options.write or options.table:
        common.put_table(PAGE, BEGIN, END, table(common.read_results(RESULTS)))


if __name__ == "__main__":
    main()
