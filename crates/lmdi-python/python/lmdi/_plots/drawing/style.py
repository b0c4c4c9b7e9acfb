"""What the plots share: axes, titles, ranges, legends, and which rows and columns are shown."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from ..._errors import listed
from . import colours

#: The share of values that an axis always shows, and how much longer the whole may be before it is cut.
KEPT, LONGEST = 0.99, 2.5
#: Of fewer values none is an exception.
FEWEST = 20


def axes(ax: Any, height: float, labels: Any = (), width: float = 6.0) -> Any:
    """The given axes, or those of a new figure: `width` inches beside the names of its lines."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib; install it with `pip install matplotlib`") from error
    width += 0.075 * max((len(label) for label in labels), default=0)
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def height_of(lines: int) -> float:
    """Inches for so many lines."""
    return 1.5 + 0.36 * lines


def heading(ax: Any, title: str | None, default: str) -> None:
    """Writes the title, in as many lines as it needs; axes that have one already keep it unless another is
    given."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    if title is None and any(ax.get_title(loc) for loc in ("left", "center", "right")):
        return
    text = default if title is None else str(title)
    size = FontProperties(size=rcParams["axes.titlesize"]).get_size_in_points()
    letters = max(12, int(ax.bbox.width / ax.figure.dpi * 72 / (0.55 * size)))
    # Mathematics must stay in one line.
    if "$" not in text.replace(r"\$", ""):
        text = "\n".join(part for line in text.split("\n") for part in textwrap.wrap(line, letters) or [""])
    # Only when it is drawn is it known where the figure ends.
    ax.set_title(text, wrap=True)


def below(ax: Any, text: str) -> None:
    """The title of the horizontal axis, in as many lines as it needs."""
    ax.set_xlabel(text, wrap=True)


def one_output(explanation: Any, output: Any) -> Any:
    """The output to draw; it must be named where there are several."""
    if explanation.values.ndim == 2:
        return explanation if output is None else explanation.output(output)
    if output is None:
        raise ValueError(
            f"there are several outputs; choose one with output=, of {listed(explanation.output_names)}"
        )
    return explanation.output(output)


def known_rows(explanation: Any) -> Any:
    """The rows that have values."""
    if len(explanation) == 0:
        raise ValueError("the explanation has no row to draw")
    known = np.isfinite(explanation.values).reshape(len(explanation), -1).all(axis=1)
    if not known.any():
        raise ValueError("no row of the explanation has values to draw")
    return explanation if known.all() else explanation[known]


def sampled(explanation: Any, most: int) -> tuple[Any, str]:
    """At most so many rows, always the same ones, and in words how many these are."""
    count = len(explanation)
    if count <= most:
        return explanation, f"{count:,} row{'s' if count > 1 else ''}"
    chosen = np.sort(np.random.default_rng(0).permutation(count)[:most])
    return explanation[chosen], f"{most:,} of {count:,} rows"


def shown(importance: Any, max_display: int) -> Any:
    """Columns to show, most important first, and those taken together as one line."""
    order = np.argsort(-importance, kind="stable")
    if max_display < 1:
        raise ValueError(f"max_display is {max_display}; expected at least 1")
    if len(order) <= max_display:
        return order, order[:0]
    return order[: max_display - 1], order[max_display - 1 :]


def robust_range(values: Any, zero: bool = True) -> tuple[float, float, int]:
    """The range of values, cut where few of them would squeeze all others, and how many then lie outside.
    It holds `zero` if wanted."""
    values = np.asarray(values, dtype=float).ravel()
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return 0.0, 1.0, 0
    ends = [values.min(), values.max()]
    edge = (1 - KEPT) / 2
    usual = [np.quantile(values, edge, method="higher"), np.quantile(values, 1 - edge, method="lower")]
    if zero:
        ends, usual = ([min(0.0, low), max(0.0, high)] for low, high in (ends, usual))
    if len(values) < FEWEST:
        usual = ends
    span = usual[1] - usual[0]
    low, high = ends
    if span > 0 and ends[1] - ends[0] > LONGEST * span:
        # What lies a little further out is no exception.
        near = values[(values >= usual[0] - span / 2) & (values <= usual[1] + span / 2)]
        low, high = min(near.min(), usual[0]), max(near.max(), usual[1])
    return float(low), float(high), int(((values < low) | (values > high)).sum())


def outside_text(count: int, what: str, marks: str = "◂▸") -> str:
    """How many are drawn at the ends of an axis."""
    if count == 0:
        return ""
    return f"; {count:,} {what}{'s' if count > 1 else ''} beyond the axis, {marks} at its ends"


def plain(ax: Any, zero_line: bool = True) -> None:
    """Few lines: no frame on top and right, round ticks, and a line at zero."""
    from .ticks import numbers_on

    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    numbers_on(ax.xaxis)
    if zero_line:
        ax.axvline(0, color=colours.neutral(ax), linewidth=0.8, zorder=0)


def name_lines(ax: Any, labels: Any) -> None:
    """Names on the vertical axis, the first on top."""
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def legend_below(ax: Any, handles: Any, labels: list[str]) -> None:
    """A legend under the title of the horizontal axis, in as many columns as there is room for."""
    from matplotlib import rcParams
    from matplotlib.transforms import ScaledTranslation

    size = rcParams["font.size"]
    width = ax.bbox.width / ax.figure.dpi * 72
    fitting = width // (0.55 * size * (max(map(len, labels)) + 5))
    below = ScaledTranslation(0, -3.6 * size / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        handles,
        labels,
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=ax.transAxes + below,
        ncols=int(np.clip(fitting, 1, len(labels))),
        fontsize="small",
        handletextpad=0.4,
        columnspacing=1.2,
        borderaxespad=0.0,
    )
