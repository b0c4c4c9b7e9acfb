"""Votes, bags and stacks of scikit-learn: weighted sums of models.

Each becomes the tree models inside with their weights, as far as what is predicted is a weighted sum of what
they predict; where it is not, the message says why and what to pass instead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._input.columns import Columns
from ..composite import Composite, OneColumn, Part
from ..model import Model
from .common import check_fitted
from .pipelines import Chain, Derived, Transform, behind


class _InOrder:
    """The cells of a table without names, its columns in the order of training and some of them chosen."""

    def __init__(self, names: Any, places: Any = None) -> None:
        self.names = None if names is None else list(names)
        self.places = places

    def __call__(self, X: Any) -> Any:
        if self.names is not None and hasattr(X, "columns"):
            X = X[self.names]
        if hasattr(X, "to_numpy"):
            X = X.to_numpy()
        return X if self.places is None else X[:, self.places]


class _Encoded:
    """The labels of classes as the members of a vote know them."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder

    def __call__(self, y: Any) -> Any:
        return self.encoder.transform(y)


def _columns_of(estimator: Any) -> Columns:
    names = getattr(estimator, "feature_names_in_", None)
    count = int(estimator.n_features_in_)
    return Columns(None if names is None else tuple(str(name) for name in names), count)


def flat(member: Any, owner: str, **changes: Any) -> list[Part]:
    """The parts of a member, with its weight on them."""
    weight = changes.pop("weight", 1.0)
    if isinstance(member, Model):
        return [Part(member, weight=weight, **changes)]
    if member.derived is not None or np.any(member.offset) or member.scale is not None:
        raise TypeError(
            f"a member of this {owner} transforms its columns or its output in a way that does not add up "
            "over members; explain the members on their own"
        )
    return [
        replace(
            part, weight=weight * part.weight, scale=changes.get("scale", part.scale), **_given(changes, part)
        )
        for part in member.parts
    ]


def _given(changes: dict[str, Any], part: Part) -> dict[str, Any]:
    """What a member's place says about its parts."""
    found: dict[str, Any] = {name: changes[name] for name in ("output", "rows", "target") if name in changes}
    if changes.get("prepare") is not None:
        first, then = changes["prepare"], part.prepare
        found["prepare"] = first if then is None else Chain(first, then)
    return found


def voting(estimator: Any, table: Any = None) -> Composite:
    """The weighted mean of the members' numbers, or of their probabilities."""
    from .. import model_of

    check_fitted(estimator, "estimators_")
    classes = getattr(estimator, "classes_", None)
    if classes is not None and estimator.voting == "hard":
        raise TypeError(
            "VotingClassifier(voting='hard') counts votes, which are no sum of probabilities; expected "
            "voting='soft', or explain the members (estimators_) on their own"
        )
    weights = estimator._weights_not_none
    weights = np.ones(len(estimator.estimators_)) if weights is None else np.asarray(weights, dtype=float)
    parts: list[Part] = []
    for member, weight in zip(estimator.estimators_, weights / weights.sum()):
        given: dict[str, Any] = {"weight": float(weight), "scale": "identity"}
        if classes is not None:
            given["target"] = _Encoded(estimator.le_)
        parts += flat(model_of(member, table), type(estimator).__name__, **given)
    return Composite(parts, _columns_of(estimator), classes)


def bagging(estimator: Any, table: Any = None) -> Model | Composite:
    """Bagged models: the mean of the members, each on rows and columns of its own."""
    from sklearn.utils.validation import has_fit_parameter

    from .. import model_of
    from . import trees

    check_fitted(estimator, "estimators_")
    members = estimator.estimators_
    if all(hasattr(member, "tree_") for member in members):
        return trees.bagging(estimator)
    classes = getattr(estimator, "classes_", None)
    names = getattr(estimator, "feature_names_in_", None)
    # Drawn rows are given as weights of all rows to models that take weights.
    weighted = has_fit_parameter(estimator.estimator_, "sample_weight")
    parts: list[Part] = []
    for member, rows, places in zip(members, estimator.estimators_samples_, estimator.estimators_features_):
        prepare = _InOrder(names, places)
        inner = model_of(member, None if table is None else prepare(table))
        if classes is not None and len(np.asarray(inner.classes_)) != len(classes):
            raise TypeError(
                "a member of this BaggingClassifier has not seen every class, so that probabilities do not "
                "add up class by class; explain the members (estimators_) on their own"
            )
        for part in flat(inner, type(estimator).__name__, weight=1 / len(members), scale="identity"):
            source = places if part.source is None else np.asarray(places)[part.source]
            before = prepare if part.prepare is None else Chain(prepare, part.prepare)
            drawn = replace(part, prepare=before, source=np.asarray(source))
            if weighted:
                counts = np.bincount(rows, minlength=estimator._n_samples).astype(float)
                parts.append(replace(drawn, counts=counts))
            else:
                parts.append(replace(drawn, rows=np.asarray(rows)))
    return Composite(parts, _columns_of(estimator), classes)


def several_targets(estimator: Any, table: Any = None) -> Composite:
    """One model per column of the target."""
    from .. import model_of

    check_fitted(estimator, "estimators_")
    parts: list[Part] = []
    for at, member in enumerate(estimator.estimators_):
        inner = model_of(member, table)
        if inner.classes_ is not None:
            raise TypeError(
                f"{type(estimator).__name__} predicts the classes of several targets; explain the members "
                "(estimators_) on their own"
            )
        parts += flat(
            inner, type(estimator).__name__, output=at, target=OneColumn(at, len(estimator.estimators_))
        )
    names = [f"y{at}" for at in range(len(estimator.estimators_))]
    return Composite(parts, _columns_of(estimator), output_names=names)


def stacking(estimator: Any, table: Any = None) -> Composite:
    """Members under a linear final step, or else the final step on what the members predict."""
    from .. import model_of

    check_fitted(estimator, "final_estimator_")
    final = estimator.final_estimator_
    classes = getattr(estimator, "classes_", None)
    slopes = None if not hasattr(final, "coef_") else np.atleast_2d(final.coef_)
    members = [member for member in estimator.estimators_ if member != "drop"]
    methods = [method for method in np.ravel(estimator.stack_method_) if method is not None]
    per_member_column = slopes is not None and slopes.shape == (1, len(members)) and not estimator.passthrough
    linear_link = classes is None or type(final).__name__ in ("LogisticRegression", "LogisticRegressionCV")
    if per_member_column and linear_link:
        assert slopes is not None
        parts: list[Part] = []
        for member, slope, method in zip(members, slopes[0], methods):
            given: dict[str, Any] = {"weight": float(slope)}
            given["scale"] = "log_odds" if method == "decision_function" else "identity"
            if classes is not None:
                given["target"] = _Encoded(estimator._label_encoder)
            parts += flat(model_of(member, table), type(estimator).__name__, **given)
        offset = float(np.ravel(final.intercept_)[0])
        scale: Any = None if classes is None else "log_odds"
        return Composite(parts, _columns_of(estimator), classes, offset=offset, scale=scale)
    transform = Transform(estimator)
    inner = model_of(final, None if table is None else transform(table))
    names = [str(name) for name in estimator.get_feature_names_out()]
    places = list(range(len(names)))
    found = behind(
        transform, np.asarray(places), Columns(tuple(names), len(names)), inner, Derived(transform, places)
    )
    return replace(
        found,
        own=0,
        classes_=classes,
        no_fit="the final step of a stack is trained on what its members predict for rows that they have not "
        "seen, which it does not keep; use lmdi.TreeSHAP or lmdi.Saabas, which need no training rows",
    )
