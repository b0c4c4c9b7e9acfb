"""`./bench fidelity`: how much of a model LMDI+ reproduces, for the models of six libraries.

Per data set 5,000 rows, 70 % of them to train and to fit on. On the other rows: R2 of what the explanation
predicts to what the model predicts (probabilities for classes), the share of rows with the same class, and R2 of
both to the truth. The package is the one that is installed: `pip install ./crates/lmdi-python` first.
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
}


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


def load(name, classes, rows):
    """Rows in random order, categories as 0/1 columns, gaps at the mean."""
    frame = pd.read_csv(common.data_file(name)).sample(frac=1, random_state=0)[:rows]
    target = frame.pop("target")
    table = pd.get_dummies(frame, dtype=float).astype(float)
    table.columns = [f"x{at}" for at in range(table.shape[1])]
    return table.fillna(table.mean()), pd.factorize(target)[0] if classes else target.to_numpy()


def r2(truth, found):
    return 1 - ((truth - found) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--only", help="one data set")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("data set            model     R2 to model  same class  truth: model  explanation")
    for name, classes in SETS.items():
        if options.only not in (None, name):
            continue
        x, y = load(name, classes, options.rows)
        parts = train_test_split(x, y, test_size=0.3, random_state=0)
        train, test, train_y, test_y = parts
        for library, model in models(classes).items():
            model.fit(train, train_y)
            explainer = lmdi.LMDIPlus(model).fit(train, train_y)
            predict = "predict_proba" if classes else "predict"
            own, refit = (
                np.asarray(getattr(one, predict)(test)).reshape(len(test), -1)[:, -1]
                for one in (model, explainer)
            )
            same = f"{np.mean((own > 0.5) == (refit > 0.5)):.3f}" if classes else "-"
            print(
                f"{name:19} {library:9} {r2(own, refit):11.3f} {same:>11} {r2(test_y, own):13.3f}"
                f" {r2(test_y, refit):12.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
