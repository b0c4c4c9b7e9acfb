"""Categories coloured as categories: one colour for each of the most frequent, grey for the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import colours
from .words import literal


def by_frequency(codes: Any, most: int) -> tuple[Any, Any]:
    """The codes that occur, the most frequent first: those shown, and the others, which are taken together.
    A single other one is shown as well, because a line that stands for it would be no shorter."""
    found, counts = np.unique(codes[~np.isnan(codes)], return_counts=True)
    order = found[np.argsort(-counts, kind="stable")]
    most = most + 1 if len(order) == most + 1 else most
    return order[:most], order[most:]


def others_text(others: Any) -> str:
    """What stands for categories that are taken together."""
    return f"others ({len(others):,})"


def level_colours(ax: Any, codes: Any, labels: list[str]) -> tuple[Any, list[tuple[str, Any]]]:
    """The colour of each row, and what to say in a legend."""
    most = min(colours.MOST_LEVELS, max(len(colours.cycle()), 2))
    first, others = by_frequency(codes, most)
    entries = [
        (literal(labels[int(code)], 24), colour)
        for code, colour in zip(first, colours.levels(len(first)), strict=True)
    ]
    fills = np.tile(np.asarray(colours.missing(ax), dtype=float), (len(codes), 1))
    for code, (_, colour) in zip(first, entries, strict=True):
        fills[codes == code] = colour
    if len(others):
        fills[np.isin(codes, others)] = colours.neutral(ax)
        entries.append((others_text(others), colours.neutral(ax)))
    if np.isnan(codes).any():
        entries.append(("missing", colours.missing(ax)))
    return fills, entries


def dot(colour: Any) -> Any:
    """What stands for a colour in a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], marker="o", linestyle="none", color=colour, markersize=5)


def nothing() -> Any:
    """No mark, before a heading within a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none")
