"""Rows that tell routing rules apart: at every threshold and beside it, and special cells."""

import numpy as np
import pandas as pd

SPECIAL = [np.nan, 0.0, -0.0, 1e-36, -1e-36, 1e30, -1e30]


def probing_rows(X, thresholds, missing=True, seed=0):
    """Rows of X with one cell replaced: by each threshold of its column, its 32-bit form and their
    neighbours in both widths, and by special cells; then random rows.

    `thresholds` are pairs of a column and a number.
    """
    random = np.random.default_rng(seed)
    cells = []
    for column, threshold in sorted(set(thresholds)):
        if not abs(threshold) < 1e38:
            # Only missing cells are on the other side; tables hold no infinite cell.
            continue
        single = np.float32(threshold)
        cells += [
            (column, threshold),
            (column, np.nextafter(threshold, np.inf)),
            (column, np.nextafter(threshold, -np.inf)),
            (column, float(single)),
            (column, float(np.nextafter(single, np.float32(np.inf)))),
            (column, float(np.nextafter(single, np.float32(-np.inf)))),
        ]
    cells += [(column, cell) for column in range(X.shape[1]) for cell in SPECIAL]
    rows = X[random.integers(len(X), size=len(cells))].astype(np.float64)
    for row, (column, cell) in zip(rows, cells):
        row[column] = cell
    mixed = np.stack([random.permutation(column) for column in X.T], axis=1)
    rows = np.vstack([rows, mixed])
    if not missing:
        rows = rows[~np.isnan(rows).any(axis=1)]
    return rows


def probing_frame(frame, thresholds, unseen=None, seed=0):
    """The same for a frame with columns of pandas categories, which `thresholds` leaves out: every category
    and a missing cell meet every probe; `unseen` is a category that training did not know, if it may be asked
    for."""
    numbers = [at for at, kind in enumerate(frame.dtypes) if kind.name != "category"]
    place = {column: at for at, column in enumerate(numbers)}
    X = frame.iloc[:, numbers].to_numpy(dtype=np.float64)
    rows = probing_rows(X, [(place[column], cell) for column, cell in thresholds], seed=seed)
    probe = pd.DataFrame(index=range(len(rows)))
    for at, name in enumerate(frame.columns):
        if at in place:
            probe[name] = rows[:, place[at]]
            continue
        levels = frame[name].cat.categories.tolist()
        cells = levels + [None] + ([] if unseen is None else [unseen])
        known = levels + ([] if unseen is None else [unseen])
        probe[name] = pd.Categorical([cells[row % len(cells)] for row in range(len(rows))], known)
    return probe


def thresholds_of(trees, features=None):
    """Pairs of column and threshold of scikit-learn trees."""
    pairs = []
    for at, tree in enumerate(trees):
        place = np.arange(tree.n_features) if features is None else features[at]
        inner = tree.children_left >= 0
        pairs += zip(place[tree.feature[inner]].tolist(), tree.threshold[inner].tolist())
    return pairs
