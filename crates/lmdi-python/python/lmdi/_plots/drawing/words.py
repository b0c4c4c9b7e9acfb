"""The text on plots: names, numbers, units and titles."""

from __future__ import annotations

import os.path
from typing import Any

import numpy as np

UNITS = {
    "identity": "the prediction",
    "log_odds": "the log-odds",
    "softmax": "the margin",
    "log": "the logarithm of the prediction",
    "probability": "the probability",
    "transformed": "the transformed prediction",
    "impurity": "the decrease in impurity",
}

#: Longest name in full.
MOST_LETTERS = 40


def unit(explanation: Any) -> str:
    """What values are counted in, with the class they belong to."""
    text = UNITS[explanation.scale]
    found = explanation._predictions
    if explanation.scale == "identity" and explanation.output_names and not (found and found.per_output):
        # Shares of forests are those of classes.
        text = UNITS["probability"]
    name = one_class(explanation)
    return text if name is None else f"{text} of {literal(name)}"


def one_class(explanation: Any) -> str | None:
    """The class that all values are about, if there is one."""
    names = explanation.output_names
    return names[0] if names and len(names) == 1 and explanation.values.ndim == 2 else None


def predicted(explanation: Any) -> str:
    """What is predicted, for a title."""
    name = one_class(explanation)
    return "the prediction" if name is None else f"the prediction of {literal(name, 30)}"


def uses(explanation: Any) -> str:
    """The title of what matters over all rows."""
    name = one_class(explanation)
    return f"What the model uses to predict {literal(name, 30)}" if name else "What the model uses"


def rest_label(rest: Any) -> str:
    return f"sum of {len(rest)} other{'s' if len(rest) > 1 else ''}"


def literal(name: Any, most: int = MOST_LETTERS, place: int | None = None) -> str:
    """A name as one line of text that matplotlib does not read as mathematics: letters that cannot be seen
    or turn the line around are written out, and the middle of a long name is left out. The place of a column
    is put behind a name that is cut, if given."""
    text = "".join(letter if letter.isprintable() else _escaped(letter) for letter in str(name))
    if not text.strip():
        return "(no name)"
    if len(text) > most:
        end = most // 3
        mark = "" if place is None else f" ({place})"
        text = f"{text[: most - end - 1 - len(mark)]}…{text[-end:]}{mark}"
    return text.replace("$", r"\$")


def names_of(explanation: Any) -> list[str]:
    """The names of the columns as lines of text. Long names that would look alike keep what sets them
    apart."""
    names = [str(name) for name in explanation.feature_names]
    shown = [literal(name) for name in names]
    alike: dict[str, list[int]] = {}
    for at, text in enumerate(shown):
        alike.setdefault(text, []).append(at)
    for places in alike.values():
        if len(places) == 1:
            continue
        same = len(os.path.commonprefix([names[at] for at in places]))
        for at in places:
            # Some letters before the first difference, to be read with it.
            shown[at] = literal(f"…{names[at][max(same - 10, 0) :]}", place=at)
    return shown


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def short(value: float, digits: int = 4, sign: str = "") -> str:
    """A number in a few digits; up to a million without an exponent."""
    if 10**digits <= abs(value) < 1e7:
        text = f"{value:{sign},.0f}"
    else:
        text = f"{value:{sign}.{digits}g}"
    return _plain_exponent(text).replace("-", "−")


def _plain_exponent(text: str) -> str:
    """`1.5e+09` as `1.5e9`."""
    head, mark, power = text.partition("e")
    return f"{head}e{int(power)}" if mark else text


def moment(seconds: float) -> str:
    """A point in time, from seconds since 1970; without a time of the day that is midnight."""
    return str(np.datetime64(round(seconds), "s")).replace("T", " ").removesuffix(" 00:00:00")


def number(value: float) -> str:
    """A short number with its sign."""
    return short(value, 3, "+")


def percent(share: float) -> str:
    """A probability in percent, with the digits that keep it away from 0 and 1."""
    if not 0.00005 <= share <= 0.99995 and 0.0 < share < 1.0:
        return "< 0.01 %" if share < 0.5 else "> 99.99 %"
    away = min(share, 1.0 - share)
    digits = 0 if away >= 0.0995 else 1 if away >= 0.005 else 2
    text = f"{100 * share:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def cell_text(explanation: Any, row: int, at: int) -> str:
    """`name = cell`, if the cell is known."""
    name = names_of(explanation)[at]
    if explanation.data is None:
        return name
    labels = explanation._categories.get(at)
    cell = explanation.data[row, at]
    if np.isnan(cell):
        return f"{name} missing"
    if at in explanation._times:
        return f"{name} = {moment(cell * explanation._times[at])}"
    return f"{name} = {literal(labels[int(cell)], 20) if labels else short(cell)}"
