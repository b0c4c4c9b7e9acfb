"""Code that the global methods share: groups, metrics and access to importances."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._input.columns import Cells
from .._models import model_of
from .._models.composite import Composite, Part
from .._models.model import Model
from .._results.groups import group_columns
from .explainer import Explainer


class Importances(Explainer):
    """Base of the global methods: one number per column, or per group of columns."""

    _fitted_attribute = "importances_"

    groups: Any

    def ranking(self) -> list[tuple[str, float]]:
        """The columns and groups with their importances, the most important first."""
        importances = self.importances_
        order = np.argsort(-importances, kind="stable")
        return [(self.names_[at], float(importances[at])) for at in order]

    def _part(self, whole: Model | Composite) -> Part:
        """The one model that importances are of."""
        if not isinstance(whole, Composite):
            origins = whole._compiled.origins if whole._compiled.input_columns else None
            return Part(whole, source=None if origins is None else np.asarray(origins))
        part = whole.parts[0]
        if len(whole.parts) > 1 or part.output is not None:
            raise TypeError(
                f"{type(self).__name__} is of one model, and a {type(self.model).__name__} has "
                f"{len(whole.parts)}; pass them one by one"
            )
        return part

    def _grouped(self, whole: Model | Composite) -> tuple[list[str], tuple[list[int], int]]:
        """The names of columns and groups, and the group of every column of the trees."""
        own = None if isinstance(whole, Composite) else whole._compiled.input_columns
        names, group_of_column = group_columns(self.groups, own or whole.feature_names)
        source = self._part(whole).source
        if source is not None:
            group_of_column = [group_of_column[at] for at in source]
        return names, (group_of_column, len(names))

    def _take_rows(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Model, Cells, Any, np.ndarray | None, list[str], tuple[list[int], int]]:
        """The model, its rows with target and weights in the form of compiled code, and the groups."""
        whole = model_of(self.model, X)
        part = self._part(whole)
        model, cells = self._take_model(part.model, part.table(X))
        if isinstance(whole, Composite):
            whole.take_names(X)
        target = y if part.target is None else part.target(y)
        response, weights = self._take_target(model, X, target, sample_weight, len(cells.array))
        names, groups = self._grouped(whole if isinstance(whole, Composite) else model)
        return model, cells, response, weights, names, groups

    def _keep(self, model: Model, names: list[str], arrays: Any) -> None:
        self.importances_, self.deviations_ = arrays
        self.names_ = names
        self.model_ = model

    def explain(self, X: Any) -> Any:
        """There is none: the importances are of the whole model."""
        raise TypeError(
            f"{type(self).__name__} gives one number per column, importances_, and explains no rows"
        )

    def _saved_arrays(self) -> dict[str, np.ndarray]:
        return {
            "importances": self.importances_,
            "deviations": self.deviations_,
            "names": np.asarray(self.names_, dtype=np.str_),
        }

    def _restore(self, model: Model, arrays: dict[str, np.ndarray]) -> None:
        names = [str(name) for name in arrays["names"]]
        self._keep(model, names, (arrays["importances"], arrays["deviations"]))

    def __getstate__(self) -> Any:
        state = self.__dict__.copy()
        if "model_" in state:
            # The library that grew the trees is then not needed to read them back.
            state["model"] = state["model_"]
        return state


def metric_of(metric: Any, model: Model, weighted: bool) -> Any:
    """A metric in the form of compiled code: a name, None, or a function of codes.

    A user's function is given weights if the user gave any.
    """
    if metric is None or isinstance(metric, str):
        return metric
    if not callable(metric):
        raise TypeError(
            f"metric is {metric!r}; expected a name or a function of (y, prediction) of which more is better"
        )
    classes = model.classes_

    def measure(y: Any, prediction: Any, weights: Any) -> Any:
        if classes is not None:
            y = classes[y]
        value = metric(y, prediction, sample_weight=weights) if weighted else metric(y, prediction)
        try:
            return float(value)
        except (TypeError, ValueError):
            name = getattr(metric, "__name__", repr(metric))
            raise TypeError(f"metric {name} gave {value!r}; expected a number") from None

    return measure
