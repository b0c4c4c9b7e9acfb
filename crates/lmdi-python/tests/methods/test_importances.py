"""The global methods: against scikit-learn, metrics of any kind, groups, copies, bad input."""

import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.inspection import permutation_importance
from sklearn.metrics import log_loss, mean_absolute_error, r2_score, roc_auc_score

import lmdi


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestRegressor(12, min_samples_leaf=3, random_state=0).fit(data.X, data.y)


@pytest.fixture(scope="module")
def classifier(data):
    return RandomForestClassifier(12, min_samples_leaf=3, random_state=0).fit(data.X, data.two)


def test_mdi_is_that_of_scikit_learn(data):
    for model, y in [
        (RandomForestRegressor(5, random_state=0), data.y),
        (RandomForestClassifier(5, criterion="entropy", random_state=0), data.three),
        (GradientBoostingRegressor(n_estimators=5), data.y),
    ]:
        model.fit(data.X, y)
        mdi = lmdi.MDI(model)
        assert np.abs(mdi.importances_ - model.feature_importances_).max() < 1e-12
        assert mdi.names_ == [f"x{at}" for at in range(6)] and mdi.deviations_.shape == (6,)
        assert mdi.ranking()[0] == ("x0", mdi.importances_.max())
        pair = lmdi.MDI(model, groups={"pair": ["x0", "x3"]})
        assert pair.names_ == ["pair", "x1", "x2", "x4", "x5"]
        assert abs(pair.importances_[0] - mdi.importances_[[0, 3]].sum()) < 1e-12
        # Another scale counts at once.
        assert abs(mdi.set_params(scale="impurity").importances_.sum() - 1) > 1e-3


def test_metrics_by_function_are_those_by_name(data, forest, classifier):
    """scikit-learn's functions give what the built-in metrics of the same name give."""

    def lost(y, p, sample_weight=None):
        return -log_loss(y, p, sample_weight=sample_weight, labels=["no", "yes"])

    def area(y, p):
        return roc_auc_score(y == "yes", p[:, 1])

    def error(y, p):
        return -mean_absolute_error(y, p)

    for kind in (lmdi.MDIPlus, lmdi.Permutation):
        for model, y, name, function in [
            (forest, data.y, "r2", r2_score),
            (forest, data.y, "absolute_error", error),
            (classifier, data.two, "log_loss", lost),
            (classifier, data.two, "auroc", area),
        ]:
            ours = kind(model, metric=name).fit(data.X, y)
            theirs = kind(model, metric=function).fit(data.X, y)
            assert np.abs(ours.importances_ - theirs.importances_).max() < 1e-9, (kind, name)
    weighted = [
        lmdi.Permutation(classifier, metric=metric).fit(data.X, data.two, data.weights).importances_
        for metric in ("log_loss", lost)
    ]
    assert np.abs(weighted[0] - weighted[1]).max() < 1e-9


def test_defaults_and_choices_of_mdi_plus(data, forest, classifier):
    usual = lmdi.MDIPlus(forest).fit(data.X, data.y)
    assert usual.ranking()[0][0] == "x0"
    assert np.array_equal(
        usual.importances_, lmdi.MDIPlus(forest, metric="r2").fit(data.X, data.y).importances_
    )
    for change in (
        {"glm": "ols"},
        {"glm": "huber"},
        {"glm": "elastic_net", "l1_ratio": 0.5},
        {"alphas": [1000.0]},
        {"include_raw": False},
        {"metric": "absolute_error"},
    ):
        other = lmdi.MDIPlus(forest, **change).fit(data.X, data.y)
        assert not np.allclose(other.importances_, usual.importances_), change
        assert other.ranking()[0][0] == "x0", change
    # R2 of the constant prediction is below zero: it is the mean without the row itself.
    plain = lmdi.MDIPlus(forest, above_constant=False).fit(data.X, data.y)
    shift = usual.importances_ - plain.importances_
    assert np.ptp(shift) < 1e-9
    with pytest.raises(ValueError, match="glm"):
        lmdi.MDIPlus(classifier, glm="huber").fit(data.X, data.two)
    assert lmdi.MDIPlus(classifier).fit(data.X, data.two).ranking()[0][0] == "x0"


def test_permutation_agrees_with_scikit_learn(data):
    """Means over many shuffles, within four standard errors of their difference."""
    model = RandomForestRegressor(10, min_samples_leaf=3, random_state=0).fit(data.X[:200], data.y[:200])
    rows, y = data.X[200:], data.y[200:]
    ours = lmdi.Permutation(model, repeats=200).fit(rows, y)
    theirs = permutation_importance(model, rows, y, n_repeats=200, random_state=0)
    error = np.sqrt((ours.deviations_**2 + theirs.importances_std**2) / 200)
    assert (np.abs(ours.importances_ - theirs.importances_mean) <= 4 * error + 1e-12).all()


def test_out_of_bag(data, forest):
    found = lmdi.Permutation(forest, out_of_bag=True).fit(data.X, data.y)
    assert found.ranking()[0][0] == "x0" and found.importances_.shape == (6,)
    other = ExtraTreesRegressor(3, random_state=0).fit(data.X, data.y)
    with pytest.raises(ValueError, match="none is out of bag"):
        lmdi.Permutation(other, out_of_bag=True).fit(data.X, data.y)
    with pytest.raises(ValueError, match="300"):
        lmdi.Permutation(forest, out_of_bag=True).fit(data.X[:50], data.y[:50])


