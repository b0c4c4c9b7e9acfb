"""What the model says about one row and what really happened, in the words of a waterfall."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .drawing.words import literal, one_class, percent, short


class Outcome(NamedTuple):
    """A row's prediction and outcome."""

    #: What is drawn at the end of all steps.
    total_label: str
    #: What the model predicts, if it is not on the scale of the values: a number or a probability.
    predicted: str | None
    #: What the prediction is about: the name of a class.
    of_class: str | None
    #: The place of the outcome on the scale of the values, if it has one.
    actual: float | None
    actual_label: str | None
    actual_text: str
    #: Whether values are log-odds of one of two classes, each of which is a probability.
    has_chances: bool = False

    def total_text(self, total: float) -> str:
        return short(total) if self.predicted is None else f"{short(total)}  ({self.predicted})"

    def question(self, total: float) -> str:
        """The title of the plot."""
        if self.total_label != "prediction":
            return "what its values add up to"
        said = short(total) if self.predicted is None else self.predicted
        if self.of_class is None:
            return f"why the prediction is {said}"
        return f"why the probability of {literal(self.of_class, 30)} is {said}"


def outcome_of(explanation: Any, row: int, output: Any, actual: Any) -> Outcome:
    """The outcome of a row; `actual` is one outcome, or those of all rows."""
    from .drawing.style import one_output

    drawn = one_output(explanation, output)
    found = drawn._predictions
    actual = _one(actual, row, len(explanation))
    is_known = found is not None and drawn.unexplained is not None and np.isfinite(drawn.unexplained[row])
    label = "prediction" if is_known else "base plus values"
    if drawn.output_names is None or (found is not None and found.per_output):
        predicted = None
        if is_known and drawn.scale != "identity":
            predicted = short(float(np.ravel(found.values[row])[0]))
        place = None if actual is None else _place(_number(actual), drawn.scale)
        text = "" if actual is None else short(_number(actual))
        return Outcome(label, predicted, None, place, None if actual is None else "actual", text)
    name = one_class(drawn)
    chance = _chance(drawn, row) if is_known else None
    predicted = None if chance is None else percent(chance)
    # Log-odds of one of several classes are scaled before they are probabilities.
    odds = drawn.scale == "log_odds" and (_is_binary(drawn) if found else explanation.values.ndim == 2)
    if actual is None:
        return Outcome(label, predicted, name, None, None, "", odds)
    given = None
    if chance is not None and (str(actual) == name or _is_binary(drawn)):
        given = chance if str(actual) == name else 1.0 - chance
    said = "" if given is None else f"the model gives it {percent(given)}"
    return Outcome(label, predicted, name, None, f"actual class = {literal(actual, 24)}", said, odds)


def _is_binary(drawn: Any) -> bool:
    return drawn._predictions.values.shape[-1] == 2


def _chance(drawn: Any, row: int) -> float | None:
    """The probability of the class that is drawn, where it is known which of them this is."""
    found = drawn._predictions
    if _is_binary(drawn) and found.output is None:
        return float(found.values[row, 1])
    return None if found.output is None else float(found.values[row, found.output])


def _one(actual: Any, row: int, count: int) -> Any:
    """The outcome of the row, of one outcome or of all; None where it is missing."""
    if actual is None:
        return None
    if np.ndim(actual) > 0:
        if len(actual) != count:
            raise ValueError(
                f"actual has {len(actual)} outcomes; expected one, or one for each of the {count} rows"
            )
        actual = np.asarray(actual)[row]
    is_missing = isinstance(actual, (float, np.floating)) and np.isnan(actual)
    return None if is_missing else actual


def _number(actual: Any) -> float:
    try:
        return float(actual)
    except (TypeError, ValueError):
        raise ValueError(f"actual is {actual!r}; expected a number, which the model predicts") from None


def _place(actual: float, scale: str) -> float | None:
    """Where a number stands on the scale of the values; nowhere if that is not known."""
    if scale == "identity":
        return actual
    if scale == "log" and actual > 0:
        return float(np.log(actual))
    return None
