"""`./bench train`: training and prediction against other libraries, in one run.

Forests (100 trees, scikit-learn's defaults) and histogram boosting (100 rounds of trees with 31
leaves of 20 rows, the defaults of HistGradientBoosting without early stopping), trained on all rows
of each data set; then 100,000 rows are predicted. Boosting is compared with scikit-learn, LightGBM
and XGBoost, which have the same shape of trees, learning rate and number of bins. All sides use the
same number of threads. Times are the least of a few runs, ours and theirs in turn; a ratio above 1
means that ours is faster. Processor seconds of all threads stand beside them: on a machine with
other work they are the better guide, except that waiting threads of the others count as busy.

`--write` keeps the results of the data sets that were run in benches/results/train.csv, with the machine
and the versions, and puts their table into docs/scale.md; `--table` does the second alone, from the results
that are kept.
"""

import argparse
import os
import time

RIVALS = {
    "forest": ["scikit-learn"],
    "boosting": ["scikit-learn", "LightGBM", "XGBoost"],
}
DATA = ["superconductivity", "puma32H", "higgs"]
N_PREDICTED = 100_000
COLUMNS = [
    "data", "model", "than", "what", "theirs", "ours", "theirs_processor", "ours_processor", "versions", "machine",
]  # fmt: skip


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", nargs="*", default=DATA)
    parser.add_argument("--models", nargs="*", choices=RIVALS, default=list(RIVALS))
    parser.add_argument("--binary", help="bench_train, where it is built already")
    parser.add_argument("--write", action="store_true", help="keep the results and put their table into the docs")
    parser.add_argument("--table", action="store_true", help="only put the table into the docs")
    return parser.parse_args()


options = parsed()
# Read when the libraries are loaded.
os.environ["OMP_NUM_THREADS"] = str(options.threads)

