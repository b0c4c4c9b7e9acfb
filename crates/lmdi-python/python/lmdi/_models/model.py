"""A tree model of any library, as this package holds it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import _lmdi
from .._errors import LmdiWarning
from .._input import responses, tables
from .._input.columns import Categories, Cells, Columns, Source, is_missing, level_text
from .._results.text import counted
from .._running import running


class Model:
    """The trees of a fitted model, with everything needed to predict and explain them.

    `lmdi.load` returns one from a file; explainers make one from a model of another library.

    Parameters
    ----------
    compiled
        The trees.
    columns
        What a table must look like.
    classes
        The labels as the user knows them; None for a regression model.
    sees_every_row
        Whether it is known that each tree was grown on every training row.
    """

    def __init__(
        self,
        compiled: _lmdi.Model,
        columns: Columns,
        classes: np.ndarray | None = None,
        sees_every_row: bool = False,
    ) -> None:
        self._compiled = compiled
        self._columns = columns
        self.classes_ = classes
        self._sees_every_row = sees_every_row
        #: Texts of the user's columns by place; a text keeps its code from table to table.
        self._levels: dict[int, tuple[dict[str, int], list[str]]] = {}

    @property
    def feature_names(self) -> list[str]:
        """A name for every column."""
        return self._columns.labels()

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self._compiled.n_trees

    def apply(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The leaf of each row in each tree, as an index into the nodes of the tree."""
        return self._over_rows(self._compiled.apply, X, n_jobs)

    def predict_raw(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The sum or mean of the trees before the link, such as log-odds: (rows, outputs)."""
        return self._over_rows(self._compiled.predict_raw, X, n_jobs)

    def predict(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The number or the class of each row: the most probable class, or by `threshold` if there
        is one."""
        prediction = self._over_rows(self._compiled.predict, X, n_jobs)
        if self.classes_ is None:
            return prediction[:, 0]
        return self.classes_[self._compiled.decide(prediction.ravel())]

    @property
    def threshold(self) -> float | None:
        """With two classes, the probability from which the second is predicted; None means that the
        most probable class is predicted."""
        return self._compiled.threshold

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """The probability of each class."""
        if self.classes_ is None:
            raise AttributeError("predict_proba is for models of classes; this one predicts numbers")
        return self._over_rows(self._compiled.predict, X, n_jobs)

    def _over_rows(self, work: Any, X: Any, n_jobs: Any) -> Any:
        cells = self._read(X)
        with running(n_jobs, False, "", 0) as run:
            return work(cells.table, run)

    def _read(self, X: Any) -> Cells:
        """The cells of a table as the trees read them, with the labels of its rows."""
        if isinstance(X, Cells):
            return X
        return self._cells(X)._replace(index=tables.index_of(X))

    def _cells(self, X: Any) -> Cells:
        read = self._compiled.table_columns
        frame = None if read is None else tables.frame_of(X)
        plain = self._compiled.input_columns is None
        # A column of two words keeps its name as a column of the trees; cells tell the two apart.
        same_names = frame is not None and not plain and frame.names == self.feature_names
        encoded = same_names and tables.frame_with_text(frame) is None
        if frame is None or read is None or frame.names is None or encoded:
            return self._columns.read(X)
        # Further columns are ignored, as in the command.
        tables.order_of_columns([name for name in frame.names if name in read], read)
        frame = frame.chosen(read, self._columns.moments)
        if plain:
            return self._columns.read(frame)
        columns = text_columns(frame)
        return Cells(self._encoded(columns), self.feature_names, source=self._source(columns))

    def _source(self, columns: list[TextColumn]) -> Source:
        """The user's columns as numbers, with codes for texts."""
        array = np.empty((len(columns[0][1]), len(columns)))
        categories: dict[int, list[str]] = {}
        for at, (_, cells) in enumerate(columns):
            if isinstance(cells, np.ndarray):
                array[:, at] = cells
                continue
            codes, levels = self._levels.setdefault(at, ({}, []))
            for text in cells:
                if text is not None and text not in codes:
                    codes[text] = len(levels)
                    levels.append(text)
            array[:, at] = [np.nan if text is None else codes[text] for text in cells]
            categories[at] = list(levels)
        names = [name for name, _ in columns]
        return Source(names, array, categories, np.asarray(self._compiled.origins))

    def _encoded(self, columns: list[TextColumn]) -> np.ndarray:
        """The matrix of a table that holds text."""
        matrix, unseen = _lmdi.encode(self._compiled, columns)
        for name, example in unseen:
            what = "missing cells" if example is None else repr(example)
            warnings.warn(
                f"column {name!r} holds {what}, which the model was not trained on",
                LmdiWarning,
                stacklevel=2,
            )
        return matrix.T

    def to_bytes(self, json: bool = False) -> bytes:
        """The content of a model file."""
        return self._compiled.to_bytes(json)

    def __getstate__(self) -> Any:
        return {
            "file": self.to_bytes(),
            "columns": self._columns,
            "classes": self.classes_,
            "sees_every_row": self._sees_every_row,
        }

    def __setstate__(self, state: Any) -> None:
        compiled, _ = _lmdi.read_model_file(state["file"])
        Model.__init__(self, compiled, state["columns"], state["classes"], state["sees_every_row"])

    def __repr__(self) -> str:
        what = "numbers" if self.classes_ is None else f"{len(self.classes_)} classes"
        sizes = f"{counted(self.n_trees, 'tree')}, {counted(self._columns.count, 'column')}"
        return f"lmdi.Model({sizes}, {what})"


#: A name with numbers, or with texts.
TextColumn = tuple[str, "np.ndarray | list[str | None]"]


def text_columns(frame: tables.Frame) -> list[TextColumn]:
    """The columns of a table as numbers, or as texts where they hold any."""
    columns: list[TextColumn] = []
    for at, name in enumerate(frame.names or []):
        values = tables.column_values(frame.column(at), name)
        if values.dtype.kind in "OUS":
            cells = values.tolist()
            nested = next(
                (cell for cell in cells if isinstance(cell, (list, tuple, dict, set, np.ndarray))), None
            )
            if nested is not None:
                raise ValueError(
                    f"column {name!r} holds {type(nested).__name__}s, such as {nested!r:.50}; expected "
                    "numbers, booleans, texts or categories: make columns of what they hold"
                )
            texts = [None if is_missing(cell) else level_text(cell) for cell in cells]
            columns.append((name, texts))
        else:
            columns.append((name, np.ascontiguousarray(values, dtype=np.float64)))
    return columns


def model_of_file(compiled: _lmdi.Model) -> Model:
    """The model of a file."""
    names = tuple(compiled.feature_names)
    unnamed = names == tuple(f"x{at}" for at in range(len(names)))
    labels = compiled.classes
    classes = None if labels is None else responses.labels_from_text(labels)
    # Where columns become several, places in the table are not places in the matrix.
    levels = [] if compiled.input_columns else compiled.levels
    categories = {at: Categories(list_) for at, list_ in levels}
    moments = tables.moments_of(compiled.formats)
    columns = Columns(None if unnamed else names, len(names), categories, moments=moments)
    return Model(compiled, columns, classes)
