"""A user's script, as a strict type checker sees it; `./check` gives it to mypy and runs it.

What a user calls must have types, and the types must be those of the values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import lmdi


def largest(explanation: lmdi.Explanation, row: int) -> str:
    """The column with the largest score of a row."""
    sizes: NDArray[np.float64] = np.abs(explanation.values[row])
    return explanation.feature_names[int(sizes.argmax())]


def main() -> None:
    rng = np.random.default_rng(0)
    table: NDArray[np.float64] = rng.normal(size=(80, 3))
    target: NDArray[np.float64] = 2.0 * table[:, 1] + 0.1 * rng.normal(size=80)
    forest = lmdi.RandomForestRegressor(n_estimators=10, random_state=0).fit(table, target)
    explainer: lmdi.LMDIPlus = lmdi.LMDIPlus(forest).fit(table, target)
    explanation: lmdi.Explanation = explainer.explain(table[:5])
    names: list[str] = [largest(explanation, row) for row in range(5)]
    shapley: lmdi.Explanation = lmdi.TreeSHAP(forest).explain(table[:5])
    ranking: list[tuple[str, float]] = lmdi.MDI(forest).ranking()
    assert explanation.values.shape == shapley.values.shape == (5, 3)
    assert names.count(ranking[0][0]) >= 3


if __name__ == "__main__":
    main()