import lightgbm  # noqa: E402
import numpy as np  # noqa: E402
import sklearn  # noqa: E402
import xgboost  # noqa: E402
from sklearn.ensemble import (  # noqa: E402
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

import common  # noqa: E402
import tables  # noqa: E402

RESULTS = common.ROOT / "benches" / "results" / "train.csv"
PAGE = common.ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- training: written by ./bench train -->\n", "<!-- training: end -->"
VERSIONS = f"scikit-learn {sklearn.__version__}, LightGBM {lightgbm.__version__}, XGBoost {xgboost.__version__}"


def timed(work):
    """Seconds and processor seconds."""
    start = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start[0], time.process_time() - start[1]


def forest(classes):
    kind = RandomForestClassifier if classes else RandomForestRegressor
    return kind(options.trees, random_state=0, n_jobs=options.threads)


def hist_gradient_boosting(classes):
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return kind(max_iter=options.trees, early_stopping=False, random_state=0)


def light_gbm(classes):
    kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    return kind(
        n_estimators=options.trees,
        num_leaves=31,
        min_child_samples=20,
        min_child_weight=0.0,
        learning_rate=0.1,
        max_bin=255,
        n_jobs=options.threads,
        verbose=-1,
    )


def xg_boost(classes):
    kind = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
    # Rows in a leaf count by their hessian here, which is one for numbers and at most a quarter for classes.
    return kind(
        n_estimators=options.trees,
        tree_method="hist",
        grow_policy="lossguide",
        max_leaves=31,
        max_depth=0,
        min_child_weight=5 if classes else 20,
        learning_rate=0.1,
        reg_lambda=0.0,
        max_bin=255,
        n_jobs=options.threads,
    )


MAKERS = {
    ("forest", "scikit-learn"): forest,
    ("boosting", "scikit-learn"): hist_gradient_boosting,
    ("boosting", "LightGBM"): light_gbm,
    ("boosting", "XGBoost"): xg_boost,
}


def ours_options(model, classes):
    shared = {"trees": options.trees, "threads": options.threads}
    if model == "forest":
        return {"model": "forest", "max_features": "sqrt" if classes else None, **shared}
    shape = {"max_leaf_nodes": 31, "min_samples_leaf": 20}
    return {"model": "boosting", "finder": "histogram", **shape, **shared}


def measure(program, name, machine):
    """Trains and predicts one data set with every model, by all sides in turn."""
    x, y, classes = tables.load(name)
    rows = np.random.default_rng(0).integers(0, len(x), N_PREDICTED)
    wanted = x[rows]
    program.write("train", x, y, classes)
    program.write("test", wanted, y[rows], classes)
    for model in options.models:
        runs = {who: [] for who in ["ours", *RIVALS[model]]}
        for _ in range(options.repeats):
            # Seconds to train and to predict, then processor seconds of both.
            *seconds, _ = program.run("train", "test", **ours_options(model, classes))
            runs["ours"].append(seconds)
            for who in RIVALS[model]:
                estimator = MAKERS[model, who](classes)
                fit = timed(lambda: estimator.fit(x, y))
                predict = timed(lambda: (estimator.predict_proba if classes else estimator.predict)(wanted))
                runs[who].append([fit[0], predict[0], fit[1], predict[1]])
        best = {who: np.min(seconds, axis=0) for who, seconds in runs.items()}
        for who in RIVALS[model]:
            for at, what in enumerate(("train", "predict")):
                yield {
                    "data": name,
                    "model": model,
                    "than": who,
                    "what": what,
                    "theirs": f"{best[who][at]:.4g}",
                    "ours": f"{best['ours'][at]:.4g}",
                    "theirs_processor": f"{best[who][2 + at]:.4g}",
                    "ours_processor": f"{best['ours'][2 + at]:.4g}",
                    "versions": VERSIONS,
                    "machine": machine,
                }


def shown(number):
    """Three digits, as the table shows seconds."""
    return f"{float(number):.3g}"


def ratio(theirs, ours):
    # Processor time is counted in hundredths; what takes less has none.
    return f"{float(theirs) / float(ours):.1f}" if float(ours) > 0.0 else ""


def table(results):
    """The table as the docs show it."""
    lines = [
        "",
        "| table | model | than | what | theirs s | ours s | ratio | by processor |",
        "|---|---|---|---|---:|---:|---:|---:|",
    ]
    for line in results:
        cells = [line[key] for key in ("data", "model", "than", "what")]
        cells += [shown(line["theirs"]), shown(line["ours"]), ratio(line["theirs"], line["ours"])]
        cells.append(ratio(line["theirs_processor"], line["ours_processor"]))
        lines.append(f"| {' | '.join(cells)} |")
    facts = sorted({f"{line['versions']}; {line['machine']}" for line in results})
    return "\n".join([*lines, "", *facts, ""])


def keep(results):
    """Replaces the data sets and models that were measured; the others stay."""
    measured = {(line["data"], line["model"]) for line in results}
    lines = [line for line in common.read_results(RESULTS) if (line["data"], line["model"]) not in measured] + results
    order = list(RIVALS)
    lines.sort(key=lambda line: (DATA.index(line["data"]) if line["data"] in DATA else len(DATA), order.index(line["model"])))
    common.write_results(RESULTS, COLUMNS, lines)


def main():
    if not options.table:
        binary = options.binary or common.build("bench_train")
        machine = common.machine(options.threads, binary)
        print(f"{VERSIONS}; {machine}, {options.trees} trees, ", end="")
        print(f"best of {options.repeats}; load before: {os.getloadavg()[0]:.1f}")
        program = tables.Ours(binary)
        results = []
        for name in options.data:
            found = list(measure(program, name, machine))
            print(table(found), flush=True)
            results += found
        if options.write:
            keep(results)
    if options.write or options.table:
        common.put_table(PAGE, BEGIN, END, table(common.read_results(RESULTS)))


if __name__ == "__main__":
    main()
