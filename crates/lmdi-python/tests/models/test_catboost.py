"""Models of CatBoost are read exactly, live: the same leaf for every row, the same margins."""

import numpy as np
import pandas as pd
import pytest

import lmdi
from lmdi import _lmdi
from lmdi._models import model_of
from lmdi._models.boosters.catboost import _json, _pool
from rows import probing_frame, probing_rows

catboost = pytest.importorskip("catboost")
SMALL = {
    "iterations": 8,
    "depth": 4,
    "verbose": False,
    "allow_writing_files": False,
    "random_seed": 0,
    "thread_count": 1,
}


def check_exact(model, table, training=None):
    training = table if training is None else training
    ours = model_of(model, training)
    ids = _lmdi.foreign_node_ids(_json(model, _pool(model, training, None)), "all")
    theirs = model.calc_leaf_indexes(table).reshape(len(table), -1)
    leaves = ours.apply(table)
    found = np.stack([ids[tree][leaves[:, tree]] for tree in range(leaves.shape[1])], axis=1)
    assert (found != theirs).sum() == 0
    # That a number means the same leaf on both sides: CatBoost keeps the values of leaves by number.
    values = np.asarray(model.get_leaf_values()).reshape(-1, ours.predict_raw(table[:1]).shape[1])
    first = np.cumsum([0, *model.get_tree_leaf_counts()]).astype(int)[:-1]
    scale, bias = model.get_scale_and_bias()
    total = scale * values[first + theirs.astype(int)].sum(axis=1) + bias
    np.testing.assert_allclose(ours.predict_raw(table), total, rtol=1e-12, atol=1e-12)
    margins = model.predict(table, prediction_type="RawFormulaVal").reshape(len(table), -1)
    np.testing.assert_allclose(ours.predict_raw(table), margins, rtol=1e-6, atol=1e-9)
    return ours


def borders(model):
    return [(at, float(border)) for at, list_ in model.get_borders().items() for border in list_]


@pytest.mark.parametrize("missing", [False, True], ids=["numbers", "missing"])
@pytest.mark.parametrize("policy", ["SymmetricTree", "Lossguide", "Depthwise"])
@pytest.mark.parametrize("response", ["y", "two", "three"])
def test_numbers_and_missing_cells(data, policy, response, missing):
    X = data.X_missing if missing else data.X
    kind = catboost.CatBoostRegressor if response == "y" else catboost.CatBoostClassifier
    y = getattr(data, response)
    model = kind(grow_policy=policy, **SMALL).fit(X, y)
    rows = probing_rows(X, borders(model), missing)
    ours = check_exact(model, rows)
    check_exact(model, rows.astype(np.float32))
    if response != "y":
        np.testing.assert_allclose(ours.predict_proba(X), model.predict_proba(X), atol=1e-9)
        assert (ours.predict(X) == np.ravel(model.predict(X))).all()


@pytest.mark.parametrize("mode", ["Max", "Min"])
def test_missing_cells_on_either_side(data, mode):
    model = catboost.CatBoostRegressor(nan_mode=mode, **SMALL).fit(data.X_missing, data.y)
    check_exact(model, probing_rows(data.X_missing, borders(model)))


@pytest.mark.parametrize("policy", ["SymmetricTree", "Lossguide", "Depthwise"])
def test_one_hot_categories(data, policy):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "c": random.choice(["red", "green", "blue"], 300),
            "x": data.X_missing[:, 0],
            "z": data.X[:, 3],
        }
    )
    y = data.y + 3 * (frame["c"] == "red") - 2 * (frame["c"] == "blue")
    model = catboost.CatBoostRegressor(
        cat_features=["c"], one_hot_max_size=10, grow_policy=policy, **SMALL
    ).fit(frame, y)
    check_exact(model, frame)
    # CatBoost takes text, not pandas categories with holes; a category that it does not know is one more.
    kinds = frame.assign(c=pd.Categorical(frame["c"]))
    probe = probing_frame(kinds, borders(model), unseen="never")
    probe = probe[probe["c"].notna() & probe["z"].notna()].reset_index(drop=True)
    probe["c"] = probe["c"].astype(str)
    with pytest.warns(lmdi.LmdiWarning, match="column 'c' holds 'never'"):
        check_exact(model, probe, frame)
    with pytest.raises(ValueError, match="read together with a table"):
        lmdi.export(model, "never.lmdi")
    e = lmdi.LMDIPlus(model).fit(frame, y).explain(frame)
    assert e.display_data[0, 0] == frame["c"][0]