def test_threads_seeds_and_groups(data, forest):
    for kind, changes in (
        (lmdi.MDIPlus, {}),
        (lmdi.Permutation, {}),
        (lmdi.Permutation, {"out_of_bag": True}),
    ):
        found = [kind(forest, n_jobs=jobs, **changes).fit(data.X, data.y).importances_ for jobs in (1, 3)]
        assert np.array_equal(*found)
        group = kind(forest, groups={"all": [f"x{at}" for at in range(6)]}, **changes).fit(data.X, data.y)
        assert group.names_ == ["all"] and group.importances_[0] > found[0].max()
    seeds = [lmdi.Permutation(forest, random_state=at).fit(data.X, data.y).importances_ for at in (0, 0, 1)]
    assert np.array_equal(seeds[0], seeds[1]) and not np.array_equal(seeds[0], seeds[2])


def test_copies(data, forest):
    for method in (lmdi.MDIPlus(forest, metric="r2"), lmdi.Permutation(forest, repeats=2)):
        method.fit(data.X, data.y)
        copy = pickle.loads(pickle.dumps(method))
        assert np.array_equal(copy.importances_, method.importances_) and copy.names_ == method.names_
        assert isinstance(copy.model, lmdi.Model)
        again = clone(copy).fit(data.X, data.y)
        assert np.array_equal(again.importances_, method.importances_)
        assert not hasattr(clone(method), "importances_")
    mdi = pickle.loads(pickle.dumps(lmdi.MDI(forest)))
    assert np.array_equal(mdi.importances_, lmdi.MDI(forest).importances_)


class Wrong(Exception):
    pass


def test_a_metric_that_fails(data, forest):
    calls = []

    def raises(y, prediction):
        calls.append(1)
        raise Wrong("no such thing")

    for kind in (lmdi.MDIPlus, lmdi.Permutation):
        with pytest.raises(Wrong, match="no such thing"):
            kind(forest, metric=raises).fit(data.X, data.y)
        with pytest.raises(TypeError, match="gave 'good'; expected a number"):
            kind(forest, metric=lambda y, prediction: "good").fit(data.X, data.y)
    # It ends the work: not every tree and column was asked.
    assert len(calls) < 20


@pytest.mark.parametrize(
    ("keywords", "error", "advice"),
    [
        ({"metric": "mse"}, ValueError, "`metric` is mse; expected r2, squared-error"),
        ({"metric": "auroc"}, ValueError, "`metric` is auroc; expected r2"),
        ({"metric": 3}, TypeError, "metric is 3; expected a name or a function"),
        ({"glm": "lasso"}, ValueError, "`glm` is lasso; expected ridge, elastic-net"),
        ({"glm": "logistic"}, ValueError, "`glm` is logistic"),
        ({"glm": "ols", "alphas": 1.0}, ValueError, "`alphas`"),
        ({"l1_ratio": 0.5}, ValueError, "no value unless glm is elastic_net"),
        ({"glm": "elastic_net", "l1_ratio": 2.0}, ValueError, "`l1_ratio`"),
        ({"alphas": "strong"}, TypeError, "alphas is .*strong"),
        ({"trim": 0.7}, ValueError, "`trim` is 0.7"),
        ({"max_iterations": 0}, ValueError, "max_iterations is 0"),
        ({"groups": {"x0": ["x1"]}}, ValueError, "the name of a column that is not in it"),
        ({"n_jobs": "two"}, TypeError, "n_jobs is 'two'"),
    ],
)
def test_bad_keywords_of_mdi_plus(data, forest, keywords, error, advice):
    with pytest.raises(error, match=advice):
        lmdi.MDIPlus(forest, **keywords).fit(data.X, data.y)


def test_bad_input(data, forest):
    boosted = GradientBoostingRegressor(n_estimators=2).fit(data.X, data.y)
    with pytest.raises(ValueError, match="MDI. is defined for forests"):
        lmdi.MDIPlus(boosted).fit(data.X, data.y)
    with pytest.raises(ValueError, match="none is out of bag"):
        lmdi.Permutation(boosted, out_of_bag=True).fit(data.X, data.y)
    with pytest.raises(ValueError, match="repeats is 0"):
        lmdi.Permutation(forest, repeats=0).fit(data.X, data.y)
    with pytest.raises(ValueError, match="`scale` is sum; expected share or impurity"):
        _ = lmdi.MDI(forest, scale="sum").importances_
    with pytest.raises(AttributeError, match="importances_"):
        _ = lmdi.MDIPlus(forest).importances_
    for kind in (lmdi.MDIPlus, lmdi.Permutation):
        with pytest.raises(ValueError, match="row 1"):
            kind(forest).fit(data.X[:2], [1.0, np.nan])


def test_ctrl_c_stops_a_measurement():
    script = """
import numpy as np, lmdi, sys
random = np.random.default_rng(0)
X = random.normal(size=(2000, 30)); y = X[:, 0]
model = lmdi.RandomForestRegressor(50, random_state=0).fit(X, y)
print("measuring", flush=True)
try:
    lmdi.Permutation(model, repeats=100000, n_jobs=1).fit(X, y)
except KeyboardInterrupt:
    print("stopped", flush=True)
    sys.exit(3)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "measuring\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        assert process.wait(timeout=60) == 3
    finally:
        process.kill()
