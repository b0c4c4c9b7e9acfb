"""`./bench python`: LMDI+ from Python, with all conversions, against the Rust library on the same forests.

Per data set one scikit-learn forest of 100 trees on 67 % of 2,000 rows, and `--rows` rows to explain. Rust: fit
and score (`bench_lmdi`), which find forest and tables ready in memory. Python:
`lmdi.LMDIPlus(forest, preset="paper").fit(X, y).explain(rows)`, which also reads the forest and hands over the tables. Both run
`--runs` times in turn, and the least of each time counts; others on the machine disturb processor time less than
wall time. The goal is at most 10 % more processor time. Both sides must give the same scores, bit by bit.

Then the memory of explaining 1,000,000 x 50 cells of 32 bits: the scores (64 bits a cell) are handed over to
Python as they are; beside them it must stay far below a second copy of the table.

The package is built and installed from this repository first, with optimisation.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import common
import export_sklearn  # noqa: F401  (common imports it when it is needed)

# Beside this file lies the benchmark lmdi.py; the package of that name is meant from here on.
sys.path.remove(str(common.ROOT / "benches"))

CASES = [("puma32H", False, 5), ("puma32H", False, 1), ("superconductivity", False, 5), ("spam", True, 5)]

HEADER = """
                                   wall seconds                    processor seconds               Python / Rust
                            Rust            Python          Rust            Python          processor
data set          leaf thr  fit     score   fit     explain fit     score   fit     explain fit   score all"""

MEMORY = """
import sys
import numpy as np
import lmdi
from sklearn.ensemble import RandomForestRegressor

def status(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(key))

random = np.random.default_rng(0)
X = np.asarray(random.random((1_000_000, 50), dtype=np.float32), order=sys.argv[1])
train, y = np.array(X[:2000]), X[:2000, 0] + X[:2000, 1] * X[:2000, 2]
forest = RandomForestRegressor(50, min_samples_leaf=5, max_features=0.33, random_state=0).fit(train, y)
explainer = lmdi.LMDIPlus(forest).fit(train, y)
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # Forgets the peak so far.
before = status("VmRSS")
e = explainer.explain(X)
grown = status("VmHWM") - before
table = X.nbytes / 2**20
scores = (e.values.nbytes + e.base_values.nbytes) / 2**20
assert np.shares_memory(e.data, X)
print(f"order {sys.argv[1]}: table {table:.0f} MiB, scores {scores:.0f} MiB, peak grew by {grown:.0f} MiB: "
      f"{grown - scores:.0f} MiB beside the scores, {(grown - scores) / table:.2f} of the table")
"""


#: Times of one run, by the names that `bench_lmdi` gives them.
TIMES = ("fit", "score", "fit_processor", "score_processor")
#: Explaining is short: one run is the mean of so many, as in `bench_lmdi`.
REPEATS = 10


def run_python(forest, sample, threads):
    """The times of one run, and the scores."""
    import lmdi

    marks = [(time.perf_counter(), time.process_time())]
    explainer = lmdi.LMDIPlus(forest, preset="paper", n_jobs=threads).fit(sample.train, sample.response)
    marks.append((time.perf_counter(), time.process_time()))
    for _ in range(REPEATS):
        e = explainer.explain(sample.rows)
    marks.append((time.perf_counter(), time.process_time()))
    (fit, fit_processor), (score, score_processor) = np.diff(marks, axis=0)
    times = (fit, score / REPEATS, fit_processor, score_processor / REPEATS)
    return dict(zip(TIMES, times)), e.values


def compare(binary, name, classes, leaf, options, threads):
    sample = common.load(name, classes)
    forest = common.grow(sample, leaf)
    repeats = -(-options.rows // len(sample.rows))
    sample.rows = np.tile(sample.rows, (repeats, 1))[: options.rows]
    runs = {"Rust": [], "Python": []}
    with tempfile.TemporaryDirectory() as directory:
        files = common.hand_over(directory, sample, forest)
        scores = os.path.join(directory, "scores.bin")
        for _ in range(options.runs):
            runs["Rust"].append(common.run(binary, *files, 1, scores, threads=threads))
            times, values = run_python(forest, sample, threads)
            runs["Python"].append(times)
        assert np.array_equal(values.reshape(len(values), -1), common.read_matrix(scores)), "the same scores"
    rust, python = ({key: min(run[key] for run in side) for key in TIMES} for side in runs.values())
    ratios = [python[key] / rust[key] for key in TIMES[2:]]
    ratios.append(sum(python[key] for key in TIMES[2:]) / sum(rust[key] for key in TIMES[2:]))
    mark = "" if ratios[2] <= 1.1 else " *"
    columns = [side[key] for keys in (TIMES[:2], TIMES[2:]) for side in (rust, python) for key in keys]
    numbers = " ".join(f"{seconds:7.4f}" for seconds in columns)
    print(f"{name:18} {leaf:3} {threads:3} {numbers} " + " ".join(f"{r:5.2f}" for r in ratios) + mark, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each")
    parser.add_argument("--rows", type=int, default=20_000, help="rows to explain")
    parser.add_argument("--threads", type=int, help="threads of both sides; default all")
    parser.add_argument("--only", help="one data set, or 'memory'")
    parser.add_argument("--skip-build", action="store_true", help="use the installed package")
    options = parser.parse_args()
    if not options.skip_build:
        package = common.ROOT / "crates" / "lmdi-python"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]
        subprocess.run([*command, str(package)], check=True)
    binary = common.build("bench_lmdi")
    threads = options.threads or len(os.sched_getaffinity(0))
    print(f"{common.versions()}; best of {options.runs} runs, {options.rows} rows; a star is over 10 %")
    print(HEADER)
    for name, classes, leaf in CASES:
        if options.only in (None, name):
            compare(binary, name, classes, leaf, options, threads)
    if options.only in (None, "memory"):
        print("\nmemory of explaining 1,000,000 x 50 cells of 32 bits")
        for order in "CF":
            subprocess.run([sys.executable, "-c", MEMORY, order], check=True)


if __name__ == "__main__":
    main()
