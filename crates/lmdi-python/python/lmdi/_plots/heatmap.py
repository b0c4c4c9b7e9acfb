"""Rows side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import colours, style, words

#: More rows than this are drawn as a sample, always the same one.
MOST_ROWS = 2000


def heatmap(explanation: Any, max_display: Any, output: Any, ax: Any, title: str | None) -> Any:
    explanation = style.known_rows(style.one_output(explanation, output))
    first, rest = style.shown(explanation._importance(), max_display)
    explanation, which = style.sampled(explanation, MOST_ROWS)
    lines = explanation.values[:, first].T
    names = words.names_of(explanation)
    labels = [names[at] for at in first]
    if len(rest):
        lines = np.vstack([lines, explanation.values[:, rest].sum(axis=1)])
        labels.append(words.rest_label(rest))
    lines = lines[:, _order(lines)]
    limit = np.percentile(np.abs(lines), 99) or np.abs(lines).max() or 1.0
    ax = style.axes(ax, style.height_of(len(labels)) + 0.2, labels, width=7.0)
    from .drawing.ticks import numbers_on

    image = ax.imshow(
        lines, aspect="auto", cmap=colours.scores(ax), vmin=-limit, vmax=limit, interpolation="nearest"
    )
    style.name_lines(ax, labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.grid(False)
    # Rows have no order of their own that numbers could tell.
    ax.set_xticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    style.below(ax, f"{which}, similar ones side by side")
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02, aspect=30, extend="both")
    numbers_on(bar.ax.yaxis)
    bar.set_label(f"change of {words.unit(explanation)}")
    bar.outline.set_visible(False)
    style.heading(ax, title, "What moves the prediction of each row")
    return ax


def _order(lines: Any) -> Any:
    """Rows by the sign of their largest values first, then by what they add up to: similar rows meet
    without the cost of clustering."""
    leading = lines[:3]
    groups = np.zeros(lines.shape[1], dtype=int)
    for line in leading:
        groups = 2 * groups + (line > 0)
    return np.lexsort((lines.sum(axis=0), groups))
