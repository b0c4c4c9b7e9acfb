"""`./bench importance`: LIME, MDI+ and permutation importance against their public implementations, in one run.

- lime 0.2.0.1: `explain_instance` with all columns, 5,000 neighbours, seconds per row. Ours takes the expected values
  over neighbours (`lime`), or draws 5,000 that all rows share (`lime-drawn`), on a single row and on 100. On both sides
  the explainer is made once, from the training rows, and counts;
- imodels 3.0.4: `RandomForestPlus*` of imodels.importance (ridge and R2, logistic and log-loss), fit and scores, per tree;
- scikit-learn: `permutation_importance`, five repetitions.

All on 2,000 rows and 100 trees (MDI+: the first `--trees`) grown on 67 % of them, both sides on one thread. Times are
processor time, so that other work on the machine counts less. `./bench methods` runs this at its end.
"""

import argparse
import os
import pathlib
import tempfile
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sklearn.inspection import permutation_importance

import common

CASES = [("puma32H", False, 5), ("puma32H", False, 1), ("spam", True, 1)]
GOALS = {"lime": 20.0, "lime-drawn": 1.0, "mdi-plus": 50.0, "permutation": 1.0}
PEERS = {"lime": "lime", "lime-drawn": "lime", "mdi-plus": "imodels", "permutation": "scikit-learn"}
LIME_ROWS = [1, 100]
CONVERGED = {"solver": "newton-cholesky", "tol": 1e-10}


def processor(work):
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def lime_seconds(sample, forest, count):
    """Of making the explainer, and of explaining a row."""
    from lime.lime_tabular import LimeTabularExplainer

    mode = "classification" if sample.classes else "regression"
    predict = forest.predict_proba if sample.classes else forest.predict
    explainer, making = processor(
        lambda: LimeTabularExplainer(sample.train, mode=mode, random_state=0)
    )
    columns = sample.train.shape[1]
    rows = sample.rows[-count:]
    _, taken = processor(
        lambda: [explainer.explain_instance(row, predict, num_features=columns) for row in rows]
    )
    return making, taken / count


def mdi_plus_seconds(sample, forest, trees, **linear_model):
    """Per tree, and the importances. The forest is handed over as it is: imodels would grow it anew."""
    from imodels.importance import RandomForestPlusClassifier, RandomForestPlusRegressor
    from imodels.importance.ppms import LogisticClassifierPPM

    few = common.first_trees(forest, trees)
    few.fit = lambda *_, **__: few
    if sample.classes:
        plus = RandomForestPlusClassifier(few, prediction_model=LogisticClassifierPPM(**linear_model))
    else:
        plus = RandomForestPlusRegressor(few)

    def work():
        plus.fit(sample.train, sample.response)
        return plus.get_mdi_plus_scores(sample.train, sample.response)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, taken = processor(work)
    return taken / trees, found["importance"].to_numpy()


def permutation_seconds(sample, forest):
    _, taken = processor(
        lambda: permutation_importance(forest, sample.train, sample.response, n_repeats=5, n_jobs=1)
    )
    return taken


def ours(binary, method, paths, runs, directory):
    out = directory / "result.bin"
    result = common.run(binary, method, *paths, runs, out, threads=1)
    return result["processor"], common.read_matrix(out)


def line(name, leaf, method, unit, theirs, mine, difference):
    """Prints one comparison and returns it."""
    ratio = theirs / mine
    star = "" if ratio >= GOALS[method] else "*"
    print(
        f"{name:10} {leaf:4} {method:12} {unit:6} {theirs:9.3f} {mine:9.4f} {ratio:7.1f}{star:1} {difference}",
        flush=True,
    )
    result = {"method": method, "peer": PEERS[method], "table": name, "leaf": leaf, "threads": 1}
    return {**result, "unit": unit, "theirs": theirs, "ours": mine}


def compare_lime(binary, options, directory, name, leaf, sample, forest):
    making, explaining = lime_seconds(sample, forest, options.rows)
    results = []
    for method in ("lime", "lime-drawn"):
        for count in LIME_ROWS:
            paths = common.hand_over(directory, sample, forest)
            common.write_matrix(paths[3], sample.rows[-count:])
            mine, _ = ours(binary, method, paths, 8 * options.runs, directory)
            theirs = making / count + explaining
            results.append(line(name, leaf, method, f"1/{count}", theirs, mine / count, ""))
    return results


def compare_permutation(binary, options, directory, name, leaf, sample, forest):
    paths = common.hand_over(directory, sample, forest)
    mine, _ = ours(binary, "permutation", paths, options.runs, directory)
    return [line(name, leaf, "permutation", "table", permutation_seconds(sample, forest), mine, "")]


def compare_mdi_plus(binary, options, directory, name, leaf, sample, forest):
    few = common.first_trees(forest, options.trees)
    paths = common.hand_over(directory, sample, few)
    mine, found = ours(binary, "mdi-plus", paths, options.runs, directory)
    theirs, expected = mdi_plus_seconds(sample, forest, options.trees)
    difference = f"{np.abs(found[0] - expected).max():.1e}"
    if sample.classes:
        # As it comes, its logistic fits end long before the minimum.
        _, expected = mdi_plus_seconds(sample, forest, options.trees, **CONVERGED)
        difference += f" ({np.abs(found[0] - expected).max():.1e} from its fits run to the minimum)"
    return [line(name, leaf, "mdi-plus", "tree", theirs, mine / options.trees, difference)]


COMPARISONS = {"lime": compare_lime, "permutation": compare_permutation, "mdi-plus": compare_mdi_plus}


def add_options(parser):
    parser.add_argument("--rows", type=int, default=5, metavar="N", help="rows for lime")
    parser.add_argument("--trees", type=int, default=5, metavar="N", help="trees for imodels")


def compare(options, wanted):
    """Prints a line for each method and data set, and returns them all."""
    results = []
    binary = common.build("bench_importance")
    print(f"one thread; seconds of processor; a star marks a missed goal {GOALS}")
    print("data set   leaf method       unit      theirs      ours   ratio  difference")
    for name, classes, leaf in CASES:
        sample = common.load(name, classes)
        forest = common.grow(sample, leaf)
        forest.n_jobs = 1
        with tempfile.TemporaryDirectory() as directory:
            for method in wanted:
                results += COMPARISONS[method](
                    binary, options, pathlib.Path(directory), name, leaf, sample, forest
                )
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--runs", type=int, default=3, help="our runs")
    parser.add_argument("--only", choices=COMPARISONS, help="one method")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(common.versions())
    compare(options, [options.only] if options.only else COMPARISONS)


if __name__ == "__main__":
    main()
