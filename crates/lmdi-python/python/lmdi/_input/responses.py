"""Responses, class labels and sample weights, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import listed
from .tables import index_of


def _one_dimension(y: Any, what: str) -> np.ndarray:
    if y is None:
        raise ValueError(f"requires {what} to be passed, but the target y is None")
    y = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"{what} has the shape {y.shape}; expected one entry per row")
    return y


def check_index(X: Any, y: Any, what: str = "y") -> None:
    """Raises if X and y are both pandas objects with different indexes."""
    rows, labels = index_of(X), index_of(y)
    if rows is None or labels is None or len(rows) != len(labels) or rows.equals(labels):
        return
    pairs = enumerate(zip(rows.tolist(), labels.tolist()))
    at, here, there = next(((row, *pair) for row, pair in pairs if pair[0] != pair[1]), (0, "", ""))
    reorder = f"{what}.loc[X.index]" if set(rows) == set(labels) else f"the {what} of these rows"
    raise ValueError(
        f"the indexes of X and {what} differ: row {at} is {here!r} in X and {there!r} in {what}. "
        f"Pass {reorder}, or {what}.to_numpy() if both are in the same order already"
    )


def numbers(y: Any, n_rows: int, what: str = "y") -> np.ndarray:
    """One finite number per row."""
    y = _one_dimension(y, what)
    try:
        values = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        found = next((value for value in y if isinstance(value, str)), y[0])
        raise ValueError(
            f"{what} holds {str(found)!r}; the model predicts numbers, so {what} must hold numbers"
        ) from None
    _check_rows(values, n_rows, what)
    wrong = ~np.isfinite(values)
    if wrong.any():
        row = int(np.argmax(wrong))
        found = "NaN" if np.isnan(values[row]) else "infinite (inf)"
        raise ValueError(f"{what} is {found} in row {row}; leave such rows out of X and {what}")
    return values


def codes(y: Any, classes: np.ndarray, n_rows: int) -> Any:
    """The class index of each row, and the number of classes."""
    y = _one_dimension(y, "y")
    _check_rows(y, n_rows, "y")
    place = {label: code for code, label in enumerate(classes.tolist())}
    distinct, inverse = _distinct_labels(y)
    unknown = [label for label in distinct if label not in place]
    if unknown:
        if any(label is None or label != label for label in unknown):
            raise ValueError("y has missing labels (NaN); leave such rows out")
        raise ValueError(_unknown_classes(unknown, classes))
    table = np.asarray([place[label] for label in distinct], dtype=np.uint32)
    return np.ascontiguousarray(table[inverse]), len(classes)


def _unknown_classes(unknown: list[Any], classes: np.ndarray) -> str:
    """Labels with their types, where they differ in nothing else."""
    known = classes.tolist()
    if known == [0, 1] and all(isinstance(label, float) and 0 <= label <= 1 for label in unknown):
        return (
            f"y holds shares such as {unknown[0]!r}; the linear models of LMDI+ need classes, 0 and 1. "
            "Pass classes, or use TreeSHAP or Saabas, which need no target"
        )
    found, expected = ({type(label).__name__ for label in labels} for labels in (unknown, known))
    told = f"the model does not know the classes {listed(unknown)} of y; it was trained on {listed(known)}"
    if {str(label) for label in unknown} <= {str(label) for label in known}:
        to = " or ".join(sorted(expected))
        return (
            f"y holds labels of the type {' and '.join(sorted(found))} ({listed(unknown, quoted=False)}), "
            f"the model was trained on labels of the type {to} ({listed(known, quoted=False)}); pass y as "
            f"it was in training, such as y.astype({to.split()[0]})"
        )
    return told


def response_of(model: Any, y: Any, n_rows: int) -> Any:
    """What a model is to predict, in the form of compiled code."""
    if model.classes_ is None:
        return numbers(y, n_rows)
    return codes(y, model.classes_, n_rows)


def _distinct_labels(y: np.ndarray) -> Any:
    place: dict[Any, int] = {}
    inverse = np.empty(len(y), dtype=np.intp)
    for at, label in enumerate(y.tolist()):
        inverse[at] = place.setdefault(label, len(place))
    return list(place), inverse


def weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """One weight per row, or None."""
    if sample_weight is None:
        return None
    values = numbers(sample_weight, n_rows, "sample_weight")
    if (values < 0).any():
        row = int(np.argmax(values < 0))
        raise ValueError(f"sample_weight is {values[row]} in row {row}; expected no negative weight")
    return values


def _check_rows(values: Any, n_rows: int, what: str) -> None:
    if len(values) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, "
            f"{what} has {len(values)}"
        )


def labels_from_text(texts: list[str]) -> np.ndarray:
    """Labels from a file, which holds text: booleans and numbers get their type back."""
    if set(texts) <= {"False", "True"}:
        return np.asarray([text == "True" for text in texts])
    for kind in (int, float):
        try:
            values = [kind(text) for text in texts]
        except ValueError:
            continue
        if [str(value) for value in values] == texts:
            return np.asarray(values)
    return np.asarray(texts, dtype=object)
