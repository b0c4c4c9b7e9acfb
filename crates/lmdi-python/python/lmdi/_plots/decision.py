"""Paths of many rows from the base to what is explained."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import colours, style, words

#: More lines would hide one another; more rows are drawn as a sample, always the same one.
MOST_ROWS = 200


def decision(explanation: Any, max_display: Any, output: Any, ax: Any, title: str | None) -> Any:
    explanation = style.known_rows(style.one_output(explanation, output))
    first, rest = style.shown(explanation._importance(), max_display)
    explanation, which = style.sampled(explanation, MOST_ROWS)
    names = words.names_of(explanation)
    labels = [names[at] for at in first]
    if len(rest):
        labels.append(words.rest_label(rest))
    # From below: the least important first.
    steps = [explanation.values[:, rest].sum(axis=1)] if len(rest) else []
    steps += [explanation.values[:, at] for at in first[::-1]]
    start = np.asarray(explanation.base_values, dtype=float).reshape(-1)
    levels = np.cumsum([np.broadcast_to(start, len(explanation)), *steps], axis=0)
    ax = style.axes(ax, style.height_of(len(labels)), labels)
    from matplotlib.collections import LineCollection

    height = np.arange(len(labels), -1, -1) - 0.5
    ends = levels[-1]
    shares = np.argsort(np.argsort(ends, kind="stable"), kind="stable") / max(1, len(ends) - 1)
    paths = [np.column_stack([path, height]) for path in levels.T]
    ax.add_collection(LineCollection(paths, colors=colours.values(ax)(shares), linewidths=1.0, alpha=0.7))
    ax.autoscale_view()
    style.name_lines(ax, labels)
    ax.set_ylim(len(labels) - 0.4, -0.8)
    style.plain(ax, zero_line=False)
    ax.axvline(float(start.mean()), color=colours.neutral(ax), linewidth=0.8, zorder=0)
    style.below(ax, f"{words.unit(explanation)}: base value plus values, {which}")
    style.heading(ax, title, "How predictions come about, row by row")
    return ax
