"""Models that are made of tree models: pipelines around one, and weighted sums of several.

A part is a tree model with the steps before it (the table that it sees) and after it (its weight in
the sum). Scores of a part are summed over the columns that come from one column of the user's
table, then over the parts. That is exact because the explained output is the same weighted sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._input import tables
from .._input.columns import Cells, Columns, is_missing, level_text
from .._results.explanation import Scale
from .model import Model


@dataclass
class Part:
    """A tree model inside a composite."""

    model: Model
    #: The table that the model sees, from the user's.
    prepare: Callable[[Any], Any] | None = None
    #: For each column of the model, the column of the composite that its scores belong to, or a line with the
    #: share of every column in them.
    source: np.ndarray | None = None
    weight: float = 1.0
    #: The scale on which the weighted sum is what the composite predicts; None is any.
    scale: Scale | None = None
    #: The output of the composite that this model gives; None if it gives all of them.
    output: int | None = None
    #: The rows of the user's table that the model was trained on; None is all of them in their order.
    rows: np.ndarray | None = None
    #: How often each row of the user's table was drawn, if that was told to the model as weights.
    counts: np.ndarray | None = None
    #: The target that the model was trained on, from the user's.
    target: Callable[[Any], Any] | None = None

    def table(self, X: Any) -> Any:
        """The table that the model sees."""
        return X if self.prepare is None else self.prepare(X)


@dataclass
class Composite:
    """Tree models whose weighted sum is explained, behind transformations of the user's table."""

    parts: list[Part]
    columns: Columns
    classes_: np.ndarray | None = None
    #: The user's fitted model, which predicts; set by `_models.model_of`.
    estimator: Any = None
    #: What is added to the sum; a number, or one per output.
    offset: Any = 0.0
    #: The scale of the sum, where it is not that of the parts.
    scale: Scale | None = None
    #: Why methods that are fitted to training rows cannot be had, if so.
    no_fit: str | None = None
    #: Whether it was read for one table, and has to be read again for every other.
    per_table: bool = False
    #: How many of the columns are the user's; None is all. The others come from `derived`.
    own: int | None = None
    #: Columns that a transformation made of several of the user's, from the table.
    derived: Callable[[Any], np.ndarray] | None = None
    #: Names of outputs that are no classes.
    output_names: list[str] | None = None
    #: Texts of the user's columns by place; a text keeps its code from table to table.
    levels: dict[int, list[str]] = field(default_factory=dict)

    @property
    def _columns(self) -> Columns:
        return self.columns

    @property
    def feature_names(self) -> list[str]:
        """A name for every column."""
        return self.columns.labels()

    def take_names(self, X: Any) -> None:
        """Takes the names of a table's columns if there were none."""
        frame = tables.frame_of(X)
        if frame is not None and frame.names is not None and len(frame.names) == self.columns.count:
            self.columns = self.columns.named(frame.names)

    @property
    def n_own(self) -> int:
        """How many columns are the user's."""
        return self.columns.count if self.own is None else self.own

    def read(self, X: Any) -> Cells:
        """The user's cells: numbers, and codes for texts."""
        frame = tables.frame_of(X)
        if frame is None:
            array = X.toarray() if tables.is_sparse(X) else np.asarray(X)
            if array.ndim != 2:
                raise ValueError(f"X has {array.ndim} dimensions; expected 2, rows and columns")
            n_rows, columns = len(array), [array[:, at] for at in range(self.n_own)]
        else:
            place: Any = range(self.n_own)
            if self.columns.names is not None and frame.names is not None:
                place = [frame.names.index(name) for name in self.columns.names[: self.n_own]]
            n_rows = frame.n_rows
            columns = [tables.column_values(frame.column(at), self.feature_names[at]) for at in place]
        cells = np.empty((n_rows, len(columns)))
        for at, column in enumerate(columns):
            cells[:, at] = self._numbers(at, np.asarray(column))
        if self.derived is not None:
            cells = np.hstack([cells, self.derived(X)])
        return Cells(cells, self.columns.labels(), tables.index_of(X))

    def _numbers(self, at: int, column: np.ndarray) -> np.ndarray:
        if column.dtype.kind in "fbui" and at not in self.levels:
            return column.astype(np.float64)
        if at not in self.levels:
            try:
                return np.asarray([np.nan if is_missing(cell) else float(cell) for cell in column.tolist()])
            except (TypeError, ValueError):
                self.levels[at] = []
        known = self.levels[at]
        codes = {text: code for code, text in enumerate(known)}
        numbers = np.empty(len(column))
        for row, cell in enumerate(column.tolist()):
            if is_missing(cell):
                numbers[row] = np.nan
                continue
            text = level_text(cell)
            if text not in codes:
                codes[text] = len(known)
                known.append(text)
            numbers[row] = codes[text]
        return numbers


