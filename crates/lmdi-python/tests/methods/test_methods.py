"""The local methods beside LMDI+: every model class, what scores add up to, groups, copies, bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
import shap
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeRegressor

import lmdi
from lmdi._models import model_of

MODELS = [
    (DecisionTreeRegressor(max_depth=5, random_state=0), "y"),
    (RandomForestRegressor(6, min_samples_leaf=3, random_state=0), "y"),
    (RandomForestClassifier(6, min_samples_leaf=3, random_state=0), "two"),
    (ExtraTreesClassifier(5, min_samples_leaf=3, random_state=0), "three"),
    (GradientBoostingClassifier(n_estimators=5, random_state=0), "two"),
    (HistGradientBoostingClassifier(max_iter=4, random_state=0), "three"),
    (lmdi.GradientBoostingRegressor(5, random_state=0), "y"),
    (lmdi.RandomForestClassifier(5, random_state=0), "three"),
]


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestRegressor(6, min_samples_leaf=3, random_state=0).fit(data.X, data.y)


def explainers(model, data, y):
    yield lmdi.TreeSHAP(model)
    yield lmdi.TreeSHAP(model, data.X[:20])
    yield lmdi.Saabas(model)
    yield lmdi.LIME(model, data.X, n_samples=200)
    yield lmdi.MAPLE(model).fit(data.X, y)


@pytest.mark.parametrize(("model", "response"), MODELS, ids=lambda value: type(value).__name__)
def test_every_model_is_explained(data, model, response):
    y = getattr(data, response)
    model = clone(model).fit(data.X, y)
    raw = model_of(model).predict_raw(data.X)
    rows = data.X[:30]
    for explainer in explainers(model, data, y):
        e = explainer.explain(rows)
        assert isinstance(e, lmdi.Explanation)
        outputs = (3,) if response == "three" else ()
        assert e.values.shape == (*rows.shape, *outputs) and e.base_values.shape == (30, *outputs)
        assert e.output_names == {"y": None, "two": ["yes"], "three": ["0", "10", "20"]}[response]
        assert np.isfinite(e.values).all()
        if isinstance(explainer, (lmdi.TreeSHAP, lmdi.Saabas)):
            total = e.base_values + e.values.sum(axis=1)
            expected = raw[:30] if response == "three" else raw[:30, -1]
            assert np.abs(total - expected).max() < 1e-9
        else:
            assert e.scale == "identity"
        # Batches, threads and the order of rows change nothing.
        again = explainer.set_params(n_jobs=1) if not isinstance(explainer, lmdi.MAPLE) else explainer
        parts = [again.explain(rows[at : at + 7]).values for at in range(0, 30, 7)]
        assert np.array_equal(np.concatenate(parts), e.values)
        assert np.array_equal(again.explain(rows[::-1]).values, e.values[::-1])


def test_tree_shap_is_that_of_shap(data):
    # shap compares cells in 64 bits, scikit-learn in 32: cells that both read alike.
    X = (data.X - [0, 0, 1e6, 0, 0, 0]).astype(np.float32).astype(float)
    forest = RandomForestRegressor(6, min_samples_leaf=2, random_state=0).fit(X, data.y)
    rows = X[:40]
    ours = lmdi.TreeSHAP(forest)
    theirs = shap.TreeExplainer(forest, feature_perturbation="tree_path_dependent")
    size = np.abs(data.y).max()
    assert np.abs(ours.explain(rows).values - theirs.shap_values(rows)).max() < 1e-6 * size
    interactions = theirs.shap_interaction_values(rows)
    assert np.abs(ours.interactions(rows) - interactions).max() < 1e-6 * size
    against = shap.TreeExplainer(forest, X[:15], feature_perturbation="interventional")
    found = lmdi.TreeSHAP(forest, X[:15]).explain(rows)
    assert np.abs(found.values - against.shap_values(rows)).max() < 1e-6 * size
    assert np.abs(found.base_values - against.expected_value).max() < 1e-6 * size


def test_interactions_of_classes_add_up_to_scores(data):
    model = RandomForestClassifier(3, max_depth=4, random_state=0).fit(data.X, data.three)
    explainer = lmdi.TreeSHAP(model)
    found = explainer.interactions(data.X[:5])
    assert found.shape == (5, 6, 6, 3)
    assert np.abs(found.sum(axis=2) - explainer.explain(data.X[:5]).values).max() < 1e-12
    with pytest.raises(ValueError, match="without background rows"):
        lmdi.TreeSHAP(model, data.X).interactions(data.X[:5])


def test_local_mdi_averages_to_mdi(data):
    tree = DecisionTreeRegressor(max_depth=5, random_state=0).fit(data.X, data.y)
    e = lmdi.LocalMDI(tree).explain(data.X)
    expected = lmdi.MDI(tree, scale="impurity").importances_
    assert np.abs(e.values.mean(axis=0) - expected).max() < 1e-12
    forest = RandomForestClassifier(3, random_state=0).fit(data.X, data.three)
    e = lmdi.LocalMDI(forest).explain(data.X)
    assert e.shape == data.X.shape and e.output_names is None and e.scale == "impurity"
    one = lmdi.LocalMDI(forest, n_jobs=1)
    assert np.array_equal(one.explain(data.X[::-1]).values[::-1], e.values)
    assert np.array_equal(one.explain(data.X[3:9]).values, e.values[3:9])
    assert e.plot.bar() is not None
    boosted = GradientBoostingClassifier(n_estimators=2).fit(data.X, data.two)
    with pytest.raises(ValueError, match="local MDI is defined for forests"):
        lmdi.LocalMDI(boosted).explain(data.X)


def test_lime_keywords(data, forest):
    rows = data.X[:10]
    usual = lmdi.LIME(forest, data.X, n_samples=200).explain(rows).values
    expected = lmdi.LIME(forest, data.X).explain(rows).values
    many = lmdi.LIME(forest, data.X, n_samples=200_000).explain(rows).values
    # The penalty weighs less beside 200,000 neighbours than beside 5,000.
    assert np.abs(many - expected).max() < 0.05 * np.abs(expected).max()
    assert np.abs(usual - expected).max() > 0.05 * np.abs(expected).max()
    for change in (
        {"kernel_width": 0.5},
        {"alpha": 50.0},
        {"bins": 10},
        {"random_state": 1},
        {"categorical": [1]},
        {"categorical": ["x1"]},
        {"together": {"pair": ["x0", "x1"]}},
    ):
        other = lmdi.LIME(forest, data.X, n_samples=200, **change).explain(rows).values
        assert not np.array_equal(other, usual), change
    for how in ("auto", "highest_weights", "forward_selection", "lasso_path"):
        lime = lmdi.LIME(forest, data.X, n_samples=200, max_features=2, feature_selection=how)
        assert ((lime.explain(rows).values != 0).sum(axis=1) <= 2).all(), how
    pair = lmdi.LIME(forest, data.X, n_samples=200, together={"pair": ["x0", "x1"]}).explain(rows)
    grouped = pair.grouped({"pair": ["x0", "x1"]})
    assert grouped.feature_names == ["pair", "x2", "x3", "x4", "x5"]
    assert np.allclose(grouped.values[:, 0], pair.values[:, :2].sum(axis=1))


def test_lime_draws_the_categories_of_the_model_as_such():
    """Quartiles of the codes of three equally frequent categories would mix two of them."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"c": pd.Categorical(random.choice(["a", "b", "c"], 400)), "x": random.normal(size=400)}
    )
    y = np.where(frame["c"] == "b", 3.0, 0.0)
    model = HistGradientBoostingClassifier(categorical_features="from_dtype").fit(frame, y > 1)
    e = lmdi.LIME(model, frame, n_samples=2000).explain(frame[:50])
    is_b = (frame["c"] == "b").to_numpy()[:50]
    assert (e.values[is_b, 0] > 0.5).all() and (e.values[~is_b, 0] < -0.2).all()
    assert np.abs(e.values[:, 1]).max() < 0.15


