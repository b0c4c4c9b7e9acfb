"""The public tests of shap's TreeExplainer that apply, on our TreeSHAP: the model of each, under its name.

Checked for every one: base value plus scores is the model's own raw prediction, and scores and interactions
are those that shap gives, or the library's own engine through shap. shap allows 1e-4 for sums; here it is
1e-9 of the largest prediction, and for XGBoost, which predicts and explains in 32 bits, 1e-5.

Tables that those tests fetch from the network (housing prices, census) are replaced by ones that come with
scikit-learn, with the same kind of response. `docs/methods.md` says which tests do not apply, and why.
"""

import json

import numpy as np
import pandas as pd
import pytest
import shap
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import lmdi


def rounded(X):
    """Cells that 32 and 64 bits read alike: shap compares in 64 bits, scikit-learn in 32."""
    return np.asarray(X, dtype=np.float32).astype(float)


def iris():
    X, y = load_iris(return_X_y=True)
    return rounded(X), y


def iris_of_two():
    X, y = iris()
    return X, np.minimum(y, 1)


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return rounded(X), y


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return rounded(X), y


def digits():
    X, y = load_digits(return_X_y=True)
    return rounded(X[:300]), y[:300]


def line(n=200, two=False):
    """Seven columns that a sum of weights, or a coin with such a probability, is to be predicted from."""
    random = np.random.default_rng(0)
    X = rounded(random.normal(size=(n, 7)))
    y = X @ [-2, 1, 3, 5, 2, 20, -5]
    return X, (random.random(n) < (y - y.min()) / np.ptp(y)).astype(int) if two else y


def line_of_two():
    return line(two=True)


def three_random_classes():
    X, _ = line(400)
    return X, np.random.default_rng(1).integers(0, 3, len(X))


def sparse():
    X, y = line_of_two()
    return np.where(X < 0.5, 0.0, X), y


def positive():
    X, y = line()
    return X, np.exp(y / 10)


def conjunction():
    return np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float), np.array([0, 0, 0, 80])


def one_present_cell():
    return np.array([[1], [np.nan], [np.nan], [np.nan], [100]]), np.array([1, 0, 0, 0, 0])


def nearly_constant():
    X = np.ones((4, 3))
    X[0, 2] = 0.99999
    return rounded(X), np.array([1, 1, 1, 0])


def wide():
    random = np.random.default_rng(0)
    return random.integers(0, 2, size=(5, 90_000)).astype(float), random.integers(0, 2, size=5)


# The name of shap's test, the estimator and the table.
SKLEARN = [
    ("sklearn_decision_tree_multiclass", DecisionTreeClassifier(random_state=0), iris_of_two),
    ("sklearn_random_forest_multiclass", RandomForestClassifier(random_state=0), iris_of_two),
    ("sklearn_interaction_values", RandomForestClassifier(10, random_state=0), iris),
    (
        "sum_match_random_forest_classifier",
        RandomForestClassifier(10, max_depth=10, random_state=202),
        cancer,
    ),
    ("sum_match_extra_trees", ExtraTreesRegressor(10, max_depth=10, random_state=202), diabetes),
    ("front_page_sklearn", RandomForestRegressor(10, random_state=0), diabetes),
    (
        "sum_match_gradient_boosting_classifier",
        GradientBoostingClassifier(n_estimators=10, max_depth=10, random_state=202),
        cancer,
    ),
    (
        "sum_match_gradient_boosting_regressor",
        GradientBoostingRegressor(n_estimators=10, max_depth=10, random_state=202),
        diabetes,
    ),
    ("HistGradientBoostingRegressor", HistGradientBoostingRegressor(max_iter=100, max_depth=6), diabetes),
    (
        "HistGradientBoostingClassifier_multidim",
        HistGradientBoostingClassifier(max_iter=10, max_depth=6),
        three_random_classes,
    ),
    ("consistency_approximate", DecisionTreeRegressor(max_depth=2, random_state=0), conjunction),
    (
        "sklearn_tree_explainer_with_missing_values",
        DecisionTreeClassifier(random_state=0),
        one_present_cell,
    ),
    ("tight_sensitivity_extra", ExtraTreesClassifier(100, random_state=0), nearly_constant),
    ("tree_explainer_with_single_tree", DecisionTreeClassifier(max_depth=3, random_state=0), line_of_two),
    ("tree_explainer_with_decision_tree_regressor", DecisionTreeRegressor(max_depth=4, random_state=0), line),
    ("tree_explainer_with_interactions", DecisionTreeRegressor(max_depth=5, random_state=0), line),
    (
        "tree_explainer_random_forest_binary_classification",
        RandomForestClassifier(10, max_depth=4, random_state=0),
        line_of_two,
    ),
    (
        "tree_explainer_gradient_boosting_regressor",
        GradientBoostingRegressor(n_estimators=20, random_state=0),
        line,
    ),
    (
        "tree_explainer_gradient_boosting_classifier",
        GradientBoostingClassifier(n_estimators=15, random_state=0),
        line_of_two,
    ),
    ("tree_explainer_with_sparse_data", DecisionTreeClassifier(max_depth=4, random_state=0), sparse),
    ("tree_explainer_multiclass", DecisionTreeClassifier(max_depth=4, random_state=0), iris),
]


