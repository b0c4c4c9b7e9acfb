"""`./bench boosted_ranking`: do explanations of boosted models find the features that carry signal?

Responses are simulated over real covariates: signal features are drawn at random, and the response is their sum, or
sums of pairs with an interaction or a joint threshold, with noise. Boosted models of five libraries are trained
on 201 of 300 rows and explained on the others; measured is the AUROC of |score|, or of the rank, against the
signal, and R2 of the explanation to the model. The package is the one that is installed.

`--write` keeps the results in benches/results/boosted_ranking.csv and puts their table into docs/results.md;
`--table` does the second alone, from the results that are kept.
"""

import argparse
import functools
import itertools
import os
import sys
import warnings
import zlib

os.environ.setdefault("PYTHONWARNINGS", "ignore")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import catboost
import joblib
import lightgbm
import numpy as np
import pandas as pd
import xgboost
from scipy.stats import rankdata
from sklearn import ensemble

import common

# Beside this file lies the benchmark lmdi.py; the package of that name is meant from here on.
sys.path.remove(str(common.ROOT / "benches"))

import lmdi

NUMBERS = {
    "choosing": ["puma32H", "sarcos_testsplit", "ailerons"],
    "confirming": ["superconductivity", "music_origin", "miami_housing"],
    "others": ["california_housing", "diamonds"],
}
CLASSES = {
    "choosing": ["spam", "higgs", "jannis"],
    "confirming": ["house_16H", "pol", "ozone"],
    "others": ["adult"],
}
FUNCTIONS = ("linear", "interaction", "threshold")
LIBRARIES = ("sklearn", "xgboost", "lightgbm", "catboost", "lmdi")
ROWS, ROUNDS = 300, 100
MEASURES = ["tree_shap", "by_score", "by_rank", "r2", "by_rank_1se", "r2_1se"]
RESULTS = common.ROOT / "benches" / "results" / "boosted_ranking.csv"
PAGE = common.ROOT / "docs" / "results.md"
BEGIN, END = "<!-- ./bench boosted_ranking -->\n", "<!-- end of boosted_ranking -->\n"


@functools.cache
def covariates(name):
    frame = pd.read_csv(common.data_file(name)).drop(columns="target")
    cells = pd.get_dummies(frame, dtype=float).astype(float)
    cells = cells.fillna(cells.mean()).to_numpy()
    return cells[:, cells.std(axis=0) > 0]


def simulated(name, classes, function, noise, random):
    """Training rows, their response, other rows, and which columns carry signal."""
    cells = covariates(name)
    x = cells[random.choice(len(cells), min(ROWS, len(cells)), replace=False)]
    n = round(0.67 * len(x))
    mean, spread = x[:n].mean(axis=0), x[:n].std(axis=0)
    x = ((x - mean) / np.where(spread > 0, spread, 1.0))[:, spread > 0]
    x = x.astype(np.float32).astype(np.float64)
    signal = random.permutation(x.shape[1])[: 5 if function == "linear" else 10]
    if function == "linear":
        margin = x[:, signal].sum(axis=1)
    else:
        margin = np.zeros(len(x))
        for a, b in zip(x[:, signal[::2]].T, x[:, signal[1::2]].T, strict=False):
            margin += a + (a * b if function == "interaction" else (a > 0) * (b > 0))
    if classes:
        y = (random.random(len(x)) < 1 / (1 + np.exp(-margin))).astype(int)
        flipped = random.choice(len(y), round(noise * len(y)), replace=False)
        y[flipped] = 1 - y[flipped]
    else:
        y = margin + random.normal(size=len(x)) * margin.std() * np.sqrt((1 - noise) / noise)
    is_signal = np.isin(np.arange(x.shape[1]), signal)
    return x[:n], y[:n], x[n:], is_signal


def booster(library, classes):
    kind = "Classifier" if classes else "Regressor"
    common_options = {"n_estimators": ROUNDS, "max_depth": 3, "learning_rate": 0.1}
    if library == "sklearn":
        return getattr(ensemble, f"GradientBoosting{kind}")(random_state=0, **common_options)
    if library == "lmdi":
        return getattr(lmdi, f"GradientBoosting{kind}")(random_state=0, **common_options)
    if library == "xgboost":
        return getattr(xgboost, f"XGB{kind}")(n_jobs=1, random_state=0, **common_options)
    if library == "lightgbm":
        return getattr(lightgbm, f"LGBM{kind}")(n_estimators=ROUNDS, n_jobs=1, verbose=-1, random_state=0)
    options = {
        "learning_rate": 0.1,
        "depth": 6,
        "thread_count": 1,
        "random_seed": 0,
        "verbose": 0,
    }
    return getattr(catboost, f"CatBoost{kind}")(ROUNDS, allow_writing_files=False, **options)


