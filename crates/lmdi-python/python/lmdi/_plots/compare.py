"""Two explanations of the same columns: what each finds important."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import style


def compare(explanation: Any, other: Any, labels: Any, max_display: Any, ax: Any) -> Any:
    """Scales may differ, so each bar is a share of the sum of mean absolute values."""
    for one in (explanation, other):
        style.check_rows(one)
    if list(explanation.feature_names) != list(other.feature_names):
        raise ValueError("both explanations must be of the same columns, in the same order")
    if len(labels) != 2:
        raise ValueError(f"labels has {len(labels)} texts; expected one for each explanation")
    shares = [_shares(one) for one in (explanation, other)]
    first, rest = style.shown(shares[0] + shares[1], max_display)
    names = style.names_of(explanation)
    lines = [names[at] for at in first]
    if len(rest):
        lines.append(style.rest_label(rest))
    ax = style.axes(ax, style.height_of(len(lines)), lines)
    for place, (share, colour) in enumerate(zip(shares, (style.DOWN, style.UP), strict=True)):
        lengths = [share[at] for at in first] + ([share[rest].sum()] if len(rest) else [])
        places = np.arange(len(lines)) + (place - 0.5) * 0.38
        bars = {"color": colour, "label": style.literal(labels[place], 30)}
        ax.barh(places, lengths, height=0.36, **bars, hatch="//" if place else None, edgecolor="white")
    style.name_lines(ax, lines)
    style.plain(ax)
    ax.set_xlabel("share of the sum of mean absolute values")
    ax.legend(frameon=False, loc="lower right")
    return ax


def _shares(explanation: Any) -> Any:
    importance = np.asarray(explanation._importance(), dtype=float)
    if importance.ndim > 1:
        importance = importance.sum(axis=tuple(range(1, importance.ndim)))
    return importance / (importance.sum() or 1.0)
