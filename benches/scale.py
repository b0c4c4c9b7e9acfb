"""`./bench scale`: how time and memory of LMDI+ grow with rows, trees and features.

Simulated tables (20 features, a smooth and a stepwise signal), forests of 100 trees with at most 256 leaves
trained by our own histogram splitter. Rows double from 10,000 to 1,280,000; then trees and features
double at a fixed number of rows. Each size runs in a fresh process with all threads: it simulates
the table, loads the forest, fits and scores every row.

Every size is measured in `--rounds` short processes, all sizes in turn, so that a disturbance which lasts
does not fall on one size alone. Printed: seconds of fit and of score (the best of all runs of all
rounds; a process repeats what is short) with their growth over the size before, and the most resident
memory (VmHWM) while fitting and while scoring. `over table` is that memory relative to the bytes of
the table (64-bit cells and response), which the process holds all along with the forest and
its bootstrap counts; scoring also holds the scores, as large as the table again.
"""

import argparse
import os
import tempfile

import common

MEGA = 1024 * 1024


def measure(binary, shapes, rounds, threads):
    """Trains a forest for each shape (rows, features, trees), then explains all of them in turn."""
    with tempfile.TemporaryDirectory() as directory:
        models = [os.path.join(directory, f"forest{at}.lmdi") for at in range(len(shapes))]
        measured = [
            common.run(binary, "train", *shape, model, threads=threads)
            for shape, model in zip(shapes, models)
        ]
        for _ in range(rounds):
            for (rows, features, _), model, best in zip(shapes, models, measured):
                now = common.run(binary, "explain", rows, features, model, threads=threads)
                for key, value in now.items():
                    better = min if key.endswith("seconds") else max
                    best[key] = better(value, best.get(key, value))
    return measured


def growth(now, before, key):
    return f"x{now[key] / before[key]:.2f}" if before else ""


def table(title, name, sizes, measured):
    print(f"\n{title}")
    print(
        f"{name:>10} {'table MB':>9} {'model MB':>9} {'train s':>8}"
        f" {'fit s':>8} {'':6} {'peak MB':>8} {'over table':>10}"
        f" {'score s':>8} {'':6} {'peak MB':>8} {'over table':>10}"
    )
    for size, now, before in zip(sizes, measured, [None, *measured]):
        print(
            f"{size:10,} {now['table_bytes'] / MEGA:9.1f} {now['model_bytes'] / MEGA:9.1f}"
            f" {now['train_seconds']:8.2f}"
            f" {now['fit_seconds']:8.3f} {growth(now, before, 'fit_seconds'):6}"
            f" {now['fit_peak'] / MEGA:8.0f} {now['fit_peak'] / now['table_bytes']:10.2f}"
            f" {now['score_seconds']:8.3f} {growth(now, before, 'score_seconds'):6}"
            f" {now['score_peak'] / MEGA:8.0f} {now['score_peak'] / now['table_bytes']:10.2f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most-rows", type=int, default=1_280_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=6, metavar="N")
    options = parser.parse_args()
    binary = common.build("bench_scale")
    threads = len(os.sched_getaffinity(0))
    print(
        f"{threads} threads; goals: at most x2.2 a doubling, memory under 3x the table + a constant"
    )

    def measured(shapes):
        return measure(binary, shapes, options.rounds, threads)

    rows = [n for n in (10_000 * 2**k for k in range(8)) if n <= options.most_rows]
    title = "rows double: 20 features, 100 trees, at most 256 leaves"
    table(title, "rows", rows, measured([(n, 20, 100) for n in rows]))
    fixed = min(20_000, options.most_rows)
    trees = [50, 100, 200, 400]
    title = f"trees double: {fixed:,} rows, 20 features"
    table(title, "trees", trees, measured([(fixed, 20, n) for n in trees]))
    features = [10, 20, 40, 80]
    title = f"features double: {fixed:,} rows, 100 trees"
    table(title, "features", features, measured([(fixed, n, 100) for n in features]))


if __name__ == "__main__":
    main()
