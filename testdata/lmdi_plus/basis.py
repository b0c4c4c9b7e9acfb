"""The design matrix of one tree, written out densely from its definition.

Column of a split v: `-sqrt(N_R/N_L)` on its left child, `+sqrt(N_L/N_R)` on its right child, zero
outside v, with N the in-bag counts. Block of feature k: its split columns in node order, then x_k
divided by `sd(x_k) / max sd(split column of k)`. Every column minus its in-bag mean. A feature the
tree never splits on has no column. Cells are compared as 32-bit numbers, as scikit-learn does.

Shares no code with the library under test nor with imodels.
"""

import numpy as np

NONE = -1


def tree_arrays(estimator, counts):
    """A fitted scikit-learn tree as one entry of `trees` in the JSON model format."""
    tree = estimator.tree_
    leaf = tree.children_left < 0
    value = tree.value[:, 0, :]
    if hasattr(estimator, "classes_"):
        value = value / value.sum(axis=1, keepdims=True)
    return {
        "feature": np.where(leaf, NONE, tree.feature).tolist(),
        "threshold": np.where(leaf, 0.0, tree.threshold).tolist(),
        "left": np.where(leaf, NONE, tree.children_left).tolist(),
        "right": np.where(leaf, NONE, tree.children_right).tolist(),
        "n_values": value.shape[1],
        "value": value.ravel().tolist(),
        "weight": tree.weighted_n_node_samples.tolist(),
        "in_bag": [int(count) for count in counts],
    }


def model(trees, n_features, classes=None):
    """Trees as a file in the JSON model format."""
    ensemble = {"feature_names": [f"x{k}" for k in range(n_features)]}
    if classes is not None:
        ensemble["classes"] = [str(label) for label in classes]
    return {"format": "lmdi-model", "version": 1, "ensemble": {**ensemble, "trees": trees}}


def splits_of(tree):
    """Node numbers of the splits."""
    return [node for node, left in enumerate(tree["left"]) if left != NONE]


def membership(tree, x):
    """Boolean rows x nodes: which nodes a row passes."""
    cells = x.astype(np.float32).astype(np.float64)
    inside = np.zeros((len(x), len(tree["left"])), dtype=bool)
    inside[:, 0] = True
    for node in splits_of(tree):
        goes_left = cells[:, tree["feature"][node]] <= tree["threshold"][node]
        inside[:, tree["left"][node]] = inside[:, node] & goes_left
        inside[:, tree["right"][node]] = inside[:, node] & ~goes_left
    return inside


class Basis:
    """The columns of one tree: fixed on the training rows, evaluated on any rows."""

    def __init__(self, tree, x, counts, raw):
        self.tree = tree
        weight = np.asarray(counts, dtype=float)
        inside = membership(tree, x)
        in_bag = weight @ inside
        self.columns = []
        self.values = {}
        for feature in sorted({tree["feature"][node] for node in splits_of(tree)}):
            spread = 0.0
            for node in splits_of(tree):
                if tree["feature"][node] != feature:
                    continue
                left, right = in_bag[tree["left"][node]], in_bag[tree["right"][node]]
                self.values[node] = (-np.sqrt(right / left), np.sqrt(left / right))
                column = self._split(node, inside)
                spread = max(spread, np.sqrt(np.average(column**2, weights=weight)))
                self.columns.append({"feature": feature, "node": node})
            if raw:
                mean = np.average(x[:, feature], weights=weight)
                sd = np.sqrt(np.average((x[:, feature] - mean) ** 2, weights=weight))
                self.columns.append(
                    {"feature": feature, "node": None, "scale": sd / spread, "mean": mean}
                )

    def _split(self, node, inside):
        left, right = self.values[node]
        return (
            left * inside[:, self.tree["left"][node]] + right * inside[:, self.tree["right"][node]]
        )

    def matrix(self, x):
        """Rows x columns."""
        inside = membership(self.tree, x)
        made = np.empty((len(x), len(self.columns)))
        for index, column in enumerate(self.columns):
            if column["node"] is None:
                made[:, index] = (x[:, column["feature"]] - column["mean"]) / column["scale"]
            else:
                made[:, index] = self._split(column["node"], inside)
        return made

    def scores(self, x, coef):
        """Rows x features: each block times its coefficients."""
        matrix = self.matrix(x)
        made = np.zeros(x.shape)
        for index, column in enumerate(self.columns):
            made[:, column["feature"]] += matrix[:, index] * coef[index]
        return made


def fit_weights(counts, fit_on):
    """Weight of each training row in the GLM."""
    counts = np.asarray(counts, dtype=float)
    return {
        "all": np.where(counts > 0, counts, 1.0),
        "inbag": counts,
        "oob": (counts == 0).astype(float),
        "uniform": np.ones_like(counts),
    }[fit_on]