def test_maple_validation_and_columns(data, forest):
    maple = lmdi.MAPLE(forest).fit(data.X[:200], data.y[:200], data.X[200:], data.y[200:])
    assert 1 <= len(maple.columns_) <= 6 and "x0" in maple.columns_
    fixed = lmdi.MAPLE(forest, n_columns=2).fit(data.X, data.y)
    e = fixed.explain(data.X)
    assert ((e.values != 0).any(axis=0)).sum() == 2
    local = e.base_values + e.values.sum(axis=1)
    assert np.corrcoef(local, data.y)[0, 1] > 0.9


def test_copies(data, forest):
    for explainer in explainers(forest, data, data.y):
        expected = explainer.explain(data.X[:9])
        copy = pickle.loads(pickle.dumps(explainer))
        # The library that grew the model is not in the pickle of an explainer that was used.
        assert isinstance(copy.model, lmdi.Model)
        assert np.array_equal(copy.explain(data.X[:9]).values, expected.values)
        other = clone(explainer)
        assert other.get_params().keys() == explainer.get_params().keys()
        if isinstance(explainer, lmdi.MAPLE):
            with pytest.raises(lmdi.NotFittedError):
                other.explain(data.X)
        else:
            assert np.array_equal(other.explain(data.X[:9]).values, expected.values)
        unused = pickle.loads(pickle.dumps(type(explainer)(**explainer.get_params())))
        assert isinstance(unused.model, RandomForestRegressor)
    frame = pd.DataFrame(data.X, columns=list("abcdef"))
    named = lmdi.Saabas(forest)
    assert named.explain(frame).feature_names == list("abcdef")
    assert named.feature_names_in_.tolist() == list("abcdef") and named.n_features_in_ == 6
    assert repr(lmdi.TreeSHAP(forest, n_jobs=2)) == "TreeSHAP(RandomForestRegressor, n_jobs=2)"


