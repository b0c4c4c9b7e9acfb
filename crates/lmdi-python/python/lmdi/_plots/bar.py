"""Importance of columns as bars."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import style


def bar(explanation: Any, max_display: Any, ax: Any) -> Any:
    style.check_rows(explanation)
    if explanation.values.ndim == 2 and len(explanation) == 1:
        return _one_row(explanation, max_display, ax)
    size = np.abs(explanation.values).mean(axis=0)
    per_output = size.reshape(len(size), -1)
    first, rest = style.shown(per_output.sum(axis=1), max_display)
    names = style.names_of(explanation)
    labels = [names[at] for at in first]
    lengths = per_output[first]
    if len(rest):
        labels.append(style.rest_label(rest))
        lengths = np.vstack([lengths, per_output[rest].sum(axis=0)])
    ax = style.axes(ax, style.height_of(len(labels)), labels)
    lines = np.arange(len(labels))
    left = np.zeros(len(labels))
    several = lengths.shape[1] > 1
    if several:
        from matplotlib import colormaps

        colours = colormaps["viridis"](np.linspace(0.1, 0.9, lengths.shape[1]))
    bars = []
    for output in range(lengths.shape[1]):
        colour = colours[output] if several else style.DOWN
        bars.append(ax.barh(lines, lengths[:, output], left=left, color=colour, height=0.7))
        left += lengths[:, output]
    for line, length in enumerate(left):
        text = style.short(length, 3)
        ax.annotate(text, (length, line), (4, 0), textcoords="offset points", va="center", fontsize=9)
    style.name_lines(ax, labels)
    style.plain(ax, zero_line=False)
    ax.margins(x=0.12)
    ax.set_xlim(left=0)
    ax.set_xlabel(f"mean absolute change of {style.unit(explanation)}")
    if several and explanation.output_names:
        # Above the bars, in rows: inside, it would hide some of them.
        names = [style.literal(name, 24) for name in explanation.output_names]
        ax.legend(
            bars, names, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=min(len(names), 4)
        )
    return ax


def _one_row(explanation: Any, max_display: Any, ax: Any) -> Any:
    values = explanation.values[0]
    first, rest = style.shown(np.abs(values), max_display)
    labels = [style.cell_text(explanation, 0, at) for at in first]
    lengths = list(values[first])
    if len(rest):
        labels.append(style.rest_label(rest))
        lengths.append(values[rest].sum())
    ax = style.axes(ax, style.height_of(len(labels)), labels)
    colours = [style.UP if length > 0 else style.DOWN for length in lengths]
    ax.barh(range(len(lengths)), lengths, color=colours, height=0.7)
    for line, length in enumerate(lengths):
        ax.annotate(
            style.number(length),
            (length, line),
            (4 if length >= 0 else -4, 0),
            textcoords="offset points",
            va="center",
            ha="left" if length >= 0 else "right",
            fontsize=9,
        )
    style.name_lines(ax, labels)
    style.plain(ax)
    ax.margins(x=0.18)
    ax.set_xlabel(f"change of {style.unit(explanation)}")
    return ax
