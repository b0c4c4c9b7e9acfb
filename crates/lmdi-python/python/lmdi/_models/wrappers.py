"""Models around models of scikit-learn: searches, pipelines, votes, bags, stacks and calibration.

Each becomes the tree models inside with what is done before and after them, as far as what is predicted is a
weighted sum of what they predict; where it is not, the message says why and what to pass instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .._columns import Columns
from .._composite import Composite, OneColumn, Part
from .._errors import not_fitted
from .._model import Model
from .sklearn_common import check_fitted
from .transformers import sources_of


def frozen(estimator: Any, table: Any = None) -> Model | Composite:
    """The model inside."""
    from . import model_of

    return model_of(estimator.estimator, table)


def search(estimator: Any, table: Any = None) -> Model | Composite:
    """The best model of a search."""
    from . import model_of

    if not hasattr(estimator, "best_estimator_"):
        raise not_fitted(
            f"This {type(estimator).__name__} has no best_estimator_: fit it with refit=True first"
        )
    return model_of(estimator.best_estimator_, table)


def threshold(estimator: Any, table: Any = None) -> Model | Composite:
    """The model whose probabilities are decided by a threshold."""
    from . import model_of

    check_fitted(estimator, "estimator_")
    return model_of(estimator.estimator_, table)


class _Transform:
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


class _Derived:
    """Columns of the transformed table that come from several columns, as numbers."""

    def __init__(self, transform: _Transform, places: list[int]) -> None:
        self.transform, self.places = transform, places

    def __call__(self, X: Any) -> np.ndarray:
        made = self.transform(X)
        made = made.toarray() if hasattr(made, "toarray") else np.asarray(made)
        return np.asarray(made[:, self.places], dtype=np.float64)


def pipeline(estimator: Any, table: Any = None) -> Model | Composite:
    """The last step, on the table that the steps before it make; scores go to the columns of the table."""
    from . import model_of

    last = estimator.steps[-1][1]
    steps = [step for _, step in estimator.steps[:-1] if step is not None and step != "passthrough"]
    if not steps:
        return model_of(last, table)
    before = estimator[:-1]
    if not hasattr(before, "n_features_in_"):
        raise not_fitted(
            "This Pipeline instance is not fitted yet: call its fit(X, y) before it is explained"
        )
    transform = _Transform(before)
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
        columns = Columns(tuple(labels + _derived_names(inner, mixed, labels)), n_inputs + len(mixed))
    else:
        columns = Columns(None, n_inputs)
    derived = _Derived(transform, mixed) if mixed else None
    return replace(_behind(transform, source, columns, inner, derived), own=n_inputs)


def _derived_names(inner: Any, places: list[int], taken: list[str]) -> list[str]:
    names = inner.feature_names
    found: list[str] = []
    for at in places:
        name = names[at] if names[at] not in taken and names[at] not in found else f"{names[at]} (made)"
        found.append(name)
    return found


def _behind(
    transform: Callable[[Any], Any], source: np.ndarray, columns: Columns, inner: Any, derived: Any = None
) -> Composite:
    """A model or composite that sees a transformed table."""
    if isinstance(inner, Model):
        part = Part(inner, transform, source)
        return Composite([part], columns, inner.classes_, derived=derived)
    parts = [
        replace(
            part,
            prepare=transform if part.prepare is None else _Chain(transform, part.prepare),
            source=source if part.source is None else source[part.source],
        )
        for part in inner.parts
    ]
    return replace(inner, parts=parts, columns=columns, derived=derived, levels={})


class _Chain:
    """One preparation after another."""

    def __init__(self, *steps: Callable[[Any], Any]) -> None:
        self.steps = steps

    def __call__(self, X: Any) -> Any:
        for step in self.steps:
            X = step(X)
        return X


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


def _flat(member: Any, owner: str, **changes: Any) -> list[Part]:
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
        found["prepare"] = first if then is None else _Chain(first, then)
    return found


def voting(estimator: Any, table: Any = None) -> Composite:
    """The weighted mean of the members' numbers, or of their probabilities."""
    from . import model_of

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
        parts += _flat(model_of(member, table), type(estimator).__name__, **given)
    return Composite(parts, _columns_of(estimator), classes)


def bagging(estimator: Any, table: Any = None) -> Model | Composite:
    """Bagged models: the mean of the members, each on rows and columns of its own."""
    from sklearn.utils.validation import has_fit_parameter

    from . import model_of, sklearn_trees

    check_fitted(estimator, "estimators_")
    members = estimator.estimators_
    if all(hasattr(member, "tree_") for member in members):
        return sklearn_trees.bagging(estimator)
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
        for part in _flat(inner, type(estimator).__name__, weight=1 / len(members), scale="identity"):
            source = places if part.source is None else np.asarray(places)[part.source]
            before = prepare if part.prepare is None else _Chain(prepare, part.prepare)
            drawn = replace(part, prepare=before, source=np.asarray(source))
            if weighted:
                counts = np.bincount(rows, minlength=estimator._n_samples).astype(float)
                parts.append(replace(drawn, counts=counts))
            else:
                parts.append(replace(drawn, rows=np.asarray(rows)))
    return Composite(parts, _columns_of(estimator), classes)


