"""Every row as a dot."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import style

#: More rows than this are drawn as a sample, always the same one.
MOST_ROWS = 5000
BINS = 100


def beeswarm(explanation: Any, max_display: Any, output: Any, ax: Any) -> Any:
    style.check_rows(explanation)
    explanation = style.one_output(explanation, output)
    importance = explanation._importance()
    sampled = len(explanation) > MOST_ROWS
    if sampled:
        explanation = explanation[np.sort(np.random.default_rng(0).permutation(len(explanation))[:MOST_ROWS])]
    first, rest = style.shown(importance, max_display)
    names = style.names_of(explanation)
    labels = [names[at] for at in first]
    if len(rest):
        labels.append(style.rest_label(rest))
    ax = style.axes(ax, style.height_of(len(labels)), labels)
    dots = None
    for line, at in enumerate(first):
        values = explanation.values[:, at]
        height = line + _offsets(values)
        # The codes of categories are in no order that low and high could mean.
        ordered = explanation.data is not None and at not in explanation._categories
        colours = _shares(explanation.data[:, at]) if ordered else None
        if colours is None:
            ax.scatter(values, height, s=9, color=style.NEUTRAL, linewidths=0, rasterized=True)
            continue
        missing = np.isnan(colours)
        ax.scatter(values[missing], height[missing], s=9, color="#c4c7cc", linewidths=0, rasterized=True)
        known = ~missing
        dots = ax.scatter(
            values[known],
            height[known],
            s=9,
            c=colours[known],
            cmap=style.CELLS,
            vmin=0,
            vmax=1,
            linewidths=0,
            rasterized=True,
        )
    if len(rest):
        values = explanation.values[:, rest].sum(axis=1)
        height = len(first) + _offsets(values)
        ax.scatter(values, height, s=9, color=style.NEUTRAL, linewidths=0, rasterized=True)
    style.name_lines(ax, labels)
    style.plain(ax)
    ax.set_xlabel(f"change of {style.unit(explanation)}")
    if sampled:
        ax.set_title(f"{MOST_ROWS:,} of the rows", fontsize=9, loc="right")
    if dots is not None:
        colour_bar = ax.figure.colorbar(dots, ax=ax, ticks=[0, 1], aspect=40, pad=0.02)
        colour_bar.set_ticklabels(["low", "high"])
        colour_bar.set_label("feature value", labelpad=-10)
        colour_bar.outline.set_visible(False)
    return ax


def _shares(cells: Any) -> Any:
    """Cells from 0 (the 5th percentile) to 1 (the 95th); NaN where missing."""
    known = cells[~np.isnan(cells)]
    if len(known) == 0:
        return np.full(len(cells), np.nan)
    low, high = np.percentile(known, [5, 95])
    if low == high:
        low, high = known.min(), known.max()
    if low == high:
        return np.where(np.isnan(cells), np.nan, 0.5)
    return np.clip((cells - low) / (high - low), 0, 1)


def _offsets(values: Any) -> Any:
    """Dots of about the same value are stacked around the line, the more the wider."""
    spread = values.max() - values.min()
    bins = np.zeros(len(values), dtype=int)
    if spread > 0:
        bins = np.minimum(((values - values.min()) / spread * BINS).astype(int), BINS - 1)
    order = np.argsort(bins, kind="stable")
    place = np.empty(len(values))
    counts = np.bincount(bins, minlength=BINS)
    start = np.concatenate([[0], np.cumsum(counts)[:-1]])
    place[order] = np.arange(len(values)) - start[bins[order]]
    # 0, 1, -1, 2, -2 and so on.
    side = np.where(place % 2 == 1, 1, -1) * np.ceil(place / 2)
    return side * min(0.03, 0.8 / max(counts.max(), 1))
