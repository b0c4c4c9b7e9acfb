"""Importance of columns as bars."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import colours, style, words


def bar(explanation: Any, max_display: Any, ax: Any, title: str | None) -> Any:
    explanation = style.known_rows(explanation)
    if explanation.values.ndim == 2 and len(explanation) == 1:
        return _one_row(explanation, max_display, ax, title)
    size = np.abs(explanation.values).mean(axis=0)
    per_output = size.reshape(len(size), -1)
    first, rest = style.shown(per_output.sum(axis=1), max_display)
    names = words.names_of(explanation)
    labels = [names[at] for at in first]
    lengths = per_output[first]
    if len(rest):
        labels.append(words.rest_label(rest))
        lengths = np.vstack([lengths, per_output[rest].sum(axis=0)])
    outputs = [words.literal(name, 24) for name in explanation.output_names or ()]
    several = lengths.shape[1] > 1
    ax = style.axes(ax, style.height_of(len(labels)) + 0.06 * len(outputs), labels)
    lines = np.arange(len(labels))
    left = np.zeros(len(labels))
    _, down = colours.directions(ax)
    fills = colours.levels(lengths.shape[1]) if several else [down]
    bars = []
    for output, fill in enumerate(fills):
        bars.append(ax.barh(lines, lengths[:, output], left=left, color=fill, height=0.7))
        left += lengths[:, output]
    for line, length in enumerate(left):
        text = words.short(length, 3)
        ax.annotate(text, (length, line), (4, 0), textcoords="offset points", va="center", fontsize="small")
    style.name_lines(ax, labels)
    style.plain(ax, zero_line=False)
    ax.margins(x=0.12)
    ax.set_xlim(left=0)
    style.below(ax, f"mean absolute change of {words.unit(explanation)}")
    if several and outputs:
        style.legend_below(ax, bars, outputs)
    style.heading(ax, title, words.uses(explanation))
    return ax


def _one_row(explanation: Any, max_display: Any, ax: Any, title: str | None) -> Any:
    values = explanation.values[0]
    first, rest = style.shown(np.abs(values), max_display)
    labels = [words.cell_text(explanation, 0, at) for at in first]
    lengths = list(values[first])
    if len(rest):
        labels.append(words.rest_label(rest))
        lengths.append(values[rest].sum())
    ax = style.axes(ax, style.height_of(len(labels)), labels)
    up, down = colours.directions(ax)
    ax.barh(
        range(len(lengths)), lengths, color=[up if length > 0 else down for length in lengths], height=0.7
    )
    for line, length in enumerate(lengths):
        ax.annotate(
            words.number(length),
            (length, line),
            (4 if length >= 0 else -4, 0),
            textcoords="offset points",
            va="center",
            ha="left" if length >= 0 else "right",
            fontsize="small",
        )
    style.name_lines(ax, labels)
    style.plain(ax)
    ax.margins(x=0.18)
    style.below(ax, f"change of {words.unit(explanation)}")
    style.heading(ax, title, f"What moves {words.predicted(explanation)} of this row")
    return ax
