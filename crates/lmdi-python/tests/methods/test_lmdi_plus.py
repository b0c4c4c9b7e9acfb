"""LMDI+ from Python: shapes, additivity, options, ranks, and agreement with the command's conventions."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

import lmdi


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestRegressor(12, min_samples_leaf=5, random_state=0).fit(data.X, data.y)


@pytest.fixture(scope="module")
def explainer(data, forest):
    return lmdi.LMDIPlus(forest).fit(data.X, data.y)


MODELS = [
    (RandomForestRegressor(8, min_samples_leaf=5, random_state=0), "y", "identity"),
    (RandomForestClassifier(5, min_samples_leaf=5, random_state=0), "two", "identity"),
    (RandomForestClassifier(5, min_samples_leaf=5, random_state=0), "three", "identity"),
    (RandomForestClassifier(5, min_samples_leaf=5, random_state=1), "two", "log_odds"),
    (RandomForestClassifier(5, min_samples_leaf=5, random_state=1), "three", "log_odds"),
    (GradientBoostingRegressor(n_estimators=8, random_state=0), "y", "identity"),
    (GradientBoostingClassifier(n_estimators=8, random_state=0), "two", "log_odds"),
    (GradientBoostingClassifier(n_estimators=8, random_state=0), "three", "softmax"),
    (HistGradientBoostingClassifier(max_iter=8, random_state=0), "three", "softmax"),
]


@pytest.mark.parametrize(("model", "response", "scale"), MODELS)
def test_base_and_scores_add_up_to_the_prediction(data, model, response, scale):
    y = getattr(data, response)
    model.fit(data.X, y)
    is_forest = isinstance(model, RandomForestClassifier)
    preset = "data" if is_forest and scale == "log_odds" else "model"
    explainer = lmdi.LMDIPlus(model, preset=preset).fit(data.X, y)
    e = explainer.explain(data.X[:50])
    outputs = (3,) if response == "three" else ()
    assert e.values.shape == (50, 6, *outputs) and e.base_values.shape == (50, *outputs)
    assert e.scale == scale
    total = e.base_values + e.values.sum(axis=1)
    if response == "y":
        np.testing.assert_allclose(explainer.predict(data.X[:50]), total, rtol=1e-12)
        return
    if response == "two":
        p = 1 / (1 + np.exp(-total)) if scale == "log_odds" else np.clip(total, 0, 1)
        expected = np.stack([1 - p, p], axis=1)
        assert e.output_names == ["yes"]
    else:
        shares = {
            "softmax": lambda: np.exp(total - total.max(1, keepdims=True)),
            "log_odds": lambda: 1 / (1 + np.exp(-total)),
            "identity": lambda: np.clip(total, 0, 1),
        }
        p = shares[scale]()
        expected = p / p.sum(axis=1, keepdims=True)
        assert e.output_names == ["0", "10", "20"]
    np.testing.assert_allclose(explainer.predict_proba(data.X[:50]), expected, rtol=1e-9)
    labels = model.classes_[expected.argmax(axis=1)]
    assert (explainer.predict(data.X[:50]) == labels).all()


def test_boosting_scores_add_up_close_to_the_model(data):
    """With its learning rate in place, the sum of the trees' linear models follows the boosted model."""
    model = HistGradientBoostingClassifier(max_iter=30, random_state=0).fit(data.X, data.two)
    e = lmdi.LMDIPlus(model).fit(data.X, data.two).explain(data.X)
    total = e.base_values + e.values.sum(axis=1)
    assert np.corrcoef(total, model.decision_function(data.X))[0, 1] > 0.97
    assert 0.6 < np.std(total) / np.std(model.decision_function(data.X)) < 1.4


def test_every_option_reaches_the_method(data, forest, explainer):
    usual = explainer.explain(data.X).values
    for options in [
        {"fit_on": "inbag"},
        {"fit_on": "oob"},
        {"fit_on": "all"},
        {"validation": "folds"},
        {"include_raw": False},
        {"raw_scale": 2},
        {"scale_target": False},
        {"glm": "ols"},
        {"glm": "ridge"},
        {"glm": "lasso"},
        {"l1_ratio": 0.9},
        {"l1_ratio": [0.2, 0.8]},
        {"alpha": 0.1, "l1_ratio": 0.5},
        {"C": 0.1, "glm": "ridge"},
        {"folds": 5},
        {"rule": "1se"},
        {"ablation": 1},
        {"ablation": 2},
        {"ablation": 3},
        {"preset": "paper"},
        {"preset": "data"},
        {"response_share": 0},
    ]:
        other = lmdi.LMDIPlus(forest, **options).fit(data.X, data.y).explain(data.X).values
        assert not np.array_equal(other, usual), options
    for options in [
        {"preset": "model"},
        {"validation": "oob"},
        {"fit_on": "uniform"},
        {"raw_scale": 1},
        {"n_jobs": 1},
    ]:
        same = lmdi.LMDIPlus(forest, **options).fit(data.X, data.y).explain(data.X).values
        assert np.array_equal(same, usual), options
    paper = lmdi.LMDIPlus(forest, preset="paper").fit(data.X, data.y).explain(data.X).values
    data_preset = lmdi.LMDIPlus(forest, preset="data").fit(data.X, data.y).explain(data.X).values
    for options in [{"fit_to": "response"}, {"fit_to": "response", "raw_scale": 4.0}]:
        same = lmdi.LMDIPlus(forest, **options).fit(data.X, data.y).explain(data.X).values
        assert np.array_equal(same, data_preset), options
    as_published = {"fit_to": "response", "fit_on": "all", "scale_target": False, "raw_scale": 1.0}
    for options in [{"ablation": 4}, {**as_published, "validation": "folds"}, {**as_published, "folds": 3}]:
        same = lmdi.LMDIPlus(forest, **options).fit(data.X, data.y).explain(data.X).values
        assert np.array_equal(same, paper), options


