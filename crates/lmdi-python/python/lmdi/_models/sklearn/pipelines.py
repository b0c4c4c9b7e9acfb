"""Pipelines of scikit-learn: the last step on the table that the steps before it make.

Scores go to the columns of the user's table. What a step makes of several columns has its own score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..._errors import not_fitted
from ..._input.columns import Columns
from ..composite import Composite, Part
from ..model import Model
from .transformers import names_out, sources_of


class Transform:
    """The steps of a pipeline before the last, applied to a table with columns in the order of training."""

    def __init__(self, steps: Any) -> None:
        self.steps = steps

    def __call__(self, X: Any) -> Any:
        names = getattr(self.steps, "feature_names_in_", None)
        if names is not None and hasattr(X, "columns") and list(X.columns) != list(names):
            missing = [str(name) for name in names if name not in list(X.columns)]
            if missing:
                raise ValueError(
                    "The feature names should match those that were passed during fit: X has no column "
                    + ", ".join(repr(name) for name in missing[:5])
                )
            X = X[list(names)]
        return self.steps.transform(X)


class Derived:
    """Columns of the transformed table that come from several columns, as numbers."""

    def __init__(self, transform: Transform, places: list[int]) -> None:
        self.transform, self.places = transform, places

    def __call__(self, X: Any) -> np.ndarray:
        made = self.transform(X)
        made = made.toarray() if hasattr(made, "toarray") else np.asarray(made)
        return np.asarray(made[:, self.places], dtype=np.float64)


def pipeline(estimator: Any, table: Any = None) -> Model | Composite:
    """The last step, on the table that the steps before it make; scores go to the columns of the table."""
    from .. import model_of

    last = estimator.steps[-1][1]
    steps = [step for _, step in estimator.steps[:-1] if step is not None and step != "passthrough"]
    if not steps:
        return model_of(last, table)
    before = estimator[:-1]
    if not hasattr(before, "n_features_in_"):
        raise not_fitted(
            "This Pipeline instance is not fitted yet: call its fit(X, y) before it is explained"
        )
    transform = Transform(before)
    n_inputs = int(before.n_features_in_)
    known = getattr(before, "feature_names_in_", None)
    names = None if known is None else [str(name) for name in known]
    made_of = sources_of(before, n_inputs, names)
    inner = model_of(last, None if table is None else transform(table))
    if inner._columns.count != len(made_of):
        raise ValueError(
            f"the last step of the pipeline sees {inner._columns.count} columns, and the steps before it "
            f"tell of {len(made_of)}; explain the last step on the transformed table"
        )
    mixed = [at for at, sources in enumerate(made_of) if len(sources) != 1]
    extra = {at: n_inputs + place for place, at in enumerate(mixed)}
    source = np.asarray([extra[at] if at in extra else sources[0] for at, sources in enumerate(made_of)])
    if names is not None or mixed:
        labels = names or [f"x{at}" for at in range(n_inputs)]
        derived_names = _derived_names(inner, before, mixed, labels)
        columns = Columns(tuple(labels + derived_names), n_inputs + len(mixed))
    else:
        columns = Columns(None, n_inputs)
    derived = Derived(transform, mixed) if mixed else None
    return replace(behind(transform, source, columns, inner, derived), own=n_inputs)


def _derived_names(inner: Any, before: Any, places: list[int], taken: list[str]) -> list[str]:
    """What columns are called that are made of several: as the model knows them, or the steps before it."""
    names = inner.feature_names
    told = names_out(before)
    if inner._columns.names is None and told is not None and len(told) == len(names):
        names = told
    found: list[str] = []
    for at in places:
        name = names[at] if names[at] not in taken and names[at] not in found else f"{names[at]} (made)"
        found.append(name)
    return found


def behind(
    transform: Callable[[Any], Any], source: np.ndarray, columns: Columns, inner: Any, derived: Any = None
) -> Composite:
    """A model or composite that sees a transformed table."""
    if isinstance(inner, Model):
        part = Part(inner, transform, source)
        return Composite([part], columns, inner.classes_, derived=derived)
    parts = [
        replace(
            part,
            prepare=transform if part.prepare is None else Chain(transform, part.prepare),
            source=source if part.source is None else source[part.source],
        )
        for part in inner.parts
    ]
    return replace(inner, parts=parts, columns=columns, derived=derived, levels={})


class Chain:
    """One preparation after another."""

    def __init__(self, *steps: Callable[[Any], Any]) -> None:
        self.steps = steps

    def __call__(self, X: Any) -> Any:
        for step in self.steps:
            X = step(X)
        return X
