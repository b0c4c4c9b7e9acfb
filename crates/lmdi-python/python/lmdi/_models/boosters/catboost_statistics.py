"""CatBoost models whose splits are on statistics of categories, read leaf by leaf for one table.

The statistics of a category are CatBoost's own; it is asked for the leaves of the rows instead. A leaf of a
symmetric tree tells how every split of the tree came out, so that nothing else is needed. A column of the
trees is a column of the table or, for statistics of several columns together, their combination; its cell is
the code of how all splits on it came out. Scores of a combination are shared equally among its columns, as
CatBoost does.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ... import _lmdi
from ..._input.columns import Columns
from ..composite import Composite, Part
from ..model import Model

ONLY_TREES = (
    "this CatBoost model splits on statistics of categories, which only CatBoost can compute; use "
    "lmdi.TreeSHAP or lmdi.Saabas without background rows, or train with one_hot_max_size large enough to "
    "split on the categories themselves"
)


def has_statistics(content: bytes) -> bool:
    """Whether a model file has splits that only CatBoost can evaluate."""
    return b'"OnlineCtr"' in content


def for_table(model: Any, content: bytes, table: Any, pool: Any, classes: Any) -> Composite:
    """The trees as they are for the rows of a table."""
    file = json.loads(content)
    trees = file.get("oblivious_trees")
    if trees is None:
        raise TypeError(
            "a CatBoost model with statistics of categories is read only if its trees are symmetric "
            "(grow_policy='SymmetricTree'). " + ONLY_TREES
        )
    n_columns = len(model.feature_names_)
    leaves = np.asarray(model.calc_leaf_indexes(pool))
    splits = _Splits(file["features_info"])
    outcomes: dict[int, np.ndarray] = {}
    for at, tree in enumerate(trees):
        for bit, split in enumerate(tree["splits"]):
            outcomes[split["split_index"]] = (leaves[:, at] >> bit) & 1
    sets = sorted({splits.columns(tree_split) for tree in trees for tree_split in tree["splits"]})
    place = {columns: at for at, columns in enumerate(sets)}
    cells = np.zeros((len(leaves), len(sets)))
    left_codes: dict[int, list[int]] = {}
    n_codes: dict[int, int] = {}
    for columns, at in place.items():
        own = sorted(index for index in outcomes if splits.columns_of_index(index) == columns)
        patterns, codes = np.unique(
            np.column_stack([outcomes[index] for index in own]), axis=0, return_inverse=True
        )
        cells[:, at] = np.ravel(codes)
        n_codes[at] = len(patterns)
        for position, index in enumerate(own):
            left_codes[index] = np.flatnonzero(patterns[:, position] == 0).tolist()
    scale, bias = file["scale_and_bias"][0], np.ravel(file["scale_and_bias"][1]).astype(float)
    n_outputs = len(bias) if len(bias) > 1 else _n_outputs(trees[0])
    read = [_tree(tree, n_outputs, float(scale), splits, place, left_codes, n_codes) for tree in trees]
    loss = str(file["model_info"]["params"]["loss_function"]["type"])
    link = {"Logloss": "logit", "CrossEntropy": "logit", "MultiClass": "softmax"}.get(loss, "identity")
    labels = None if link == "identity" else [str(label) for label in np.asarray(classes).tolist()]
    compiled = _lmdi.Model.from_arrays(
        feature_names=[f"x{at}" for at in range(len(sets))],
        classes=labels,
        trees=read,
        output_of_tree=[],
        base_score=np.resize(bias, n_outputs).tolist(),
        learning_rate=1.0,
        link=link,
        growth="first_order",
        loss="other",
        producer="CatBoost",
        levels=[(at, [str(code) for code in range(count)]) for at, count in n_codes.items()],
    )
    own_classes = None if labels is None else np.asarray(classes)
    inner = Model(compiled, Columns(None, len(sets)), own_classes)
    shares = np.zeros((len(sets), n_columns))
    for columns, at in place.items():
        shares[at, list(columns)] = 1 / len(columns)
    names = [str(name) for name in model.feature_names_]
    unnamed = names == [str(at) for at in range(n_columns)]
    part = Part(inner, _ThisTable(cells), shares)
    columns_ = Columns(None if unnamed else tuple(names), n_columns)
    return Composite([part], columns_, own_classes, no_fit=ONLY_TREES, per_table=True)


class _ThisTable:
    """The codes of the table that the trees were read for."""

    def __init__(self, cells: np.ndarray) -> None:
        self.cells = cells

    def __call__(self, X: Any) -> np.ndarray:
        return self.cells


class _Splits:
    """Which columns of the table each split is on."""

    def __init__(self, info: dict[str, Any]) -> None:
        floats = info.get("float_features") or []
        texts = info.get("categorical_features") or []
        self._flat_float = [one["flat_feature_index"] for one in floats]
        self._flat_text = [one["flat_feature_index"] for one in texts]
        self._of_index: dict[int, tuple[int, ...]] = {}
        # Splits are numbered: those on numbers, on single categories, on statistics.
        first = sum(len(one.get("borders") or []) for one in floats)
        first += sum(len(one.get("values") or []) for one in texts)
        for statistic in info.get("ctrs") or []:
            columns = tuple(sorted({self._flat(element) for element in statistic["elements"]}))
            for index in range(first, first + len(statistic["borders"])):
                self._of_index[index] = columns
            first += len(statistic["borders"])

    def _flat(self, element: dict[str, Any]) -> int:
        if "float_feature_index" in element:
            return self._flat_float[element["float_feature_index"]]
        return self._flat_text[element["cat_feature_index"]]

    def columns(self, split: dict[str, Any]) -> tuple[int, ...]:
        """The columns of a split."""
        index = split["split_index"]
        if split["split_type"] != "OnlineCtr":
            self._of_index[index] = (self._flat(split),)
        return self._of_index[index]

    def columns_of_index(self, index: int) -> tuple[int, ...]:
        """The columns of a split that was seen."""
        return self._of_index[index]


def _n_outputs(tree: dict[str, Any]) -> int:
    return len(tree["leaf_values"]) >> len(tree["splits"])


def _tree(
    tree: dict[str, Any],
    n_outputs: int,
    scale: float,
    splits: _Splits,
    place: dict[tuple[int, ...], int],
    left_codes: dict[int, list[int]],
    n_codes: dict[int, int],
) -> dict[str, Any]:
    """A symmetric tree as a whole binary tree: the last split on top, leaves in the order of their index."""
    depth = len(tree["splits"])
    inner, n_nodes = (1 << depth) - 1, (2 << depth) - 1
    nodes = np.arange(inner)
    feature = np.full(n_nodes, -1, dtype=np.int64)
    category_set = np.full(n_nodes, -1, dtype=np.int64)
    sets = []
    for level in range(depth):
        split = tree["splits"][depth - 1 - level]
        at = place[splits.columns(split)]
        row = slice((1 << level) - 1, (2 << level) - 1)
        feature[row], category_set[row] = at, level
        sets.append(
            (_words(left_codes[split["split_index"]], n_codes[at]), _words(range(n_codes[at]), n_codes[at]))
        )
    left, right = np.full(n_nodes, -1, dtype=np.int64), np.full(n_nodes, -1, dtype=np.int64)
    left[:inner], right[:inner] = 2 * nodes + 1, 2 * nodes + 2
    value, weight = np.zeros((n_nodes, n_outputs)), np.zeros(n_nodes)
    value[inner:] = scale * np.asarray(tree["leaf_values"], dtype=float).reshape(-1, n_outputs)
    weight[inner:] = tree["leaf_weights"]
    for node in nodes[::-1]:
        pair = [2 * node + 1, 2 * node + 2]
        weight[node] = weight[pair].sum()
        shares = weight[pair] / weight[node] if weight[node] > 0 else np.full(2, 0.5)
        value[node] = shares @ value[pair]
    return {
        "feature": feature,
        "threshold": np.zeros(n_nodes),
        "left": left,
        "right": right,
        "missing_left": np.zeros(n_nodes, dtype=bool),
        "value": value.ravel(),
        "weight": weight,
        "impurity": np.full(n_nodes, np.nan),
        "single": False,
        "category_set": category_set,
        "category_sets": sets,
        "in_bag": None,
    }


def _words(codes: Any, count: int) -> list[int]:
    """Codes as the bits of 64-bit words."""
    words = [0] * (count // 64 + 1)
    for code in codes:
        words[code // 64] |= 1 << (code % 64)
    return words
