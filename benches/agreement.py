"""`./bench agreement`: how close our LMDI+ scores are to those of imodels on real data sets.

Forests are grown by scikit-learn on 67 % of 2,000 rows; all 2,000 rows are scored. Printed: the relative
Frobenius distance of the score matrices and the mean over rows of the Spearman correlation of |score|.
Numbers: against imodels at its default tolerance. Classes: the reference's solver does not converge, so
both it and ours are compared with the same model at certified optima (`testdata/lmdi_plus/solvers.py`),
each tree's penalty chosen again at convergence.
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


def report(what, a, b):
    off, spearman = distance(a, b)
    print(f"    {what:45} {100 * off:9.4f} %   Spearman {spearman:.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=10, help="trees of a forest for numbers")
    parser.add_argument(
        "--trees-classes", type=int, default=3, help="trees of a forest for classes"
    )
    parser.add_argument("--only", help="one data set")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    binary = common.build("bench_lmdi")
    print(common.versions())
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
            report("ours to the converged model", ours, converged)
            report("the unconverged reference to it", theirs, converged)
        else:
            report("ours to the reference", ours, theirs)


if __name__ == "__main__":
    main()
