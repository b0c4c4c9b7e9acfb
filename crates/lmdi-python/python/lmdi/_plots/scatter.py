"""Values of one column against its cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import colours, style, words
from .drawing.levels import by_frequency, dot, level_colours, others_text
from .interaction import strongest_interaction

#: Seconds of a day.
DAY = 86400.0
#: Categories side by side at most; others share a place.
MOST_PLACES = 20


def scatter(explanation: Any, feature: Any, color: Any, output: Any, ax: Any, title: str | None) -> Any:
    explanation = style.known_rows(style.one_output(explanation, output))
    if explanation.data is None:
        raise ValueError("the explanation has no data to draw against")
    at = _position(explanation, feature)
    if isinstance(color, str) and color == "auto" and color not in explanation.feature_names:
        color = strongest_interaction(explanation, at)
    labels = explanation._categories.get(at)
    cells, values = _cells(explanation, at), explanation.values[:, at]
    slots = _Slots(cells, labels) if labels else None
    ax = style.axes(ax, 4.6, width=7.0 if slots is None else max(7.0, 0.3 * len(slots.names)))
    low, high, outside = style.robust_range(values)
    place, outside_cells = (slots.places, 0) if slots else _number_places(ax, cells, at in explanation._times)
    by = None if color is None else _position(explanation, color)
    fills = _fills(ax, explanation, by)
    # Rows without a cell are crosses, and rows beyond an axis triangles at its end.
    height = np.clip(values, low, high)
    marks = np.where(np.isnan(cells), "x", "o")
    if outside_cells:
        known = cells[~np.isnan(cells)]
        left, right, _ = style.robust_range(known, zero=False)
        marks[cells < left], marks[cells > right] = "<", ">"
    marks[values < low], marks[values > high] = "v", "^"
    for mark in np.unique(marks):
        chosen = marks == mark
        look = {"s": 14 if mark == "o" else 20, "linewidths": 0.8 if mark == "x" else 0, "rasterized": True}
        look["alpha"] = 0.7 if mark == "o" else 1.0
        ax.scatter(place[chosen], height[chosen], c=fills[chosen], marker=mark, **look)
    _vertical(ax, low, high)
    if slots:
        slots.draw(ax)
    name = words.names_of(explanation)[at]
    beyond = outside + outside_cells
    style.below(ax, f"{name}{style.outside_text(beyond, 'row', '◂▸▾▴')}")
    ax.set_ylabel(f"change of {words.unit(explanation)}")
    style.heading(ax, title, f"How {name} moves {words.predicted(explanation)}")
    return ax


class _Slots:
    """Categories side by side, the rarest together, missing cells last."""

    def __init__(self, codes: Any, labels: list[str]) -> None:
        first, others = by_frequency(codes, MOST_PLACES)
        first = np.sort(first)
        self.names = [words.literal(labels[int(code)], 24) for code in first]
        places = np.full(len(codes), np.nan)
        for slot, code in enumerate(first):
            places[codes == code] = slot
        if len(others):
            places[np.isin(codes, others)] = len(self.names)
            self.names.append(others_text(others))
        if np.isnan(codes).any():
            places[np.isnan(codes)] = len(self.names)
            self.names.append("missing")
        # Dots of one category side by side instead of on one another.
        self.places = places + np.random.default_rng(0).uniform(-0.2, 0.2, len(places))

    def draw(self, ax: Any) -> None:
        side_by_side = sum(len(name) + 3 for name in self.names) < 70
        slant = {} if side_by_side else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(len(self.names)), self.names, **slant)
        ax.set_xlim(-0.6, len(self.names) - 0.4)


def _cells(explanation: Any, at: int) -> Any:
    """The cells of a column; points in time in days, as matplotlib counts them."""
    return explanation.data[:, at].astype(float) * (explanation._times.get(at, DAY) / DAY)


def _number_places(ax: Any, cells: Any, is_time: bool) -> tuple[Any, int]:
    """Places of numbers, with missing cells at the left of them, and how many lie beyond the axis."""
    from .drawing.ticks import dates_on, numbers_on

    known = ~np.isnan(cells)
    low, high, outside = style.robust_range(cells[known], zero=False)
    span = (high - low) or max(abs(high), 1.0) * 0.1
    room = 0.04 * span
    if is_time:
        dates_on(ax.xaxis)
    else:
        numbers_on(ax.xaxis, low - room)
    ax.set_xlim(low - room - (0.14 * span if not known.all() else 0.0), high + room)
    if not known.all():
        gap = low - 0.13 * span
        ax.annotate(
            "missing",
            (gap, 0),
            (0, -4),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize="small",
        )
    return np.where(known, np.clip(cells, low, high), low - 0.13 * span), outside


def _fills(ax: Any, explanation: Any, by: int | None) -> Any:
    """The colour of every row, with what the colours mean beside the plot."""
    if by is None:
        return np.tile(colours.directions(ax)[1], (len(explanation), 1))
    cells = _cells(explanation, by)
    name = words.names_of(explanation)[by]
    kinds = explanation._categories.get(by)
    if kinds:
        fills, entries = level_colours(ax, cells, kinds)
        handles, texts = [dot(colour) for _, colour in entries], [text for text, _ in entries]
        beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "frameon": False, "fontsize": "small"}
        ax.legend(handles, texts, title=name, title_fontsize="small", alignment="left", **beside)
        return fills
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    from .drawing.ticks import dates_on, numbers_on

    known = ~np.isnan(cells)
    fills = np.tile(colours.missing(ax), (len(cells), 1))
    if not known.any():
        return fills
    low, high, outside = style.robust_range(cells[known], zero=False)
    scale = ScalarMappable(Normalize(low, high if high > low else low + 1.0), colours.values(ax))
    fills[known] = scale.to_rgba(cells[known])[:, :3]
    bar = ax.figure.colorbar(scale, ax=ax, pad=0.02, extend="both" if outside else "neither")
    if by in explanation._times:
        dates_on(bar.ax.yaxis)
    else:
        numbers_on(bar.ax.yaxis)
    name = words.literal(explanation.feature_names[by], 28)
    bar.set_label(name if known.all() else f"{name} (grey: missing)")
    bar.outline.set_visible(False)
    return fills


def _vertical(ax: Any, low: float, high: float) -> None:
    """The axis of values, with a line at zero."""
    from .drawing.ticks import numbers_on

    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    numbers_on(ax.yaxis)
    room = 0.04 * (high - low) or 1.0
    ax.set_ylim(low - room, high + room)
    ax.axhline(0, color=colours.neutral(ax), linewidth=0.8, zorder=0)


def _position(explanation: Any, feature: Any) -> int:
    if isinstance(feature, str):
        if feature not in explanation.feature_names:
            raise ValueError(f"there is no column {feature!r}")
        return explanation.feature_names.index(feature)
    if not 0 <= feature < len(explanation.feature_names):
        raise ValueError(f"there is no column {feature}; there are {len(explanation.feature_names)}")
    return int(feature)
