"""What the plots share: axes, colours, units, and which columns are shown."""

from __future__ import annotations

import os.path
from typing import Any

import numpy as np

from .._errors import listed

#: Raises the prediction, lowers it, neither. Told apart by people who cannot tell red from green.
UP, DOWN, NEUTRAL = "#d1495b", "#2e7ebb", "#8a8f98"
#: Low to high cells.
CELLS = "viridis"

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


def axes(ax: Any, height: float, labels: Any = (), width: float = 6.0) -> Any:
    """The given axes, or those of a new figure: `width` inches beside the names of its lines."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib; install it with `pip install matplotlib`") from error
    width += 0.075 * max((len(label) for label in labels), default=0)
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def height_of(lines: int) -> float:
    """Inches for so many lines."""
    return 1.2 + 0.36 * lines


def unit(explanation: Any) -> str:
    """What values are counted in, with the class they belong to."""
    text = UNITS[explanation.scale]
    names = explanation.output_names
    one_class = names and len(names) == 1 and explanation.values.ndim == 2
    return f"{text} of {literal(names[0])}" if one_class else text


def one_output(explanation: Any, output: Any) -> Any:
    """The output to draw; it must be named where there are several."""
    if explanation.values.ndim == 2:
        return explanation if output is None else explanation.output(output)
    if output is None:
        raise ValueError(
            f"there are several outputs; choose one with output=, of {listed(explanation.output_names)}"
        )
    return explanation.output(output)


def check_rows(explanation: Any) -> None:
    if len(explanation) == 0:
        raise ValueError("the explanation has no row to draw")


def shown(importance: Any, max_display: int) -> Any:
    """Columns to show, most important first, and those taken together as one line."""
    order = np.argsort(-importance, kind="stable")
    if max_display < 1:
        raise ValueError(f"max_display is {max_display}; expected at least 1")
    if len(order) <= max_display:
        return order, order[:0]
    return order[: max_display - 1], order[max_display - 1 :]


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
    return text.replace("-", "−")


def number(value: float) -> str:
    """A short number with its sign."""
    return short(value, 3, "+")


def cell_text(explanation: Any, row: int, at: int) -> str:
    """`name = cell`, if the cell is known."""
    name = names_of(explanation)[at]
    if explanation.data is None:
        return name
    labels = explanation._categories.get(at)
    cell = explanation.data[row, at]
    if np.isnan(cell):
        return f"{name} missing"
    return f"{name} = {literal(labels[int(cell)], 20) if labels else short(cell)}"


def plain(ax: Any, zero_line: bool = True) -> None:
    """Few lines: no frame on top and right, and a line at zero."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if zero_line:
        ax.axvline(0, color=NEUTRAL, linewidth=0.8, zorder=0)


def ink(ax: Any) -> Any:
    """The colour of text, which follows the style in use."""
    return ax.xaxis.label.get_color()


def name_lines(ax: Any, labels: Any) -> None:
    """Names on the vertical axis, the first on top."""
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
