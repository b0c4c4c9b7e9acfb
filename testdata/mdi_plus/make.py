"""Makes the expected MDI+ values of scikit-learn's forests, by imodels' own implementation.

    pip install -r requirements.txt
    python make.py

imodels fits logistic models with scikit-learn's default tolerance (1e-4), which leaves slopes with about four
digits; here it is given 1e-12. Importances are imodels' plain values of the metric.
"""

import json
import pathlib
import sys
import warnings

import numpy as np
from imodels.importance import (
    LogisticClassifierPPM,
    RandomForestPlusClassifier,
    RandomForestPlusRegressor,
    RidgeRegressorPPM,
)
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import log_loss, mean_absolute_error, r2_score, roc_auc_score

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "benches"))

from export_sklearn import model, numbers  # noqa: E402

NAMES = ["a", "b", "c", "d", "constant"]


def data():
    random = np.random.default_rng(17)
    x = random.normal(size=(90, 5)).astype(np.float32).astype(float)
    x[:, 3] = np.round(x[:, 3])
    x[:, 4] = 1.0
    signal = 2 * x[:, 0] + np.abs(x[:, 1]) + x[:, 3] + random.normal(size=len(x)) / 2
    return x, signal, (signal + random.normal(size=len(x)) > 0.8).astype(int)


def main():
    warnings.filterwarnings("ignore")
    x, number, label = data()
    cases = []
    for leaf in (1, 5):
        grow = {"n_estimators": 4, "min_samples_leaf": leaf, "random_state": 6}
        for raw in (True, False):
            regressor = RandomForestPlusRegressor(
                RandomForestRegressor(max_features=0.6, **grow), RidgeRegressorPPM(), include_raw=raw
            )
            classifier = RandomForestPlusClassifier(
                RandomForestClassifier(**grow), LogisticClassifierPPM(tol=1e-12, max_iter=100000), include_raw=raw
            )
            for forest, y, metrics in (
                (regressor, number, {"r2": r2_score, "absolute-error": lambda y, p: -mean_absolute_error(y, p)}),
                (classifier, label, {"log-loss": lambda y, p: -log_loss(y, p), "auroc": roc_auc_score}),
            ):
                forest.fit(x, y)
                found = forest.get_mdi_plus_scores(x, y, scoring_fns=metrics)
                cases.append({
                    "x": [numbers(row) for row in x],
                    "y": y.tolist(),
                    "raw": raw,
                    "model": model(forest.rf_model, len(x), NAMES),
                    "importances": {name: found[name].tolist() for name in metrics},
                })  # fmt: skip
    text = json.dumps(cases, allow_nan=False, separators=(",", ":"))
    (HERE / "forests.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
