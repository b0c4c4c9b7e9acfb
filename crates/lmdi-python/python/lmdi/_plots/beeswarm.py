"""Every row as a dot."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import colours, style, words
from .drawing.levels import dot, level_colours, nothing

#: More rows than this are drawn as a sample, always the same one.
MOST_ROWS = 5000
BINS = 100
#: Size of a dot, in square points.
DOT = 9


def beeswarm(explanation: Any, max_display: Any, output: Any, ax: Any, title: str | None) -> Any:
    explanation = style.known_rows(style.one_output(explanation, output))
    first, rest = style.shown(explanation._importance(), max_display)
    explanation, which = style.sampled(explanation, MOST_ROWS)
    names = words.names_of(explanation)
    labels = [names[at] for at in first]
    columns = [explanation.values[:, at] for at in first]
    if len(rest):
        labels.append(words.rest_label(rest))
        columns.append(explanation.values[:, rest].sum(axis=1))
    categories = [at for at in first if at in explanation._categories and explanation.data is not None]
    ax = style.axes(ax, style.height_of(len(labels)) + 0.2 * len(categories), labels)
    low, high, outside = style.robust_range(columns)
    dots, legend = None, []
    for line, values in enumerate(columns):
        at = first[line] if line < len(first) else None
        height = line + _offsets(np.clip(values, low, high))
        fills = None
        if at is None or explanation.data is None:
            ax.scatter(values, height, color=colours.neutral(ax), **_look(values, low, high))
        elif at in explanation._categories:
            # The codes of categories are in no order that low and high could mean.
            fills, entries = level_colours(ax, explanation.data[:, at], explanation._categories[at])
            legend.append((names[at], entries))
            ax.scatter(values, height, c=fills, **_look(values, low, high))
        else:
            shares = _shares(explanation.data[:, at])
            known = ~np.isnan(shares)
            cells = {"cmap": colours.values(ax), "vmin": 0, "vmax": 1}
            grey = values[~known]
            ax.scatter(grey, height[~known], color=colours.missing(ax), **_look(grey, low, high))
            seen = values[known]
            drawn = ax.scatter(seen, height[known], c=shares[known], **cells, **_look(seen, low, high))
            dots = drawn if known.any() else dots
        _mark_outside(ax, values, height, low, high, fills)
    style.name_lines(ax, labels)
    style.plain(ax)
    room = 0.03 * (high - low) or 1.0
    ax.set_xlim(low - room, high + room)
    style.below(ax, f"change of {words.unit(explanation)}, {which}{style.outside_text(outside, 'value')}")
    if dots is not None:
        colour_bar = ax.figure.colorbar(dots, ax=ax, ticks=[0, 1], aspect=40, pad=0.02)
        colour_bar.set_ticklabels(["low", "high"])
        colour_bar.set_label("feature value", labelpad=-10)
        colour_bar.outline.set_visible(False)
    _legend(ax, legend)
    style.heading(ax, title, words.uses(explanation))
    return ax


def _look(values: Any, low: float, high: float) -> dict[str, Any]:
    """How dots are drawn; those beyond the axis are marked otherwise."""
    inside = (values >= low) & (values <= high)
    return {"s": np.where(inside, DOT, 0.0), "linewidths": 0, "rasterized": True}


def _mark_outside(ax: Any, values: Any, height: Any, low: float, high: float, fills: Any) -> None:
    """Triangles at the ends of the axis, for rows beyond it."""
    for beyond, end, marker in ((values < low, low, "<"), (values > high, high, ">")):
        if beyond.any():
            fill = colours.ink(ax) if fills is None else fills[beyond]
            look = {"marker": marker, "s": 2 * DOT, "linewidths": 0, "clip_on": False, "zorder": 3}
            ax.scatter(
                np.full(beyond.sum(), end), height[beyond], c=[fill] if fills is None else fill, **look
            )


def _legend(ax: Any, legend: list[Any]) -> None:
    """The colours of every column of categories."""
    handles, texts = [], []
    for name, entries in legend:
        handles += [nothing(), *(dot(colour) for _, colour in entries)]
        texts += [f"{name}:", *(text for text, _ in entries)]
    if texts:
        style.legend_below(ax, handles, texts)


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
