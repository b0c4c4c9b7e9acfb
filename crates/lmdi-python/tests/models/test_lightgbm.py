"""Models of LightGBM are read exactly, live: the same leaf for every row, the same margins."""

import numpy as np
import pandas as pd
import pytest

import lmdi
from lmdi import _lmdi
from lmdi._models import model_of
from rows import probing_frame, probing_rows

lightgbm = pytest.importorskip("lightgbm")
SMALL = {"n_estimators": 8, "num_leaves": 12, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}


def check_exact(model, table):
    booster = getattr(model, "booster_", model)
    ours = model_of(model)
    ids = _lmdi.foreign_node_ids(booster.model_to_string().encode(), "all")
    theirs = booster.predict(table, pred_leaf=True).reshape(len(table), -1)
    leaves = ours.apply(table)
    found = np.stack([ids[tree][leaves[:, tree]] for tree in range(leaves.shape[1])], axis=1)
    assert (found != theirs).sum() == 0
    # A random forest predicts the mean of its trees, but calls their sum the raw score.
    is_forest = booster.params.get("boosting_type") == "rf"
    margins = booster.predict(table, raw_score=not is_forest).reshape(len(table), -1)
    np.testing.assert_allclose(ours.predict_raw(table), margins, rtol=1e-6, atol=1e-9)
    return ours


def thresholds(booster):
    frame = booster.trees_to_dataframe()
    frame = frame[frame["decision_type"] == "<="]
    place = {name: at for at, name in enumerate(booster.feature_name())}
    return [(place[name], float(cell)) for name, cell in zip(frame["split_feature"], frame["threshold"])]


@pytest.mark.parametrize("options", [{}, {"zero_as_missing": True}, {"use_missing": False}], ids=str)
def test_categories_by_code(data, options):
    """Codes as numbers: missing, unknown, negative and broken ones, for every type of missing cells."""
    X = np.column_stack([data.X_missing[:, 0], data.X[:, 1], data.X[:, 3]])
    options = {**SMALL, "min_data_per_group": 5, "max_cat_to_onehot": 1, "cat_smooth": 1.0, **options}
    model = lightgbm.LGBMRegressor(**options).fit(X, data.y + 3 * (X[:, 1] % 2), categorical_feature=[1])
    assert (model.booster_.trees_to_dataframe()["decision_type"] == "==").any()
    rows = probing_rows(X, thresholds(model.booster_))
    codes = [0.0, -0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 77.0, -1.0, -0.5, 1.5, 1e-36, np.nan]
    rows[:, 1] = np.resize(codes, len(rows))
    check_exact(model, rows)


@pytest.mark.parametrize("missing", [False, True], ids=["numbers", "missing"])
@pytest.mark.parametrize(
    ("kind", "options", "response"),
    [
        ("LGBMRegressor", {}, "y"),
        ("LGBMRegressor", {"boosting_type": "dart"}, "y"),
        ("LGBMRegressor", {"boosting_type": "goss"}, "y"),
        ("LGBMRegressor", {"boosting_type": "rf", "subsample": 0.6, "subsample_freq": 1}, "y"),
        ("LGBMRegressor", {"zero_as_missing": True}, "y"),
        ("LGBMRegressor", {"use_missing": False}, "y"),
        ("LGBMRegressor", {"objective": "poisson"}, "counts"),
        ("LGBMClassifier", {}, "two"),
        ("LGBMClassifier", {}, "three"),
    ],
)
def test_numbers_and_missing_cells(data, kind, options, response, missing):
    X = data.X_missing if missing else data.X
    X = np.where(X == 0.0, -0.0, X)
    y = np.abs(np.round(data.y)) if response == "counts" else getattr(data, response)
    model = getattr(lightgbm, kind)(**{**SMALL, **options}).fit(X, y)
    rows = probing_rows(X, thresholds(model.booster_))
    ours = check_exact(model, rows)
    check_exact(model, rows.astype(np.float32))
    check_exact(model.booster_, rows)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(ours.predict_proba(X), model.predict_proba(X), atol=1e-9)
        assert (ours.predict(X) == model.predict(X)).all()


def test_the_best_round_counts(data):
    stop = lightgbm.early_stopping(3, verbose=False)
    train = lightgbm.Dataset(data.X[:200], data.y[:200])
    test = lightgbm.Dataset(data.X[200:], data.y[200:], reference=train)
    booster = lightgbm.train(
        {"verbose": -1, "learning_rate": 0.5, "num_threads": 1}, train, 300, [test], callbacks=[stop]
    )
    assert model_of(booster).n_trees == booster.best_iteration < 300
    np.testing.assert_allclose(model_of(booster).predict(data.X), booster.predict(data.X), rtol=1e-9)


