"""Trees of scikit-learn that our exact trees are compared with.

    pip install scikit-learn==1.9.1 numpy
    python testdata/cart/make.py            # writes testdata/cart/trees.json

Each case is a small random table, the parameters of one tree grown on all rows and columns, and the
arrays of scikit-learn's tree. Cells are 32-bit numbers written with enough digits to be read back
exactly; a missing cell is null. Responses and weights are multiples of 1/8, whose sums and squares
are exact, except in the cases named "continuous": scikit-learn's variance of a pure node is then
exactly zero and no node is split because of rounding alone.
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

VERSION = "1.9.1"
N_ROWS = 90

SHAPES = [
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 5},
    {"min_samples_split": 12},
    {"max_leaf_nodes": 9},
    {"min_impurity_decrease": 0.01, "min_samples_leaf": 2},
]

CRITERIA = {
    "squared_error": 0,
    "poisson": 0,
    "gini": 2,
    "gini_multiclass": 4,
    "entropy": 2,
    "entropy_multiclass": 4,
}


def table(rng, duplicates, missing, columns=4):
    x = rng.normal(size=(N_ROWS, columns)).astype(np.float32)
    if duplicates:
        x = np.round(x * 2).astype(np.float32) / 2
        # Values closer than scikit-learn tells apart.
        x[:, 0] += rng.integers(0, 3, N_ROWS).astype(np.float32) * np.float32(3e-8)
    if missing:
        x[rng.random(x.shape) < 0.15] = np.nan
        x[:, 1] = np.where(np.isnan(x[:, 1]), np.float32(0.25), x[:, 1])
    return x


def response(rng, x, criterion, continuous):
    signal = np.nan_to_num(x[:, 0]) + np.nan_to_num(x[:, 1]) * (x[:, 2] > 0) + rng.normal(size=len(x)) / 2
    classes = CRITERIA[criterion]
    if classes == 2:
        return (signal > 0.2).astype(int), classes
    if classes:
        return np.digitize(signal, [-0.8, 0.1, 1.0]), classes
    if criterion == "poisson":
        return rng.poisson(np.exp(signal / 2)).astype(float), classes
    return (signal if continuous else np.round(signal * 8) / 8), classes


def case(rng, criterion, shape, weighted, duplicates, missing, continuous):
    x = table(rng, duplicates, missing)
    y, classes = response(rng, x, criterion, continuous)
    weights = rng.integers(0, 24, N_ROWS) / 8 if weighted else None
    name = criterion.split("_multi")[0]
    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    tree = kind(criterion=name, random_state=0, **shape).fit(x, y, sample_weight=weights).tree_
    plain = lambda numbers: [None if isinstance(v, float) and not np.isfinite(v) else v for v in numbers]
    return {
        "name": f"{criterion} {shape} weighted={weighted} duplicates={duplicates} missing={missing}"
        + (" continuous" if continuous else ""),
        "criterion": name,
        "parameters": shape,
        "n_classes": classes,
        # Column by column.
        "x": [plain(float(v) for v in column) for column in x.T],
        "y": [float(v) for v in y],
        "weights": None if weights is None else weights.tolist(),
        "left": tree.children_left.tolist(),
        "right": tree.children_right.tolist(),
        "feature": tree.feature.tolist(),
        # null is +infinity: only missing cells go right.
        "threshold": plain(tree.threshold.tolist()),
        "missing_left": [bool(v) for v in tree.missing_go_to_left],
        "weight": tree.weighted_n_node_samples.tolist(),
        "impurity": tree.impurity.tolist(),
        "value": tree.value[:, 0, :].tolist(),
    }


def main():
    assert sklearn.__version__ == VERSION, f"needs scikit-learn {VERSION}, found {sklearn.__version__}"
    rng = np.random.default_rng(20261115)
    cases = []
    for criterion in CRITERIA:
        for at, shape in enumerate(SHAPES):
            cases.append(
                case(rng, criterion, shape, at % 2 == 1, at % 3 == 1, at % 3 == 2, continuous=False)
            )
    for weighted in (False, True):
        for missing in (False, True):
            cases.append(case(rng, "squared_error", {}, weighted, False, missing, continuous=True))
            cases.append(case(rng, "gini", {}, weighted, True, missing, continuous=False))
    body = ",\n".join(json.dumps(c) for c in cases)
    out = pathlib.Path(__file__).with_name("trees.json")
    out.write_text(f'{{"scikit_learn": "{VERSION}", "cases": [\n{body}\n]}}\n')
    print(f"{len(cases)} cases, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
