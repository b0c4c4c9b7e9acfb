"""Models of scikit-learn are read exactly: the same leaf for every row, the same margins."""

import numpy as np
import pytest
import sklearn
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from lmdi._models import model_of
from rows import probing_rows, thresholds_of

#: Since 1.9 weights of rows say how likely a bootstrap draws them; before, they counted in the trees.
SAMPLE_WEIGHT_DRAWS = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


def trees_of(model):
    """The member trees in the order in which we read them, and their columns if they saw only some."""
    if hasattr(model, "tree_"):
        return [model.tree_], None
    features = getattr(model, "estimators_features_", None)
    return [member.tree_ for member in np.ravel(model.estimators_)], features


def margins_of(model, X):
    if isinstance(model, (GradientBoostingClassifier, GradientBoostingRegressor)):
        raw = model._raw_predict(np.asarray(X, dtype=np.float32))
        return raw
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    return model.predict(X)[:, None]


def check_exact(model, X, missing=True):
    """Leaves equal, margins within 1e-6 relative, for tables of 32 and of 64 bits."""
    ours = model_of(model)
    trees, features = trees_of(model)
    rows = probing_rows(X, thresholds_of(trees, features), missing)
    for width in (np.float64, np.float32):
        table = rows.astype(width)
        narrow = table.astype(np.float32)
        place = [slice(None)] * len(trees) if features is None else features
        theirs = np.stack(
            [tree.apply(np.ascontiguousarray(narrow[:, columns])) for tree, columns in zip(trees, place)],
            axis=1,
        )
        mismatches = (ours.apply(table) != theirs).sum()
        assert mismatches == 0
    # scikit-learn refuses missing cells where training had none.
    seen = rows if missing else rows[~np.isnan(rows).any(axis=1)]
    theirs = margins_of(model, seen)
    np.testing.assert_allclose(ours.predict_raw(seen), theirs, rtol=1e-6, atol=1e-12)
    return ours


REGRESSORS = [
    DecisionTreeRegressor(min_samples_leaf=3, random_state=0),
    DecisionTreeRegressor(criterion="absolute_error", max_leaf_nodes=20, random_state=0),
    ExtraTreeRegressor(random_state=0),
    RandomForestRegressor(8, random_state=0),
    RandomForestRegressor(8, max_samples=0.4, random_state=0),
    RandomForestRegressor(8, bootstrap=False, max_features=2, random_state=0),
    ExtraTreesRegressor(8, random_state=0),
    ExtraTreesRegressor(8, bootstrap=True, random_state=0),
    BaggingRegressor(DecisionTreeRegressor(), 8, random_state=0),
    BaggingRegressor(ExtraTreeRegressor(), 8, max_features=0.5, max_samples=0.7, random_state=0),
    BaggingRegressor(n_estimators=8, bootstrap=False, max_samples=0.5, random_state=0),
]
CLASSIFIERS = [
    DecisionTreeClassifier(random_state=0),
    ExtraTreeClassifier(random_state=0),
    RandomForestClassifier(8, random_state=0),
    RandomForestClassifier(8, class_weight="balanced", max_samples=100, random_state=0),
    ExtraTreesClassifier(8, criterion="entropy", random_state=0),
    BaggingClassifier(DecisionTreeClassifier(), 8, max_features=0.6, random_state=0),
]


def name(model):
    changed = [f"{key}={value}" for key, value in model.get_params().items() if key == "bootstrap"]
    return f"{type(model).__name__}-{'-'.join(changed)}"


@pytest.mark.parametrize("model", REGRESSORS, ids=name)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_regressors_on_numbers_and_missing_cells(data, model, weighted):
    absolute = getattr(model, "criterion", "") == "absolute_error"
    for X, missing in [(data.X, False), (data.X_missing, True)]:
        if missing and absolute:
            continue
        model.fit(X, data.y, sample_weight=data.weights if weighted else None)
        check_exact(model, X, missing)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name)
@pytest.mark.parametrize("response", ["two", "three"])
def test_classifiers_on_numbers_and_missing_cells(data, model, response):
    labels = getattr(data, response)
    for X, missing in [(data.X, False), (data.X_missing, True)]:
        ours = check_exact(model.fit(X, labels), X, missing)
        assert ours.classes_.tolist() == sorted(set(labels.tolist()))
        assert (ours.predict(X) == model.predict(X)).all()


BOOSTING = [
    (GradientBoostingRegressor(n_estimators=15, random_state=0), "y"),
    (GradientBoostingRegressor(n_estimators=15, init="zero", subsample=0.5, random_state=0), "y"),
    (GradientBoostingRegressor(n_estimators=5, init=DummyRegressor(strategy="median")), "y"),
    (GradientBoostingClassifier(n_estimators=15, random_state=0), "two"),
    (GradientBoostingClassifier(n_estimators=15, init="zero", random_state=0), "two"),
    (GradientBoostingClassifier(n_estimators=8, max_leaf_nodes=6, random_state=0), "three"),
    (GradientBoostingClassifier(n_estimators=50, n_iter_no_change=2, random_state=0), "three"),
]


@pytest.mark.parametrize(("model", "response"), BOOSTING)
def test_gradient_boosting(data, model, response):
    labels = getattr(data, response)
    model.fit(data.X, labels)
    ours = check_exact(model, data.X, missing=False)
    if hasattr(model, "predict_proba"):
        theirs = model.predict_proba(data.X)
        np.testing.assert_allclose(ours.predict_proba(data.X), theirs, rtol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(6, random_state=3),
        RandomForestRegressor(6, max_samples=0.3, random_state=3),
        RandomForestRegressor(6, max_samples=77, random_state=3),
        ExtraTreesRegressor(6, bootstrap=True, random_state=3),
        BaggingRegressor(n_estimators=6, max_samples=0.5, random_state=3),
        BaggingRegressor(n_estimators=6, bootstrap=False, max_samples=0.5, random_state=3),
    ],
    ids=name,
)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_bootstraps_are_recovered_exactly(data, model, weighted):
    model.fit(data.X, data.y, sample_weight=data.weights if weighted else None)
    ours = model_of(model)
    trees, features = trees_of(model)
    for at, tree in enumerate(trees):
        counts = np.array(ours._compiled.in_bag_counts(at))
        assert len(counts) == len(data.X)
        # The rows of a leaf, as often as they were drawn, are the rows the tree counted there.
        columns = slice(None) if features is None else features[at]
        leaves = tree.apply(np.ascontiguousarray(data.X[:, columns].astype(np.float32)))
        weights = counts
        if weighted and not SAMPLE_WEIGHT_DRAWS:
            weights = counts * data.weights
        drawn = np.bincount(leaves, weights=weights, minlength=tree.node_count)
        leaf = tree.children_left < 0
        np.testing.assert_array_equal(drawn[leaf], tree.weighted_n_node_samples[leaf])


def test_trees_without_a_bootstrap_see_every_row(data):
    for model in (RandomForestRegressor(3, bootstrap=False), DecisionTreeRegressor()):
        ours = model_of(model.fit(data.X, data.y))
        assert ours._sees_every_row and ours._compiled.in_bag_counts(0) is None
