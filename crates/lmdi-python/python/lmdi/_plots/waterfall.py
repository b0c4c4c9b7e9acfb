"""How one prediction adds up."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import style


def waterfall(explanation: Any, row: Any, max_display: Any, output: Any, ax: Any) -> Any:
    style.check_rows(explanation)
    explanation = style.one_output(explanation, output)
    if not -len(explanation) <= row < len(explanation):
        raise IndexError(f"row is {row}; there are {len(explanation)} rows")
    values, base = explanation.values[row], float(explanation.base_values[row])
    errors = None if explanation.std_error is None else explanation.std_error[row]
    first, rest = style.shown(np.abs(values), max_display)
    steps = [(style.cell_text(explanation, row, at), values[at]) for at in first]
    if len(rest):
        steps.append((style.rest_label(rest), values[rest].sum()))
    # Read from below: the base value, the small steps, the largest, what they leave unexplained on top, and
    # the prediction.
    left = _left(explanation, row)
    spread = [errors[at] for at in first] if errors is not None else []
    spread = [*[np.nan] * len(left), *spread, *[np.nan] * (len(steps) - len(spread))]
    steps = [*left, *steps]
    ax = style.axes(ax, style.height_of(len(steps)), [name for name, _ in steps])
    total = base + sum(step for _, step in steps)
    at = total
    span = _span(base, [step for _, step in steps])
    for line, (_, step) in enumerate(steps):
        start = at - step
        colour = style.UP if step > 0 else style.DOWN
        hatched = line < len(left)
        if hatched:
            outline = {"facecolor": "none", "edgecolor": style.NEUTRAL, "hatch": "///"}
            ax.barh(line, step, left=start, height=0.7, **outline)
        else:
            ax.barh(line, step, left=start, color=colour, height=0.7)
        if np.isfinite(spread[line]):
            # Two standard errors over the trees, where the bar ends.
            ax.errorbar(at, line, xerr=2 * spread[line], color=style.ink(ax), linewidth=1, capsize=2)
        inside = abs(step) > 0.16 * span and not hatched and not np.isfinite(spread[line])
        ax.annotate(
            style.number(step),
            (start + step / 2 if inside else _right(at, start, spread[line]), line),
            (0 if inside else 4, 0),
            textcoords="offset points",
            va="center",
            ha="center" if inside else "left",
            color="white" if inside else None,
            fontsize=9,
        )
        below = line + 1 < len(steps)
        down_to = line + (1.35 if below else 0.6)
        ax.plot(
            [start, start],
            [line - 0.35, down_to],
            ":",
            color=style.NEUTRAL,
            linewidth=0.9,
            zorder=0,
        )
        at = start
    style.name_lines(ax, [name for name, _ in steps])
    style.plain(ax, zero_line=False)
    # Bars would otherwise touch the frame.
    ax.use_sticky_edges = False
    ax.margins(x=0.12)
    ax.set_xlabel(style.unit(explanation))
    title = f"base value {style.short(base)}  →  {style.short(total)}"
    ax.set_title(title, fontsize=10, loc="left")
    return ax


def _right(at: float, start: float, error: float) -> float:
    """Where a number beside a bar stands."""
    return max(at, start, at + 2 * error if np.isfinite(error) else at)


def _left(explanation: Any, row: int) -> list[tuple[str, float]]:
    """What scores leave of the prediction, as steps; none where that is nothing by definition."""
    unexplained = explanation.unexplained
    if unexplained is None or not np.isfinite(unexplained[row]):
        return []
    found, left = explanation._predictions, []
    if found.oob_trees is not None:
        left.append(("trees that saw the row left out", float(found.on_scale[row] - found.to_explain[row])))
    # Exact methods leave rounding errors.
    if abs(unexplained[row]) > 1e-9 * max(1.0, abs(explanation.explained[row])):
        left.append(("not explained", float(unexplained[row])))
    return left


def _span(base: Any, steps: Any) -> Any:
    """How much of the axis the bars take."""
    ends = base + np.concatenate([[0.0], np.cumsum(steps[::-1])])
    return float(ends.max() - ends.min()) or 1.0
