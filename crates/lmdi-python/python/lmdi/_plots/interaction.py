"""Which column interacts with another one."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Rows of similar cells, for interactions.
PARTS = 20


def strongest_interaction(explanation: Any, at: int) -> int | None:
    """The column whose cells say most about what values of a column still differ by among rows with similar
    cells: the largest rank correlation with their distance from the mean of those rows."""
    own = _ranks(explanation.data[:, at])
    parts = np.where(np.isnan(own), PARTS, np.minimum((own * PARTS), PARTS - 1)).astype(int)
    values = explanation.values[:, at]
    counts = np.maximum(np.bincount(parts, minlength=PARTS + 1), 1)
    left = values - (np.bincount(parts, weights=values, minlength=PARTS + 1) / counts)[parts]
    strengths = [
        0.0 if other == at else abs(_correlation(_ranks(explanation.data[:, other]), left))
        for other in range(len(explanation.feature_names))
    ]
    best = int(np.argmax(strengths))
    return best if strengths[best] > 0 else None


def _ranks(cells: Any) -> Any:
    """Places among the others from 0 to 1, equal cells alike; NaN where missing."""
    known = cells[~np.isnan(cells)]
    if len(known) == 0:
        return np.full(len(cells), np.nan)
    found, inverse, counts = np.unique(known, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts + 1) / 2
    ranks = np.full(len(cells), np.nan)
    ranks[~np.isnan(cells)] = middle[inverse] / max(1, len(known) - 1)
    return ranks


def _correlation(a: Any, b: Any) -> float:
    known = ~np.isnan(a) & ~np.isnan(b)
    if known.sum() < 2 or np.ptp(a[known]) == 0 or np.ptp(b[known]) == 0:
        return 0.0
    return float(np.corrcoef(a[known], b[known])[0, 1])
