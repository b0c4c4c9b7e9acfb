"""Explainers that need no fit: they read the trees at their first use."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _lmdi
from .._input.columns import Cells
from .._models import model_of
from .._models.composite import Composite, by_source
from .._models.model import Model
from .._results.explanation import Explanation
from .explainer import Explainer


class ReadyExplainer(Explainer):
    """Base of the explainers whose `explain` can be called at once.

    Trees are read when the first table is seen, and kept. After refitting the model, make a new
    explainer.
    """

    #: The compiled explainer, once it was needed.
    _compiled: _lmdi.LocalExplainer | None = None

    def set_params(self, **params: Any) -> Any:
        """Changes keywords; they apply from the next table."""
        self._forget()
        return super().set_params(**params)

    def _forget(self) -> None:
        self._compiled = self._parts = None
        self.__dict__.pop("model_", None)
        self.__dict__.pop("composite_", None)

    def _ready(self, X: Any) -> tuple[Cells, _lmdi.LocalExplainer]:
        """The cells of a table, and the explainer, which is made if it was not."""
        self._see(X)
        return self.model_._read(X), self._taken()

    def _see(self, X: Any = None) -> None:
        """Takes the trees over at the first table, or without one."""
        if self._parts is not None and self.composite_.per_table and X is not None:
            self._parts = None
        if self._compiled is not None or self._parts is not None:
            return
        model = model_of(self.model, X)
        if isinstance(model, Composite):
            if model.per_table and any(getattr(self, name) is not None for name in self._saved_tables):
                raise TypeError(model.no_fit)
            model.take_names(X)
            self._parts = [(part, self._for_part(part)) for part in model.parts]
            self.composite_ = model
            return
        if X is not None:
            model = self._with_names(model, model._read(X))
        self._compiled = self._make(model)
        self.model_ = model

    def _taken(self) -> _lmdi.LocalExplainer:
        assert self._compiled is not None
        return self._compiled

    @staticmethod
    def _with_names(model: Model, cells: Cells) -> Model:
        """The model, with the names of the table's columns if it had none."""
        columns = model._columns.named(cells.names)
        if columns is model._columns:
            return model
        compiled = model._compiled.renamed(columns.labels())
        return Model(compiled, columns, model.classes_, model._sees_every_row)

    def _make(self, model: Model) -> _lmdi.LocalExplainer:
        raise NotImplementedError

    def explain(self, X: Any) -> Explanation:
        """What each column adds to the prediction of each row."""
        self._see(X)
        if self._parts is not None:
            return self._explain_parts(X)
        cells, compiled = self._ready(X)
        with self._running(f"{type(self).__name__} explain", len(cells.array)) as run:
            arrays = compiled.explain(cells.table, run)
        return self._explanation(cells, arrays, compiled.scale)

    def _scores(self, X: Any) -> Any:
        self._see(X)
        if self._parts is not None:
            return super()._scores(X)
        cells, compiled = self._ready(X)
        with self._running(f"{type(self).__name__} explain", len(cells.array)) as run:
            values, base_values, _ = compiled.explain(cells.table, run)
        return base_values, by_source(cells, values)

    @property
    def expected_value(self) -> Any:
        """The base value, as in shap: a number, or one per output."""
        self._see()
        if self._parts is not None:
            return self._expected_value_of_parts()
        cells = np.zeros((1, self.model_._columns.count))
        with self._running(type(self).__name__, 1) as run:
            _, base, _ = self._taken().explain(Cells(cells, None).table, run)
        return base[0]

    def save(self, path: Any) -> None:
        """Saves the explainer with its model to a file; `lmdi.load` reads it.

        Reading the file runs no code.
        """
        self._see()
        super().save(path)

    def _saved_arrays(self) -> dict[str, np.ndarray]:
        tables = {name: getattr(self, name) for name in self._saved_tables}
        return {
            name: np.ascontiguousarray(self.model_._read(table).array)
            for name, table in tables.items()
            if table is not None
        }

    def __getstate__(self) -> Any:
        params = self.get_params()
        if self._parts is not None:
            params["model"] = self.model if self.composite_.per_table else self.composite_
        if self._compiled is not None:
            # The library that grew the trees is then not needed to read them back.
            params["model"] = self.model_
        return params

    def __setstate__(self, params: Any) -> None:
        type(self).__init__(self, **params)
