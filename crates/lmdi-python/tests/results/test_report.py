"""The report in one call, and the command that installing the package gives."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lmdi

ROOT = Path(__file__).parents[4]
TABLE = ROOT / "examples" / "diabetes.csv"
FEW = {"trees": 5, "stability_runs": 0, "threads": 1}
FLAGS = ["--trees", "5", "--stability-runs", "0", "--threads", "1"]


def command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "lmdi", *map(str, arguments)], capture_output=True, text=True, **options
    )


def test_the_page_is_that_of_the_command(tmp_path):
    built = os.environ.get("LMDI_COMMAND")
    program = [built] if built else [sys.executable, "-m", "lmdi"]
    subprocess.run(
        [*program, "explain", TABLE, "--target", "progression", *FLAGS, "--report", tmp_path / "theirs.html"],
        check=True,
        capture_output=True,
    )
    given = lmdi.report(TABLE, "progression", tmp_path / "ours.html", **FEW)
    assert given == str(tmp_path / "ours.html")
    assert (tmp_path / "ours.html").read_bytes() == (tmp_path / "theirs.html").read_bytes()


def test_frames_of_any_library_give_the_page_of_their_file(tmp_path):
    frame = pd.read_csv(TABLE)
    pages = []
    for at, table in enumerate((frame, pl.from_pandas(frame))):
        lmdi.report(table, "progression", tmp_path / f"{at}.html", method="tree-shap", **FEW)
        pages.append((tmp_path / f"{at}.html").read_bytes())
    assert pages[0] == pages[1]
    shutil.copy(TABLE, tmp_path / "table.csv")
    lmdi.report(tmp_path / "table.csv", "progression", tmp_path / "file.html", method="tree-shap", **FEW)
    # The hash of the file is shown and differs with how its numbers are written.
    assert abs(len((tmp_path / "file.html").read_bytes()) - len(pages[0])) < 2000


def test_models_of_other_libraries_are_reported(tmp_path):
    frame = pd.read_csv(TABLE).drop(columns="sex")
    X, y = frame.drop(columns="progression"), frame["progression"]
    forest = RandomForestRegressor(5, min_samples_leaf=5, random_state=0).fit(X, y)
    lmdi.report(frame, "progression", tmp_path / "page.html", model=forest, stability_runs=0)
    assert b"scikit-learn" in (tmp_path / "page.html").read_bytes()
    pipe = make_pipeline(StandardScaler(), forest).fit(X, y)
    with pytest.raises(
        TypeError, match="a report is of the trees of one model, and a Pipeline has other steps"
    ):
        lmdi.report(frame, "progression", tmp_path / "page.html", model=pipe)


def page_data(path):
    text = Path(path).read_text()
    data = text.split('<script id="report" type="application/json">')[1].split("</script>")[0]
    return json.loads(data)


def test_two_models_and_the_what_if_are_parameters(tmp_path):
    frame = pd.read_csv(TABLE).drop(columns="sex")
    X, y = frame.drop(columns="progression"), frame["progression"]
    forest = RandomForestRegressor(5, min_samples_leaf=5, random_state=0).fit(X, y)
    page = tmp_path / "page.html"
    lmdi.report(frame, "progression", page, compare_model=forest, what_if="never", **FEW)
    found = page_data(page)
    assert found["scorer"] is None
    other = found["other_model"]
    assert (other["name"], other["rows"]) == ("compare_model.lmdi", 442)
    assert {share["name"] for share in other["shares"]} == set(X.columns)
    lmdi.report(frame, "progression", page, what_if="always", **FEW)
    assert page_data(page)["scorer"] is not None and page_data(page)["other_model"] is None
    with pytest.raises(ValueError, match="what_if is 'sometimes'; expected .*auto.*always.*never"):
        lmdi.report(frame, "progression", page, what_if="sometimes", **FEW)
    with pytest.raises(ValueError, match="cannot read model .*none.lmdi"):
        lmdi.report(frame, "progression", page, compare_model=tmp_path / "none.lmdi", **FEW)


def test_what_is_wrong_is_said_in_parameters(tmp_path):
    with pytest.raises(ValueError, match="no column .*progresion.*did you mean"):
        lmdi.report(TABLE, "progresion", tmp_path / "page.html")
    with pytest.raises(TypeError, match="data is ndarray; expected a frame with named columns"):
        lmdi.report(np.zeros((3, 2)), "y", tmp_path / "page.html")
    with pytest.raises(ValueError, match="report has no keyword 'nonsense'"):
        lmdi.report(TABLE, "progression", tmp_path / "page.html", nonsense=1)
    with pytest.raises(ValueError, match=r"^out is .*scores\.html.*; expected a name that ends in .csv"):
        lmdi.report(TABLE, "progression", tmp_path / "page.html", out=tmp_path / "scores.html")
    with pytest.raises(ValueError, match="path is .*page.pdf") as wrong:
        lmdi.report(TABLE, "progression", tmp_path / "page.pdf")
    assert "--" not in str(wrong.value)
    assert list(tmp_path.iterdir()) == []


def test_the_package_brings_the_command(tmp_path):
    told = command("--version")
    assert told.returncode == 0 and told.stdout.strip() == f"lmdi {lmdi.__version__}"
    assert command("explain", "--help").returncode == 0
    wrong = command("explain", "missing.csv", "--target", "y", cwd=tmp_path)
    assert wrong.returncode == 1 and "missing.csv" in wrong.stderr
    assert command("explain", "--nonsense").returncode == 2
    script = Path(sys.executable).with_name("lmdi")
    if script.exists():
        assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout == told.stdout
    scores = tmp_path / "scores.csv"
    done = command("explain", TABLE, "--target", "progression", "--trees", 3, "--out", scores)
    assert done.returncode == 0 and len(pd.read_csv(scores)) == 442


def test_errors_name_what_was_passed(tmp_path):
    table = pd.DataFrame({"a": range(40), "b": [1, 2] * 20, "y": range(40)})
    page = tmp_path / "page.html"
    for data, options, message in (
        (table, {"target": "z"}, '^data: there is no column "z"'),
        (table.set_axis(["a", "a", "y"], axis=1), {}, '^data: columns 1 and 2 are both named "a"'),
        (table, {"test": table.drop(columns="b")}, "^test: "),
        (table, {"colour": 3}, "^report has no keyword 'colour'; expected a flag"),
    ):
        options = {"target": "y", "trees": 2, "stability_runs": 0, **options}
        with pytest.raises(ValueError, match=message):
            lmdi.report(data, path=page, **options)
    with pytest.raises(
        TypeError, match=r"named by something else than text; pass data.rename\(columns=str\)"
    ):
        lmdi.report(table.set_axis(range(3), axis=1), 2, page)
    with pytest.raises(ValueError, match="its directory does not exist; create it first$"):
        lmdi.report(table, "y", tmp_path / "none" / "page.html", trees=2, stability_runs=0)


def test_dates_and_spans_are_written_as_the_command_reads_them(tmp_path):
    from lmdi._report import _table_file

    days = pd.date_range("2020-01-01", periods=3).astype("datetime64[ns]")
    table = pd.DataFrame({"day": days, "span": pd.to_timedelta([1, None, 3], unit="h")})
    with open(_table_file(table, tmp_path, "table.csv")) as file:
        assert file.read().split()[:3] == ["day,span", "2020-01-01", "00:00:00,3600"]
