"""Boosted ensembles of scikit-learn that ours are compared with.

    pip install scikit-learn==1.9.1 numpy
    python testdata/cart/make_boosting.py   # writes testdata/cart/boosting.json

Small random tables in which no two splits tie (scikit-learn breaks ties by its random state, so a
table is drawn again until the state makes no difference), with the raw outputs of GradientBoosting (exact) and
HistGradientBoosting (histogram) on the training rows. There are fewer different values than bins,
so that both libraries bin alike. Column 0 has missing cells in the histogram cases.
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

VERSION = "1.9.1"
N_ROWS, N_COLUMNS, ROUNDS = 200, 3, 8


def case(rng, histogram, classes, weighted):
    x = rng.normal(size=(N_ROWS, N_COLUMNS)).astype(np.float32).astype(float)
    signal = x[:, 0] + x[:, 1] * (x[:, 2] > 0) + rng.normal(size=N_ROWS) / 3
    if histogram:
        x[rng.random(N_ROWS) < 0.1, 0] = np.nan
    y = np.digitize(signal, [0.0] if classes == 2 else [-0.7, 0.7]) if classes else signal
    weights = rng.uniform(0.5, 2.0, N_ROWS) if weighted else None
    if histogram:
        kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
        options = {"max_iter": ROUNDS, "max_leaf_nodes": 6, "min_samples_leaf": 9, "early_stopping": False}
    else:
        kind = GradientBoostingClassifier if classes else GradientBoostingRegressor
        options = {"n_estimators": ROUNDS, "max_depth": 2, "min_samples_leaf": 9}
    answers = []
    for state in range(8):
        model = kind(learning_rate=0.3, random_state=state, **options).fit(x, y, sample_weight=weights)
        answers.append((model.decision_function(x) if classes else model.predict(x)).reshape(N_ROWS, -1))
    raw = answers[0]
    if not all(np.allclose(raw, answer, rtol=1e-12, atol=1e-12) for answer in answers):
        return case(rng, histogram, classes, weighted)
    return {
        "name": f"histogram={histogram} classes={classes} weighted={weighted}",
        "histogram": histogram,
        "n_classes": classes,
        "x": [[None if np.isnan(v) else v for v in column] for column in x.T.tolist()],
        "y": [float(v) for v in y],
        "weights": None if weights is None else weights.tolist(),
        "raw": raw.ravel().tolist(),
    }


def main():
    assert sklearn.__version__ == VERSION, f"needs scikit-learn {VERSION}, found {sklearn.__version__}"
    rng = np.random.default_rng(7)
    cases = [
        case(rng, histogram, classes, weighted)
        for histogram in (False, True)
        for classes in (0, 2, 3)
        for weighted in (False, True)
        # In the first round all rows of a class have one residual: without weights, splits of the
        # histogram finder tie, which it breaks by its order of search whatever the random state.
        if weighted or not (histogram and classes)
    ]
    body = ",\n".join(json.dumps(c) for c in cases)
    out = pathlib.Path(__file__).with_name("boosting.json")
    out.write_text(f'{{"scikit_learn": "{VERSION}", "cases": [\n{body}\n]}}\n')
    print(f"{len(cases)} cases, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
