"""Files of every explainer: the same results back, no code run, damage told."""

import io
import json
import zipfile

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import lmdi


@pytest.fixture(scope="module")
def forest(data):
    table = pd.DataFrame(data.X, columns=list("abcdef"))
    model = RandomForestClassifier(5, min_samples_leaf=5, random_state=0).fit(table, data.three)
    return model, table


def makers(model, X, y):
    return {
        "TreeSHAP": lmdi.TreeSHAP(model),
        "background": lmdi.TreeSHAP(model, X[:20]),
        "Saabas": lmdi.Saabas(model),
        "LocalMDI": lmdi.LocalMDI(model),
        "LIME": lmdi.LIME(model, X, n_samples=200, bins=5, categorical=["b"]),
        "MAPLE": lmdi.MAPLE(model, n_columns=3).fit(X, y),
        "validated": lmdi.MAPLE(model).fit(X[:200], y[:200], X[200:], y[200:]),
        "LMDIPlus": lmdi.LMDIPlus(model, glm="ridge").fit(X, y),
    }


@pytest.mark.parametrize(
    "name", ["TreeSHAP", "background", "Saabas", "LocalMDI", "LIME", "MAPLE", "validated", "LMDIPlus"]
)
def test_every_local_explainer_comes_back(forest, data, tmp_path, name):
    model, table = forest
    explainer = makers(model, table, data.three)[name]
    explainer.save(tmp_path / "explainer")
    again = lmdi.load(tmp_path / "explainer")
    assert type(again) is type(explainer)
    mine, theirs = explainer.explain(table[:40]), again.explain(table[:40])
    assert np.array_equal(mine.values, theirs.values)
    assert mine.output_names == theirs.output_names and mine.feature_names == theirs.feature_names
    if name != "LMDIPlus":
        kept = {key: value for key, value in again.get_params().items() if key not in ("model", "background")}
        assert kept == {key: explainer.get_params()[key] for key in kept}


def test_importances_come_back(data, tmp_path):
    model = RandomForestRegressor(5, random_state=0).fit(data.X, data.y)
    groups = {"first": ["x0", "x1"]}
    for explainer in (
        lmdi.MDI(model, groups=groups),
        lmdi.MDIPlus(model, groups=groups).fit(data.X, data.y),
        lmdi.Permutation(model, repeats=2).fit(data.X, data.y),
    ):
        explainer.save(tmp_path / "importances")
        again = lmdi.load(tmp_path / "importances")
        assert again.ranking() == explainer.ranking()
        assert np.array_equal(again.deviations_, explainer.deviations_)
    with pytest.raises(TypeError, match="metric is a function, which a file does not hold"):
        lmdi.Permutation(model, metric=lambda y, p: 0.0).fit(data.X, data.y).save(tmp_path / "function")


def test_background_rows_with_categories_come_back(data, tmp_path):
    table = pd.DataFrame({"a": data.X[:, 0], "colour": pd.Categorical(np.where(data.X[:, 1] > 2, "r", "b"))})
    model = lightgbm.LGBMRegressor(n_estimators=5, verbose=-1).fit(table, data.y)
    explainer = lmdi.TreeSHAP(model, table[:15])
    explainer.save(tmp_path / "explainer")
    again = lmdi.load(tmp_path / "explainer").explain(table)
    assert np.array_equal(again.values, explainer.explain(table).values)
    assert again.display_data[:, 1].tolist() == table["colour"].tolist()


def test_files_are_not_trusted(forest, tmp_path):
    """Objects, compression and other classes are refused, as is what is cut off."""
    model, _ = forest
    path = tmp_path / "explainer"
    lmdi.Saabas(model).save(path)
    whole = path.read_bytes()

    def refused(content, match):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=match):
            lmdi.load(path)

    def rewritten(change, **options):
        with np.load(io.BytesIO(whole)) as archive:
            arrays = dict(archive)
        about = json.loads(arrays["explainer"].tobytes())
        change(about, arrays)
        arrays["explainer"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        buffer = io.BytesIO()
        options.get("write", np.savez)(buffer, **arrays)
        return buffer.getvalue()

    refused(rewritten(lambda about, arrays: about.update({"class": "eval"})), "holds a 'eval'")
    refused(rewritten(lambda about, arrays: about.update(version=9)), "version 9")
    refused(rewritten(lambda about, arrays: None, write=np.savez_compressed), "is compressed")
    refused(rewritten(lambda about, arrays: about["params"].update(nonsense=1)), "nonsense")
    objects = rewritten(lambda about, arrays: arrays.update(background=np.array([{}], dtype=object)))
    refused(objects, "Object arrays cannot be loaded")
    for length in range(4, len(whole), 997):
        refused(whole[:length], "not a readable explainer file")
    assert zipfile.is_zipfile(io.BytesIO(whole))


def test_files_that_cannot_be_written_or_read(data, tmp_path):
    shap = lmdi.TreeSHAP(RandomForestRegressor(2).fit(data.X, data.y))
    with pytest.raises(FileNotFoundError, match=r"its directory does not exist: '.*none/explainer'"):
        shap.save(tmp_path / "none" / "explainer")
    with pytest.raises(IsADirectoryError, match="this is a directory; expected the name of a file"):
        shap.save(tmp_path)
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(
        ValueError, match=r"other.npz: not a readable explainer file: it is an archive of some"
    ):
        lmdi.load(tmp_path / "other.npz")
