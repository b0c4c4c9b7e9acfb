"""How far importances move from fit to fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import colours, style


def stability(importance: Any, names: list[str], max_display: Any, ax: Any, title: str | None) -> Any:
    """One dot per fit and column, with a line from the least to the largest."""
    importance = np.asarray(importance, dtype=float)
    # There is no line for the rest.
    first = np.concatenate(style.shown(importance.mean(axis=0), max_display))[:max_display]
    lines = [names[at] for at in first]
    ax = style.axes(ax, style.height_of(len(lines)), lines)
    places = np.arange(len(lines))
    shown = importance[:, first]
    _, down = colours.directions(ax)
    ax.hlines(places, shown.min(axis=0), shown.max(axis=0), color=colours.neutral(ax), linewidth=1)
    for fit in shown:
        ax.plot(fit, places, "o", color=down, alpha=0.75, markersize=5)
    style.name_lines(ax, lines)
    style.plain(ax)
    ax.set_xlim(left=0)
    style.below(ax, f"mean absolute value in {len(importance)} fits")
    style.heading(ax, title, "Would fitting again give the same importances?")
    return ax
