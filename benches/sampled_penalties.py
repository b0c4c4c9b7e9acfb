"""`./bench sampled_penalties`: does a sample of rows choose the penalties that all rows choose?

Logistic fits on rows in batches search the penalty of each tree on a sample of rows. Here the same forests are
fitted in memory, where the search sees every row, with the same folds. Tables: the largest of the data directory
with two classes, and larger ones that are made on the spot. Forests have leaves of at least 20 and 200 rows.

Kept per case: trees; trees with the same penalty, and with a neighbour on the grid (the same l1 ratio, C one
step away, or the same C and a neighbouring ratio); the largest difference between scores, as a share of
the largest score, and that of the mean; passes; and seconds of both fits. `--write` keeps the results in benches/results.
"""

import argparse
import json
import pathlib
import sys
import tempfile
import time

import numpy as np
import pandas as pd

import common

# Another benchmark here has the name of the package.
sys.path.remove(str(pathlib.Path(__file__).resolve().parent))

import lmdi  # noqa: E402

COLUMNS = "set rows columns leaf trees same neighbour largest mean passes seconds memory_seconds".split()
RESULTS = common.ROOT / "benches" / "results" / "sampled_penalties.csv"
FILES = ["higgs", "jannis", "adult"]
MADE = {"made 100k": 100_000, "made 400k": 400_000}
GRID = list(np.logspace(-4, 4, 10))


def made(rows, seed=0):
    """Two classes by a few of twelve columns, with an interaction and noise."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 12))
    odds = x[:, 0] + 0.5 * np.abs(x[:, 1]) * (x[:, 2] > 0) + 0.3 * x[:, 3] ** 2 - 0.7
    y = (random.random(rows) < 1 / (1 + np.exp(-odds))).astype(int)
    return pd.DataFrame(x.astype(np.float32), columns=[f"x{at}" for at in range(12)]), y


def table(name):
    if name in MADE:
        return made(MADE[name])
    frame = pd.read_csv(common.data_file(name))
    return frame.iloc[:, :-1].select_dtypes("number"), pd.factorize(frame.iloc[:, -1], sort=True)[0]


def penalties(explainer):
    """C and l1 ratio of each tree."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "explained.json"
        explainer.save(path)
        content = json.loads(path.read_text())
    fits = [fit for tree in content["explainer"]["trees"] for fit in tree["fits"]]
    return [(fit["penalty"]["strength"], fit["penalty"]["l1_ratio"]) for fit in fits]


def step(value, of):
    return int(np.argmin([abs(np.log(value / one)) for one in of]))


def measure(name, leaf, trees):
    x, y = table(name)
    model = lmdi.RandomForestClassifier(n_estimators=trees, min_samples_leaf=leaf, bootstrap=False, random_state=0)
    model.fit(x, y)
    started = time.perf_counter()
    whole = lmdi.LMDIPlus(model, fit_to="response", fold_by="cells").fit(x, y)
    in_memory = time.perf_counter() - started
    started = time.perf_counter()
    rows = x.assign(y=y)
    fit = lmdi.StreamedFit(lmdi.LMDIPlus(model, fit_to="response"), target="y")
    while not fit.is_finished:
        fit.advance([fit.accumulate(rows[at : at + 50_000]) for at in range(0, len(rows), 50_000)])
    passes, streamed = fit.passes_done, fit.finish()
    seconds = time.perf_counter() - started
    pairs = list(zip(penalties(streamed), penalties(whole)))
    same = sum(a == b for a, b in pairs)
    ratios = common.L1_RATIOS
    apart = [abs(step(a[0], GRID) - step(b[0], GRID)) + abs(ratios.index(a[1]) - ratios.index(b[1])) for a, b in pairs]
    neighbour = sum(distance == 1 for distance in apart)
    some = x[:5000]
    found, expected = streamed.explain(some).values, whole.explain(some).values
    largest = np.abs(found - expected).max() / np.abs(expected).max()
    mean = np.abs(found - expected).mean() / np.abs(expected).mean()
    return [name, len(x), x.shape[1], leaf, trees, same, neighbour, f"{largest:.1e}", f"{mean:.1e}", passes] + [
        round(seconds, 1),
        round(in_memory, 1),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=10, help="trees of each forest")
    parser.add_argument("--only", nargs="*", help="some tables")
    parser.add_argument("--leaves", nargs="*", type=int, default=[20, 200])
    parser.add_argument("--write", action="store_true", help="keep the results")
    options = parser.parse_args()
    lines = []
    print(*COLUMNS, sep=",")
    for name in options.only or [*FILES, *MADE]:
        for leaf in options.leaves:
            lines.append(measure(name, leaf, options.trees))
            print(*lines[-1], sep=",", flush=True)
    if options.write:
        pd.DataFrame(lines, columns=COLUMNS).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