def test_categories(data):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": data.X_missing[:, 0], "c": pd.Categorical(random.choice(["r", "g", "b", "k"], 300))}
    )
    frame.loc[::11, "c"] = None
    y = data.y + 2 * (frame["c"] == "r") - (frame["c"] == "b")
    options = {**SMALL, "min_data_per_group": 5, "max_cat_to_onehot": 1, "cat_smooth": 1.0}
    model = lightgbm.LGBMRegressor(**options).fit(frame, y)
    check_exact(model, frame)
    assert (model.booster_.trees_to_dataframe()["decision_type"] == "==").any()
    probe = probing_frame(frame, thresholds(model.booster_), unseen="never")
    with pytest.warns(lmdi.LmdiWarning, match="column 'c' holds 'never'"):
        check_exact(model, probe)
    other = frame.assign(c=frame["c"].cat.reorder_categories(["k", "r", "b", "g"]))
    assert np.array_equal(model_of(model).apply(other), model_of(model).apply(frame))


def test_explained(data):
    model = lightgbm.LGBMClassifier(**SMALL).fit(data.X, data.three)
    e = lmdi.LMDIPlus(model).fit(data.X, data.three).explain(data.X)
    assert e.values.shape == (300, 6, 3) and e.output_names == ["0", "10", "20"]
    with pytest.raises(lmdi.NotFittedError):
        lmdi.LMDIPlus(lightgbm.LGBMRegressor()).fit(data.X, data.y)
    linear = lightgbm.LGBMRegressor(linear_tree=True, **SMALL).fit(data.X, data.y)
    # A line per leaf is no sum of leaf values, whatever explains it; predictions are refused alike.
    for use in (lmdi.LMDIPlus(linear).fit, lambda X, y: lmdi.TreeSHAP(linear).explain(X)):
        with pytest.raises(ValueError, match=r"leaves are linear models .*; train with linear_tree=false"):
            use(data.X, data.y)
    with pytest.raises(ValueError, match="leaves are linear models"):
        model_of(linear)


def test_shares_as_the_target(data):
    """The objective cross_entropy takes shares between 0 and 1; LMDI+ takes classes."""
    shares = 1 / (1 + np.exp(-data.y))
    options = {"objective": "cross_entropy", "verbose": -1}
    model = lightgbm.train(options, lightgbm.Dataset(data.X, shares), 5)
    e = lmdi.TreeSHAP(model).explain(data.X)
    np.testing.assert_allclose(e.base_values + e.values.sum(axis=1), model.predict(data.X, raw_score=True))
    with pytest.raises(ValueError, match=r"y holds shares such as 0\.\d+; .* use TreeSHAP or Saabas"):
        lmdi.LMDIPlus(model).fit(data.X, shares)


def test_names_with_spaces_are_those_of_the_table():
    """LightGBM puts underscores for spaces; its models are explained from the table of training still."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X, y)
    assert "mean_radius" in model.feature_name_
    explainer = lmdi.LMDIPlus(model).fit(X, y)
    e = explainer.explain(X[X.columns[::-1]])
    assert e.feature_names == list(X.columns)
    expected = model.predict(X, raw_score=True)
    shapley = lmdi.TreeSHAP(model).explain(X)
    np.testing.assert_allclose(shapley.base_values + shapley.values.sum(axis=1), expected, atol=1e-9)
    underscored = X.rename(columns=lambda name: name.replace(" ", "_"))
    assert np.array_equal(explainer.explain(underscored).values, e.values)
    with pytest.raises(ValueError, match="X has no column 'mean_radius'"):
        lmdi.TreeSHAP(model).explain(X.rename(columns={"mean radius": "mean-radius"}))


def test_models_of_synapse():
    """SynapseML gives the text of the model."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    model = lightgbm.LGBMRegressor(n_estimators=5, verbose=-1).fit(X, X[:, 0])
    text = model.booster_.model_to_string()
    kind = type("LightGBMRegressionModel", (), {"__module__": "synapse.ml.lightgbm.model"})
    kind.getNativeModel = lambda self: text
    found, expected = (lmdi.TreeSHAP(one).explain(X).values for one in (kind(), model))
    assert np.array_equal(found, expected)
