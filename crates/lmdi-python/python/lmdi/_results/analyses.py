"""Analyses of explanations: counterfactuals, subgroups and stability."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _lmdi
from .._choices import Distance, Space
from .._errors import listed
from .._input import responses
from .._input.tables import strided
from .._running import running
from . import html, text
from .explanation import Explanation


class Change(NamedTuple):
    """A column that differs between a row and its counterfactual."""

    column: str
    #: The cell of the row, and of the counterfactual.
    here: Any
    there: Any
    #: By how much the scores of the column differ.
    score_change: float


class Counterfactual(NamedTuple):
    """A similar row with another decision."""

    #: Its place among the candidates, from 0.
    row: int
    score_distance: float
    feature_distance: float
    #: What differs, in order of importance.
    changes: list[Change]

    def _lines(self) -> tuple[str, list[str], list[list[str]]]:
        title = (
            f"row {self.row}: score distance {self.score_distance:.4g}, feature distance "
            f"{self.feature_distance:.4g}"
        )
        lines = [
            [one.column, _cell(one.here), _cell(one.there), f"{one.score_change:+.4g}"]
            for one in self.changes
        ]
        return title, ["column", "here", "there", "score change"], lines

    def __str__(self) -> str:
        return text.table(*self._lines())

    def _repr_html_(self) -> str:
        title, head, lines = self._lines()
        return html.table(head, lines, title)


class Subgroups(NamedTuple):
    """Rows in groups."""

    #: The group of each row, from 0 (the largest); -1 for rows without scores.
    labels: np.ndarray
    #: One dictionary a group: size, share, mean_prediction, mean_truth, error, rule, rule_accuracy,
    #: rule_precision, rule_recall and columns (what sets it apart, the most important first).
    groups: list[dict[str, Any]]
    #: How the number of groups was chosen (k, stable, n_rows, similarities), or None if it was given.
    choice: dict[str, Any] | None
    #: Sum of squared distances of scores to the mean of their group, and to the mean of all rows.
    inertia: float
    inertia_of_all: float

    def _lines(self) -> tuple[str, list[str], list[list[str]]]:
        head = ["group", "rows", "share", "mean prediction", "mean truth", "error", "rule"]
        lines = [
            [
                str(at),
                str(group["size"]),
                f"{group['share']:.0%}",
                _means(group["mean_prediction"]),
                _means(group["mean_truth"]),
                _means(group["error"]),
                group["rule"] or "none",
            ]
            for at, group in enumerate(self.groups)
        ]
        empty = [at for at in (4, 5) if all(not line[at] for line in lines)]
        keep = [at for at in range(len(head)) if at not in empty]
        shown = [[line[at] for at in keep] for line in lines]
        title = f"{text.counted(len(self.groups), 'group')} of {text.counted(len(self.labels), 'row')}"
        return title, [head[at] for at in keep], shown

    def __repr__(self) -> str:
        return text.table(*self._lines())

    def _repr_html_(self) -> str:
        title, head, lines = self._lines()
        return html.table(head, lines, title)


def _cell(cell: Any) -> str:
    """A cell for people."""
    if cell is None or cell != cell:
        return "missing"
    return f"{cell:.6g}" if isinstance(cell, (float, np.floating)) else str(cell)


def _means(numbers: Any) -> str:
    """A mean, or one per class."""
    if numbers is None:
        return ""
    return ", ".join("" if one is None else f"{one:.4g}" for one in np.ravel(numbers).tolist())


def _explained(explanation: Explanation, predictions: Any, what: str) -> Any:
    """The arrays that compiled code takes."""
    if not isinstance(explanation, Explanation):
        raise TypeError(f"{what} is {type(explanation).__name__}; expected an lmdi.Explanation")
    if explanation.data is None:
        raise ValueError(f"{what} has no data; groups of columns cannot be compared by their cells")
    data = np.asarray(explanation.data)
    predictions = np.asarray(predictions)
    if predictions.dtype.kind not in "fiub":
        raise ValueError(
            f"the predictions of {what} are labels; expected a probability for each row and class "
            "(predict_proba)"
        )
    predictions = predictions.astype(np.float64)
    n_rows = len(explanation)
    if predictions.ndim not in (1, 2) or len(predictions) != n_rows:
        raise ValueError(
            f"the predictions of {what} have the shape {predictions.shape}; expected {n_rows} numbers, or "
            "a probability for each row and class (predict_proba)"
        )
    if predictions.ndim == 2 and predictions.shape[1] == 1:
        predictions = predictions[:, 0]
    n_outputs = 1 if explanation.values.ndim == 2 else explanation.values.shape[2]
    values = np.ascontiguousarray(explanation.values, dtype=np.float64).ravel()
    return strided(data), values, n_outputs, np.ascontiguousarray(predictions).ravel()


def _labels(explanation: Explanation, n_classes: int) -> np.ndarray:
    """The labels in the order of the probabilities; numbers where the model is not known."""
    known = None if explanation._predictions is None else explanation._predictions.classes
    return np.arange(n_classes) if known is None or len(known) != n_classes else np.asarray(known)


def _columns(explanation: Explanation) -> Any:
    levels = [(at, [str(label) for label in labels]) for at, labels in explanation._categories.items()]
    return [str(name) for name in explanation.feature_names], levels


def _places(names: Any, explanation: Explanation, what: str) -> list[int]:
    if isinstance(names, str):
        names = [names]
    known = list(explanation.feature_names)
    for name in names:
        if name not in known:
            raise ValueError(f"{what} names {name!r}, which is no column; the columns are {listed(known)}")
    return [known.index(name) for name in names]


def counterfactuals(
    explanation: Explanation,
    predictions: Any,
    candidates: Explanation | None = None,
    candidate_predictions: Any = None,
    *,
    k: int = 1,
    space: Space = "scores",
    distance: Distance = "l1",
    threshold: float | None = None,
    wanted: Any = None,
    fixed: Any = (),
    only_up: Any = (),
    only_down: Any = (),
    n_jobs: int | None = None,
    progress: bool = False,
) -> list[list[Counterfactual]]:
    """For each explained row, the most similar candidates with another decision.

    Parameters
    ----------
    explanation, predictions
        The rows, and the model's predictions of them: numbers, or the probability of each class
        (`predict_proba`).
    candidates, candidate_predictions
        Rows that may be answers, such as the training rows. Default: the explained rows themselves.
    k : int
        Answers per row; fewer if fewer candidates qualify.
    space : "scores" or "features"
        Where similarity is measured. Among features, numbers differ in standard deviations of the
        candidates, and a different category counts as one.
    distance : "l1" or "l2"
    threshold : float, optional
        For regression, the two decisions are below the threshold, and at or above it. With two
        classes, the probability from which the second is predicted; default: the model's threshold.
    wanted : optional
        The label of the wanted class, or 0 for below and 1 for above the threshold. Default: any
        other decision.
    fixed, only_up, only_down : names of columns
        Columns that must not change, may only increase, or may only decrease.

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> explanation = lmdi.LMDIPlus(forest, ablation=1).fit(X, y).explain(X)
    >>> answers = lmdi.counterfactuals(explanation, forest.predict_proba(X), k=2)
    >>> len(answers), len(answers[0])
    (569, 2)
    """
    if candidates is None:
        if candidate_predictions is not None:
            raise ValueError("candidate_predictions is given without candidates")
        candidates, candidate_predictions = explanation, predictions
    elif list(candidates.feature_names) != list(explanation.feature_names):
        raise ValueError("candidates and explanation have different columns")
    queries = _explained(explanation, predictions, "explanation")
    others = _explained(candidates, candidate_predictions, "candidates")
    restrictions = [
        _places(fixed, explanation, "fixed"),
        _places(only_up, explanation, "only_up"),
        _places(only_down, explanation, "only_down"),
    ]
    together = [at for places in restrictions for at in set(places)]
    if len(set(together)) < len(together):
        raise ValueError("a column is under two restrictions; expected one of fixed, only_up and only_down")
    of_classes = np.ndim(predictions) == 2
    if of_classes and wanted is not None:
        labels = _labels(explanation, np.shape(predictions)[1]).tolist()
        if wanted not in labels:
            raise ValueError(f"wanted is {wanted!r}, which is no class; the classes are {listed(labels)}")
        wanted = labels.index(wanted)
    decided_at = threshold if threshold is not None else explanation.threshold
    cut = decided_at if of_classes else None
    options = (k, space, distance, None if of_classes else threshold, wanted, cut)
    columns = _columns(explanation)
    with running(n_jobs, progress, "counterfactuals", len(explanation)) as run:
        found = _lmdi.counterfactuals(queries, others, columns, options, restrictions, run)
    names = columns[0]
    here, there = explanation.display_data, candidates.display_data
    if here is None or there is None:
        raise ValueError("an explanation has no data; expected the table that was explained")
    return [
        [
            Counterfactual(
                row,
                score_distance,
                feature_distance,
                [Change(names[at], here[query][at], there[row][at], by) for at, by in changes],
            )
            for row, score_distance, feature_distance, changes in answers
        ]
        for query, answers in enumerate(found)
    ]


def subgroups(
    explanation: Explanation,
    predictions: Any,
    y: Any = None,
    *,
    groups: int | None = None,
    max_groups: int = 10,
    restarts: int = 10,
    rule_depth: int = 3,
    seed: int = 0,
    classes: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Subgroups:
    """Groups of rows that are predicted for the same reasons: k-means on their scores.

    Parameters
    ----------
    explanation, predictions
        The rows, and the model's predictions of them: numbers, or the probability of each class.
    y : optional
        The actual outcomes, to measure errors.
    groups : int, optional
        Number of groups. Default: the largest number, up to `max_groups`, for which other samples
        of the rows give the same groups (Ben-Hur et al. 2002).
    restarts : int
        Restarts of k-means; the best one is used.
    rule_depth : int
        Maximum number of conditions in the rule that describes a group.
    classes : optional
        Labels in the order of the probabilities, for `y` of classes. Default: the model's.

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = RandomForestRegressor(20, min_samples_leaf=5, random_state=0).fit(X, y)
    >>> explanation = lmdi.LMDIPlus(forest).fit(X, y).explain(X)
    >>> found = lmdi.subgroups(explanation, forest.predict(X), y, groups=2)
    >>> sum(group["size"] for group in found.groups)
    442
    """
    rows = _explained(explanation, predictions, "explanation")
    n_rows = len(explanation)
    n_classes = np.asarray(predictions).shape[1] if np.ndim(predictions) == 2 else 1
    truth = None
    if y is not None and n_classes > 1:
        labels = _labels(explanation, n_classes) if classes is None else np.asarray(classes)
        truth = responses.codes(y, labels, n_rows)
    elif y is not None:
        truth = responses.numbers(y, n_rows)
    options = (groups, max_groups, restarts, rule_depth, seed)
    units = restarts + (groups or (max_groups - 1) * 20)
    with running(n_jobs, progress, "subgroups", units) as run:
        found = _lmdi.subgroups(rows, truth, _columns(explanation), options, explanation.threshold, run)
    found["labels"] = np.asarray(found["labels"])
    return Subgroups(**found)


class Stability(dict[str, Any]):
    """How far several fits agree on the explanations of the same rows; the result of
    `lmdi.stability`.

    `feature_names` are the columns of `importance`. `plot` draws it.
    """

    def __init__(self, found: dict[str, Any], feature_names: list[str]) -> None:
        super().__init__(found)
        self.feature_names = feature_names

    def _lines(self) -> tuple[str, list[str], list[list[str]]]:
        fits = len(self["importance"])
        counts = f"{text.counted(fits, 'fit')}, {text.counted(self['n_rows'], 'row')}"
        title = f"{counts}: mean rank correlation {self['mean_correlation']:.3g}"
        head = ["top", "columns", "different columns over fits", "share of all columns"]
        lines = [
            [
                f"{top['percent']:g}%",
                str(top["n_top"]),
                f"{top['mean_unique']:.3g}",
                f"{top['unique_share']:.1%}",
            ]
            for top in self["tops"]
        ]
        return title, head, lines

    def __repr__(self) -> str:
        return text.table(*self._lines())

    def _repr_html_(self) -> str:
        title, head, lines = self._lines()
        return html.table(head, lines, title)

    def plot(self, max_display: int = 10, ax: Any = None, title: str | None = None) -> Any:
        """Mean absolute value of each column, one dot per fit; draws into `ax`, or a new figure, and returns
        the Axes. `title` replaces the default title."""
        from .._plots.drawing.words import literal
        from .._plots.stability import stability as draw

        names = [literal(name) for name in self.feature_names]
        return draw(self["importance"], names, max_display, ax, title)


def stability(
    explanations: Any,
    top: Any = (10, 20, 30, 40),
    *,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Stability:
    """Measures how far several fits of a model agree on the explanations of the same rows.

    Fit the model with several seeds, or on resampled rows, and explain the same rows each time.

    Parameters
    ----------
    explanations : list of Explanation
        Two or more, of the same rows and columns.
    top : shares in percent
        Shares of the columns that count as a row's top ones; rounded up to whole columns.

    Returns
    -------
    Stability
        A dict that can also be drawn (`plot`). It has `mean_correlation` and `correlation` (rank
        correlation between two fits, averaged over pairs, per row) and `importance` (mean absolute
        score per fit and column). `tops` has, for each share, the number of columns (`n_top`); how
        many different ones are among the top ones of any fit (`unique` per row, `mean_unique`,
        `unique_share` of all columns: fewer is better); and the share of rows in which each column
        is among them in every fit (`always`) or in any fit (`ever`).

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> def fit(seed):
    ...     forest = RandomForestRegressor(20, min_samples_leaf=5, random_state=seed).fit(X, y)
    ...     return lmdi.LMDIPlus(forest).fit(X, y).explain(X)
    >>> found = lmdi.stability([fit(seed) for seed in range(3)])
    >>> found["mean_correlation"] > 0.5
    True
    """
    explanations = list(explanations)
    for explanation in explanations:
        if not isinstance(explanation, Explanation):
            raise TypeError(f"explanations holds {type(explanation).__name__}; expected lmdi.Explanation")
    if len(explanations) < 2:
        raise ValueError(f"there are {len(explanations)} explanations; expected at least 2, to be compared")
    first = explanations[0]
    for other in explanations[1:]:
        if other.shape == first.shape and list(other.feature_names) != list(first.feature_names):
            here, there = next(
                pair for pair in zip(first.feature_names, other.feature_names) if len(set(pair)) > 1
            )
            raise ValueError(
                f"the columns of the explanations differ: one has {here!r} where another has {there!r}; "
                "expected the same columns in the same order"
            )
        if other.shape != first.shape:
            raise ValueError(
                f"explanations of shapes {first.shape} and {other.shape}; expected the same rows and columns"
            )
    n_outputs = 1 if first.values.ndim == 2 else first.values.shape[2]
    fits = [np.ascontiguousarray(one.values, dtype=np.float64).ravel() for one in explanations]
    with running(n_jobs, progress, "stability", len(first)) as run:
        found = _lmdi.stability(fits, len(first), n_outputs, [float(share) for share in np.ravel(top)], run)
    for name in ("correlation", "importance"):
        found[name] = np.asarray(found[name])
    for one in found["tops"]:
        for name in ("unique", "always", "ever"):
            one[name] = np.asarray(one[name])
    return Stability(found, [str(name) for name in first.feature_names])
