"""Values of one column against its cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import style


def scatter(explanation: Any, feature: Any, color: Any, output: Any, ax: Any) -> Any:
    style.check_rows(explanation)
    explanation = style.one_output(explanation, output)
    if explanation.data is None:
        raise ValueError("the explanation has no data to draw against")
    at = _position(explanation, feature)
    cells, values = explanation.data[:, at], explanation.values[:, at]
    labels = explanation._categories.get(at)
    ax = style.axes(ax, 4.2, width=max(7.0, 0.24 * len(labels or ())))
    missing = np.isnan(cells)
    known = ~missing
    place = cells.astype(float)
    if labels:
        # Dots of one category side by side instead of on one another.
        place = place + np.random.default_rng(0).uniform(-0.2, 0.2, len(place))
    look: dict[str, Any] = {"s": 14, "linewidths": 0, "rasterized": True}
    if color is None:
        ax.scatter(place[known], values[known], color=style.DOWN, alpha=0.7, **look)
    else:
        other = _position(explanation, color)
        tint = explanation.data[:, other]
        coloured = known & ~np.isnan(tint)
        grey = known & np.isnan(tint)
        ax.scatter(place[grey], values[grey], color="#c4c7cc", **look)
        kinds = explanation._categories.get(other)
        if kinds:
            look.update(_one_colour_each(len(kinds)))
        else:
            look["cmap"] = style.CELLS
        dots = ax.scatter(place[coloured], values[coloured], c=tint[coloured], **look)
        bar = ax.figure.colorbar(dots, ax=ax, pad=0.02)
        if kinds:
            bar.set_ticks(range(len(kinds)), labels=[style.literal(kind, 20) for kind in kinds])
            bar.ax.tick_params(length=0, labelsize="small")
            bar.ax.minorticks_off()
        bar.set_label(style.names_of(explanation)[other])
        bar.outline.set_visible(False)
    if missing.any():
        left = np.nanmin(place) if known.any() else 0.0
        width = (np.nanmax(place) - left if known.any() else 1.0) or 1.0
        ax.scatter(
            np.full(missing.sum(), -1.0 if labels else left - 0.08 * width),
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
        names = [style.literal(label, 24) for label in labels]
        side_by_side = sum(len(name) + 3 for name in names) < 70
        slant = {} if side_by_side else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(len(names)), names, **slant)
    ax.set_xlabel(style.names_of(explanation)[at])
    ax.set_ylabel(f"change of {style.unit(explanation)}")
    return ax


def _one_colour_each(count: int) -> dict[str, Any]:
    """Colours for the codes of so many categories."""
    from matplotlib import colormaps

    return {"cmap": colormaps[style.CELLS].resampled(count), "vmin": -0.5, "vmax": count - 0.5}


def _position(explanation: Any, feature: Any) -> int:
    if isinstance(feature, str):
        if feature not in explanation.feature_names:
            raise ValueError(f"there is no column {feature!r}")
        return explanation.feature_names.index(feature)
    if not 0 <= feature < len(explanation.feature_names):
        raise ValueError(f"there is no column {feature}; there are {len(explanation.feature_names)}")
    return int(feature)