def test_explained_and_refused(data):
    model = catboost.CatBoostClassifier(**SMALL).fit(data.X, data.two)
    e = lmdi.LMDIPlus(model).fit(data.X, data.two).explain(data.X)
    assert e.values.shape == (300, 6) and e.output_names == ["yes"]
    with pytest.raises(lmdi.NotFittedError):
        lmdi.LMDIPlus(catboost.CatBoostRegressor()).fit(data.X, data.y)
    frame = pd.DataFrame({"c": [f"k{at % 40}" for at in range(300)], "x": data.X[:, 0]})
    counted = catboost.CatBoostRegressor(cat_features=["c"], one_hot_max_size=2, **SMALL)
    counted.fit(frame, data.y)
    with pytest.raises(TypeError, match="one_hot_max_size"):
        lmdi.LMDIPlus(counted).fit(frame, data.y)


@pytest.mark.parametrize("loss", ["RMSE", "Logloss", "MultiClass"])
def test_statistics_of_categories_are_read_leaf_by_leaf(data, loss):
    """CatBoost's default for categories; its own Shapley values are the reference."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "size": data.X[:, 0],
            "colour": random.choice(list("pqrst"), 300),
            "town": random.choice(["u", "v", "w"], 300),
            "age": data.X[:, 3],
        }
    )
    signal = data.y + 2 * (X["colour"] == "p") + 3 * ((X["town"] == "u") & (X["colour"] == "q"))
    if loss == "Logloss":
        y = np.where(signal > 1, "yes", "no")
    else:
        y = np.digitize(signal, [0, 2]) if loss == "MultiClass" else signal
    keywords = {
        "iterations": 12,
        "depth": 4,
        "verbose": False,
        "allow_writing_files": False,
        "thread_count": 1,
    }
    kind = catboost.CatBoostClassifier if loss in ("Logloss", "MultiClass") else catboost.CatBoostRegressor
    model = kind(**keywords, loss_function=loss, random_seed=0).fit(X, y, cat_features=["colour", "town"])
    assert any(
        " " in name for name in map(str, model._get_tree_splits(3, catboost.Pool(X, cat_features=[1, 2])))
    )
    explainer = lmdi.TreeSHAP(model)
    for table in (X, X[200:], X[["town", "age", "colour", "size"]]):
        e = explainer.explain(table)
        pool = catboost.Pool(table[model.feature_names_], cat_features=[1, 2])
        theirs = model.get_feature_importance(pool, type="ShapValues")
        theirs = np.moveaxis(theirs, 1, 2) if theirs.ndim == 3 else theirs
        np.testing.assert_allclose(e.values, theirs[:, :-1], atol=1e-6)
        np.testing.assert_allclose(e.base_values, theirs[:, -1], atol=1e-6)
        raw = model.predict(pool, prediction_type="RawFormulaVal")
        np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), raw, atol=1e-9)
    assert e.feature_names == list(X.columns)
    assert e.display_data[:, 1].tolist() == X["colour"].tolist()
    saabas = lmdi.Saabas(model).explain(X)
    np.testing.assert_allclose(saabas.base_values + saabas.values.sum(axis=1), raw, atol=1e-9)
    for refused in (lmdi.LMDIPlus(model).fit, lmdi.MAPLE(model).fit):
        with pytest.raises(TypeError, match="statistics of categories, which only CatBoost can compute"):
            refused(X, y)
    with pytest.raises(TypeError, match="without background rows"):
        lmdi.TreeSHAP(model, X[:10]).explain(X)


@pytest.mark.parametrize("policy", ["SymmetricTree", "Depthwise"])
@pytest.mark.parametrize("loss", ["MultiRMSE", "MultiQuantile:alpha=0.2,0.8"])
def test_several_outputs_of_one_leaf(loss, policy):
    X = np.random.default_rng(4).normal(size=(200, 3))
    y = np.column_stack([X[:, 0] + X[:, 1], X[:, 1] * X[:, 2]])
    y = y if loss == "MultiRMSE" else y[:, 0]
    model = catboost.CatBoostRegressor(
        iterations=40, depth=3, learning_rate=0.3, loss_function=loss, grow_policy=policy, verbose=0
    )
    model.fit(X, y)
    e = lmdi.TreeSHAP(model).explain(X)
    assert e.values.shape == (200, 3, 2) and e.output_names == ["y0", "y1"]
    np.testing.assert_allclose(e.values.sum(axis=1) + e.base_values, model.predict(X), atol=1e-9)
    if loss == "MultiRMSE":
        assert lmdi.LMDIPlus(model).fit(X, y).explain(X)[..., "y0"].fidelity.share > 0.95
    else:
        with pytest.raises(ValueError, match="not known for the objective of this model"):
            lmdi.LMDIPlus(model).fit(X, y)
