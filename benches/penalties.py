"""`./bench penalties`: does the penalty search choose what an exhaustive search chooses?

Per data set (those of the data directory that are there, and ten that are made on the spot), with leaves of 1
and of 5 rows, one of our forests is grown on 67 % of at most 2,000 rows. The penalty of each of its trees is
searched twice: by default, and exhaustively, every candidate solved to 1e-9. Presets: paper, data, model,
and MDI+ with an elastic net and with ridge.

Kept per case: trees; trees with the same choice; other choices whose validation error is within 1e-6 of the null
loss of the best (ties, which are listed); the largest difference of a score, and the distance of all scores; and
processor seconds of both searches, final fits included. `--write` keeps the results in benches/results and puts their summary into
NUMERICS.md; `--table` does the second alone.
"""

import argparse
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from sklearn import datasets

import common

FILES = {
    "miami_housing": False,
    "sarcos_testsplit": False,
    "puma32H": False,
    "ailerons": False,
    "music_origin": False,
    "superconductivity": False,
    "house_16H": True,
    "higgs": True,
    "pol": True,
    "ozone": True,
    "jannis": True,
    "spam": True,
    "california_housing": False,
    "diamonds": False,
    "adult": True,
}
TIE = 1e-6
COLUMNS = "set classes leaf preset trees same ties other largest_difference distance seconds full_seconds".split()
RESULTS = common.ROOT / "benches" / "results" / "penalties.csv"
LIST = common.ROOT / "benches" / "results" / "penalties_not_the_same.csv"
PAGE = common.ROOT / "NUMERICS.md"
BEGIN, END = "<!-- ./bench penalties -->\n", "<!-- end of ./bench penalties -->\n"


def collinear(random, rows=1500, columns=48, causes=6):
    """Columns that are all mixtures of a few causes."""
    cause = random.normal(size=(rows, causes))
    x = cause @ random.normal(size=(causes, columns)) + 0.3 * random.normal(size=(rows, columns))
    return x, cause[:, 0] + np.abs(cause[:, 1]) + 0.5 * random.normal(size=rows)


def made():
    """Data sets that need no file: name -> (cells, response, whether of two classes)."""
    random = np.random.default_rng(0)
    digits = datasets.load_digits(return_X_y=True)
    wine = datasets.load_wine(return_X_y=True)
    return {
        "diabetes": (*datasets.load_diabetes(return_X_y=True), False),
        "friedman1": (*datasets.make_friedman1(1500, noise=1.0, random_state=0), False),
        "friedman2": (*datasets.make_friedman2(1500, noise=100.0, random_state=0), False),
        "collinear": (*collinear(random), False),
        "sparse linear": (*datasets.make_regression(1500, 40, n_informative=5, noise=20, random_state=0), False),
        "low rank": (*datasets.make_regression(1500, 60, effective_rank=8, noise=1, random_state=0), False),
        "breast cancer": (*datasets.load_breast_cancer(return_X_y=True), True),
        "wine": (wine[0], wine[1] == 1, True),
        "digits": (digits[0], digits[1] % 2, True),
        "clusters": (*datasets.make_classification(1500, 30, n_informative=6, flip_y=0.1, random_state=0), True),
    }


