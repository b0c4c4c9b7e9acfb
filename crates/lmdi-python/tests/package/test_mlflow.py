"""Explainers are logged, loaded and served by MLflow."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

import lmdi
import lmdi.mlflow


@pytest.fixture(scope="module")
def explained():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = RandomForestRegressor(5, min_samples_leaf=5, random_state=0).fit(X, y)
    return X[:20], [lmdi.TreeSHAP(model), lmdi.LMDIPlus(model).fit(X, y)]


def test_the_interface_that_mlflow_calls(explained, tmp_path):
    X, explainers = explained
    for explainer in explainers:
        explainer.save(tmp_path / "explainer.lmdi")
        served = lmdi.mlflow._load_pyfunc(str(tmp_path / "explainer.lmdi"))
        pd.testing.assert_frame_equal(served.predict(X), explainer.explain(X).to_frame())
        assert type(served.get_raw_model()) is type(explainer)


def test_a_logged_explainer_comes_back(explained, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.chdir(tmp_path)
    # Runs in files need no database.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    X, explainers = explained
    for explainer in explainers:
        with mlflow.start_run():
            uri = lmdi.mlflow.log_explainer(explainer, "explainer").model_uri
        e = lmdi.mlflow.load_explainer(uri).explain(X)
        assert np.array_equal(e.values, explainer.explain(X).values) and e.feature_names == list(X.columns)
        served = mlflow.pyfunc.load_model(uri).predict(X)
        pd.testing.assert_frame_equal(served, explainer.explain(X).to_frame())
    guide = (Path(__file__).resolve().parents[4] / "docs" / "python.md").read_text()
    (block,) = re.findall(r"^```py\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    names = {"explainer": explainers[0], "X": X}
    exec(compile(block, "docs/python.md", "exec"), names)
    assert names["scores"].shape[0] == names["e"].values.shape[0] == 20