def test_families_and_selection(data):
    counts = np.abs(np.round(data.y))
    forest = RandomForestRegressor(4, min_samples_leaf=5, random_state=0).fit(data.X, counts)
    e = lmdi.LMDIPlus(forest, family="poisson").fit(data.X, counts).explain(data.X)
    assert e.scale == "log"
    model = RandomForestClassifier(4, min_samples_leaf=5, random_state=0).fit(data.X, data.two)
    for options, scale in [
        ({}, "identity"),
        ({"fit_to": "response"}, "log_odds"),
        ({"selection": "accuracy"}, "log_odds"),
        ({"family": "gaussian", "fit_to": "response"}, "identity"),
    ]:
        e = lmdi.LMDIPlus(model, **options).fit(data.X, data.two).explain(data.X)
        assert e.scale == scale
    with pytest.raises(ValueError, match="unless fit_to is response"):
        lmdi.LMDIPlus(model, fit_to="model", family="binomial").fit(data.X, data.two)


def test_ranks(data, explainer):
    scores = np.abs(explainer.explain(data.X).values)
    ranks = explainer.rank(data.X)
    assert ranks.shape == data.X.shape
    assert (ranks.argmax(axis=1) == scores.argmax(axis=1)).all()
    np.testing.assert_allclose(ranks.sum(axis=1), 21)
    by_rank = explainer.rank(data.X, by="rank")
    assert by_rank.shape == data.X.shape and by_rank.mean(axis=0).argmax() == 0


def test_standard_errors_and_out_of_bag_trees(data, forest, explainer):
    e = explainer.explain(data.X, std_error=True)
    assert e.std_error.shape == e.values.shape and (e.std_error >= 0).all()
    assert explainer.explain(data.X).std_error is None
    oob = explainer.explain(data.X, trees="oob").values
    inbag = explainer.explain(data.X, trees="inbag").values
    assert not np.allclose(oob, inbag, equal_nan=True)
    boosted = GradientBoostingRegressor(n_estimators=3).fit(data.X, data.y)
    with pytest.raises(ValueError, match="boosting build on one another"):
        lmdi.LMDIPlus(boosted).fit(data.X, data.y).explain(data.X, std_error=True)


def test_sample_weights_count(data):
    model = GradientBoostingRegressor(n_estimators=5, random_state=0)
    model.fit(data.X, data.y, sample_weight=data.weights)
    plain = lmdi.LMDIPlus(model).fit(data.X, data.y).explain(data.X).values
    weighted = lmdi.LMDIPlus(model).fit(data.X, data.y, sample_weight=data.weights).explain(data.X)
    kept = data.weights > 0
    rows = np.repeat(np.arange(len(data.X)), data.weights.astype(int))
    assert not np.allclose(plain, weighted.values)
    assert kept.sum() < len(rows)


def test_trees_on_every_row_take_any_name_for_it(data):
    model = RandomForestRegressor(3, bootstrap=False, max_features=2, random_state=0)
    model.fit(data.X, data.y)
    results = [
        lmdi.LMDIPlus(model, fit_on=fit_on).fit(data.X, data.y).explain(data.X).values
        for fit_on in (None, "all", "inbag", "uniform")
    ]
    assert all(np.array_equal(result, results[0]) for result in results)
    with pytest.raises(ValueError, match="grown on every row"):
        lmdi.LMDIPlus(model, fit_on="oob").fit(data.X, data.y)


def test_scikit_learn_conventions(data, forest):
    explainer = lmdi.LMDIPlus(forest, folds=4)
    assert explainer.get_params()["folds"] == 4
    copy = clone(explainer)
    assert copy.model is forest and copy.folds == 4 and copy is not explainer
    explainer.set_params(folds=5, n_jobs=1)
    assert (explainer.folds, explainer.n_jobs) == (5, 1)
    with pytest.raises(ValueError, match="Invalid parameter 'fold'"):
        explainer.set_params(fold=3)
    assert explainer.fit(data.X, data.y) is explainer
    assert explainer.n_features_in_ == 6
    assert repr(explainer) == "LMDIPlus(RandomForestRegressor, folds=5, n_jobs=1)"