def prepared(name):
    """A data set as `common.load` prepares it, text as 0/1 columns and missing cells at the median."""
    if name in FILES:
        frame = pd.read_csv(common.data_file(name))
        y = frame.pop(frame.columns[-1]).to_numpy(float)
        frame = pd.get_dummies(frame, dtype=float)
        x, classes = frame.fillna(frame.median()).to_numpy(float), FILES[name]
    else:
        x, y, classes = made()[name]
        y = np.asarray(y, float)
    order = np.random.default_rng(0).permutation(len(x))[: round(0.67 * min(len(x), 2000))]
    x, y = x[order], y[order]
    spread = x.std(axis=0)
    x = ((x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).astype(np.float32).astype(float)
    return x, y, classes


def available():
    for name in FILES:
        try:
            common.data_file(name)
        except SystemExit:
            print(f"{name}: no file, left out", file=sys.stderr)
        else:
            yield name
    yield from made()


def measure(binary, name, leaf, trees, presets):
    """Results of one forest, and what was chosen where the two searches differ."""
    x, y, classes = prepared(name)
    with tempfile.TemporaryDirectory() as directory:
        files = [pathlib.Path(directory) / file for file in ("train.bin", "response.bin")]
        common.write_matrix(files[0], x)
        common.write_matrix(files[1], y[:, None])
        kind = "classes" if classes else "numbers"
        found = common.run(binary, *files, kind, leaf, trees, *presets, threads=1)
    lines, differ = [], []
    for case in found:
        of_trees = case["trees"]
        same = sum(tree["same"] for tree in of_trees)
        unlike = [tree for tree in of_trees if not tree["same"]]
        ties = sum(tree["behind"] <= TIE for tree in unlike if "chosen" in tree)
        taken = [sum(tree[key] for tree in of_trees) for key in ("seconds", "full_seconds")]
        here = [name, classes, leaf, case["preset"]]
        largest, apart = case["largest"], case["apart"]
        lines.append(
            [*here, len(of_trees), same, ties, len(unlike) - ties, f"{largest:.2e}", f"{apart:.2e}"]
            + [round(seconds, 3) for seconds in taken]
        )
        for tree in unlike:
            chosen = [*tree.get("chosen", ["", ""]), *tree.get("full_chosen", ["", ""])]
            differ.append([*here, tree["tree"], *chosen, f"{tree['behind']:.1e}"])
    return lines, differ


def summary(results):
    """One line per preset and kind of response."""
    lines = [
        "",
        "| preset | response | trees | same penalty | ties | other | largest score difference | time of the full search |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (preset, classes), part in results.groupby(["preset", "classes"], sort=False):
        trees, same, ties, other = (part[key].sum() for key in ("trees", "same", "ties", "other"))
        faster = part["full_seconds"].sum() / part["seconds"].sum()
        lines.append(
            f"| {preset} | {'classes' if classes else 'numbers'} | {trees:,} | {100 * same / trees:.2f} %"
            f" | {ties} | {other} | {part['largest_difference'].astype(float).max():.1e} | {faster:.1f}x |"
        )
    return "\n".join([*lines, "", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=20, help="trees of each forest")
    parser.add_argument("--only", nargs="*", help="some data sets")
    parser.add_argument("--presets", nargs="*", default=[], help="some presets")
    parser.add_argument("--leaves", nargs="*", type=int, default=[1, 5])
    parser.add_argument("--binary", help="bench_penalties, where it is built already")
    parser.add_argument("--write", action="store_true", help="keep the results and put their table into the docs")
    parser.add_argument("--table", action="store_true", help="only put the table into the docs")
    options = parser.parse_args()
    if not options.table:
        binary = options.binary or common.build("bench_penalties")
        lines, differ = [], []
        print(*COLUMNS, sep=",")
        for name in options.only or available():
            for leaf in options.leaves:
                found, unlike = measure(binary, name, leaf, options.trees, options.presets)
                lines += found
                differ += unlike
                for line in found:
                    print(*line, sep=",", flush=True)
        for line in differ:
            print("not the same:", *line)
        results = pd.DataFrame(lines, columns=COLUMNS)
        print(summary(results))
        if options.write:
            results.to_csv(RESULTS, index=False)
            columns = [*COLUMNS[:4], "tree", "strength", "l1_ratio", "full_strength", "full_l1_ratio", "behind"]
            pd.DataFrame(differ, columns=columns).to_csv(LIST, index=False)
    if options.write or options.table:
        common.put_table(PAGE, BEGIN, END, summary(pd.read_csv(RESULTS)))


if __name__ == "__main__":
    main()
