"""Explainers that need no fit: they take the trees over at their first use."""

from __future__ import annotations

from typing import Any

from . import _lmdi
from ._columns import Cells
from ._explainer import Explainer
from ._explanation import Explanation
from ._model import Model
from ._models import model_of


class ReadyExplainer(Explainer):
    """Base of the explainers whose `explain` can be called at once.

    Trees are taken over when a table is first seen, and kept. After the model was fitted anew, make a new
    explainer.
    """

    #: The compiled explainer, once it was needed.
    _compiled: _lmdi.LocalExplainer | None = None

    def set_params(self, **params: Any) -> Any:
        """Changes keywords, which count from the next table on."""
        self._forget()
        return super().set_params(**params)

    def _forget(self) -> None:
        self._compiled = None
        self.__dict__.pop("model_", None)

    def _ready(self, X: Any) -> tuple[Cells, _lmdi.LocalExplainer]:
        """The cells of a table, and the explainer, which is made if it was not."""
        if self._compiled is not None:
            return self.model_._read(X), self._compiled
        model = model_of(self.model, X)
        cells = model._read(X)
        model = self._with_names(model, cells)
        self._compiled = self._make(model)
        self.model_ = model
        return cells, self._compiled

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
        cells, compiled = self._ready(X)
        with self._running(f"{type(self).__name__} explain", len(cells.array)) as run:
            arrays = compiled.explain(cells.table, run)
        return self._explanation(cells, arrays, compiled.scale)

    def __getstate__(self) -> Any:
        params = self.get_params()
        if self._compiled is not None:
            # The library that grew the trees is then not needed to read them back.
            params["model"] = self.model_
        return params

    def __setstate__(self, params: Any) -> None:
        type(self).__init__(self, **params)
