"""What the readers of XGBoost, LightGBM and CatBoost share: their files are read by compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _lmdi
from ..._input import responses
from ..._input.columns import Categories, Columns
from ..model import Model


def model_of_bytes(
    content: bytes,
    *,
    rounds: int | str = "best",
    names: Any = None,
    classes: Any = None,
    missing: float = np.nan,
    underscored: bool = False,
) -> Model:
    """The model of a file's content.

    `rounds` is "best" for the best round of early stopping if the file names it, "all", or a number.
    `names` and `classes` are those that the user knows; by default no names, and the classes of the file.
    `underscored` names have underscores for spaces.
    """
    compiled, categories = _lmdi.read_foreign(content, rounds)
    levels = {at: Categories(list_) for at, list_ in compiled.levels}
    columns = Columns(
        None if names is None else tuple(str(name) for name in names),
        compiled.n_features,
        levels,
        None if missing is None or np.isnan(missing) else float(missing),
        frozenset(at for at, coded in enumerate(categories) if coded and at not in levels),
        underscored,
    )
    if columns.names is not None and list(columns.names) != compiled.feature_names:
        compiled = compiled.renamed(columns.labels())
    if compiled.classes is None:
        # Objectives of which only the trees are of use tell no probabilities, also where there are classes.
        classes = None
    elif classes is None:
        classes = responses.labels_from_text(compiled.classes)
    if classes is not None:
        classes = np.asarray(classes)
        if compiled.classes is not None and len(classes) != len(compiled.classes):
            raise ValueError(
                f"the model has {len(compiled.classes)} classes, its wrapper knows {len(classes)}"
            )
        compiled = compiled.relabelled([str(label) for label in classes.tolist()])
    return Model(compiled, columns, classes)
