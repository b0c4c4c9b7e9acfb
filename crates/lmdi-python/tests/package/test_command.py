"""Files go back and forth between the package and the command `lmdi`: the same scores to the last bit."""

import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor

import lmdi
from command import COMMAND, ROOT, needs_command

pytestmark = needs_command


@pytest.fixture
def run(tmp_path):
    """Runs the command in a directory of its own; returns what it says."""

    def run(*arguments):
        done = subprocess.run(
            [COMMAND, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    return run


def read(path):
    """A table of the command; CSV holds every number in full."""
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)


def check_same(explainer, X, table, e=None):
    """The same scores, base values and predictions, bit by bit."""
    e = explainer.explain(X, trees="auto") if e is None else e
    scores, bases = e.values, e.base_values
    if scores.ndim == 2:
        scores, bases, of = scores[..., None], bases[..., None], [""]
    else:
        of = [f"{label}:" for label in e.output_names]
    for at, output in enumerate(of):
        assert np.array_equal(scores[..., at], table[[f"score:{output}{name}" for name in e.feature_names]])
        assert np.array_equal(bases[:, at], table[f"base:{output}".rstrip(":")])
        for name, cells in [("explained", e.explained), ("unexplained", e.unexplained)]:
            cells = cells if cells.ndim == 1 else cells[:, at]
            np.testing.assert_allclose(cells, table[f"{name}:{output}".rstrip(":")], rtol=1e-12, atol=1e-12)
    if explainer.model_.classes_ is None:
        assert np.array_equal(e.prediction, table["prediction"])
        return
    names = [f"probability:{label}" for label in explainer.model_.classes_]
    assert np.array_equal(e.prediction, table[names])
    assert (explainer.model_.classes_[e.prediction.argmax(axis=1)] == table["prediction"]).all()


def check_same_predictions(model, X, table):
    classes = getattr(model, "model_", model).classes_
    assert (model.predict(X) == table["prediction"]).all()
    if classes is not None:
        names = [f"probability:{label}" for label in classes]
        assert np.array_equal(model.predict_proba(X), table[names])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_explainer_of_the_command(run, tmp_path, ending):
    table = ROOT / "examples" / "diabetes.csv"
    options = ["--trees", 10, "--min-samples-leaf", 5, "--save", "model.lmdi", "--out", f"scores.{ending}"]
    run("explain", table, "--target", "progression", *options)
    frame = pd.read_csv(table).drop(columns="progression")
    explainer = lmdi.load(tmp_path / "model.lmdi")
    e = explainer.explain(frame, trees="auto")
    # Both add up the 0/1 columns of a column of text.
    assert e.feature_names == list(frame.columns)
    assert e.display_data[:, 1].tolist() == frame["sex"].tolist()
    check_same(explainer, frame, read(tmp_path / f"scores.{ending}"), e)
    with pytest.warns(lmdi.LmdiWarning, match="column 'sex' holds 'group 9'"):
        explainer.explain(frame.assign(sex="group 9"))
    # Further columns are ignored, as by the command.
    assert np.array_equal(explainer.explain(pd.read_csv(table), trees="auto").values, e.values)


def test_an_explainer_of_classes_by_the_command(run, tmp_path):
    table = ROOT / "examples" / "wine.csv"
    run("explain", table, "--target", "cultivar", "--trees", 5, "--min-samples-leaf", 5,
        "--save", "model.lmdi", "--out", "scores.csv")  # fmt: skip
    frame = pd.read_csv(table)
    explainer = lmdi.load(tmp_path / "model.lmdi")
    assert explainer.model_.classes_.tolist() == ["first", "second", "third"]
    check_same(explainer, frame.drop(columns="cultivar"), read(tmp_path / "scores.csv"))


def test_a_model_of_the_command_is_fitted_alike_on_both_sides(run, tmp_path):
    table = ROOT / "examples" / "breast_cancer.csv"
    run(
        "train", table, "--target", "diagnosis", "--trees", 8, "--min-samples-leaf", 5, "--save", "model.lmdi"
    )
    run("explain", table, "--model", "model.lmdi", "--out", "scores.csv", "--save", "explained.lmdi")
    frame = pd.read_csv(table)
    X, y = frame.drop(columns="diagnosis"), frame["diagnosis"]
    model = lmdi.load(tmp_path / "model.lmdi")
    assert isinstance(model, lmdi.Model)
    ours = lmdi.LMDIPlus(model).fit(X, y)
    theirs = read(tmp_path / "scores.csv")
    check_same(ours, X, theirs)
    check_same(lmdi.load(tmp_path / "explained.lmdi"), X, theirs)


@pytest.mark.parametrize("ending", ["lmdi", "json"])
def test_an_explainer_of_the_package(run, tmp_path, data, ending):
    frame = pd.DataFrame(data.X, columns=list("abcdef"))
    forest = RandomForestRegressor(5, min_samples_leaf=5, random_state=0).fit(frame, data.y)
    explainer = lmdi.LMDIPlus(forest).fit(frame, data.y)
    explainer.save(tmp_path / f"explainer.{ending}")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    run("score", f"explainer.{ending}", "rows.csv", "--out", "scores.csv")
    check_same(explainer, frame, read(tmp_path / "scores.csv"))
    run("explain", "rows.csv", "--model", f"explainer.{ending}", "--out", "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "scores.csv").read_bytes()


def test_an_exported_forest(run, tmp_path, data):
    """Also which rows each tree drew is in the file."""
    frame = pd.DataFrame(data.X, columns=list("abcdef"))
    forest = RandomForestClassifier(5, min_samples_leaf=5, random_state=0).fit(frame, data.two)
    lmdi.export(forest, tmp_path / "forest.lmdi")
    frame.assign(answer=data.two).to_csv(tmp_path / "rows.csv", index=False)
    run("predict", "forest.lmdi", "rows.csv", "--out", "predictions.csv")
    predictions = read(tmp_path / "predictions.csv")
    check_same_predictions(lmdi.load(tmp_path / "forest.lmdi"), frame, predictions)
    theirs = forest.predict_proba(frame)[:, 1]
    np.testing.assert_allclose(predictions["probability:yes"], theirs, rtol=1e-12)
    explain = ["explain", "rows.csv", "--target", "answer", "--model", "forest.lmdi"]
    said = run(*explain, "--out", "folds.csv")
    assert "does not say which table it was trained on" in said
    run(*explain, "--validation", "oob", "--out", "oob.csv")
    for validation in ("folds", "oob"):
        ours = lmdi.LMDIPlus(forest, validation=validation).fit(frame, data.two)
        check_same(ours, frame, read(tmp_path / f"{validation}.csv"))


def test_exported_categories(run, tmp_path, data):
    random = np.random.default_rng(0)
    colours = random.choice(["red", "green", "blue"], len(data.X))
    frame = pd.DataFrame({"x": data.X_missing[:, 0], "colour": pd.Categorical(colours)})
    labels = np.where((colours == "red") ^ (data.X[:, 0] > 0), "yes", "no")
    model = HistGradientBoostingClassifier(max_iter=10, random_state=0).fit(frame, labels)
    lmdi.export(model, tmp_path / "model.lmdi")
    frame.assign(answer=labels).to_csv(tmp_path / "rows.csv", index=False)
    run("predict", "model.lmdi", "rows.csv", "--out", "predictions.csv")
    predictions = read(tmp_path / "predictions.csv")
    check_same_predictions(lmdi.load(tmp_path / "model.lmdi"), frame, predictions)
    np.testing.assert_allclose(predictions["probability:yes"], model.predict_proba(frame)[:, 1], rtol=1e-9)
    run("explain", "rows.csv", "--target", "answer", "--model", "model.lmdi", "--out", "scores.csv")
    ours = lmdi.LMDIPlus(model).fit(frame, labels)
    check_same(ours, frame, read(tmp_path / "scores.csv"))


@pytest.fixture
def trained(run, tmp_path):
    """A forest of the command, and the table it was trained on: rows and target."""
    path = ROOT / "examples" / "diabetes.csv"
    options = ["--trees", 8, "--min-samples-leaf", 5, "--save", "model.lmdi"]
    run("train", path, "--target", "progression", *options)
    frame = pd.read_csv(path)
    frame.to_csv(tmp_path / "all.csv", index=False)
    X = frame.drop(columns="progression")
    X[:40].to_csv(tmp_path / "few.csv", index=False)
    model = lmdi.load(tmp_path / "model.lmdi")
    return model, X, frame["progression"]


def test_every_local_method_is_that_of_the_command(run, tmp_path, trained):
    model, X, y = trained
    few = ["--background", "few.csv"]
    lime = ["--lime-samples", 500, "--lime-seed", 3, "--lime-columns", 4]
    for method, flags, explainer in [
        ("tree-shap", [], lmdi.TreeSHAP(model)),
        ("tree-shap", few, lmdi.TreeSHAP(model, X[:40])),
        ("saabas", [], lmdi.Saabas(model)),
        ("local-mdi", [], lmdi.LocalMDI(model)),
        ("lime", [*few, *lime], lmdi.LIME(model, X[:40], n_samples=500, random_state=3, max_features=4)),
        ("lime", [], lmdi.LIME(model, X)),
        ("maple", [], lmdi.MAPLE(model).fit(X, y)),
    ]:
        start = ["explain", "all.csv", "--model", "model.lmdi", "--target", "progression"]
        run(*start, "--method", method, *flags, "--out", "scores.csv")
        e = explainer.explain(X)
        scores = read(tmp_path / "scores.csv")
        assert np.array_equal(e.values, scores[[f"score:{name}" for name in e.feature_names]]), method
        assert np.array_equal(e.base_values, scores["base"]), method
        assert (e.values != 0).any(), method


def test_every_importance_is_that_of_the_command(run, tmp_path, trained):
    model, X, y = trained
    groups = {"blood": ["ldl", "hdl"]}
    flags = ["--group", "blood=ldl", "--group", "blood=hdl"]
    for method, more, found in [
        ("mdi", [], lmdi.MDI(model, groups=groups)),
        ("mdi-plus", ["all.csv"], lmdi.MDIPlus(model, groups=groups).fit(X, y)),
        ("permutation", ["all.csv"], lmdi.Permutation(model, groups=groups).fit(X, y)),
        (
            "permutation",
            ["all.csv", "--oob"],
            lmdi.Permutation(model, groups=groups, out_of_bag=True).fit(X, y),
        ),
    ]:
        run("importance", "model.lmdi", *more, "--method", method, *flags, "--out", "found.csv")
        theirs = read(tmp_path / "found.csv").set_index("column")["importance"]
        assert sorted(theirs.index) == sorted(found.names_), method
        np.testing.assert_allclose(theirs[found.names_], found.importances_, rtol=1e-9, err_msg=method)
    for method, explainer in [
        ("tree-shap", lmdi.TreeSHAP(model)),
        ("saabas", lmdi.Saabas(model)),
        ("local-mdi", lmdi.LocalMDI(model)),
        ("maple", lmdi.MAPLE(model).fit(X, y)),
    ]:
        run("importance", "model.lmdi", "all.csv", "--method", method, *flags, "--out", "found.csv")
        theirs = read(tmp_path / "found.csv").set_index("column")["importance"]
        e = explainer.explain(X).grouped(groups)
        np.testing.assert_allclose(theirs[e.feature_names], np.abs(e.values).mean(axis=0), rtol=1e-12)
