"""Remakes the pictures of docs/plots.md, of the command and of the Python package, light and dark.

Run by `npm --prefix web run pictures`, or alone with a Python that has the package:

    target/python-venv/bin/python tools/plots.py

The command is `target/debug/lmdi` unless the variable LMDI names another. Pictures are PNG files with a
palette, which makes them small.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import pandas as pd
from matplotlib import pyplot
from PIL import Image

import lmdi

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
LMDI = os.environ.get("LMDI", str(ROOT / "target" / "debug" / "lmdi"))
EXAMPLES = ROOT / "examples"
#: Enough for text and shades.
COLOURS = 224


def main():
    with tempfile.TemporaryDirectory() as folder:
        of_the_command(Path(folder))
    of_python()


def run(*options):
    subprocess.run([LMDI, "--quiet", *map(str, options)], check=True)


def shrink(path):
    """Keeps the pixels of a picture in a palette."""
    picture = Image.open(path).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def of_the_command(folder):
    table = EXAMPLES / "diabetes.csv"
    target = ["--target", "progression"]
    model, without = folder / "diabetes.lmdi", folder / "without-triglycerides.lmdi"
    fits, cancer = folder / "fits.json", folder / "cancer.lmdi"
    run("explain", table, *target, "--save", model)
    # Both are trained on all rows, and predict them out of bag.
    run("explain", table, *target, "--drop", "log_triglycerides", "--save", without)
    run("stability", table, *target, "--bootstrap-rows", "--out", fits)
    tumours = EXAMPLES / "breast_cancer.csv"
    run("explain", tumours, "--target", "diagnosis", "--model", "boosting", "--save", cancer)
    scatter = ["--column", "body_mass_index", "--color-by"]
    for name, kind, *options in [
        ("bar", "bar", model, table),
        ("beeswarm", "beeswarm", model, table),
        ("heatmap", "heatmap", model, table),
        ("waterfall", "waterfall", model, table, "--row", 1),
        ("waterfall-classes", "waterfall", cancer, tumours, "--row", 20, "--top", 8),
        ("decision", "decision", model, table),
        ("scatter", "scatter", model, table, *scatter, "auto"),
        ("scatter-categories", "scatter", model, table, *scatter, "sex"),
        ("stability", "stability", fits),
        ("comparison", "comparison", model, table, "--compare-model", without),
    ]:
        for ending, shade in (("", []), ("-dark", ["--dark"])):
            path = IMAGES / f"plot-{name}{ending}.png"
            run("plot", kind, *options, "--out", path, "--dpi", 120, *shade)
            shrink(path)


def of_python():
    rows = pd.read_csv(EXAMPLES / "diabetes.csv")
    X, y = rows.drop(columns="progression"), rows["progression"]

    def forest(seed):
        return lmdi.RandomForestRegressor(n_estimators=100, random_state=seed).fit(X, y)

    def explained(model):
        return lmdi.LMDIPlus(model).fit(X, y).explain(X)

    model = forest(0)
    e = explained(model)
    shap = lmdi.TreeSHAP(model).explain(X)
    stable = lmdi.stability([explained(forest(seed)) for seed in range(5)])
    # Standard errors are of columns that the trees read, and so of numbers.
    numbers = X.drop(columns="sex")
    forest_of_numbers = lmdi.RandomForestRegressor(n_estimators=100, random_state=0).fit(numbers, y)
    one = lmdi.LMDIPlus(forest_of_numbers).fit(numbers, y).explain(numbers, std_error=True)
    tumours = pd.read_csv(EXAMPLES / "breast_cancer.csv")
    cells, diagnosis = tumours.drop(columns="diagnosis"), tumours["diagnosis"]
    boosted = lmdi.GradientBoostingClassifier(random_state=0).fit(cells, diagnosis)
    odds = lmdi.TreeSHAP(boosted).explain(cells)
    plots = {
        "bar": lambda: e.plot.bar(),
        "beeswarm": lambda: e.plot.beeswarm(),
        "heatmap": lambda: e.plot.heatmap(),
        "waterfall": lambda: one.plot.waterfall(0, actual=y),
        "waterfall-classes": lambda: odds.plot.waterfall(19, max_display=9, actual=diagnosis),
        "decision": lambda: e.plot.decision(),
        "scatter": lambda: e.plot.scatter("body_mass_index", color="auto"),
        "scatter-categories": lambda: e.plot.scatter("body_mass_index", color="sex"),
        "stability": lambda: stable.plot(),
        "comparison": lambda: e.plot.compare(shap, labels=("LMDI+", "TreeSHAP")),
    }
    for ending, style in (("", "default"), ("-dark", "dark_background")):
        with pyplot.style.context(style):
            for name, draw in plots.items():
                path = IMAGES / f"python-{name}{ending}.png"
                draw().figure.savefig(path, dpi=110)
                pyplot.close("all")
                shrink(path)


if __name__ == "__main__":
    sys.exit(main())