def auroc(sizes, is_signal):
    """Mean over rows of the AUROC of a row's sizes against the signal columns."""
    ranks = np.apply_along_axis(rankdata, 1, sizes)
    n, others = is_signal.sum(), (~is_signal).sum()
    return ((ranks[:, is_signal].sum(axis=1) - n * (n + 1) / 2) / (n * others)).mean()


def r2(truth, found):
    return 1 - ((truth - found) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()


def unit(half, name, classes, function, noise, library):
    """One record, or None where every column carries signal or one class is missing."""
    warnings.simplefilter("ignore")
    seed = zlib.crc32(repr((name, function, noise)).encode())
    train, y, rows, is_signal = simulated(name, classes, function, noise, np.random.default_rng(seed))
    if is_signal.all() or len(np.unique(y)) < 2:
        return None
    model = booster(library, classes).fit(train, y)
    predict = "predict_proba" if classes else "predict"
    own = np.asarray(getattr(model, predict)(rows)).reshape(len(rows), -1)[:, -1]
    sizes = np.abs(lmdi.TreeSHAP(model, n_jobs=1).explain(rows).values).reshape(len(rows), -1)
    record = [auroc(sizes, is_signal)]
    for rule in ("min", "1se"):
        explainer = lmdi.LMDIPlus(model, rule=rule, n_jobs=1).fit(train, y)
        if rule == "min":
            sizes = np.abs(explainer.explain(rows).values).reshape(len(rows), -1)
            record.append(auroc(sizes, is_signal))
        found = np.asarray(getattr(explainer, predict)(rows)).reshape(len(rows), -1)[:, -1]
        record += [auroc(explainer.rank(rows, by="rank"), is_signal), r2(own, found)]
    return [
        half,
        name,
        "classes" if classes else "numbers",
        function,
        noise,
        library,
        *record,
    ]


def measure():
    units = [
        (half, name, classes, *rest)
        for classes, sets, levels in (
            (False, NUMBERS, (0.2, 0.5)),
            (True, CLASSES, (0.0, 0.1)),
        )
        for half, names in sets.items()
        for name in names
        for rest in itertools.product(FUNCTIONS, levels, LIBRARIES)
    ]
    done = joblib.Parallel(n_jobs=-1, backend="multiprocessing")(joblib.delayed(unit)(*one) for one in units)
    columns = ["half", "set", "target", "function", "noise", "model", *MEASURES]
    return pd.DataFrame([record for record in done if record], columns=columns).round(4)


def table(results):
    """The table of docs/results.md, with the mean difference to TreeSHAP below it."""
    lines = [
        '| | TreeSHAP | LMDI+ by score | by rank | R² to the model | `rule="1se"` by rank | its R² |',
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for (target, half), group in results.groupby(["target", "half"], sort=False):
        names = ", ".join(sorted(group.set.unique())) if half == "others" else f"{group.set.nunique()} sets"
        means = " | ".join(f"{number:.3f}" for number in group[MEASURES].mean())
        lines.append(f"| {target}, {half} ({names}) | {means} |")

    def above(measure):
        gains = {target: group[measure] - group.tree_shap for target, group in results.groupby("target", sort=False)}
        return " and by\n".join(f"{gain.mean():.3f} ± {gain.sem():.3f} for {target}" for target, gain in gains.items())

    first = f"Over all {len(results)} runs, by rank is above TreeSHAP of the same model by"
    second = 'With `rule="1se"` it is above by'
    return "\n".join(lines) + f"\n\n{first}\n{above('by_rank')}.\n{second}\n{above('by_rank_1se')}.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--write",
        action="store_true",
        help="keep the results and put their table into the docs",
    )
    parser.add_argument(
        "--table",
        action="store_true",
        help="only the table, from the results that are kept",
    )
    options = parser.parse_args()
    if not options.table:
        results = measure()
        print(table(results))
        if options.write:
            RESULTS.parent.mkdir(exist_ok=True)
            results.to_csv(RESULTS, index=False)
    if options.write or options.table:
        common.put_table(PAGE, BEGIN, END, table(pd.read_csv(RESULTS)))


if __name__ == "__main__":
    main()
