"""`./bench python`: LMDI+ from Python, with all conversions, against the Rust library on the same forests.

Per data set one scikit-learn forest of 100 trees on 67 % of 2,000 rows. Rust: fit and score, best of several
runs (`bench_lmdi`). Python: `lmdi.LMDIPlus(forest).fit(X, y).explain(rows)`, which also reads the forest and
hands over the tables, best of as many runs. The goal is at most 10 % more. Then the memory of explaining
1,000,000 x 50 cells of 32 bits: beyond the scores it must stay far below a second copy of the table.

The package is built and installed from this repository first, with optimisation.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import common

CASES = [("puma32H", False, 5), ("puma32H", False, 1), ("superconductivity", False, 5), ("spam", True, 5)]

MEMORY = """
import sys
import numpy as np
import lmdi
from sklearn.ensemble import RandomForestRegressor

def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))

random = np.random.default_rng(0)
X = np.asarray(random.random((1_000_000, 50), dtype=np.float32), order=sys.argv[1])
train, y = np.array(X[:2000]), X[:2000, 0] + X[:2000, 1] * X[:2000, 2]
forest = RandomForestRegressor(50, min_samples_leaf=5, max_features=0.33, random_state=0).fit(train, y)
explainer = lmdi.LMDIPlus(forest).fit(train, y)
before = peak()
e = explainer.explain(X)
grown = peak() - before
scores = (e.values.nbytes + e.base_values.nbytes) / 2**20
print(f"order {sys.argv[1]}: table {X.nbytes / 2**20:.0f} MiB, scores {scores:.0f} MiB, peak grew by "
      f"{grown:.0f} MiB: {grown - scores:.0f} MiB beside the scores")
"""


def compare(binary, name, classes, leaf, runs, threads):
    import lmdi

    sample = common.load(name, classes)
    forest = common.grow(sample, leaf)
    with tempfile.TemporaryDirectory() as directory:
        files = common.hand_over(directory, sample, forest)
        rust = common.run(binary, *files, runs, threads=threads)
    seconds = {"fit": [], "explain": []}
    for _ in range(runs):
        start = time.perf_counter()
        explainer = lmdi.LMDIPlus(forest, n_jobs=threads).fit(sample.train, sample.response)
        fitted = time.perf_counter()
        explainer.explain(sample.rows)
        seconds["fit"].append(fitted - start)
        seconds["explain"].append(time.perf_counter() - fitted)
    ours = min(seconds["fit"]) + min(seconds["explain"])
    theirs = rust["fit"] + rust["score"]
    mark = "" if ours <= 1.1 * theirs else "*"
    print(
        f"{name:18} {leaf:4} {threads:7} {rust['fit']:8.3f} {rust['score']:8.4f} {min(seconds['fit']):8.3f}"
        f" {min(seconds['explain']):8.4f} {100 * (ours / theirs - 1):+7.1f} %{mark}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each; the best counts")
    parser.add_argument("--only", help="one data set")
    parser.add_argument("--skip-build", action="store_true", help="use the installed package")
    options = parser.parse_args()
    if not options.skip_build:
        package = common.ROOT / "crates" / "lmdi-python"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]
        subprocess.run([*command, str(package)], check=True)
    binary = common.build("bench_lmdi")
    cores = len(os.sched_getaffinity(0))
    print(f"{common.versions()}; {cores} cores; seconds, best of {options.runs}; a star is over 10 %")
    print("data set           leaf threads  Rust fit   score   Python fit explain   more")
    for name, classes, leaf in CASES:
        if options.only in (None, name):
            compare(binary, name, classes, leaf, options.runs, cores)
    print("\nmemory of explaining 1,000,000 x 50 cells of 32 bits")
    for order in "CF":
        subprocess.run([sys.executable, "-c", MEMORY, order], check=True)


if __name__ == "__main__":
    main()
