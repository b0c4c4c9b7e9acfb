"""Histogram boosting of scikit-learn, which has no `apply`: leaves are read off trees whose values are
replaced by node indices, walked by scikit-learn itself."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from lmdi._models import model_of
from rows import probing_rows

SMALL = {"max_iter": 12, "min_samples_leaf": 5, "random_state": 0}


def their_leaves(model, X):
    """The leaf of each row in each tree."""
    known, known_row = model._bin_mapper.make_known_categories_bitsets()
    if getattr(model, "_preprocessor", None) is not None:
        X = model._preprocessor.transform(X)
    X = np.ascontiguousarray(X, dtype=np.float64)
    leaves = []
    for iteration in model._predictors:
        for predictor in iteration:
            values = predictor.nodes["value"].copy()
            predictor.nodes["value"] = np.arange(len(values))
            leaves.append(predictor.predict(X, known, known_row, 1))
            predictor.nodes["value"] = values
    return np.stack(leaves, axis=1).astype(int)


def thresholds(model):
    pairs = []
    for iteration in model._predictors:
        for predictor in iteration:
            inner = predictor.nodes[predictor.nodes["is_leaf"] == 0]
            pairs += zip(inner["feature_idx"].tolist(), inner["num_threshold"].tolist())
    return pairs


def margins(model, X):
    raw = model._raw_predict(X)
    return raw if raw.ndim == 2 else raw[:, None]


CASES = [
    (HistGradientBoostingRegressor(**SMALL), "y"),
    (HistGradientBoostingRegressor(loss="poisson", learning_rate=0.3, **SMALL), "counts"),
    (HistGradientBoostingRegressor(loss="gamma", **SMALL), "positive"),
    (HistGradientBoostingClassifier(**SMALL), "two"),
    (HistGradientBoostingClassifier(**SMALL), "three"),
    (HistGradientBoostingClassifier(early_stopping=True, **{**SMALL, "max_iter": 60}), "three"),
]


@pytest.mark.parametrize(("model", "response"), CASES)
@pytest.mark.parametrize("missing", [False, True], ids=["numbers", "missing"])
def test_numbers_and_missing_cells(data, model, response, missing):
    X = data.X_missing if missing else data.X
    made = {"counts": np.abs(np.round(data.y)), "positive": np.exp(data.y)}
    y = made.get(response, getattr(data, response, None))
    model.fit(X, y)
    ours = model_of(model)
    rows = probing_rows(X, thresholds(model))
    for table in (rows, np.asfortranarray(rows), rows.astype(np.float32)):
        assert (ours.apply(table) != their_leaves(model, table)).sum() == 0
    np.testing.assert_allclose(ours.predict_raw(rows), margins(model, rows), rtol=1e-6, atol=1e-12)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(ours.predict_proba(X), model.predict_proba(X), rtol=1e-6)
    else:
        np.testing.assert_allclose(ours.predict(X), model.predict(X), rtol=1e-6)


def frame(data, seed=1):
    """Categories that are text, numbers and a pandas category, between numeric columns."""
    random = np.random.default_rng(seed)
    n = len(data.X)
    table = pd.DataFrame(
        {
            "size": data.X_missing[:, 0],
            "colour": random.choice(["red", "green", "blue", "grey"], n),
            "weight": data.X[:, 3],
            "shape": pd.Categorical(
                random.choice(["round", "long", "flat"], n), ["long", "round", "flat", "never"]
            ),
            "grade": random.integers(0, 40, n).astype(float),
        }
    )
    table.loc[::17, "colour"] = None
    table["colour"] = table["colour"].astype("category")
    table.loc[5::23, "grade"] = np.nan
    effect = table["colour"].map({"red": 2.0, "green": -1.0, "blue": 0.5}).astype(float).fillna(0)
    y = data.y + effect + (table["grade"] % 3 == 0) + (table["shape"] == "long")
    return table, y.to_numpy()


@pytest.mark.filterwarnings("ignore:column .* holds")
@pytest.mark.parametrize("response", ["numbers", "classes"])
def test_categories(data, response):
    table, y = frame(data)
    if response == "classes":
        y = np.digitize(y, np.quantile(y, [0.3, 0.7]))
        kind = HistGradientBoostingClassifier
    else:
        kind = HistGradientBoostingRegressor
    model = kind(categorical_features=["colour", "shape", "grade"], **SMALL).fit(table, y)
    ours = model_of(model)
    assert any(tree.nodes["is_categorical"].any() for row in model._predictors for tree in row)
    unseen = table.copy()
    unseen["grade"] = np.tile([77.0, -1.0, 3.0, np.nan, 0.0, -0.0], len(table))[: len(table)]
    unseen["shape"] = pd.Categorical(["never"] * len(table), table["shape"].cat.categories)
    for rows in (table, unseen, table[table.columns[::-1]]):
        theirs = rows[table.columns]
        assert (ours.apply(rows) != their_leaves(model, theirs)).sum() == 0
        np.testing.assert_allclose(ours.predict_raw(rows), margins(model, theirs), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:column .* holds")
def test_categories_of_an_array(data):
    X = data.X.copy()
    model = HistGradientBoostingRegressor(categorical_features=[1], **SMALL).fit(X, data.y)
    ours = model_of(model)
    rows = X.copy()
    rows[:, 1] = np.tile([0, 1, 4, 9, -1, np.nan, -0.0], len(X))[: len(X)]
    for table in (X, rows):
        assert (ours.apply(table) != their_leaves(model, table)).sum() == 0
