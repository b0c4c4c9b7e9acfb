"""Tables that the tests share."""

import os

# Several jobs share the machine: more threads than processors only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest


class Data:
    """Numbers with a response of each kind; `X_missing` has missing cells."""

    def __init__(self, n_rows=300, n_columns=6, seed=0):
        random = np.random.default_rng(seed)
        X = random.normal(size=(n_rows, n_columns))
        # Some columns as counts, where equal cells meet thresholds, and one far from zero.
        X[:, 1] = random.integers(0, 5, n_rows)
        X[:, 2] = 1e6 + X[:, 2]
        signal = 2 * X[:, 0] + (X[:, 1] > 2) * X[:, 3] + (X[:, 2] > 1e6)
        self.X = X
        self.y = signal + 0.3 * random.normal(size=n_rows)
        self.two = np.where(self.y > np.median(self.y), "yes", "no")
        self.three = np.digitize(self.y, np.quantile(self.y, [0.3, 0.7])) * 10
        self.weights = random.integers(0, 4, n_rows).astype(float)
        self.X_missing = X.copy()
        self.X_missing[random.random(X.shape) < 0.1] = np.nan


@pytest.fixture(scope="session")
def data():
    return Data()
