"""`./bench scale`: how time and memory of LMDI+ grow with rows, trees and features.

Simulated tables (20 features, a smooth and a stepwise signal), forests of 100 trees with at most 256 leaves
trained by our own histogram splitter. Rows double from 10,000 to 1,280,000; then trees and features
double at a fixed number of rows. Each size runs in a fresh process with all threads: it simulates
the table, loads the forest, fits and scores every row.

Printed: seconds of fit and of score (the best of a few runs) with their growth over the size before, and the most resident
memory (VmHWM) while fitting and while scoring. `over table` is that memory relative to the bytes of
the table (64-bit cells and response), which the process holds all along with the forest and
its bootstrap counts; scoring also holds the scores, as large as the table again.
"""

import argparse
import os
import tempfile

import common

MEGA = 1024 * 1024


def measure(binary, rows, features, trees, threads):
    """Trains in one process, explains in another."""
    with tempfile.TemporaryDirectory() as directory:
        model = os.path.join(directory, "forest.lmdi")
        trained = common.run(binary, "train", rows, features, trees, model, threads=threads)
        explained = common.run(binary, "explain", rows, features, model, threads=threads)
    return {**trained, **explained}


def growth(now, before, key):
    return f"x{now[key] / before[key]:.2f}" if before else ""


def table(title, name, sizes, measured):
    print(f"\n{title}")
    print(
        f"{name:>10} {'table MB':>9} {'model MB':>9} {'train s':>8}"
        f" {'fit s':>8} {'':6} {'peak MB':>8} {'over table':>10}"
        f" {'score s':>8} {'':6} {'peak MB':>8} {'over table':>10}"
    )
    before = None
    for size in sizes:
        now = measured(size)
        print(
            f"{size:10,} {now['table_bytes'] / MEGA:9.1f} {now['model_bytes'] / MEGA:9.1f}"
            f" {now['train_seconds']:8.2f}"
            f" {now['fit_seconds']:8.3f} {growth(now, before, 'fit_seconds'):6}"
            f" {now['fit_peak'] / MEGA:8.0f} {now['fit_peak'] / now['table_bytes']:10.2f}"
            f" {now['score_seconds']:8.3f} {growth(now, before, 'score_seconds'):6}"
            f" {now['score_peak'] / MEGA:8.0f} {now['score_peak'] / now['table_bytes']:10.2f}",
            flush=True,
        )
        before = now


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most-rows", type=int, default=1_280_000, metavar="N")
    options = parser.parse_args()
    binary = common.build("bench_scale")
    threads = len(os.sched_getaffinity(0))
    print(
        f"{threads} threads; goals: at most x2.2 a doubling, memory under 3x the table + a constant"
    )

    rows = [n for n in (10_000 * 2**k for k in range(8)) if n <= options.most_rows]
    table(
        "rows double: 20 features, 100 trees, at most 256 leaves",
        "rows",
        rows,
        lambda n: measure(binary, n, 20, 100, threads),
    )
    fixed = min(20_000, options.most_rows)
    table(
        f"trees double: {fixed:,} rows, 20 features",
        "trees",
        [50, 100, 200, 400],
        lambda trees: measure(binary, fixed, 20, trees, threads),
    )
    table(
        f"features double: {fixed:,} rows, 100 trees",
        "features",
        [10, 20, 40, 80],
        lambda features: measure(binary, fixed, features, 100, threads),
    )


if __name__ == "__main__":
    main()
