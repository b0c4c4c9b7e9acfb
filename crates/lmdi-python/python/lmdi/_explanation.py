"""The result of every local method: what each column adds to each prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import listed
from ._groups import group_columns
from ._predictions import Fidelity, Predictions, fidelity_of


class Explanation:
    """Scores of rows; for every row and output, base value plus scores is the explained number.

    Attributes
    ----------
    values : (rows, features) or (rows, features, outputs)
        What each column adds.
    base_values : (rows,) or (rows, outputs)
        What the values are added to.
    data : (rows, features)
        The cells as the model reads them: numbers, and codes for categories. Not a copy where the table
        was an array of floats.
    feature_names : list of str
    output_names : list of str or None
        For classes the label of each output; with two classes there is one output, the second class.
    std_error : like `values`, or None
        Standard error of each value over the trees, if it was asked for.
    prediction : (rows,) or (rows, classes), or None
        What the model predicts: a number, or the probability of every class. Training rows of a forest are
        predicted out of bag, by the trees that did not see them (`out_of_bag` says so).
    explained : like `base_values`
        Base value plus scores.
    unexplained : like `base_values`, or None
        What these leave of the prediction, on the scale of the scores. Log-odds of a forest are those of its
        share of votes, kept half a vote away from 0 and 1.
    fidelity : Fidelity or None
        How much of the predictions of these rows is explained.
    scale : str
        "identity" (the unit of the prediction), "log_odds", "softmax" (margins), "log" or "impurity".

    Indexing selects rows, and an output by its name or position after the rows and columns:
    `e[:10]`, `e[3]`, `e[..., "versicolor"]`.
    """

    def __init__(
        self,
        values: Any,
        base_values: Any,
        data: Any = None,
        feature_names: Any = None,
        output_names: Any = None,
        std_error: Any = None,
        scale: Any = "identity",
        categories: Any = None,
        predictions: Predictions | None = None,
    ) -> None:
        self.values = values
        self.base_values = base_values
        self.data = data
        self.feature_names = feature_names or [f"x{at}" for at in range(values.shape[1])]
        self.output_names = output_names
        self.std_error = std_error
        self.scale = scale
        self._categories = categories or {}
        self._predictions = predictions

    @property
    def prediction(self) -> np.ndarray | None:
        """What the model predicts: (rows,), or (rows, classes) with the probability of every class."""
        return None if self._predictions is None else self._predictions.values

    @property
    def out_of_bag(self) -> bool:
        """Whether the rows are predicted by the trees that did not see them in training."""
        return self._predictions is not None and self._predictions.oob_trees is not None

    @property
    def explained(self) -> np.ndarray:
        """Base value plus scores, on the scale of the scores."""
        return self.base_values + self.values.sum(axis=1)

    @property
    def unexplained(self) -> np.ndarray | None:
        """What base value plus scores leaves of the prediction, on the scale of the scores.

        Zero to rounding for methods that explain the output of the model exactly (TreeSHAP, Saabas). These
        explain what all trees say, also where `prediction` is out of bag.
        """
        if self._predictions is None or self.scale == "impurity":
            return None
        return self._predictions.to_explain - self.explained

    @property
    def fidelity(self) -> Fidelity | None:
        """How much of the variation of the model's predictions of these rows is explained.

        None where predictions do not vary, and for one of several outputs.
        """
        if self._predictions is None or self.scale == "impurity":
            return None
        n_classes = 1 if self._predictions.values.ndim == 1 else self._predictions.values.shape[1]
        if n_classes > 2 and self.values.ndim == 2:
            return None
        return fidelity_of(self._predictions, self.explained, self.scale)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return self.values.shape

    @property
    def display_data(self) -> np.ndarray | None:
        """The cells for people: like `data`, with names of categories; None if there are none."""
        if not self._categories or self.data is None:
            return self.data
        shown = self.data.astype(object)
        for at, labels in self._categories.items():
            codes = self.data[:, at]
            shown[:, at] = [None if np.isnan(code) else labels[int(code)] for code in codes]
        return shown

    @property
    def plot(self) -> Any:
        """Plots with matplotlib: bar, beeswarm, waterfall, scatter and heatmap."""
        from ._plots import Plots

        return Plots(self)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        sizes = " x ".join(map(str, self.shape))
        return f"lmdi.Explanation({sizes}, scale={self.scale!r}, features {listed(self.feature_names)})"

    def __getitem__(self, key: Any) -> Explanation:
        if isinstance(key, tuple):
            if len(key) != 2 or key[0] is not Ellipsis:
                raise IndexError("expected rows, or [..., output] for one output")
            return self.output(key[1])
        if isinstance(key, (int, np.integer)):
            key = slice(key, key + 1 or None)

        def rows(array: Any) -> Any:
            return None if array is None else array[key]

        return self._with(
            values=self.values[key],
            base_values=self.base_values[key],
            data=rows(self.data),
            std_error=rows(self.std_error),
            predictions=None if self._predictions is None else self._predictions.rows(key),
        )

    def output(self, which: Any) -> Explanation:
        """One output, by name or position."""
        if self.values.ndim == 2:
            if which in (0, -1) or which in (self.output_names or []):
                return self
            raise ValueError(f"there is no output {which!r}; there is one, {self.output_names}")
        if isinstance(which, str):
            if which not in self.output_names:
                raise ValueError(f"there is no output {which!r}; expected one of {listed(self.output_names)}")
            which = self.output_names.index(which)
        return self._with(
            values=self.values[:, :, which],
            base_values=self.base_values[:, which],
            output_names=[self.output_names[which]] if self.output_names else None,
            std_error=None if self.std_error is None else self.std_error[:, :, which],
            predictions=None if self._predictions is None else self._predictions.output(which),
        )

    def _with(self, **changes: Any) -> Explanation:
        parts = {
            "values": self.values,
            "base_values": self.base_values,
            "data": self.data,
            "feature_names": self.feature_names,
            "output_names": self.output_names,
            "std_error": self.std_error,
            "scale": self.scale,
            "categories": self._categories,
            "predictions": self._predictions,
        }
        return Explanation(**{**parts, **changes})

    def sizes(self) -> np.ndarray:
        """Absolute values, added up over outputs: (rows, features)."""
        size = np.abs(self.values)
        return size if size.ndim == 2 else size.sum(axis=2)

    def importance(self) -> np.ndarray:
        """Mean absolute value of each column, over rows (and added up over outputs).

        Rows without values (NaN) are left out.
        """
        sizes = self.sizes()
        return sizes[~np.isnan(sizes).any(axis=1)].mean(axis=0)

    def ranks(self) -> np.ndarray:
        """The rank of each column for each row by absolute value: 1 to the number of columns, larger is
        more important, equal ones share the mean of their ranks."""
        sizes = self.sizes()
        ordered = np.sort(sizes, axis=1)
        ranks = np.empty_like(sizes)
        for row, (size, line) in enumerate(zip(sizes, ordered)):
            below = np.searchsorted(line, size, side="left")
            up_to = np.searchsorted(line, size, side="right")
            ranks[row] = (below + 1 + up_to) / 2
        return ranks

    def top(self, k: int) -> list[list[tuple[str, float]]]:
        """The `k` columns with the largest absolute value of each row, largest first, with their values.

        Several outputs are ordered by the sum of absolute values, and that sum is given.
        """
        order = np.argsort(-self.sizes(), axis=1, kind="stable")[:, :k]
        shown = self.values if self.values.ndim == 2 else self.sizes()
        return [
            [(self.feature_names[at], float(values[at])) for at in line] for line, values in zip(order, shown)
        ]

    def grouped(self, groups: dict[str, list[str]]) -> Explanation:
        """The same with columns taken together, such as the one-hot parts of one column.

        `groups` names the members of each group; columns in no group stay as they are. Values of a group
        are added up, so that they still add up to the prediction; standard errors do not add up and are
        left out.
        """
        names, group_of_column = group_columns(groups, self.feature_names)
        member = np.zeros((len(group_of_column), len(names)))
        member[np.arange(len(group_of_column)), group_of_column] = 1.0
        values = np.tensordot(self.values, member, axes=(1, 0))
        values = np.moveaxis(values, -1, 1)
        return self._with(values=values, feature_names=names, data=None, std_error=None, categories={})

    def to_shap(self) -> Any:
        """A `shap.Explanation`, which shap's plots take."""
        try:
            import shap
        except ImportError as error:
            raise ImportError("to_shap needs shap; install it with `pip install shap`") from error
        single = self.values.ndim == 2
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=self.data,
            display_data=self.display_data if self._categories else None,
            feature_names=list(self.feature_names),
            output_names=None if single else self.output_names,
        )

    def to_frame(self) -> Any:
        """A pandas frame: a column a feature, a row a row; several outputs as an outer level of columns.

        The base value is the column `base_value`, followed by `explained`, `unexplained` and for numbers
        `prediction`, where these are known.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_frame needs pandas; install it with `pip install pandas`") from error

        def frame(of: Explanation) -> Any:
            table = pandas.DataFrame(of.values, columns=list(of.feature_names))
            table["base_value"] = of.base_values
            if of.unexplained is not None:
                table["explained"], table["unexplained"] = of.explained, of.unexplained
            if of.prediction is not None and of.prediction.ndim == 1:
                table["prediction"] = of.prediction
            return table

        if self.values.ndim == 2:
            return frame(self)
        outputs = self.output_names or list(range(self.values.shape[2]))
        return pandas.concat({name: frame(self.output(at)) for at, name in enumerate(outputs)}, axis=1)
