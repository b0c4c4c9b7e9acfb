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
    if isinstance(color, str) and color == "auto" and color not in explanation.feature_names:
        color = _strongest_interaction(explanation, at)
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


#: Rows of similar cells, for interactions.
PARTS = 20


def _strongest_interaction(explanation: Any, at: int) -> int | None:
    """The column whose cells say most about what values of a column still differ by among rows with similar
    cells: the largest rank correlation with their distance from the mean of those rows."""
    own = _ranks(explanation.data[:, at])
    parts = np.where(np.isnan(own), PARTS, np.minimum((own * PARTS), PARTS - 1)).astype(int)
    values = explanation.values[:, at]
    counts = np.maximum(np.bincount(parts, minlength=PARTS + 1), 1)
    left = values - (np.bincount(parts, weights=values, minlength=PARTS + 1) / counts)[parts]
    strengths = [
        0.0 if other == at else abs(_correlation(_ranks(explanation.data[:, other]), left))
        for other in range(len(explanation.feature_names))
    ]
    best = int(np.argmax(strengths))
    return best if strengths[best] > 0 else None


def _ranks(cells: Any) -> Any:
    """Places among the others from 0 to 1, equal cells alike; NaN where missing."""
    known = cells[~np.isnan(cells)]
    if len(known) == 0:
        return np.full(len(cells), np.nan)
    found, inverse, counts = np.unique(known, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts + 1) / 2
    ranks = np.full(len(cells), np.nan)
    ranks[~np.isnan(cells)] = middle[inverse] / max(1, len(known) - 1)
    return ranks


def _correlation(a: Any, b: Any) -> float:
    known = ~np.isnan(a) & ~np.isnan(b)
    if known.sum() < 2 or np.ptp(a[known]) == 0 or np.ptp(b[known]) == 0:
        return 0.0
    return float(np.corrcoef(a[known], b[known])[0, 1])


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
