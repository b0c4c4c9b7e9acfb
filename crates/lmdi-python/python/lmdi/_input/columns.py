"""The columns a model expects: their names, and which of them hold categories."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._errors import LmdiWarning, listed
from . import tables


class Categories:
    """The values of a categorical column; a value becomes its position, an unknown one is missing.

    Values are identified by their text, as in model files: integers without a decimal point, so
    that 3 and 3.0 are the same category.
    """

    def __init__(self, values: Any) -> None:
        self.levels = [level_text(value) for value in values]
        self._codes: dict[str | None, int] = {level: at for at, level in enumerate(self.levels)}

    def encode(self, column: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """The code of each cell, NaN for missing and unknown ones, and the unknown categories."""
        distinct, inverse = _distinct(column)
        texts = [None if is_missing(cell) else level_text(cell) for cell in distinct]
        codes = [self._codes.get(text, np.nan) for text in texts]
        unknown = [text for text in texts if text is not None and text not in self._codes]
        return np.asarray(codes, dtype=np.float64)[inverse], unknown


def level_text(value: Any) -> str:
    """A category as text."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN or the missing value of pandas."""
    return cell is None or cell is _pandas_missing() or cell != cell


def _pandas_missing() -> Any:
    """pandas' own missing value, which no comparison recognises, if pandas is in use."""
    pandas = sys.modules.get("pandas")
    return None if pandas is None else getattr(pandas, "NA", None)


def _distinct(column: Any) -> Any:
    """Distinct cells as Python values, and where each cell is among them."""
    if column.dtype.kind != "O":
        distinct, inverse = np.unique(column, return_inverse=True)
        return distinct.tolist(), inverse
    place: dict[Any, int] = {}
    inverse = np.empty(len(column), dtype=np.intp)
    for at, cell in enumerate(column.tolist()):
        cell = None if is_missing(cell) else cell
        inverse[at] = place.setdefault(cell, len(place))
    return list(place), inverse


class Source(NamedTuple):
    """The columns of a table that becomes another one for the trees."""

    names: list[str]
    #: Numbers, and codes of categories.
    array: np.ndarray
    categories: dict[int, list[str]]
    #: For each column of the trees the place of the one that it comes from.
    of_columns: np.ndarray


class Cells(NamedTuple):
    """A table as a model reads it."""

    array: np.ndarray
    names: list[str] | None
    #: Labels of the rows, if the table was a pandas frame.
    index: Any = None
    #: The user's columns, if several of the columns above come from one of them.
    source: Source | None = None

    @property
    def table(self) -> Any:
        """The form that compiled code takes."""
        return tables.strided(self.array)


@dataclass(frozen=True)
class Columns:
    """What a table must look like."""

    #: Names of the columns; None if the model was trained on a table without names.
    names: tuple[str, ...] | None
    count: int
    #: Categorical columns, by position.
    categories: dict[int, Categories] = field(default_factory=dict)
    #: A number that stands for a missing cell, beside NaN.
    missing: float | None = None
    #: Categorical columns that the model knows by code only, by position.
    coded: frozenset[int] = frozenset()
    #: Whether names are LightGBM's, which puts underscores for spaces.
    underscored: bool = False
    #: Kinds of dates, times and spans that columns of the user's table held in training, by name.
    moments: dict[str, str] = field(default_factory=dict)

    def times_of(self, names: list[str]) -> dict[int, float]:
        """The columns among these that hold dates and times, by position, with the seconds per
        unit."""
        units = {"dates": tables.DAY, "points of time": 1.0}
        kinds = ((at, self.moments.get(name)) for at, name in enumerate(names))
        return {at: units[kind] for at, kind in kinds if kind in units}

    def labels(self) -> list[str]:
        """A name for every column."""
        return list(self.names) if self.names else [f"x{at}" for at in range(self.count)]

    def levels(self) -> list[tuple[int, list[str]]]:
        """Names of the categories by column, as a model file keeps them."""
        return [(at, list_.levels) for at, list_ in sorted(self.categories.items())]

    def named(self, names: list[str] | None) -> Columns:
        """The same columns with these names, if they had none, or others only because of underscores."""
        known = self.names is not None and not (self.underscored and list(self.names) != names)
        if known or names is None:
            return self
        return replace(self, names=tuple(names))

    def read(self, X: Any) -> Cells:
        """The cells of a table, its columns in the order of the model."""
        frame = tables.frame_of(X)
        if frame is None:
            cells = self._read_array(X)
        else:
            cells = self._read_frame(frame)
        if self.missing is not None:
            array = np.array(cells.array)
            array[array == self.missing] = np.nan
            cells = Cells(array, cells.names)
        tables.check_cells(cells.array, cells.names or self.labels())
        return cells

    def _read_array(self, X: Any) -> Cells:
        if self.categories and not tables.is_sparse(X):
            X = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
            if X.ndim == 2:
                self._check_count(X.shape[1])
                return Cells(self._fill(len(X), lambda at: X[:, at]), None)
        array = tables.as_array(X)
        self._check_count(array.shape[1])
        return Cells(array, None)

    def _read_frame(self, frame: tables.Frame) -> Cells:
        order = None
        if frame.labels is not None and (self.names is None or set(self.names) == set(frame.labels)):
            # Names that are no text: known where the model, or an earlier table, has them too.
            frame = frame._replace(names=frame.labels)
        if self.names is not None and frame.names is not None:
            found, expected = frame.names, list(self.names)
            if self.underscored and found != expected:
                found, expected = ([name.replace(" ", "_") for name in names] for names in (found, expected))
            order = tables.order_of_columns(found, expected)
        else:
            self._check_count(frame.n_columns)
        names = frame.names
        if self.names is not None:
            names = list(self.names)
            if self.underscored and frame.names is not None:
                names = [frame.names[at] for at in order or range(self.count)]
        block = None if self.categories or self.coded else frame.block()
        if block is not None and block.dtype.kind in "fbui":
            array = tables.as_floats(block, "X")
            return Cells(array if order is None else array[:, order], names)
        labels = names or self.labels()
        place = order or range(self.count)

        def column(at: Any) -> Any:
            cells = frame.column(place[at])
            if at in self.coded:
                return tables.category_codes(cells, labels[at])
            return tables.column_values(cells, labels[at])

        return Cells(self._fill(frame.n_rows, column), names)

    def _fill(self, n_rows: int, column: Any) -> np.ndarray:
        """A new matrix, column by column; 32 bits wide if that holds every column."""
        labels = self.labels()
        array = None
        for at in range(self.count):
            values = column(at)
            if at in self.categories:
                values = self._codes(at, values, labels[at])
            else:
                values = tables.as_floats(values, f"column {labels[at]!r}")
            if array is None:
                array = np.empty((n_rows, self.count), dtype=values.dtype, order="F")
            elif array.dtype.itemsize < values.dtype.itemsize:
                array = array.astype(values.dtype, order="F")
            array[:, at] = values
        return np.empty((n_rows, 0)) if array is None else array

    def _codes(self, at: int, values: np.ndarray, name: str) -> np.ndarray:
        codes, unknown = self.categories[at].encode(values)
        if unknown:
            warnings.warn(
                f"column {name!r} holds {listed(unknown)}, which the model was not trained on; such cells "
                "are taken as missing",
                LmdiWarning,
                stacklevel=2,
            )
        return codes

    def _check_count(self, found: int) -> None:
        if found != self.count:
            known = f": {listed(self.names)}" if self.names else ""
            raise ValueError(
                f"X has {found} features, but the model is expecting {self.count} features as input{known}"
            )