def test_changed_keywords_count(data, forest):
    lime = lmdi.LIME(forest, data.X, n_samples=100)
    before = lime.explain(data.X[:3]).values
    after = lime.set_params(random_state=5).explain(data.X[:3]).values
    assert not np.array_equal(before, after)
    with pytest.raises(ValueError, match="Invalid parameter 'seed' for LIME"):
        lime.set_params(seed=1)


def test_one_hot_columns_are_drawn_together():
    """Exactly the part that is set has the score, and it is that of the category."""
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"x": random.normal(size=200), "c": random.choice(["red", "blue", "green"], 200)})
    y = frame["x"] + 3 * (frame["c"] == "red")
    codes = pd.get_dummies(frame, dtype=float)
    forest = RandomForestRegressor(10, random_state=0).fit(codes, y)
    together = {"c": ["c_blue", "c_green", "c_red"]}
    e = lmdi.LIME(forest, codes, n_samples=500, together=together).explain(codes[:40])
    assert ((e.values[:, 1:] != 0).sum(axis=1) == 1).all()
    is_red = (frame["c"] == "red").to_numpy()[:40]
    grouped = e.grouped(together)
    assert (grouped.values[is_red, 1] > 1).all() and (grouped.values[~is_red, 1] < 0).all()


@pytest.mark.parametrize(
    ("keywords", "error", "advice"),
    [
        ({"n_samples": 1}, ValueError, "n_samples is 1; expected a whole number of at least 2"),
        ({"n_samples": 10**7}, ValueError, "`n_samples` is 10000000; expected 2 to 1,000,000"),
        ({"n_samples": 10.5}, ValueError, "n_samples is 10.5"),
        ({"kernel_width": -1.0}, ValueError, "`kernel_width` is -1"),
        ({"kernel_width": "wide"}, TypeError, "kernel_width is 'wide'; expected a number"),
        ({"alpha": -2}, ValueError, "`alpha` is -2"),
        ({"bins": 1000}, ValueError, "`n_bins` is 1000; expected 2 to 100"),
        ({"feature_selection": "best"}, ValueError, "`feature_selection` is best; expected auto"),
        ({"max_features": 0}, ValueError, "max_features is 0"),
        ({"categorical": ["z"]}, ValueError, "categorical names 'z', which is no column"),
        ({"categorical": [6]}, ValueError, "categorical names column 6; there are 6 columns"),
        ({"together": {"g": ["x0", "z"]}}, ValueError, "group 'g' names 'z', which is no column"),
        ({"together": {"g": ["x0"], "h": ["x0"]}}, ValueError, "in two groups, 'g' and 'h'"),
        ({"together": {"g": "x0"}}, TypeError, "expected a list of columns"),
        ({"together": ["x0"]}, TypeError, "expected a dict"),
        ({"random_state": -1}, ValueError, "random_state is -1"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
    ],
)
def test_bad_keywords_of_lime(data, forest, keywords, error, advice):
    with pytest.raises(error, match=advice):
        lmdi.LIME(forest, data.X, **keywords).explain(data.X)


def test_bad_input(data, forest):
    for explainer in (lmdi.TreeSHAP(forest), lmdi.Saabas(forest), lmdi.LIME(forest, data.X, n_samples=50)):
        with pytest.raises(ValueError, match="X has 3 features, but the model is expecting 6"):
            explainer.explain(data.X[:, :3])
        with pytest.raises(ValueError, match="infinite"):
            explainer.explain(np.full((2, 6), np.inf))
        assert explainer.explain(data.X[:0]).shape == (0, 6)
    for background, advice in ((data.X[:0], "background"), (data.X[:, :2], "2 features")):
        for kind in (lmdi.TreeSHAP, lmdi.LIME):
            with pytest.raises(ValueError, match=advice):
                kind(forest, background).explain(data.X)
    with pytest.raises(ValueError, match="background is None"):
        lmdi.LIME(forest, None).explain(data.X)
    with pytest.raises(TypeError, match="pass a fitted object"):
        lmdi.TreeSHAP(RandomForestRegressor).explain(data.X)
    with pytest.raises(Exception, match="not fitted yet"):
        lmdi.Saabas(RandomForestRegressor()).explain(data.X)
    with pytest.raises(lmdi.NotFittedError, match="MAPLE instance is not fitted yet"):
        lmdi.MAPLE(forest).explain(data.X)
    with pytest.raises(ValueError, match="X has 300 rows, y has 3"):
        lmdi.MAPLE(forest).fit(data.X, data.y[:3])
    with pytest.raises(ValueError, match="give both or none"):
        lmdi.MAPLE(forest).fit(data.X, data.y, X_validation=data.X)
    with pytest.raises(ValueError, match="`n_columns`"):
        lmdi.MAPLE(forest, n_columns=7).fit(data.X, data.y)
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        lmdi.MAPLE(forest).fit(data.X[:0], data.y[:0])


@pytest.mark.parametrize("kind", ["forest", "sklearn", "xgboost", "lightgbm"])
def test_probabilities_against_background_rows(data, kind):
    """Base plus scores is the probability; shap scales in the same way."""
    import lightgbm
    import shap
    import xgboost
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

    X = data.X.astype(np.float32).astype(np.float64)
    X[:, 2] -= 1e6
    y = (data.two == "yes").astype(int)
    model = {
        "forest": RandomForestClassifier(5, max_depth=4, random_state=0),
        "sklearn": GradientBoostingClassifier(n_estimators=5, random_state=0),
        "xgboost": xgboost.XGBClassifier(n_estimators=5, max_depth=3),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=5, verbose=-1),
    }[kind].fit(X, y)
    background, rows = X[:20], X[20:60]
    explainer = lmdi.TreeSHAP(model, background, model_output="probability")
    e = explainer.explain(rows)
    assert e.scale == "probability" and e.output_names == ["1"]
    proba = model.predict_proba(rows)[:, 1]
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), proba, atol=1e-6)
    np.testing.assert_allclose(e.base_values, model.predict_proba(background)[:, 1].mean(), atol=1e-6)
    np.testing.assert_allclose(explainer.expected_value, e.base_values[0])
    if kind != "forest":
        theirs = shap.TreeExplainer(model, background, model_output="probability").shap_values(rows)
        close = np.abs(e.values - theirs) < 1e-4
        assert close.mean() > 0.95


def test_probabilities_that_cannot_be_had(data):
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestRegressor

    numbers = RandomForestRegressor(2, max_depth=2).fit(data.X, data.y)
    with pytest.raises(ValueError, match="classes; this model predicts numbers"):
        lmdi.TreeSHAP(numbers, data.X[:5], model_output="probability").explain(data.X)
    two = GradientBoostingClassifier(n_estimators=2).fit(data.X, data.two)
    with pytest.raises(ValueError, match="against background rows"):
        lmdi.TreeSHAP(two, model_output="probability").explain(data.X)
    three = GradientBoostingClassifier(n_estimators=2).fit(data.X, data.three)
    with pytest.raises(ValueError, match="depend on one another"):
        lmdi.TreeSHAP(three, data.X[:5], model_output="probability").explain(data.X)
    with pytest.raises(ValueError, match="model_output is 'log_loss'"):
        lmdi.TreeSHAP(two, data.X[:5], model_output="log_loss").explain(data.X)
