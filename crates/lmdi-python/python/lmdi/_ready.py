"""Explainers that need no fit: they take the trees over at their first use."""

from __future__ import annotations

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
    _compiled = None

    def set_params(self, **params):
        """Changes keywords, which count from the next table on."""
        self._forget()
        return super().set_params(**params)

    def _forget(self) -> None:
        self._compiled = None
        self.__dict__.pop("model_", None)

    def _ready(self, X) -> Cells:
        """The cells of a table; the explainer is made if it was not."""
        if self._compiled is not None:
            return self.model_._read(X)
        model = model_of(self.model, X)
        cells = model._read(X)
        model = self._with_names(model, cells)
        self._compiled = self._make(model)
        self.model_ = model
        return cells

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

    def explain(self, X) -> Explanation:
        """What each column adds to the prediction of each row."""
        cells = self._ready(X)
        with self._running(f"{type(self).__name__} explain", len(cells.array)) as run:
            arrays = self._compiled.explain(cells.table, run)
        return self._explanation(cells, arrays, self._compiled.scale)

    def __getstate__(self):
        params = self.get_params()
        if self._compiled is not None:
            # The library that grew the trees is then not needed to read them back.
            params["model"] = self.model_
        return params

    def __setstate__(self, params):
        self.__init__(**params)
