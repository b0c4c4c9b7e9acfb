"""Two explanations of the same columns: what each finds important."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import colours, style, words


def compare(explanation: Any, other: Any, labels: Any, max_display: Any, ax: Any, title: str | None) -> Any:
    """Scales may differ, so each bar is a share of the sum of mean absolute values."""
    if list(explanation.feature_names) != list(other.feature_names):
        raise ValueError("both explanations must be of the same columns, in the same order")
    if len(labels) != 2:
        raise ValueError(f"labels has {len(labels)} texts; expected one for each explanation")
    shares = [_shares(style.known_rows(one._whole())) for one in (explanation, other)]
    first, rest = style.shown(shares[0] + shares[1], max_display)
    names = words.names_of(explanation)
    lines = [names[at] for at in first]
    if len(rest):
        lines.append(words.rest_label(rest))
    ax = style.axes(ax, style.height_of(len(lines)) + 0.2, lines)
    up, down = colours.directions(ax)
    bars = []
    for place, (share, fill) in enumerate(zip(shares, (down, up), strict=True)):
        lengths = [share[at] for at in first] + ([share[rest].sum()] if len(rest) else [])
        places = np.arange(len(lines)) + (place - 0.5) * 0.38
        look = {"color": fill, "hatch": "//" if place else None, "edgecolor": colours.background(ax)}
        bars.append(ax.barh(places, lengths, height=0.36, **look))
    style.name_lines(ax, lines)
    style.plain(ax, zero_line=False)
    ax.set_xlim(left=0)
    style.below(ax, "share of the sum of mean absolute values")
    own, theirs = (words.literal(label, 30) for label in labels)
    style.legend_below(ax, bars, [own, theirs])
    style.heading(ax, title, f"What matters: {own} and {theirs}")
    return ax


def _shares(explanation: Any) -> Any:
    importance = np.asarray(explanation._importance(), dtype=float)
    return importance / (importance.sum() or 1.0)
