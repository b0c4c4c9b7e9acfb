"""Values of one column against its cells."""

from __future__ import annotations

import numpy as np

from . import style


def scatter(explanation, feature, color, output, ax):
    style.check_rows(explanation)
    explanation = style.one_output(explanation, output)
    if explanation.data is None:
        raise ValueError("the explanation has no cells to draw against")
    at = _position(explanation, feature)
    cells, values = explanation.data[:, at], explanation.values[:, at]
    labels = explanation._categories.get(at)
    ax = style.axes(ax, 4.2)
    missing = np.isnan(cells)
    known = ~missing
    place = cells.astype(float)
    if labels:
        # Dots of one category side by side instead of on one another.
        place = place + np.random.default_rng(0).uniform(-0.2, 0.2, len(place))
    look = {"s": 14, "linewidths": 0, "rasterized": True}
    if color is None:
        ax.scatter(place[known], values[known], color=style.DOWN, alpha=0.7, **look)
    else:
        other = _position(explanation, color)
        tint = explanation.data[:, other]
        coloured = known & ~np.isnan(tint)
        grey = known & np.isnan(tint)
        ax.scatter(place[grey], values[grey], color="#c4c7cc", **look)
        dots = ax.scatter(place[coloured], values[coloured], c=tint[coloured], cmap=style.CELLS, **look)
        bar = ax.figure.colorbar(dots, ax=ax, pad=0.02)
        bar.set_label(style.literal(explanation.feature_names[other]))
        bar.outline.set_visible(False)
    if missing.any():
        left = np.nanmin(place) if known.any() else 0.0
        width = (np.nanmax(place) - left if known.any() else 1.0) or 1.0
        ax.scatter(
            np.full(missing.sum(), left - 0.08 * width),
            values[missing],
            color=style.NEUTRAL,
            marker="x",
            s=14,
            linewidths=0.8,
            label="missing",
        )
        ax.legend(frameon=False, loc="best")
    style.plain(ax, zero_line=False)
    ax.axhline(0, color=style.NEUTRAL, linewidth=0.8, zorder=0)
    if labels:
        names = [style.literal(label) for label in labels]
        ax.set_xticks(range(len(names)), names)
    ax.set_xlabel(style.literal(explanation.feature_names[at]))
    ax.set_ylabel(f"change of {style.unit(explanation)}")
    return ax


def _position(explanation, feature) -> int:
    if isinstance(feature, str):
        if feature not in explanation.feature_names:
            raise ValueError(f"there is no column {feature!r}")
        return explanation.feature_names.index(feature)
    if not 0 <= feature < len(explanation.feature_names):
        raise ValueError(f"there is no column {feature}; there are {len(explanation.feature_names)}")
    return int(feature)