def several_targets(estimator: Any, table: Any = None) -> Composite:
    """One model per column of the target."""
    from . import model_of

    check_fitted(estimator, "estimators_")
    parts: list[Part] = []
    for at, member in enumerate(estimator.estimators_):
        inner = model_of(member, table)
        if inner.classes_ is not None:
            raise TypeError(
                f"{type(estimator).__name__} predicts the classes of several targets; explain the members "
                "(estimators_) on their own"
            )
        parts += _flat(inner, type(estimator).__name__, output=at, target=OneColumn(at))
    names = [f"y{at}" for at in range(len(estimator.estimators_))]
    return Composite(parts, _columns_of(estimator), output_names=names)


class _Transformed:
    """A target as a `TransformedTargetRegressor` gives it to its regressor."""

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def __call__(self, y: Any) -> Any:
        return np.ravel(self.transformer.transform(np.asarray(y, dtype=float).reshape(-1, 1)))


def transformed_target(estimator: Any, table: Any = None) -> Composite:
    """The regressor inside; on the user's scale where the target was only shifted and stretched."""
    from . import model_of

    check_fitted(estimator, "regressor_")
    inner = model_of(estimator.regressor_, table)
    back = np.ravel(estimator.transformer_.inverse_transform(np.asarray([[0.0], [1.0], [2.0], [4.0]])))
    parts = _flat(inner, "TransformedTargetRegressor", target=_Transformed(estimator.transformer_))
    slope = back[1] - back[0]
    columns = inner._columns if isinstance(inner, Model) else inner.columns
    if np.allclose(back, back[0] + slope * np.asarray([0, 1, 2, 4]), rtol=1e-12, atol=1e-12 * abs(slope)):
        parts = [replace(part, weight=float(slope) * part.weight, scale="identity") for part in parts]
        return Composite(parts, columns, offset=float(back[0]))
    is_log = np.allclose(back, np.exp([0.0, 1.0, 2.0, 4.0]), rtol=1e-12)
    parts = [replace(part, scale="identity") for part in parts]
    return Composite(parts, columns, scale="log" if is_log else "transformed")


def calibrated(estimator: Any, table: Any = None) -> Composite:
    """One model under a sigmoid: its calibrated log-odds are linear in what it predicts."""
    from . import model_of

    check_fitted(estimator, "calibrated_classifiers_")
    members = estimator.calibrated_classifiers_
    several = len(members) > 1
    if several or len(estimator.classes_) > 2 or estimator.method != "sigmoid":
        why = (
            "averages the probabilities of several calibrated models"
            if several
            else "bends probabilities by steps or across classes"
        )
        raise TypeError(
            f"this CalibratedClassifierCV {why}, which is no sum of scores. Explain a model before its "
            "calibration with lmdi.TreeSHAP(calibrated.calibrated_classifiers_[0].estimator), or calibrate "
            "two classes with method='sigmoid' and ensemble=False"
        )
    inner_estimator, calibrator = members[0].estimator, members[0].calibrators[0]
    # scikit-learn calibrates decision functions where there are any, else probabilities.
    scale: Any = "log_odds" if hasattr(inner_estimator, "decision_function") else "identity"
    inner = model_of(inner_estimator, table)
    weight = -float(calibrator.a_)
    parts = [
        replace(part, weight=weight * part.weight, scale=scale)
        for part in _flat(inner, "CalibratedClassifierCV")
    ]
    return Composite(
        parts, inner._columns, np.asarray(estimator.classes_), offset=-float(calibrator.b_), scale="log_odds"
    )


def stacking(estimator: Any, table: Any = None) -> Composite:
    """Members under a linear final step, or else the final step on what the members predict."""
    from . import model_of

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
            parts += _flat(model_of(member, table), type(estimator).__name__, **given)
        offset = float(np.ravel(final.intercept_)[0])
        scale: Any = None if classes is None else "log_odds"
        return Composite(parts, _columns_of(estimator), classes, offset=offset, scale=scale)
    transform = _Transform(estimator)
    inner = model_of(final, None if table is None else transform(table))
    names = [str(name) for name in estimator.get_feature_names_out()]
    places = list(range(len(names)))
    found = _behind(
        transform, np.asarray(places), Columns(tuple(names), len(names)), inner, _Derived(transform, places)
    )
    return replace(
        found,
        own=0,
        classes_=classes,
        no_fit="the final step of a stack is trained on what its members predict for rows that they have not "
        "seen, which it does not keep; use lmdi.TreeSHAP or lmdi.Saabas, which need no training rows",
    )
