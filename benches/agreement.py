"""`./bench agreement`: how close our LMDI+ scores are to those of imodels on real data sets.

Forests are grown by scikit-learn on 67 % of 2,000 rows; all 2,000 rows are scored. Printed: the relative
Frobenius distance of the score matrices and the mean over rows of the Spearman correlation of |score|.
Numbers: against imodels at its default tolerance. Classes: the reference's solver does not converge, so
both it and ours are compared with the same model at certified optima (`testdata/lmdi_plus/solvers.py`),
each tree's penalty chosen again at convergence.

`--write` keeps the results in benches/results/agreement.csv and puts the range for numbers into the README;
`--table` only does the latter.
"""

import argparse
import os
import sys
import tempfile
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import common

sys.path.insert(0, str(common.ROOT / "testdata" / "lmdi_plus"))
from make_reference import converged_logistic, distance, in_bag

CASES = [
    ("puma32H", False, 5),
    ("puma32H", False, 1),
    ("superconductivity", False, 5),
    ("superconductivity", False, 1),
    ("sarcos_testsplit", False, 5),
    ("sarcos_testsplit", False, 1),
    ("spam", True, 1),
]
RESULTS = common.ROOT / "benches" / "results" / "agreement.csv"
COLUMNS = ["table", "leaf", "trees", "compared", "distance", "spearman"]
TO_REFERENCE = "ours to the reference"
BEGIN, END = "<!-- ./bench agreement -->\n", "<!-- end of agreement -->\n"


def our_scores(binary, sample, forest):
    with tempfile.TemporaryDirectory() as directory:
        files = common.hand_over(directory, sample, forest)
        out = os.path.join(directory, "scores.bin")
        common.run(binary, *files, 1, out, threads=len(os.sched_getaffinity(0)))
        return common.read_matrix(out)


def reference_scores(sample, forest):
    from imodels.tree.rf_plus.feature_importance.rfplus_explainer import LMDIPlus

    plus = common.fit_reference(sample, forest)
    return LMDIPlus(plus).get_lmdi_plus_scores(sample.rows)


def converged_scores(sample, forest):
    from export_sklearn import tree_arrays

    total = np.zeros(sample.rows.shape)
    for tree, counts in zip(forest.estimators_, in_bag(forest, len(sample.train))):
        arrays = tree_arrays(tree, counts)
        basis, theta, _ = converged_logistic(arrays, counts, sample.train, sample.response)
        total += basis.scores(sample.rows, theta[:-1])
    return total / len(forest.estimators_)


def compared(what, a, b):
    """Prints how far two score matrices are apart and returns it."""
    off, spearman = distance(a, b)
    print(f"    {what:45} {100 * off:9.4f} %   Spearman {spearman:.4f}", flush=True)
    return {"compared": what, "distance": off, "spearman": spearman}


def put_sentence():
    """Puts the range of distances to imodels, for numbers, into the README."""
    kept = [one for one in common.read_results(RESULTS) if one["compared"] == TO_REFERENCE]
    percents = sorted(100 * float(one["distance"]) for one in kept)
    low, high = (f"{percent:.1g}" for percent in (percents[0], percents[-1]))
    text = f"For numbers, the scores of `--preset paper` agree with imodels to {low} to {high} % (`./bench\nagreement`).\n"
    common.put_table(common.ROOT / "README.md", BEGIN, END, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=10, help="trees of a forest for numbers")
    parser.add_argument(
        "--trees-classes", type=int, default=3, help="trees of a forest for classes"
    )
    parser.add_argument("--only", help="one data set")
    parser.add_argument("--write", action="store_true", help="keep the results and put their range into the README")
    parser.add_argument("--table", action="store_true", help="only put the range into the README")
    options = parser.parse_args()
    if options.table:
        put_sentence()
        return
    if options.write and options.only is not None:
        parser.error("--write keeps the results of all data sets; leave --only out")
    warnings.simplefilter("ignore")
    binary = common.build("bench_lmdi")
    print(common.versions())
    results = []
    for name, classes, leaf in CASES:
        if options.only not in (None, name):
            continue
        sample = common.load(name, classes)
        trees = options.trees_classes if classes else options.trees
        forest = common.grow(sample, leaf, trees)
        print(f"{name}, min_samples_leaf {leaf}, {trees} trees")
        ours = our_scores(binary, sample, forest)
        theirs = reference_scores(sample, forest)
        if classes:
            converged = converged_scores(sample, forest)
            found = [
                compared("ours to the converged model", ours, converged),
                compared("the unconverged reference to it", theirs, converged),
            ]
        else:
            found = [compared(TO_REFERENCE, ours, theirs)]
        results += [{"table": name, "leaf": leaf, "trees": trees, **one} for one in found]
    if options.write:
        common.write_results(RESULTS, COLUMNS, results)
        put_sentence()


if __name__ == "__main__":
    main()
