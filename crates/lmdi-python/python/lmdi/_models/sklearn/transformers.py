"""Which columns of a table each column of its transformation comes from, for transformers of scikit-learn.

Transformers tell the names of their columns from those of their inputs. So they are asked with names that
cannot be mistaken, and these are looked for in the answer. Steps, column transformers and unions are taken
apart first. What tells nothing (such as principal components) comes from all of its inputs.
"""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np

#: Letters that no name has: the private use area of Unicode.
MARK = re.compile("\ue000(\\d+)\ue001")

Sources = list[tuple[int, ...]]


def sources_of(transformer: Any, n_inputs: int, names: list[str] | None) -> Sources:
    """For each column of the transformed table the columns of the table that it is made of."""
    same: Sources = [(at,) for at in range(n_inputs)]
    if transformer is None or isinstance(transformer, str):
        return [] if transformer == "drop" else same
    kind = type(transformer).__name__
    if hasattr(transformer, "steps"):
        return _of_steps(transformer, n_inputs, names)
    if hasattr(transformer, "transformers_") and hasattr(transformer, "output_indices_"):
        return _of_columns(transformer, n_inputs, names)
    if hasattr(transformer, "transformer_list"):
        union: Sources = []
        for _, member in transformer.transformer_list:
            union += sources_of(member, n_inputs, names)
        return union
    if kind == "FunctionTransformer" and transformer.func is None:
        return same
    return _by_names(transformer, n_inputs)


def _of_steps(pipeline: Any, n_inputs: int, names: list[str] | None) -> Sources:
    found: Sources = [(at,) for at in range(n_inputs)]
    known = names
    for _, step in pipeline.steps:
        if step is None or step == "passthrough":
            continue
        own = sources_of(step, len(found), known)
        found = [tuple(sorted({origin for at in made_of for origin in found[at]})) for made_of in own]
        known = names_out(step)
    return found


def names_out(step: Any) -> list[str] | None:
    """The names of the columns that a step makes, by which the next one may choose them."""
    try:
        return [str(name) for name in step.get_feature_names_out()]
    except (AttributeError, ValueError, TypeError):
        return None


def _of_columns(transformer: Any, n_inputs: int, names: list[str] | None) -> Sources:
    found: dict[int, tuple[int, ...]] = {}
    known = getattr(transformer, "feature_names_in_", None)
    known = names if known is None else [str(name) for name in known]
    for name, member, columns in transformer.transformers_:
        place = transformer.output_indices_.get(name)
        if place is None or place.start == place.stop:
            continue
        chosen = _places(columns, n_inputs, known)
        own = sources_of(member, len(chosen), None if known is None else [known[at] for at in chosen])
        for at, made_of in zip(range(place.start, place.stop), own):
            found[at] = tuple(chosen[origin] for origin in made_of)
    return [found[at] for at in sorted(found)]


def _places(columns: Any, n_inputs: int, names: list[str] | None) -> list[int]:
    """The places of the columns that a member of a column transformer was given."""
    if isinstance(columns, (str, int, np.integer)):
        columns = [columns]
    if isinstance(columns, slice):
        if isinstance(columns.start, str) or isinstance(columns.stop, str):
            assert names is not None
            first = 0 if columns.start is None else names.index(columns.start)
            last = n_inputs if columns.stop is None else names.index(columns.stop) + 1
            return list(range(first, last))
        return list(range(n_inputs))[columns]
    listed = np.asarray(columns)
    if listed.dtype.kind == "b":
        return [int(at) for at in np.flatnonzero(listed)]
    if listed.dtype.kind in "iu":
        return [int(at) % n_inputs for at in listed]
    assert names is not None
    return [names.index(str(name)) for name in listed.tolist()]


def _by_names(transformer: Any, n_inputs: int) -> Sources:
    asked = copy.copy(transformer)
    asked.__dict__.pop("feature_names_in_", None)
    marks = np.asarray([f"\ue000{at}\ue001" for at in range(n_inputs)], dtype=object)
    try:
        names = asked.get_feature_names_out(marks)
    except (AttributeError, ValueError, TypeError):
        return [tuple(range(n_inputs))] * _width(transformer, n_inputs)
    found = [tuple(sorted({int(at) for at in MARK.findall(str(name))})) for name in names]
    return [made_of or tuple(range(n_inputs)) for made_of in found]


def _width(transformer: Any, n_inputs: int) -> int:
    """How many columns a transformer makes that does not name them."""
    row = np.zeros((1, n_inputs))
    return int(np.asarray(transformer.transform(row)).shape[1])
