"""`./bench fidelity`: how much of a model LMDI+ reproduces, by preset, for the models of six libraries.

Per data set 5,000 rows, 70 % of them to train and to fit on. On the other rows: R2 of what the explanation
predicts to what the model predicts (probabilities for classes), the share of rows with the same class, and R2 of
both to the truth. TreeSHAP is measured beside it; its scores add up to the model's own raw output. The package
is the one that is installed: `pip install ./crates/lmdi-python` first.

`--write` keeps the results in benches/results/fidelity.csv, beside those of other data sets and models, and puts their table into docs/results.md;
`--table` does the second alone, from the results that are kept.
"""

import argparse
import os
import sys
import warnings

os.environ.setdefault("PYTHONWARNINGS", "ignore")

import catboost
import lightgbm
import numpy as np
import pandas as pd
import xgboost
from sklearn import ensemble
from sklearn.model_selection import train_test_split

import common

# Beside this file lies the benchmark lmdi.py; the package of that name is meant from here on.
sys.path.remove(str(common.ROOT / "benches"))

import lmdi

SETS = {
    "miami_housing": False,
    "california_housing": False,
    "superconductivity": False,
    "spam": True,
    "adult": True,
    "higgs": True,
    "diamonds": False,
    "puma32H": False,
    "ailerons": False,
    "sarcos_testsplit": False,
    "music_origin": False,
    "house_16H": True,
    "jannis": True,
    "pol": True,
    "ozone": True,
}
RESULTS = common.ROOT / "benches" / "results" / "fidelity.csv"
PAGE = common.ROOT / "docs" / "results.md"
BEGIN, END = "<!-- ./bench fidelity -->\n", "<!-- end -->\n"
COLUMNS = ["set", "classes", "model", "explanation", "r2_to_model", "same_class", "truth_model", "truth_explanation"]


def models(classes):
    """A model of each library, about 100 rounds."""
    kind = "Classifier" if classes else "Regressor"
    quiet = {"verbose": 0, "allow_writing_files": False, "random_seed": 0}
    return {
        "forest": getattr(ensemble, f"RandomForest{kind}")(100, n_jobs=-1, random_state=0),
        "sklearn": getattr(ensemble, f"GradientBoosting{kind}")(random_state=0),
        "hist": getattr(ensemble, f"HistGradientBoosting{kind}")(random_state=0),
        "xgboost": getattr(xgboost, f"XGB{kind}")(n_estimators=100, max_depth=3, learning_rate=0.1),
        "lightgbm": getattr(lightgbm, f"LGBM{kind}")(n_estimators=100, verbose=-1),
        "catboost": getattr(catboost, f"CatBoost{kind}")(100, learning_rate=0.1, **quiet),
    }


def explanations(model, library, train, train_y, test, classes):
    """What each explanation predicts for the test rows: numbers, or the probability of the second class."""
    presets = ["model", "data", "paper"] if library == "forest" else ["model", "paper"]
    for preset in presets:
        explainer = lmdi.LMDIPlus(model, preset=preset).fit(train, train_y)
        yield preset, last_column(explainer, test, classes)
    scores = lmdi.TreeSHAP(model).explain(test)
    total = np.asarray(scores.base_values + scores.values.sum(axis=1)).reshape(len(test), -1)[:, -1]
    yield "TreeSHAP", 1 / (1 + np.exp(-total)) if scores.scale == "log_odds" else total


def last_column(model, rows, classes):
    predict = model.predict_proba if classes else model.predict
    return np.asarray(predict(rows)).reshape(len(rows), -1)[:, -1]


def load(name, classes, rows):
    """Rows in random order, categories as 0/1 columns, gaps at the mean."""
    frame = pd.read_csv(common.data_file(name)).sample(frac=1, random_state=0)[:rows]
    target = frame.pop("target")
    table = pd.get_dummies(frame, dtype=float).astype(float)
    table.columns = [f"x{at}" for at in range(table.shape[1])]
    return table.fillna(table.mean()), pd.factorize(target)[0] if classes else target.to_numpy()


def r2(truth, found):
    return 1 - ((truth - found) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()


def measure(names, chosen, rows):
    """One record per data set, library (all, or those chosen) and explanation."""
    print("data set            model     explanation  R2 to model  same class  truth: model  explanation")
    for name in names:
        classes = SETS[name]
        x, y = load(name, classes, rows)
        train, test, train_y, test_y = train_test_split(x, y, test_size=0.3, random_state=0)
        for library, model in models(classes).items():
            if chosen and library not in chosen:
                continue
            model.fit(train, train_y)
            own = last_column(model, test, classes)
            for explanation, found in explanations(model, library, train, train_y, test, classes):
                same = np.mean((own > 0.5) == (found > 0.5)) if classes else np.nan
                record = [r2(own, found), same, r2(test_y, own), r2(test_y, found)]
                print(
                    f"{name:19} {library:9} {explanation:11} {record[0]:12.3f} {same:11.3f} {record[2]:13.3f}"
                    f" {record[3]:12.3f}",
                    flush=True,
                )
                yield [name, classes, library, explanation, *(f"{number:.4f}" for number in record)]


def keep(results):
    """Writes the results; those of other data sets and models stay. The order is that of a run of all."""
    RESULTS.parent.mkdir(exist_ok=True)
    if RESULTS.exists():
        before = pd.read_csv(RESULTS, dtype=str, keep_default_na=False)
        fresh = set(zip(results.set, results.model))
        stay = [pair not in fresh for pair in zip(before.set, before.model)]
        results = pd.concat([before[stay], results.astype(str)])
    places = {name: place for place, name in enumerate([*SETS, *models(False)])}
    order = results[["set", "model"]].apply(lambda names: names.map(places))
    results.iloc[np.lexsort((order["model"], order["set"]))].to_csv(RESULTS, index=False)


def table(results):
    """The table of docs/results.md: medians and worst cases over data sets."""
    lines = [
        "| model | explanation | R², median | R², least | same class, median | least | truth: model | explanation |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    groups = results.groupby(["model", "explanation"], sort=False)
    for (model, explanation), group in groups:
        least = group.loc[group.r2_to_model.idxmin()]
        worst = group.loc[group.same_class.idxmin()]
        cells = [
            {"forest": "random forest", "sklearn": "GradientBoosting", "hist": "HistGradientBoosting"}.get(model, model),
            explanation if explanation == "TreeSHAP" else f"LMDI+ `{explanation}`",
            f"{group.r2_to_model.median():.3f}",
            f"{least.r2_to_model:.3f} ({least.set})",
            f"{group.same_class.median():.1%}",
            f"{worst.same_class:.1%} ({worst.set})",
            f"{group.truth_model.mean():.3f}",
            f"{group.truth_explanation.mean():.3f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--only", help="data sets, separated by commas")
    parser.add_argument("--models", help="models, such as forest or xgboost, separated by commas")
    parser.add_argument("--write", action="store_true", help="keep the results and put their table into the docs")
    parser.add_argument("--table", action="store_true", help="only the table, from the results that are kept")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.table:
        names = options.only.split(",") if options.only else SETS
        chosen = options.models.split(",") if options.models else None
        results = pd.DataFrame(measure(names, chosen, options.rows), columns=COLUMNS)
        if options.write:
            keep(results)
    if options.write or options.table:
        common.put_table(PAGE, BEGIN, END, table(pd.read_csv(RESULTS)))


if __name__ == "__main__":
    main()
