"""Rows that tell routing rules apart: at every threshold and beside it, and special cells."""

import numpy as np

SPECIAL = [np.nan, 0.0, -0.0, 1e-36, -1e-36, 1e30, -1e30]


def probing_rows(X, thresholds, missing=True, seed=0, most=6000):
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
    if len(cells) > most:
        cells = [cells[at] for at in random.permutation(len(cells))[:most]]
    cells += [(column, cell) for column in range(X.shape[1]) for cell in SPECIAL]
    rows = X[random.integers(len(X), size=len(cells))].astype(np.float64)
    for row, (column, cell) in zip(rows, cells):
        row[column] = cell
    mixed = np.stack([random.permutation(column) for column in X.T], axis=1)
    rows = np.vstack([rows, mixed])
    if not missing:
        rows = rows[~np.isnan(rows).any(axis=1)]
    return rows


def thresholds_of(trees, features=None):
    """Pairs of column and threshold of scikit-learn trees."""
    pairs = []
    for at, tree in enumerate(trees):
        place = np.arange(tree.n_features) if features is None else features[at]
        inner = tree.children_left >= 0
        pairs += zip(place[tree.feature[inner]].tolist(), tree.threshold[inner].tolist())
    return pairs
