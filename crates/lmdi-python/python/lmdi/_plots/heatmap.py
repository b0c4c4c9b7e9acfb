"""Rows side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import style

#: More rows than this are drawn as a sample, always the same one.
MOST_ROWS = 2000


def heatmap(explanation: Any, max_display: Any, output: Any, ax: Any) -> Any:
    style.check_rows(explanation)
    explanation = style.one_output(explanation, output)
    importance = explanation._importance()
    rows = np.arange(len(explanation))
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).permutation(len(rows))[:MOST_ROWS])
    first, rest = style.shown(importance, max_display)
    values = explanation.values[rows]
    lines = values[:, first].T
    names = style.names_of(explanation)
    labels = [names[at] for at in first]
    if len(rest):
        lines = np.vstack([lines, values[:, rest].sum(axis=1)])
        labels.append(style.rest_label(rest))
    lines = lines[:, _order(lines)]
    limit = np.percentile(np.abs(lines), 99) or np.abs(lines).max() or 1.0
    ax = style.axes(ax, style.height_of(len(labels)) + 0.4, labels, width=7.0)
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("scores", [style.DOWN, "#f7f7f7", style.UP])
    image = ax.imshow(lines, aspect="auto", cmap=colours, vmin=-limit, vmax=limit, interpolation="nearest")
    style.name_lines(ax, labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    for spine in ax.spines.values():
        spine.set_visible(False)
    part = f"{len(rows):,} of {len(explanation):,} rows" if len(rows) < len(explanation) else "rows"
    ax.set_xlabel(f"{part}, similar ones side by side")
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02, aspect=30, extend="both")
    bar.set_label(f"change of {style.unit(explanation)}")
    bar.outline.set_visible(False)
    return ax


def _order(lines: Any) -> Any:
    """Rows by the sign of their largest values first, then by what they add up to: similar rows meet
    without the cost of clustering."""
    leading = lines[:3]
    groups = np.zeros(lines.shape[1], dtype=int)
    for line in leading:
        groups = 2 * groups + (line > 0)
    return np.lexsort((lines.sum(axis=0), groups))
