"""Models of XGBoost are read exactly, live: the same leaf for every row, the same margins."""

import os
import warnings

import numpy as np
import pandas as pd
import pytest

import lmdi
from lmdi import _lmdi
from lmdi._models import model_of
from rows import probing_frame, probing_rows

xgboost = pytest.importorskip("xgboost")
SMALL = {"n_estimators": 8, "max_depth": 4, "learning_rate": 0.3, "n_jobs": 1, "random_state": 0}


def thresholds(booster, n_columns):
    names = booster.feature_names or [f"f{at}" for at in range(n_columns)]
    frame = booster.trees_to_dataframe()
    frame = frame[(frame["Feature"] != "Leaf") & frame["Split"].notna()]
    place = {name: at for at, name in enumerate(names)}
    return [(place[name], float(cell)) for name, cell in zip(frame["Feature"], frame["Split"])]


def check_exact(model, rows, booster, rounds="all", frame=None):
    """Leaves equal to `pred_leaf`, margins within 1e-6 relative to the sum of absolute leaf values."""
    ours = model_of(model)
    ids = _lmdi.foreign_node_ids(bytes(booster.save_raw("ubj")), rounds)
    for a, b in zip(ids, _lmdi.foreign_node_ids(bytes(booster.save_raw("json")), rounds), strict=True):
        assert np.array_equal(a, b)
    table = rows if frame is None else frame
    missing = getattr(model, "missing", np.nan)
    matrix = xgboost.DMatrix(table, missing=missing, enable_categorical=True)
    used = (0, 0) if rounds == "all" else (0, booster.best_iteration + 1)
    theirs = booster.predict(matrix, pred_leaf=True, iteration_range=used).reshape(len(table), -1)
    leaves = ours.apply(table)
    found = np.stack([ids[tree][leaves[:, tree]] for tree in range(leaves.shape[1])], axis=1)
    assert (found != theirs).sum() == 0
    margins = booster.predict(matrix, output_margin=True, iteration_range=used)
    margins = margins.reshape(len(table), -1)
    raw = ours.predict_raw(table)
    np.testing.assert_allclose(raw, margins, rtol=1e-6, atol=2e-6 * max(1, np.abs(margins).max()))
    return ours


@pytest.mark.parametrize("missing", [False, True], ids=["numbers", "missing"])
@pytest.mark.parametrize(
    ("kind", "options", "response"),
    [
        ("XGBRegressor", {}, "y"),
        ("XGBRegressor", {"booster": "dart", "rate_drop": 0.4}, "y"),
        ("XGBRegressor", {"objective": "count:poisson"}, "counts"),
        ("XGBRegressor", {"tree_method": "exact"}, "y"),
        ("XGBRFRegressor", {"learning_rate": 1.0}, "y"),
        ("XGBClassifier", {}, "binary"),
        ("XGBClassifier", {"num_parallel_tree": 2}, "binary"),
        ("XGBClassifier", {}, "codes"),
    ],
)
def test_numbers_and_missing_cells(data, kind, options, response, missing):
    X = data.X_missing if missing else data.X
    made = {
        "counts": np.abs(np.round(data.y)),
        "binary": (data.two == "yes").astype(int),
        "codes": data.three // 10,
    }
    y = made.get(response, data.y)
    model = getattr(xgboost, kind)(**{**SMALL, **options}).fit(X, y)
    booster = model.get_booster()
    rows = probing_rows(X, thresholds(booster, X.shape[1]))
    for table in (rows, rows.astype(np.float32)):
        check_exact(model, table, booster)
        check_exact(booster, table, booster)
    if hasattr(model, "predict_proba"):
        ours = model_of(model)
        np.testing.assert_allclose(ours.predict_proba(X), model.predict_proba(X), atol=1e-6)
        assert (ours.predict(X) == model.predict(X)).all()


