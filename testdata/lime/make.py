"""Makes expected explanations by the package lime.

    pip install -r requirements.txt
    python make.py

neighbourhoods.json: small neighbourhoods as lime sees them (0/1 columns, predictions) and the intercept, slopes
and R2 that lime's `explain_instance_with_data` gives for them, for every way to choose columns.

forests.json: forests, background rows (the last column is categorical) and lime's slopes of 100 rows under six
seeds, with lime's own 5,000 neighbours.
"""

import json
import pathlib
import sys

import numpy as np
from lime.lime_base import LimeBase
from lime.lime_tabular import LimeTabularExplainer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "benches"))

from export_sklearn import model, numbers  # noqa: E402

NAMES = ["a", "b", "c", "d", "e", "category"]
MODES = ["none", "auto", "highest_weights", "forward_selection", "lasso_path"]


def write(name, content):
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    (HERE / name).write_text(text + "\n")


def neighbourhood(seed):
    random = np.random.default_rng(seed)
    columns = 9
    same = (random.random((70, columns)) < 0.4).astype(float)
    same[0] = 1
    same[:, 5] = np.where(random.random(70) < 0.8, same[:, 4], same[:, 5])
    slopes = random.normal(size=columns) * (random.random(columns) < 0.7)
    y = 100 * (seed % 2) + same @ slopes + same[:, 0] * same[:, 1] + random.normal(size=70) / 3
    width = 0.75 * np.sqrt(columns)
    base = LimeBase(lambda d: np.sqrt(np.exp(-(d**2) / width**2)), random_state=0)
    distances = np.sqrt(((same - same[0]) ** 2).sum(axis=1))
    fits = []
    for mode in MODES:
        for most in (2, 4, 7, columns):
            intercept, pairs, r2, _ = base.explain_instance_with_data(
                same, y[:, None], distances, 0, most, feature_selection=mode
            )
            found = np.zeros(columns)
            for column, slope in pairs:
                found[column] = slope
            fits.append({
                "selection": mode, "most": most, "intercept": float(intercept), "slopes": found.tolist(), "r2": float(r2),
            })  # fmt: skip
    return {"same": same.astype(int).tolist(), "prediction": y.tolist(), "fits": fits}


def forest(kind):
    random = np.random.default_rng(4)
    x = random.normal(size=(160, 6)).astype(np.float32).astype(float)
    x[:, 5] = random.integers(0, 3, len(x))
    signal = 2 * x[:, 0] + np.abs(x[:, 1]) + (x[:, 5] == 1) + 0.5 * x[:, 2] * x[:, 3]
    signal += random.normal(size=len(x)) / 4
    if kind == "regression":
        estimator = RandomForestRegressor(10, min_samples_leaf=5, random_state=1).fit(x, signal)
        predict = estimator.predict
    else:
        estimator = RandomForestClassifier(10, min_samples_leaf=5, random_state=1).fit(x, signal > 1)
        predict = estimator.predict_proba
    explained = []
    for seed in range(6):
        explainer = LimeTabularExplainer(
            x, mode=kind, categorical_features=[5], feature_names=NAMES, random_state=seed
        )
        lines = []
        for row in x[:100]:
            found = explainer.explain_instance(row, predict, num_features=6).as_map()[1]
            lines.append([dict(found)[column] for column in range(6)])
        explained.append(lines)
    return {
        "x": [numbers(row) for row in x],
        "model": model(estimator, len(x), NAMES),
        "slopes": np.array(explained).round(6).tolist(),
    }


def main():
    write("neighbourhoods.json", [neighbourhood(seed) for seed in range(6)])
    write("forests.json", {kind: forest(kind) for kind in ("regression", "classification")})


if __name__ == "__main__":
    main()
