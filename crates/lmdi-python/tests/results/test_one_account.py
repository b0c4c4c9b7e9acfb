"""One account of what was predicted: the command, the page and the package give the same numbers for the
same row, counterfactual and group, and they are the model's."""

import base64
import json
import subprocess
import zlib

import numpy as np
import pandas as pd
import pytest

import lmdi
from command import COMMAND, ROOT, needs_command

pytestmark = needs_command

#: Tables whose columns are all numbers, so that the package sees the columns of the command.
CASES = [
    ("breast_cancer", "diagnosis", "forest"),
    ("breast_cancer", "diagnosis", "boosting"),
    ("wine", "cultivar", "forest"),
    ("wine", "cultivar", "boosting"),
    ("numbers", "y", "forest"),
    ("numbers", "y", "boosting"),
]

TYPES = {"u8": "u1", "u16": "<u2", "u32": "<u4", "i16": "<i2", "i32": "<i4", "f32": "<f4", "f64": "<f8"}


def unpacked(packed):
    """An array of the page: bytes by place, deflated, in base64."""
    kind = np.dtype(TYPES[packed["type"]])
    planes = np.frombuffer(zlib.decompress(base64.b64decode(packed["data"]), -15), dtype=np.uint8)
    return np.ascontiguousarray(planes.reshape(kind.itemsize, -1).T).view(kind).ravel().astype(float)


def table_of(name, folder):
    if name != "numbers":
        return ROOT / "examples" / f"{name}.csv"
    random = np.random.default_rng(5)
    frame = pd.DataFrame(random.normal(size=(300, 4)).round(4), columns=list("abcd"))
    frame["y"] = (frame["a"] * frame["b"] + 2 * frame["c"] + random.normal(size=300) / 3).round(4)
    frame.to_csv(folder / "numbers.csv", index=False)
    return folder / "numbers.csv"


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}-{case[2]}")
def case(request, tmp_path_factory):
    """A table explained three ways."""
    name, target, model = request.param
    folder = tmp_path_factory.mktemp("account")
    data = table_of(name, folder)

    def run(*arguments):
        arguments = [COMMAND, *map(str, arguments)]
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    run("explain", data, "--target", target, "--model", model, "--trees", 15, "--stability-runs", 0,
        "--out", "scores.csv", "--report", "page.html", "--save", "model.lmdi")  # fmt: skip
    run("counterfactual", "model.lmdi", data, "--rows", "all", "--out", "answers.json")
    run("subgroups", "model.lmdi", data, "--out", "groups.json")
    mark = '<script id="report" type="application/json">'
    page = json.loads((folder / "page.html").read_text().split(mark)[1].split("</script>")[0])
    frame = pd.read_csv(data)
    explainer = lmdi.load(folder / "model.lmdi")
    return {
        "scores": pd.read_csv(folder / "scores.csv"),
        "answers": json.loads((folder / "answers.json").read_text()),
        "groups": json.loads((folder / "groups.json").read_text()),
        "page": page,
        "e": explainer.explain(frame.drop(columns=target), trees="auto"),
        "classes": explainer.model_.classes_,
        "truth": frame[target],
        "is_forest": model == "forest",
    }


def by_row(case, packed):
    """An array of the page, (rows, parts)."""
    return unpacked(packed).reshape(-1, case["page"]["rows"]["n"]).T


def test_rows(case):
    """Predictions, explained and unexplained parts; those of forests are out of bag."""
    scores, page, e, classes = case["scores"], case["page"], case["e"], case["classes"]
    assert e.out_of_bag == case["is_forest"]
    own = ["prediction"] if classes is None else [f"probability:{label}" for label in classes]
    of_command = scores[own].to_numpy()
    assert np.array_equal(by_row(case, page["rows"]["predictions"]), of_command)
    assert np.array_equal(e.prediction.reshape(of_command.shape), of_command)
    if classes is not None:
        assert (classes[e.prediction.argmax(axis=1)] == scores["prediction"]).all()
    outputs = [""] if e.values.ndim == 2 else [f":{label}" for label in classes]
    left = scores[[f"unexplained{output}" for output in outputs]].to_numpy()
    assert np.array_equal(by_row(case, page["rows"]["unexplained"]), left)
    np.testing.assert_allclose(e.unexplained.reshape(left.shape), left, rtol=1e-9, atol=1e-9)
    said = scores[[f"explained{output}" for output in outputs]].to_numpy()
    np.testing.assert_allclose(e.explained.reshape(said.shape), said, rtol=1e-9, atol=1e-9)
    assert np.abs(left).max() > 1e-3, "LMDI+ leaves something, or this compares nothing"


def test_fidelity(case):
    shown, own = case["page"]["about"]["fidelity"], case["e"].fidelity
    assert shown["share"] == pytest.approx(own.share, rel=1e-9)
    assert shown["slope"] == pytest.approx(own.slope, rel=1e-9)
    assert shown["same_class"] == pytest.approx(own.same_class)
    assert shown["rows"] == ("training rows, out of bag" if case["is_forest"] else "training rows")


def test_counterfactuals(case):
    """The nearest rows on the other side, and what they are predicted."""
    e, classes = case["e"], case["classes"]
    middle = case["page"]["middle"]
    assert (middle is None) == (classes is not None)
    found = lmdi.counterfactuals(e, e.prediction, threshold=middle)
    answered = 0
    for row, (own, answer) in enumerate(zip(found, case["answers"]["rows"])):
        assert answer["row"] == row + 1
        assert [one["row"] for one in answer["counterfactuals"]] == [one.row + 1 for one in own]
        told = answer["prediction"]
        told = told if classes is None else told["probabilities"]
        assert np.array_equal(np.ravel(told), np.ravel(e.prediction[row]))
        for one, other in zip(own, answer["counterfactuals"]):
            answered += 1
            assert other["score_distance"] == pytest.approx(one.score_distance, rel=1e-9)
    assert answered > 50


def test_groups(case):
    """The same rows in the same groups, with the same predictions and errors."""
    e, of_command, of_page = case["e"], case["groups"], case["page"]["groups"]
    own = lmdi.subgroups(e, e.prediction, case["truth"], classes=case["classes"])
    assert np.array_equal(own.labels + 1, of_command["group_of_row"])
    assert np.array_equal(own.labels, unpacked(of_page["of_rows"]))
    for mine, told, shown in zip(own.groups, of_command["groups"], of_page["list"], strict=True):
        assert mine["size"] == told["size"] == shown["size"]
        assert mine["error"] == pytest.approx(told["error"], rel=1e-12)
        assert mine["error"] == pytest.approx(shown["error"], rel=1e-12)
        np.testing.assert_allclose(np.ravel(mine["mean_prediction"]), told["mean_prediction"], rtol=1e-12)
        assert np.isclose(np.ravel(mine["mean_prediction"]), shown["prediction"], rtol=1e-12).any()


def test_errors_are_those_of_the_model(case):
    """The error of a group, from the predictions in the scores file."""
    scores, groups = case["scores"], case["groups"]
    members = np.equal(groups["group_of_row"], 1)
    predicted, truth = scores["prediction"][members], case["truth"][members]
    if case["classes"] is None:
        error = np.sqrt(np.mean((predicted - truth) ** 2))
    else:
        error = np.mean(predicted.astype(str) != truth.astype(str))
    assert groups["groups"][0]["error"] == pytest.approx(error, rel=1e-12)
