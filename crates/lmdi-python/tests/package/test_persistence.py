"""Explainers, models and learners survive files, pickle, joblib, cloudpickle and other processes."""

import io
import pickle
import subprocess
import sys

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

import lmdi


def through_joblib(thing):
    file = io.BytesIO()
    joblib.dump(thing, file)
    file.seek(0)
    return joblib.load(file)


WAYS = [
    lambda thing: pickle.loads(pickle.dumps(thing)),
    lambda thing: pickle.loads(cloudpickle.dumps(thing)),
    through_joblib,
]

MODELS = [
    (RandomForestRegressor(4, min_samples_leaf=5, random_state=0), "y"),
    (RandomForestClassifier(3, min_samples_leaf=5, random_state=0), "two"),
    (GradientBoostingClassifier(n_estimators=3, random_state=0), "three"),
    (lmdi.GradientBoostingRegressor(4, random_state=0), "y"),
    (lmdi.RandomForestClassifier(4, min_samples_leaf=5, random_state=0), "three"),
]


@pytest.mark.parametrize(("model", "response"), MODELS)
def test_round_trips(tmp_path, data, model, response):
    y = getattr(data, response)
    model.fit(data.X, y)
    explainer = lmdi.LMDIPlus(model, folds=4).fit(data.X, y)
    expected = explainer.explain(data.X)
    ranks = explainer.rank(data.X, by="rank")
    copies = [way(explainer) for way in WAYS]
    for name in ("model.lmdi", "model.json"):
        explainer.save(tmp_path / name)
        copies.append(lmdi.load(tmp_path / name))
    for copy in copies:
        e = copy.explain(data.X)
        assert np.array_equal(e.values, expected.values)
        assert np.array_equal(e.base_values, expected.base_values)
        assert (e.feature_names, e.output_names) == (expected.feature_names, expected.output_names)
        assert np.array_equal(copy.rank(data.X, by="rank"), ranks)
        assert np.array_equal(copy.predict(data.X), explainer.predict(data.X))
        assert copy.predict(data.X).dtype.kind == explainer.predict(data.X).dtype.kind or (
            copy.predict(data.X).dtype == object
        )
    assert copies[0].folds == 4


def test_a_pickle_needs_no_library_that_grew_the_model(data):
    model = RandomForestRegressor(4, min_samples_leaf=5, random_state=0).fit(data.X, data.y)
    explainer = lmdi.LMDIPlus(model).fit(data.X, data.y)
    content = pickle.dumps(explainer)
    assert b"sklearn" not in content
    again = pickle.loads(content)
    assert isinstance(again.model, lmdi.Model)
    # And the copy can be fitted again.
    values = again.fit(data.X, data.y).explain(data.X).values
    assert np.array_equal(values, explainer.explain(data.X).values)


def test_categories_survive(tmp_path, data):
    table = pd.DataFrame({"x": data.X[:, 0], "c": pd.Categorical(data.two), "n": pd.Categorical(data.three)})
    table.loc[::7, "c"] = None
    model = HistGradientBoostingRegressor(max_iter=5).fit(table, data.y)
    explainer = lmdi.LMDIPlus(model).fit(table, data.y)
    explainer.save(tmp_path / "model.lmdi")
    for again in (pickle.loads(pickle.dumps(explainer)), lmdi.load(tmp_path / "model.lmdi")):
        e = again.explain(table)
        assert np.array_equal(e.values, explainer.explain(table).values)
        assert e.display_data[1, 1] == data.two[1]