def raw_of_sklearn(model, X):
    """What scores add up to: numbers, the share of the second class or of all, log-odds."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        return shares[:, 1] if shares.shape[1] == 2 else shares
    return model.predict(X)


def second_of_two(values):
    return values[..., 1] if values.shape[-1] == 2 else values


def close(found, expected, tolerance):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize(("name", "model", "table"), SKLEARN, ids=[case[0] for case in SKLEARN])
def test_sklearn(name, model, table):
    X, y = table()
    model.fit(X, y)
    rows = X[:40]
    ours, theirs = lmdi.TreeSHAP(model), shap.TreeExplainer(model)
    e = ours.explain(rows)
    raw = raw_of_sklearn(model, rows)
    close(e.base_values + e.values.sum(axis=1), raw, 1e-9)
    values = theirs.shap_values(rows)
    close(e.values, second_of_two(values) if raw.ndim == 1 and values.ndim == 3 else values, 1e-6)
    pairs = ours.interactions(rows[:5])
    expected = theirs.shap_interaction_values(rows[:5])
    close(pairs, second_of_two(expected) if raw.ndim == 1 and expected.ndim == 4 else expected, 1e-6)
    # A single row, and 32-bit cells.
    assert np.array_equal(ours.explain(rows[:1]).values[0], e.values[0])
    assert np.array_equal(ours.explain(rows.astype(np.float32)).values, e.values)


def test_values_known_by_heart():
    X, y = iris_of_two()
    e = lmdi.TreeSHAP(RandomForestClassifier(100, random_state=0).fit(X, y)).explain(X)
    assert abs(e.values[0, 0] + 0.05) < 1e-3
    X, y = conjunction()
    tree = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    exact = [[-10, -10], [-30, 10], [10, -30], [30, 30]]
    found = lmdi.TreeSHAP(tree).explain(X).values
    assert np.allclose(np.sort(found, axis=1), np.sort(exact, axis=1), atol=1e-12)
    # What shap calls approximate.
    assert np.allclose(
        lmdi.Saabas(tree).explain(X).values, shap.TreeExplainer(tree).shap_values(X, approximate=True)
    )
    X, y = one_present_cell()
    e = lmdi.TreeSHAP(DecisionTreeClassifier(random_state=0).fit(X, y)).explain(X)
    assert np.allclose(e.values[:, 0], [0.8, -0.2, -0.2, -0.2, -0.2], atol=1e-12)


def test_gh_3948_many_columns():
    X, y = wide()
    model = RandomForestClassifier(100, random_state=0).fit(X, y)
    e = lmdi.TreeSHAP(model, X).explain(X)
    close(e.base_values + e.values.sum(axis=1), model.predict_proba(X)[:, 1], 1e-9)


BACKGROUND = [
    ("tree_explainer_with_background_data", DecisionTreeClassifier(max_depth=3, random_state=0), line_of_two),
    ("newsgroups", RandomForestClassifier(10, random_state=777), digits),
    (
        "HistGradientBoostingClassifier_multidim",
        HistGradientBoostingClassifier(max_iter=10),
        three_random_classes,
    ),
    ("skopt_rf_et", ExtraTreesRegressor(10, random_state=0), line),
]


@pytest.mark.parametrize(("name", "model", "table"), BACKGROUND, ids=[case[0] for case in BACKGROUND])
def test_background_of_sklearn(name, model, table):
    X, y = table()
    model.fit(X, y)
    background, rows = X[:50], X[50:70]
    e = lmdi.TreeSHAP(model, background).explain(rows)
    raw = raw_of_sklearn(model, X)
    close(e.base_values + e.values.sum(axis=1), raw[50:70], 1e-9)
    close(e.base_values[0], raw[:50].mean(axis=0), 1e-9)
    theirs = shap.TreeExplainer(model, background, feature_perturbation="interventional")
    values = theirs.shap_values(rows)
    close(e.values, second_of_two(values) if raw.ndim == 1 and values.ndim == 3 else values, 1e-6)


def xgboost_models():
    xgboost = pytest.importorskip("xgboost")
    yield "xgboost_regression", xgboost.XGBRegressor(), diabetes
    yield "xgboost_regression_forest", xgboost.XGBRFRegressor(), diabetes
    yield "xgboost_direct", xgboost.XGBRegressor(random_state=0), line
    yield "xgboost_multiclass", xgboost.XGBClassifier(n_estimators=10, max_depth=4), iris
    yield "tree_limit", xgboost.XGBClassifier(n_estimators=10, num_parallel_tree=3), iris
    yield (
        "tree_explainer_with_xgboost_classifier",
        xgboost.XGBClassifier(n_estimators=15, max_depth=3),
        cancer,
    )
    yield "xgboost_tweedie_regression", xgboost.XGBRegressor(objective="reg:tweedie"), positive
    yield "xgboost_dart_regression", xgboost.XGBRegressor(booster="dart", n_estimators=10), diabetes
    yield "xgboost_dmatrix_propagation", xgboost.XGBClassifier(missing=0.0, n_estimators=10), sparse
    yield "xgboost_dmatrix_propagation_forest", xgboost.XGBRFClassifier(missing=0.0), sparse


def test_xgboost():
    for name, model, table in xgboost_models():
        X, y = table()
        model.fit(X, y)
        rows = X[:40]
        ours, theirs = lmdi.TreeSHAP(model), shap.TreeExplainer(model)
        e = ours.explain(rows)
        margin = model.predict(rows, output_margin=True)
        assert np.abs(e.base_values + e.values.sum(axis=1) - margin).max() < 1e-5 * np.abs(margin).max(), name
        values = theirs.shap_values(rows)
        assert np.abs(e.values - values).max() < 1e-5 * np.abs(values).max(), name
        if not name.startswith("xgboost_dmatrix"):  # shap passes no missing value to interactions
            pairs = theirs.shap_interaction_values(rows[:5])
            assert np.abs(ours.interactions(rows[:5]) - pairs).max() < 1e-5 * np.abs(pairs).max(), name


def test_xgboost_against_background_rows():
    """test_single_tree_compare_with_kernel_shap, test_several_trees, test_provided_background_independent."""
    xgboost = pytest.importorskip("xgboost")
    X, y = line(100)
    settings = {"eta": 1, "max_depth": 6, "base_score": 0, "lambda": 0}
    one = xgboost.train(settings, xgboost.DMatrix(X, label=y), 1)
    e = lmdi.TreeSHAP(one, X).explain(X[:3])
    kernel = shap.KernelExplainer(lambda rows: one.predict(xgboost.DMatrix(rows)), X)
    close(e.values, kernel.shap_values(X[:3], nsamples=150, silent=True), 1e-5)
    several = xgboost.train(settings, xgboost.DMatrix(X, label=y), 20)
    labels = (y > 0).astype(int)
    odds = xgboost.train({"objective": "binary:logistic"}, xgboost.DMatrix(X, label=labels), 20)
    for model in (several, odds):
        e = lmdi.TreeSHAP(model, X).explain(X[:20])
        margin = model.predict(xgboost.DMatrix(X), output_margin=True)
        close(e.base_values + e.values.sum(axis=1), margin[:20], 1e-5)
        assert abs(e.base_values[0] - margin.mean()) < 1e-5 * np.abs(margin).max()
        theirs = shap.TreeExplainer(model, X, feature_perturbation="interventional")
        close(e.values, theirs.shap_values(X[:20]), 1e-5)


def test_lightgbm():
    """lightgbm, _binary, _multiclass, _interaction(s), _constant_prediction, _constant_multiclass."""
    lightgbm = pytest.importorskip("lightgbm")
    few = {"n_estimators": 20, "n_jobs": 1, "verbose": -1}
    cases = [
        (lightgbm.LGBMRegressor(**few), diabetes),
        (lightgbm.LGBMClassifier(**few), cancer),
        (lightgbm.LGBMClassifier(**few), iris),
        (lightgbm.LGBMClassifier(**few | {"n_estimators": 10, "max_depth": 3}), digits),
    ]
    for model, table in cases:
        X, y = table()
        model.fit(X, y)
        rows = X[:20]
        ours, theirs = lmdi.TreeSHAP(model), shap.TreeExplainer(model)
        e = ours.explain(rows)
        raw = model.predict(rows, raw_score=True)
        close(e.base_values + e.values.sum(axis=1), raw, 1e-9)
        close(e.values, theirs.shap_values(rows), 1e-9)
        pairs = ours.interactions(rows[:5])
        close(pairs, theirs.shap_interaction_values(rows[:5]), 1e-6)
        close(pairs.sum(axis=2), e.values[:5], 1e-9)
    X, y = diabetes()
    constant = lightgbm.LGBMRegressor(**few).fit(X, np.full(len(X), y.mean()))
    e = lmdi.TreeSHAP(constant).explain(X[:5])
    assert (e.values == 0).all() and np.allclose(e.base_values, y.mean())
    X, _ = iris()
    settings = few | {"objective": "multiclass", "num_class": 3}
    model = lightgbm.train(settings, lightgbm.Dataset(X, np.ones(len(X))))
    e = lmdi.TreeSHAP(model).explain(X[:5])
    close(e.base_values + e.values.sum(axis=1), model.predict(X[:5], raw_score=True), 1e-9)


def test_lightgbm_categorical_split():
    lightgbm = pytest.importorskip("lightgbm")
    X, y = diabetes()
    frame = pd.DataFrame(X, columns=[f"x{at}" for at in range(X.shape[1])])
    frame["group"] = pd.cut(frame["x0"], 5, labels=list("abcde")).astype(object)
    frame["group"] = pd.Categorical(frame["group"], categories=list("dbeac"))
    model = lightgbm.LGBMRegressor(
        n_estimators=30, max_cat_to_onehot=1, min_data_per_group=5, cat_smooth=1, n_jobs=1, verbose=-1
    ).fit(frame, y)
    assert "num_cat=1" in model.booster_.model_to_string()
    rows = frame[:20]
    ours = lmdi.TreeSHAP(model)
    e = ours.explain(rows)
    close(e.base_values + e.values.sum(axis=1), model.predict(rows, raw_score=True), 1e-9)
    close(e.values, model.predict(rows, pred_contrib=True)[:, :-1], 1e-9)
    close(ours.interactions(rows).sum(axis=2), e.values, 1e-9)


def turned_round(model, path):
    """The same CatBoost model with the splits of every tree in reverse order."""
    model.save_model(path, format="json")
    content = json.loads(path.read_text())
    for tree in content["oblivious_trees"]:
        depth = len(tree["splits"])
        tree["splits"].reverse()
        from_leaf = [int(f"{leaf:0{depth}b}"[::-1], 2) for leaf in range(2**depth)]
        for per_leaf in ("leaf_values", "leaf_weights"):
            tree[per_leaf] = [tree[per_leaf][leaf] for leaf in from_leaf]
    path.write_text(json.dumps(content))
    return type(model)().load_model(path, format="json")


def test_catboost(tmp_path):
    """test_catboost, test_catboost_interactions, test_catboost_regression_interactions.

    A tree of CatBoost asks one question per level. We start at the split that was found first; CatBoost's own
    engine at the one found last, which is another game. It plays ours on trees that are turned round.
    """
    catboost = pytest.importorskip("catboost")
    few = {"iterations": 10, "random_seed": 12, "verbose": False, "allow_writing_files": False}
    cases = [
        (catboost.CatBoostRegressor(**few), diabetes),
        (catboost.CatBoostClassifier(learning_rate=0.5, **few), cancer),
        (catboost.CatBoostClassifier(depth=1, **few), cancer),
    ]
    for model, table in cases:
        X, y = table()
        model.fit(X, y)
        rows = X[:40]
        ours = lmdi.TreeSHAP(model)
        e = ours.explain(rows)
        raw = model.predict(rows, prediction_type="RawFormulaVal")
        close(e.base_values + e.values.sum(axis=1), raw, 1e-9)
        theirs = shap.TreeExplainer(turned_round(model, tmp_path / "turned.json"))
        close(e.values, theirs.shap_values(rows), 1e-6)
        pairs = ours.interactions(rows[:5])
        close(e.base_values[:5] + pairs.sum(axis=(1, 2)), raw[:5], 1e-9)
