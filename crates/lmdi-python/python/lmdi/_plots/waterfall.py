"""How one prediction adds up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .drawing import colours, style, words
from .outcome import Outcome, outcome_of


class Step(NamedTuple):
    """One bar."""

    label: str
    size: float
    #: Standard error of the value; NaN where there is none.
    error: float = np.nan
    #: Whether it is what values leave of the prediction.
    is_left: bool = False


def waterfall(
    explanation: Any, row: Any, max_display: Any, output: Any, ax: Any, title: str | None, actual: Any
) -> Any:
    if len(explanation) == 0:
        raise ValueError("the explanation has no row to draw")
    if not -len(explanation) <= row < len(explanation):
        raise IndexError(f"row is {row}; there are {len(explanation)} rows")
    row = row % len(explanation)
    found = outcome_of(explanation, row, output, actual)
    explanation = style.one_output(explanation, output)
    if not np.isfinite(explanation.values[row]).all():
        raise ValueError(f"row {row} has no values to draw")
    base = float(explanation.base_values[row])
    # Read from below: the base value, the small steps, the largest, what they leave unexplained on top, and
    # the prediction; above it what really happened.
    steps = [*_left(explanation, row), *_steps(explanation, row, max_display)]
    total = base + sum(step.size for step in steps)
    above = [label for label in (found.actual_label, found.total_label) if label]
    lines = [*above, *(step.label for step in steps), "base value"]
    ax = style.axes(ax, style.height_of(len(lines)), lines)
    ends = _draw(ax, steps, total, len(above))
    style.name_lines(ax, lines)
    style.plain(ax, zero_line=False)
    ends += [base, total, *([found.actual] if found.actual is not None else [])]
    # Numbers stand at the right of bars.
    low, high = min(ends), max(ends)
    room = (high - low) or abs(high) or 1.0
    ax.set_xlim(low - 0.06 * room, high + 0.2 * room)
    last = len(lines) - 1
    _mark(ax, base, last, words.short(base), (last - 0.65, last + 0.35))
    _mark(ax, total, len(above) - 1, found.total_text(total), (len(above) - 1.35, len(above) - 0.35))
    if found.actual_label:
        _mark_actual(ax, found)
    style.below(ax, words.unit(explanation))
    if found.has_chances:
        from .drawing.ticks import chances_above

        chances_above(ax)
    label = row if explanation.index is None else explanation.index[row]
    style.heading(ax, title, f"Row {words.literal(label, 20)}: {found.question(total)}")
    return ax


def _steps(explanation: Any, row: int, max_display: Any) -> list[Step]:
    """The largest values, and the others as one."""
    values = explanation.values[row]
    errors = np.full(len(values), np.nan) if explanation.std_error is None else explanation.std_error[row]
    first, rest = style.shown(np.abs(values), max_display)
    steps = [Step(words.cell_text(explanation, row, at), float(values[at]), errors[at]) for at in first]
    if len(rest):
        steps.append(Step(words.rest_label(rest), float(values[rest].sum())))
    return steps


def _left(explanation: Any, row: int) -> list[Step]:
    """What scores leave of the prediction, as steps; none where that is nothing by definition."""
    unexplained = explanation.unexplained
    if unexplained is None or not np.isfinite(unexplained[row]):
        return []
    found, left = explanation._predictions, []
    if found.oob_trees is not None:
        size = float(found.on_scale[row] - found.to_explain[row])
        left.append(Step("trees that saw the row left out", size, is_left=True))
    # Exact methods leave rounding errors.
    if abs(unexplained[row]) > 1e-9 * max(1.0, abs(explanation.explained[row])):
        left.append(Step("not explained", float(unexplained[row]), is_left=True))
    return left


def _draw(ax: Any, steps: list[Step], total: float, above: int) -> list[float]:
    """Draws the bars below `above` lines, and returns how far they and their errors reach."""
    up, down = colours.directions(ax)
    faint = colours.neutral(ax)
    ends = [total]
    at = total
    for line, step in enumerate(steps, above):
        start = at - step.size
        fill = up if step.size > 0 else down
        look = {"facecolor": "none", "edgecolor": faint, "hatch": "///"} if step.is_left else {"color": fill}
        ax.barh(line, step.size, left=start, height=0.7, **look)
        right = max(at, start)
        if np.isfinite(step.error):
            # Two standard errors over the trees, where the bar ends.
            ax.errorbar(at, line, xerr=2 * step.error, color=colours.ink(ax), linewidth=1, capsize=2)
            ends += [at - 2 * step.error, at + 2 * step.error]
            right = max(right, ends[-1])
        _beside(ax, right, line, words.number(step.size))
        guide = {"color": faint, "linewidth": 0.9, "zorder": 0}
        ax.plot([start, start], [line - 0.35, line + 1.35], ":", **guide)
        at = start
        ends.append(at)
    return ends


def _mark(ax: Any, value: float, line: float, text: str, guide: tuple[float, float]) -> None:
    """A short upright line at a value, with its number."""
    ax.plot([value, value], [line - 0.35, line + 0.35], color=colours.ink(ax), linewidth=2.5)
    ax.plot([value, value], guide, ":", color=colours.neutral(ax), linewidth=0.9, zorder=0)
    _beside(ax, value, line, text, is_alone=True)


def _mark_actual(ax: Any, found: Outcome) -> None:
    """What really happened: a hollow mark where it has a place, words where it has none."""
    if found.actual is None:
        where = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": "small"}
        ax.annotate(found.actual_text, (0.01, 0), **where)
        return
    look = {"markersize": 7, "markerfacecolor": "none", "markeredgewidth": 1.6}
    ax.plot([found.actual], [0], "D", color=colours.ink(ax), **look)
    _beside(ax, found.actual, 0, found.actual_text, is_alone=True)


def _beside(ax: Any, value: float, line: float, text: str, is_alone: bool = False) -> None:
    """Text at the right of a value, or where nothing else is in the line at the side with more room."""
    is_left = is_alone and value > sum(ax.get_xlim()) / 2
    where = {"textcoords": "offset points", "va": "center", "fontsize": "small"}
    away = 8 if is_alone else 4
    ax.annotate(
        text, (value, line), (-away if is_left else away, 0), ha="right" if is_left else "left", **where
    )