class OneColumn:
    """One column of a target that has several."""

    def __init__(self, at: int, of: int) -> None:
        self.at = at
        self.of = of

    def __call__(self, y: Any) -> Any:
        shape = np.shape(y)
        if len(shape) != 2 or shape[1] != self.of:
            found = 1 if len(shape) < 2 else shape[1]
            raise ValueError(
                f"y has {found} column{'s' if found != 1 else ''}; expected {self.of}, one for each number "
                "that the model predicts, in their order"
            )
        return y.iloc[:, self.at] if hasattr(y, "iloc") else np.asarray(y)[:, self.at]


def rows_of(table: Any, rows: np.ndarray | None) -> Any:
    """Some rows of a table or a target, in this order."""
    if rows is None or table is None:
        return table
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return (
        table[rows] if isinstance(table, np.ndarray) or tables.is_sparse(table) else np.asarray(table)[rows]
    )


def check_scale(part: Part, found: str, method: str) -> None:
    """Raises if the sum of parts on this scale is not what the model predicts."""
    if part.scale is None or part.scale == found or (part.scale, found) == ("identity", "probability"):
        return
    what = {"identity": "numbers and probabilities", "log_odds": "log-odds"}
    advice = {
        "LMDIPlus": 'Use family="gaussian" if the members are forests, or lmdi.TreeSHAP',
        "TreeSHAP": 'Use background rows with model_output="probability"',
    }
    raise TypeError(
        f"the model combines the {what[part.scale]} of its members, and {method} explains a member's "
        f"{what.get(found, found)}: their sum would not be the prediction. "
        + (advice.get(method, "") if part.scale == "identity" else "Explain a member on its own")
    )


def summed(
    whole: Composite, parts: list[tuple[Part, Any, Any]], n_outputs: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Values and base values of a composite from those of its parts: (part, values, base values) each.

    The values of a part are (rows, columns) or (rows, columns, outputs).
    """
    n_columns = whole.columns.count
    total: np.ndarray | None = None
    for part, values, _ in parts:
        own = part.weight * collected(values, part.source, n_columns)
        if part.output is not None:
            assert n_outputs is not None
            wide = np.zeros((*own.shape, n_outputs))
            wide[..., part.output] = own
            own = wide
        total = own if total is None else total + own
    assert total is not None
    return total, added(whole, [(part, base_values) for part, _, base_values in parts], n_outputs)


def added(whole: Composite, parts: list[tuple[Part, Any]], n_outputs: int | None) -> np.ndarray:
    """The number per row and output of a composite from those of its parts."""
    total: np.ndarray | None = None
    for part, numbers in parts:
        own = part.weight * np.asarray(numbers)
        if part.output is not None:
            assert n_outputs is not None
            wide = np.zeros((len(own), n_outputs))
            wide[:, part.output] = own
            own = wide
        total = own if total is None else total + own
    assert total is not None
    return total + whole.offset


def collected(values: np.ndarray, source: np.ndarray | None, n_columns: int, axis: int = 1) -> np.ndarray:
    """Values added up over the columns that come from the same one."""
    if source is None:
        return values
    moved = np.moveaxis(values, axis, 0)
    if source.ndim == 2:
        return np.moveaxis(np.tensordot(source.T, moved, axes=(1, 0)), 0, axis)
    found = np.zeros((n_columns, *moved.shape[1:]))
    np.add.at(found, source, moved)
    return np.moveaxis(found, 0, axis)


def by_source(cells: Cells, values: np.ndarray) -> np.ndarray:
    """Values per column of the user's table, where several columns of the trees come from one of them."""
    if cells.source is None:
        return values
    return collected(values, cells.source.of_columns, len(cells.source.names))


def predictions_of(explanation: Any) -> np.ndarray:
    """What base values and scores say is predicted: (rows, 1), or the probability of every class."""
    total = np.asarray(explanation.base_values) + explanation.values.sum(axis=1)
    total = total.reshape(len(total), -1)
    if explanation.scale == "transformed":
        raise ValueError("the model predicts a transformed target; its scores are of that, see explain")
    if explanation.scale == "log":
        return np.exp(total)
    if explanation.scale == "softmax":
        powers = np.exp(total - total.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)
    if explanation.output_names is None:
        return total
    share = 1 / (1 + np.exp(-total)) if explanation.scale == "log_odds" else total
    if share.shape[1] == 1:
        return np.hstack([1 - share, share])
    return share if explanation.scale == "identity" else share / share.sum(axis=1, keepdims=True)
