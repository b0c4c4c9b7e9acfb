"""The result of every local method: what each column adds to each prediction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._checks import whole
from .._errors import listed
from .groups import group_columns
from .meaning import meaning_of
from .predictions import Fidelity, Predictions, fidelity_of

if TYPE_CHECKING:
    from .._plots import Plots

#: What scores are counted in.
Scale = Literal["identity", "log_odds", "softmax", "log", "probability", "transformed", "impurity"]


class Explanation:
    """Scores of rows. For every row and output, base value plus scores is `explained`.

    Attributes
    ----------
    values : (rows, features) or (rows, features, outputs)
        What each column adds.
    base_values : (rows,) or (rows, outputs)
        The number that the values are added to.
    data : (rows, features)
        The cells as the model reads them: numbers, and codes for categories. Not a copy if the
        table was an array of floats.
    feature_names : list of str
    output_names : list of str or None
        For classes the label of each output; with two classes there is one output, the second class.
    std_error : like `values`, or None
        Standard error of each value over the trees, if requested.
    prediction : (rows,) or (rows, classes), or None
        The model's prediction: a number, or the probability of every class. Training rows of a
        forest are predicted out of bag, by the trees that did not see them (`out_of_bag` is then
        True).
    explained : like `base_values`
        Base value plus the values of all columns.
    unexplained : like `base_values`, or None
        The prediction minus `explained`, on the scale of the scores. Log-odds of a forest are
        computed from its share of votes, kept half a vote away from 0 and 1.
    fidelity : Fidelity or None
        How much of the predictions of these rows is explained.
    scale : str
        "identity" (the unit of the prediction), "log_odds", "softmax" (margins), "log", "probability",
        "transformed" (the unit of the target that the model was trained on) or "impurity".
    meaning : str
        What the sign of a value says, in words.
    index : pandas.Index or None
        Labels of the rows, if they were in a pandas frame.

    Indexing follows NumPy, with names or positions: rows, then columns, then outputs. `e[3]` is one
    row and `e[:, "age"]` one column; their arrays lack that axis. `e[:10]`, `e[:, ["age",
    "income"]]` and `e[:, :, "versicolor"]` select, and `e[..., "versicolor"]` is short for the
    last. Iterating yields rows, and `numpy.asarray(e)` gives the values.
    """

    values: NDArray[np.float64]
    base_values: NDArray[np.float64]
    data: NDArray[Any] | None
    feature_names: list[str]
    output_names: list[str] | None
    std_error: NDArray[np.float64] | None
    scale: Scale
    index: Any

    def __init__(
        self,
        values: Any,
        base_values: Any,
        data: Any = None,
        feature_names: Any = None,
        output_names: Any = None,
        std_error: Any = None,
        scale: Scale = "identity",
        categories: Any = None,
        index: Any = None,
        predictions: Predictions | None = None,
        times: Any = None,
    ) -> None:
        self.values = values
        self.base_values = base_values
        self.data = data
        self.feature_names = feature_names or [f"x{at}" for at in range(values.shape[1])]
        self.output_names = output_names
        self.std_error = std_error
        self.scale = scale
        self.index = index
        self._categories: dict[int, list[str]] = categories or {}
        #: Columns whose cells count days or seconds since 1970, with the seconds of each.
        self._times: dict[int, float] = times or {}
        #: Whether the axis of rows, or of columns, was left out by selecting one of them.
        self._one_row = self._one_column = False
        self._predictions = predictions

    @property
    def prediction(self) -> NDArray[np.float64] | None:
        """What the model predicts: a number, or the probability of every class."""
        return None if self._predictions is None else self._predictions.values

    @property
    def threshold(self) -> float | None:
        """With two classes, the probability from which the model predicts the second. None means
        that the most probable class is predicted."""
        return None if self._predictions is None else self._predictions.threshold

    @property
    def out_of_bag(self) -> bool:
        """Whether the rows are predicted by the trees that did not see them in training."""
        return self._predictions is not None and self._predictions.oob_trees is not None

    @property
    def explained(self) -> NDArray[np.float64]:
        """Base value plus the values of all columns, on the scale of the scores."""
        if self._predictions is not None:
            return self._predictions.explained
        full = self._whole()
        total = full.base_values + full.values.sum(axis=1)
        return total[0] if self._one_row else total

    @property
    def unexplained(self) -> NDArray[np.float64] | None:
        """The prediction of the scored trees minus `explained`, on the scale of the scores.

        It is zero to rounding for methods that explain the output of the model exactly (TreeSHAP,
        Saabas). Scores of all trees explain the prediction of all trees, even if `prediction` is
        out of bag.
        """
        if self._predictions is None or self.scale == "impurity":
            return None
        return self._predictions.to_explain - self._predictions.explained

    @property
    def fidelity(self) -> Fidelity | None:
        """Share of the variance of the model's predictions of these rows that is explained.

        None if predictions do not vary, for a selection of several classes, and for several
        targets.
        """
        if self._predictions is None or self.scale == "impurity" or self._one_row:
            return None
        return fidelity_of(self._predictions, self.scale)

    @property
    def meaning(self) -> str:
        """What the sign of a value says, in words.

        >>> import lmdi, numpy as np
        >>> lmdi.Explanation(np.zeros((1, 2)), np.zeros(1), output_names=["yes"], scale="log_odds").meaning
        'A value above 0 raises the odds of yes; one below 0 lowers them.'
        """
        several_numbers = self._predictions is not None and self._predictions.per_output
        return meaning_of(self.scale, self.output_names, of_numbers=several_numbers)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return self.values.shape

    @property
    def display_data(self) -> NDArray[Any] | None:
        """The cells for display: like `data`, with names of categories; None if there are none."""
        if not self._categories or self.data is None:
            return self.data
        cells = self._whole().data
        assert cells is not None
        shown = cells.astype(object)
        for at, labels in self._categories.items():
            shown[:, at] = [None if np.isnan(code) else labels[int(code)] for code in cells[:, at]]
        return shown[self._dropped()]

    @property
    def plot(self) -> Plots:
        """Plots with matplotlib: bar, beeswarm, waterfall, decision, scatter, heatmap and compare."""
        from .._plots import Plots

        return Plots(self._whole())

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = np.asarray(self.values, dtype=dtype)
        return values.copy() if copy else values

    def __iter__(self) -> Iterator[Explanation]:
        if self._one_row:
            raise TypeError("this explanation is of one row; iterate over its values instead")
        return (self[row] for row in range(len(self.values)))

    def __repr__(self) -> str:
        sizes = " x ".join(map(str, self.shape))
        return f"lmdi.Explanation({sizes}, scale={self.scale!r}, features {listed(self.feature_names)})"

    def _repr_html_(self) -> str:
        from .html import explanation_table

        return explanation_table(self._whole())

    def __getitem__(self, key: Any) -> Explanation:
        rows, columns, output = self._selection(key)
        chosen = self._whole()
        if output is not None:
            chosen = chosen._outputs(output)
        found = chosen._columns(columns)._rows(rows)
        one_row = self._one_row or _is_position(rows)
        return found._without(one_row, self._one_column or _is_position(columns) or isinstance(columns, str))

    def _selection(self, key: Any) -> tuple[Any, Any, Any]:
        """What a key selects of rows, columns and outputs; None is every output."""
        keys = list(key) if isinstance(key, tuple) else [key]
        axes = ["rows"] * (not self._one_row) + ["columns"] * (not self._one_column) + ["outputs"]
        dots = [at for at, one in enumerate(keys) if one is Ellipsis]
        if len(dots) > 1 or len(keys) - len(dots) > len(axes):
            raise IndexError(f"{len(keys)} indices; there are {len(axes)} axes: {', '.join(axes)}")
        if dots:
            every = [slice(None)] * (len(axes) - len(keys) + 1)
            keys[dots[0] : dots[0] + 1] = every
        chosen = dict(zip(axes, keys))
        output = chosen.get("outputs")
        if isinstance(output, slice) and output == slice(None):
            output = None
        return chosen.get("rows", slice(None)), chosen.get("columns", slice(None)), output

    def _rows(self, key: Any) -> Explanation:
        count = len(self.values)
        if _is_position(key):
            if not -count <= key < count:
                raise IndexError(f"there is no row {key}; there are {count} rows")
            key = slice(key, key + 1 or None)
        elif isinstance(key, str):
            raise IndexError(f"{key!r} is no row; for a column write e[:, {key!r}]")
        elif isinstance(key, list):
            key = np.asarray(key, dtype=bool if key and isinstance(key[0], (bool, np.bool_)) else np.intp)
        elif hasattr(key, "to_numpy"):
            key = key.to_numpy()

        def rows(array: Any) -> Any:
            return None if array is None else array[key]

        return self._with(
            values=self.values[key],
            base_values=self.base_values[key],
            data=rows(self.data),
            std_error=rows(self.std_error),
            index=rows(self.index),
            predictions=None if self._predictions is None else self._predictions.rows(key),
        )

    def _columns(self, key: Any) -> Explanation:
        if isinstance(key, slice) and key == slice(None):
            return self
        names = self.feature_names
        if isinstance(key, slice):
            places = list(range(len(names)))[key]
        elif _is_position(key) or isinstance(key, str):
            places = [_place(key, names, "column")]
        else:
            listed_keys = np.asarray(key).tolist()
            if len(listed_keys) == len(names) and all(isinstance(one, bool) for one in listed_keys):
                places = [at for at, wanted in enumerate(listed_keys) if wanted]
            else:
                places = [_place(one, names, "column") for one in listed_keys]

        def columns(array: Any) -> Any:
            return None if array is None else array[:, places]

        kept = {at: self._categories[old] for at, old in enumerate(places) if old in self._categories}
        return self._with(
            values=self.values[:, places],
            data=columns(self.data),
            feature_names=[names[at] for at in places],
            std_error=columns(self.std_error),
            categories=kept,
            times={at: self._times[old] for at, old in enumerate(places) if old in self._times},
        )

    def _outputs(self, key: Any) -> Explanation:
        names = self.output_names
        if self.values.ndim == 2:
            if (_is_position(key) and key in (0, -1)) or key in (names or []):
                return self
            only = f", that of {names[0]!r}" if names else ""
            error = ValueError if isinstance(key, str) else IndexError
            raise error(f"there is no output {key!r}; there is one{only}, and e.values are its scores")
        count = self.values.shape[2]
        known = names or [str(at) for at in range(count)]
        if _is_position(key) or isinstance(key, str):
            at = _place(key, known, "output")
            return self._with(
                values=self.values[:, :, at],
                base_values=self.base_values[:, at],
                output_names=[known[at]] if names else None,
                std_error=None if self.std_error is None else self.std_error[:, :, at],
                predictions=None if self._predictions is None else self._predictions.outputs(at),
            )
        if isinstance(key, slice):
            places = list(range(count))[key]
        else:
            places = [_place(one, known, "output") for one in np.asarray(key).tolist()]
        return self._with(
            values=self.values[:, :, places],
            base_values=self.base_values[:, places],
            output_names=[known[at] for at in places] if names else None,
            std_error=None if self.std_error is None else self.std_error[:, :, places],
            predictions=None if self._predictions is None else self._predictions.outputs(places),
        )

    def output(self, which: str | int) -> Explanation:
        """One output, by name or position."""
        return self[..., which]

    def _dropped(self) -> tuple[Any, ...]:
        """The index that leaves out the axes which are not there."""
        return (0 if self._one_row else slice(None), 0 if self._one_column else slice(None))

    def _without(self, one_row: bool, one_column: bool) -> Explanation:
        """The same without the axes of what was selected alone."""
        if not (one_row or one_column):
            return self
        row, column = 0 if one_row else slice(None), 0 if one_column else slice(None)
        found = self._with(
            values=self.values[row, column],
            base_values=self.base_values[row],
            data=None if self.data is None else self.data[row, column],
            std_error=None if self.std_error is None else self.std_error[row, column],
            predictions=None if self._predictions is None else self._predictions.rows(row),
        )
        found._one_row, found._one_column = one_row, one_column
        return found

    def _whole(self) -> Explanation:
        """The same with the axes of rows and columns, of which there may be one."""
        if not (self._one_row or self._one_column):
            return self
        back = (np.newaxis if self._one_row else slice(None), np.newaxis if self._one_column else slice(None))

        def with_axes(array: Any) -> Any:
            return None if array is None else np.asarray(array)[back]

        whole_ = self._with(
            values=with_axes(self.values),
            base_values=np.asarray(self.base_values)[back[:1]],
            data=with_axes(self.data),
            std_error=with_axes(self.std_error),
            predictions=None if self._predictions is None else self._predictions.rows(back[0]),
        )
        return whole_

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
            "index": self.index,
            "predictions": self._predictions,
            "times": self._times,
        }
        return Explanation(**{**parts, **changes})

    def sizes(self) -> NDArray[np.float64]:
        """Absolute values, added up over outputs: (rows, features)."""
        size = np.abs(self._whole().values)
        return size if size.ndim == 2 else size.sum(axis=2)

    def importance(self) -> Any:
        """Mean absolute value of each column over rows, summed over outputs, as a pandas Series.

        Rows without values (NaN) are left out.
        """
        pandas = _pandas("importance")
        return pandas.Series(self._importance(), index=list(self.feature_names), name="importance")

    def _importance(self) -> NDArray[np.float64]:
        sizes = self.sizes()
        return sizes[~np.isnan(sizes).any(axis=1)].mean(axis=0)

    def ranks(self) -> NDArray[np.float64]:
        """The rank of each column for each row by absolute value: 1 to the number of columns;
        larger is more important, and ties share their mean rank."""
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

        With several outputs, columns are ordered by the sum of absolute values, and that sum is
        returned.
        """
        k = whole(k, "k", 1)
        sizes = self.sizes()
        order = np.argsort(-sizes, axis=1, kind="stable")[:, :k]
        values = self._whole().values
        shown = values if values.ndim == 2 else sizes
        return [
            [(self.feature_names[at], float(values[at])) for at in line] for line, values in zip(order, shown)
        ]

    def grouped(self, groups: dict[str, list[str]]) -> Explanation:
        """The same explanation with grouped columns, such as the 0/1 columns of one categorical
        column.

        `groups` names the members of each group; other columns stay as they are. The value of a
        group is the sum of its members' values, so that values still add up. Standard errors do not
        add up and are left out. If members are 0/1 columns of which at most one is 1, the cell of
        the group is the name of that member; otherwise it is missing.
        """
        full = self._whole()
        names, group_of_column = group_columns(groups, full.feature_names)
        member = np.zeros((len(group_of_column), len(names)))
        member[np.arange(len(group_of_column)), group_of_column] = 1.0
        values = np.tensordot(full.values, member, axes=(1, 0))
        values = np.moveaxis(values, -1, 1)
        data, categories = full._grouped_cells(group_of_column, len(names))
        times = {
            group_of_column[at]: unit
            for at, unit in full._times.items()
            if group_of_column.count(group_of_column[at]) == 1
        }
        found = full._with(
            values=values,
            feature_names=names,
            data=data,
            std_error=None,
            categories=categories,
            times=times,
        )
        return found._without(self._one_row, False)

    def _grouped_cells(self, group_of_column: list[int], count: int) -> tuple[Any, dict[int, list[str]]]:
        if self.data is None:
            return None, {}
        cells = np.full((len(self.data), count), np.nan)
        categories = {}
        for group in range(count):
            members = [at for at, place in enumerate(group_of_column) if place == group]
            own = self.data[:, members]
            if len(members) == 1:
                cells[:, group] = own[:, 0]
                if members[0] in self._categories:
                    categories[group] = self._categories[members[0]]
            elif np.isin(own, (0.0, 1.0)).all() and (own.sum(axis=1) <= 1).all():
                cells[:, group] = np.where(own.any(axis=1), own.argmax(axis=1), np.nan)
                categories[group] = [self.feature_names[at] for at in members]
        return cells, categories

    def to_shap(self) -> Any:
        """A `shap.Explanation`, for shap's plots."""
        try:
            import shap
        except ImportError as error:
            raise ImportError("to_shap needs shap; install it with `pip install shap`") from error
        full = self._whole()
        single = full.values.ndim == 2
        theirs = shap.Explanation(
            values=full.values,
            base_values=full.base_values,
            data=full.data,
            display_data=full.display_data if full._categories else None,
            feature_names=list(full.feature_names),
            output_names=None if single else full.output_names,
        )
        return theirs[self._dropped()] if self._one_row or self._one_column else theirs

    def to_frame(self, long: bool = False) -> Any:
        """A pandas frame with the index of the explained frame.

        Without `long`, the frame has one line per row: one column per feature, then `base_value`
        and, if known, `explained`, `unexplained` and for regression `prediction`. Several outputs
        are an outer level of the columns. If a feature has one of these names, it keeps it, and the
        other column gets a trailing underscore. With `long`, the frame has one line per row,
        feature and output: `feature`, `data` (the cell, with names of categories), `value`,
        `base_value` and, if there are several, `output`.
        """
        pandas = _pandas("to_frame")
        full = self._whole()
        index = pandas.RangeIndex(len(full.values)) if full.index is None else full.index
        if long:
            return full._long_frame(pandas, index)

        def frame(of: Explanation) -> Any:
            further = {"base_value": of.base_values}
            if of.unexplained is not None:
                further["explained"], further["unexplained"] = of.explained, of.unexplained
            if of.prediction is not None and of.prediction.ndim == 1:
                further["prediction"] = of.prediction
            names = list(of.feature_names)
            for name in further:
                while name in names:
                    name += "_"
                names.append(name)
            columns = [of.values, *(np.reshape(column, (-1, 1)) for column in further.values())]
            return pandas.DataFrame(np.hstack(columns), columns=names, index=index)

        if full.values.ndim == 2:
            return frame(full)
        outputs: list[Any] = full.output_names or list(range(full.values.shape[2]))
        return pandas.concat({name: frame(full.output(at)) for at, name in enumerate(outputs)}, axis=1)

    def _long_frame(self, pandas: Any, index: Any) -> Any:
        """One row per row, output and feature, in this order."""
        n_rows, n_columns = self.values.shape[:2]
        outputs: list[Any] | None = None
        if self.values.ndim == 3:
            outputs = self.output_names or list(range(self.values.shape[2]))
        n_outputs = 1 if outputs is None else len(outputs)
        values = self.values.reshape(n_rows, n_columns, n_outputs).transpose(0, 2, 1)
        each = n_outputs * n_columns
        columns: dict[str, Any] = {}
        if outputs is not None:
            columns["output"] = np.tile(np.repeat(np.asarray(outputs, dtype=object), n_columns), n_rows)
        columns["feature"] = np.tile(np.asarray(self.feature_names, dtype=object), n_rows * n_outputs)
        cells = self.display_data
        if cells is not None:
            columns["data"] = np.repeat(cells[:, np.newaxis, :], n_outputs, axis=1).ravel()
        columns["value"] = values.ravel()
        columns["base_value"] = np.repeat(np.ravel(self.base_values), n_columns)
        return pandas.DataFrame(columns, index=index.repeat(each))


def _is_position(key: Any) -> bool:
    return isinstance(key, (int, np.integer)) and not isinstance(key, bool)


def _place(key: Any, names: list[str], what: str) -> int:
    """The place of a name or a position."""
    if isinstance(key, str):
        if key not in names:
            raise ValueError(f"there is no {what} {key!r}; expected one of {listed(names)}")
        return names.index(key)
    if not _is_position(key):
        raise IndexError(f"{key!r} is no {what}; expected a name or a position")
    if not -len(names) <= key < len(names):
        raise IndexError(f"there is no {what} {key}; there are {len(names)}")
    return int(key) % len(names)


def _pandas(what: str) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"{what} needs pandas; install it with `pip install pandas`") from error
    return pandas