@pytest.mark.parametrize(
    ("library", "kind", "options"),
    [
        ("xgboost", "XGBClassifier", {"n_estimators": 4, "n_jobs": 1}),
        ("lightgbm", "LGBMClassifier", {"n_estimators": 4, "n_jobs": 1, "verbose": -1}),
        ("catboost", "CatBoostClassifier", {"iterations": 4, "verbose": 0, "allow_writing_files": False}),
    ],
)
def test_models_of_other_libraries_survive(tmp_path, data, library, kind, options):
    model = getattr(pytest.importorskip(library), kind)(**options)
    labels = data.three // 10
    explainer = lmdi.LMDIPlus(model.fit(data.X_missing, labels)).fit(data.X_missing, labels)
    expected = explainer.explain(data.X_missing)
    explainer.save(tmp_path / "explainer.lmdi")
    lmdi.export(model, tmp_path / "model.lmdi")
    again = lmdi.LMDIPlus(lmdi.load(tmp_path / "model.lmdi")).fit(data.X_missing, labels)
    for copy in [*(way(explainer) for way in WAYS), lmdi.load(tmp_path / "explainer.lmdi"), again]:
        e = copy.explain(data.X_missing)
        assert np.array_equal(e.values, expected.values) and e.output_names == expected.output_names
        assert np.array_equal(copy.predict(data.X_missing), explainer.predict(data.X_missing))
    assert library.encode() not in pickle.dumps(explainer)


def test_learners_round_trip(data):
    for model, y in [
        (lmdi.RandomForestClassifier(4, random_state=0), data.two),
        (lmdi.GradientBoostingClassifier(4, random_state=0), data.three),
    ]:
        model.fit(data.X, y)
        for way in WAYS:
            assert np.array_equal(way(model).predict_proba(data.X), model.predict_proba(data.X))
        assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "model_")


def test_unfitted_explainers_round_trip(data):
    model = RandomForestRegressor(2).fit(data.X, data.y)
    copy = pickle.loads(pickle.dumps(lmdi.LMDIPlus(model, rule="1se")))
    assert copy.rule == "1se" and isinstance(copy.model, RandomForestRegressor)


def test_exported_models_predict_alike(tmp_path, data):
    for model, y in [
        (RandomForestClassifier(4, random_state=0), data.two),
        (HistGradientBoostingRegressor(max_iter=4), data.y),
    ]:
        model.fit(data.X, y)
        for name in ("model.lmdi", "model.json"):
            lmdi.export(model, tmp_path / name)
            again = lmdi.load(tmp_path / name)
            assert isinstance(again, lmdi.Model)
            if hasattr(model, "predict_proba"):
                np.testing.assert_allclose(again.predict_proba(data.X), model.predict_proba(data.X))
            assert (again.predict(data.X) == model.predict(data.X)).all() or np.allclose(
                again.predict(data.X), model.predict(data.X), rtol=1e-12
            )


def test_labels_in_files_keep_their_type(tmp_path, data):
    for labels in (
        np.array([1, 7]),
        np.array([False, True]),
        np.array([0.0, 1.0]),
        np.array(["a", "b"]),
    ):
        y = labels[(data.y > 0).astype(int)]
        model = RandomForestClassifier(2, random_state=0).fit(data.X, y)
        lmdi.export(model, tmp_path / "model.lmdi")
        assert (lmdi.load(tmp_path / "model.lmdi").predict(data.X) == model.predict(data.X)).all()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file(tmp_path, data, monkeypatch, step):
    import os

    model = RandomForestRegressor(2).fit(data.X, data.y)
    path = tmp_path / "model.lmdi"
    lmdi.export(model, path)
    before = path.read_bytes()
    monkeypatch.setattr(os, step, lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        lmdi.export(RandomForestRegressor(3).fit(data.X, data.y), path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["model.lmdi"]


def test_a_forked_process_can_explain(data):
    """Threads do not survive a fork; work in the child must not wait for them."""
    script = """
import multiprocessing, numpy as np, lmdi
from sklearn.ensemble import RandomForestRegressor
X = np.random.default_rng(0).normal(size=(100, 3)); y = X[:, 0]
explainer = lmdi.LMDIPlus(RandomForestRegressor(3, random_state=0).fit(X, y)).fit(X, y)
here = explainer.explain(X).values
with multiprocessing.get_context("fork").Pool(2) as pool:
    for there in pool.map(explainer.explain, [X, X]):
        assert np.array_equal(there.values, here)
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=120)
