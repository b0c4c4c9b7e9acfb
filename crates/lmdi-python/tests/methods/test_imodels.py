"""Live agreement with imodels, the method's reference, on forests of scikit-learn.

Numbers: relative Frobenius distance within 1 %, Spearman correlation of |score| at least 0.98 a row on
average. Classes: the reference's solver stops before it converges, so both sides are compared with the same
models at certified optima (testdata/lmdi_plus/solvers.py): ours must be within the same bounds when the
search for the penalty is run to convergence too, and closer than the reference as it is.
"""

import pathlib
import sys
import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import lmdi

pytest.importorskip("imodels")
ROOT = pathlib.Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def reference():
    """The script that makes the reference values of the library's own tests."""
    sys.path.insert(0, str(ROOT / "testdata" / "lmdi_plus"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import make_reference
    return make_reference


def table(reference, seed, n_rows):
    random = np.random.default_rng(seed)
    X = reference.table(random, n_rows, 8)
    signal = X[:, 0] + (X[:, 1] > 0) * X[:, 2] + X[:, 7]
    return X, signal + random.normal(size=len(X))


def their_scores(reference, kind, forest, glm, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return reference.explain(kind, forest, glm, X, y, X[:10])["train"]["scores"]


@pytest.mark.parametrize("leaf", [1, 5])
def test_numbers(reference, leaf):
    X, y = table(reference, 7, 240)
    forest = RandomForestRegressor(5, min_samples_leaf=leaf, max_features=0.33, random_state=0)
    forest.fit(X, y)
    glm = reference.ElasticNetCV(cv=3, l1_ratio=[0.1, 0.5, 0.99], max_iter=2000, random_state=0)
    theirs = their_scores(reference, reference.RandomForestPlusRegressor, forest, glm, X, y)
    ours = lmdi.LMDIPlus(forest, preset="paper").fit(X, y).explain(X).values
    off, spearman = reference.distance(ours, theirs)
    assert off < 0.01 and spearman >= 0.98


def test_classes(reference):
    X, y = table(reference, 0, 200)
    labels = (y > np.median(y)).astype(int)
    forest = RandomForestClassifier(2, min_samples_leaf=1, random_state=0).fit(X, labels)
    glm = reference.LogisticRegressionCV(
        l1_ratios=[0.1, 0.5, 0.99], solver="saga", cv=3, tol=5e-4, max_iter=2000, random_state=0
    )
    theirs = their_scores(reference, reference.RandomForestPlusClassifier, forest, glm, X, labels)
    converged = np.zeros(X.shape)
    for tree, counts in zip(forest.estimators_, reference.in_bag(forest, len(X))):
        arrays = reference.tree_arrays(tree, counts)
        basis, theta, _ = reference.converged_logistic(arrays, counts, X, labels)
        converged += basis.scores(X, theta[:-1]) / len(forest.estimators_)
    ours = lmdi.LMDIPlus(forest, preset="paper").fit(X, labels).explain(X).values
    off, spearman = reference.distance(ours, converged)
    assert off < 0.01 and spearman >= 0.98
    assert off < reference.distance(theirs, converged)[0]