def test_the_best_round_counts(data):
    model = xgboost.XGBRegressor(**{**SMALL, "n_estimators": 200}, early_stopping_rounds=3)
    model.fit(data.X[:200], data.y[:200], eval_set=[(data.X[200:], data.y[200:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    assert model_of(model).n_trees == model.best_iteration + 1
    check_exact(model, data.X, model.get_booster(), rounds="best")
    assert model_of(model.get_booster()).n_trees == model.get_booster().num_boosted_rounds()


def test_a_number_that_means_missing(data):
    X = np.where(np.isnan(data.X_missing), -999.0, data.X_missing)
    model = xgboost.XGBRegressor(missing=-999.0, **SMALL).fit(X, data.y)
    check_exact(model, X, model.get_booster())
    nan = model_of(model).apply(data.X_missing)
    assert np.array_equal(nan, model_of(model).apply(X))


def test_categories(data):
    random = np.random.default_rng(0)
    names = np.array(["red", "green", "blue", "grey"])
    frame = pd.DataFrame(
        {"x": data.X_missing[:, 0], "c": pd.Categorical(random.choice(names, 300)), "z": data.X[:, 3]}
    )
    frame.loc[::11, "c"] = None
    y = data.y + 2 * (frame["c"] == "red") - (frame["c"] == "blue")
    model = xgboost.XGBRegressor(enable_categorical=True, max_cat_to_onehot=1, **SMALL).fit(frame, y)
    booster = model.get_booster()
    check_exact(model, None, booster, frame=frame)
    assert booster.trees_to_dataframe()["Category"].notna().any()
    probe = probing_frame(frame, thresholds(booster, 3))
    check_exact(model, None, booster, frame=probe)
    # The same categories in another order of codes mean the same.
    other = frame.assign(c=frame["c"].cat.reorder_categories(["grey", "red", "blue", "green"]))
    assert np.array_equal(model_of(model).apply(other), model_of(model).apply(frame))
    # XGBoost itself refuses a category that it was not trained on; here it is missing, with a warning.
    new = probing_frame(frame, [], unseen="zebra")
    with pytest.raises(ValueError, match="not in the training set"):
        model.predict(new)
    with pytest.warns(lmdi.LmdiWarning, match="column 'c' holds 'zebra'"):
        leaves = model_of(model).apply(new)
    gone = new.assign(c=new["c"].cat.remove_categories("zebra"))
    assert np.array_equal(leaves, model_of(model).apply(gone))


@pytest.mark.parametrize("names", [["süd", "nord", "øst", "日本", "🦀"], ["a", "é"], ["日", "本", "語"]])
def test_categories_beyond_ascii(data, names):
    """XGBoost 3.1 and 3.2 keep such names of pandas categories damaged, and do not know them themselves."""
    codes = (data.X[:, 1].astype(int)) % len(names)
    cells = pd.Categorical.from_codes(codes, categories=names)
    frame = pd.DataFrame(
        {"plain": data.X[:, 0], "c": cells, "d": pd.Categorical(np.where(codes > 1, "x", "y"))}
    )
    y = data.y + 3 * codes
    model = xgboost.XGBRegressor(enable_categorical=True, max_cat_to_onehot=1, **SMALL).fit(frame, y)
    e = lmdi.TreeSHAP(model).explain(frame)
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), model.predict(frame), rtol=1e-5)
    # By name also in a table of another order, which XGBoost cannot tell.
    trees = lmdi.LMDIPlus(model).fit(frame, y).model_
    other = frame.assign(c=frame["c"].cat.reorder_categories(names[::-1]).astype(object))
    np.testing.assert_array_equal(trees.predict(other), trees.predict(frame))
    # Without the table, names are as XGBoost keeps them: told, or refused.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((lmdi.LmdiWarning, ValueError), match="letters beyond ASCII"):
            lmdi.export(model, os.devnull)


def test_categories_by_code(data):
    """Codes as numbers: missing, unknown, negative and broken ones."""
    X = np.column_stack([data.X_missing[:, 0], data.X[:, 1], data.X[:, 3]])
    kinds = {"feature_types": ["q", "c", "q"], "enable_categorical": True}
    matrix = xgboost.DMatrix(X, data.y, **kinds)
    booster = xgboost.train({"max_depth": 4, "nthread": 1, "max_cat_to_onehot": 1}, matrix, 8)
    assert booster.trees_to_dataframe()["Category"].notna().any()
    rows = probing_rows(X, thresholds(booster, 3))
    rows[:, 1] = np.resize([0.0, -0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 77.0, -1.0, 1.5, 1e-36, np.nan], len(rows))
    theirs = booster.predict(xgboost.DMatrix(rows, **kinds), pred_leaf=True)
    leaves = model_of(booster).apply(rows)
    ids = _lmdi.foreign_node_ids(bytes(booster.save_raw("ubj")), "all")
    found = np.stack([ids[tree][leaves[:, tree]] for tree in range(leaves.shape[1])], axis=1)
    assert (found != theirs).sum() == 0


def test_explained(data):
    model = xgboost.XGBClassifier(**SMALL).fit(data.X, data.three // 10)
    e = lmdi.LMDIPlus(model).fit(data.X, data.three // 10).explain(data.X)
    assert e.values.shape == (300, 6, 3) and e.scale == "softmax"
    unfitted = xgboost.XGBRegressor()
    with pytest.raises(lmdi.NotFittedError):
        lmdi.LMDIPlus(unfitted).fit(data.X, data.y)
    linear = xgboost.XGBRegressor(booster="gblinear").fit(data.X, data.y)
    with pytest.raises(ValueError, match="gblinear|linear"):
        lmdi.LMDIPlus(linear).fit(data.X, data.y)


@pytest.mark.parametrize(
    "keywords", [{}, {"num_parallel_tree": 3, "subsample": 0.5}, {"early_stopping_rounds": 2}]
)
def test_several_targets(keywords):
    """Trees of one target each: values are XGBoost's own contributions, target by target."""
    random = np.random.default_rng(5)
    X = random.random((200, 4))
    Y = np.column_stack([2 * X[:, 0] + X[:, 1], 30 * X[:, 2], X[:, 3] - X[:, 0]])
    model = xgboost.XGBRegressor(n_estimators=20, max_depth=3, **keywords)
    stops = "early_stopping_rounds" in keywords
    noise = random.normal(size=(50, 3))
    model.fit(X, Y, **({"eval_set": [(X[:50], Y[:50] + noise)], "verbose": False} if stops else {}))
    rounds = (0, model.best_iteration + 1) if stops else (0, 0)
    own = model.get_booster().predict(xgboost.DMatrix(X), pred_contribs=True, iteration_range=rounds)
    e = lmdi.TreeSHAP(model).explain(X)
    np.testing.assert_allclose(e.values, np.moveaxis(own[:, :, :-1], 1, 2), atol=1e-4)
    np.testing.assert_allclose(e.prediction, model.predict(X), atol=1e-4)
    assert e.output_names == ["y0", "y1", "y2"]
    fitted = lmdi.LMDIPlus(model).fit(X, Y).explain(X)
    assert fitted[..., "y1"].fidelity.share > 0.95


def test_several_targets_that_share_leaves_or_are_classes():
    X = np.random.default_rng(6).random((100, 3))
    both = np.column_stack([X[:, 0], X[:, 1]])
    booster = xgboost.train({"max_depth": 2}, xgboost.DMatrix(X, both), 3)
    e = lmdi.TreeSHAP(booster).explain(X)
    np.testing.assert_allclose(e.prediction, booster.predict(xgboost.DMatrix(X)), atol=1e-5)
    shared = xgboost.XGBRegressor(n_estimators=20, multi_strategy="multi_output_tree", tree_method="hist")
    shared.fit(X, both)
    e = lmdi.TreeSHAP(shared).explain(X)
    # XGBoost gives no contributions of such models itself: they add up to what it predicts.
    np.testing.assert_allclose(e.values.sum(axis=1) + e.base_values, shared.predict(X), atol=1e-5)
    assert lmdi.LMDIPlus(shared).fit(X, both).explain(X)[..., "y1"].fidelity.share > 0.95
    with pytest.raises(TypeError, match="the classes of 2 targets at once; fit one model per target"):
        lmdi.TreeSHAP(xgboost.XGBClassifier(n_estimators=2).fit(X, (both > 0.5).astype(int))).explain(X)


@pytest.mark.parametrize("keywords", [{}, {"num_parallel_tree": 3}, {"early_stopping_rounds": 3}])
def test_classes_whose_trees_share_leaves(keywords, tmp_path):
    X = np.random.default_rng(3).normal(size=(300, 4))
    y = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
    model = xgboost.XGBClassifier(
        n_estimators=12, max_depth=3, multi_strategy="multi_output_tree", **keywords
    )
    stops = {"eval_set": [(X[:60], y[:60])], "verbose": False} if "early_stopping_rounds" in keywords else {}
    model.fit(X, y, **stops)
    e = lmdi.TreeSHAP(model).explain(X)
    margin = model.predict(X, output_margin=True)
    np.testing.assert_allclose(e.values.sum(axis=1) + e.base_values, margin, atol=1e-5)
    np.testing.assert_allclose(e.prediction, model.predict_proba(X), atol=1e-6)
    assert lmdi.LMDIPlus(model).fit(X, y).explain(X).fidelity.share > 0.9


def test_models_of_xgboost_on_spark():
    spark = pytest.importorskip("xgboost.spark", reason="xgboost.spark needs pyspark")
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    for own, there, y in [
        (xgboost.XGBRegressor, spark.SparkXGBRegressorModel, X[:, 0]),
        (xgboost.XGBClassifier, spark.SparkXGBClassifierModel, X[:, 0] > 0),
    ]:
        model = own(n_estimators=5, max_depth=2).fit(X, y)
        found, expected = (lmdi.TreeSHAP(one).explain(X).values for one in (there(model), model))
        assert np.array_equal(found, expected)
