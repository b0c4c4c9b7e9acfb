"""Colours of the matplotlib style in use, with one meaning each: direction, value and category.

Everything comes from the style: directions and categories from its cycle, values from its colour map, and
what is faint from its text and background. So a plot fits the others of a document.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: Categories with a colour of their own at most, the most frequent ones; more could not be told apart.
MOST_LEVELS = 7


def cycle() -> list[Any]:
    """The different colours of the style's cycle."""
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb

    found = rcParams["axes.prop_cycle"].by_key().get("color", [])
    return list(dict.fromkeys(to_rgb(colour) for colour in found)) or [to_rgb("#2e7ebb")]


def directions(ax: Any) -> tuple[Any, Any]:
    """Raises and lowers the prediction: the warmer and the cooler one of the first two colours."""
    first, *more = cycle()
    if not more:
        return first, mixed(first, background(ax), 0.55)
    warmth = [colour[0] - colour[2] for colour in (first, more[0])]
    return (first, more[0]) if warmth[0] > warmth[1] else (more[0], first)


def scores(ax: Any) -> Any:
    """The colour map from values below zero over the background to values above zero; from black to white
    where the style has greys only, which differ from the background to one side."""
    from matplotlib.colors import LinearSegmentedColormap

    up, down = directions(ax)
    stops = [down, background(ax), up]
    if max(max(colour) - min(colour) for colour in (up, down)) < 0.1:
        stops = [(0.0, 0.0, 0.0), (0.6, 0.6, 0.6), (1.0, 1.0, 1.0)]
    return LinearSegmentedColormap.from_list("scores", stops)


def levels(count: int) -> list[Any]:
    """Colours of so many categories: of the cycle, as far as it goes, else of the colour map."""
    known = cycle()
    if count <= len(known):
        return known[:count]
    from matplotlib import colormaps, rcParams

    return [colour[:3] for colour in colormaps[rcParams["image.cmap"]](np.linspace(0.05, 0.95, count))]


def values(ax: Any) -> Any:
    """The colour map from low to high, without an end that is hard to see on this background."""
    from matplotlib import colormaps, rcParams
    from matplotlib.colors import ListedColormap

    whole = colormaps[rcParams["image.cmap"]]
    behind = luminance(background(ax))
    low, high = (0.15 if abs(luminance(whole(end)[:3]) - behind) < 0.1 else 0.0 for end in (0.0, 1.0))
    return ListedColormap(whole(np.linspace(low, 1.0 - high, 256)))


def ink(ax: Any) -> Any:
    """The colour of text."""
    return ax.xaxis.label.get_color()


def neutral(ax: Any, share: float = 0.5) -> Any:
    """Neither up nor down: between background and text."""
    return mixed(ink(ax), background(ax), share)


def missing(ax: Any) -> Any:
    """Cells that are not known."""
    return neutral(ax, 0.28)


def background(ax: Any) -> Any:
    """What is behind the drawing, also where the axes are transparent."""
    from matplotlib.colors import to_rgba

    for face in (ax.get_facecolor(), ax.figure.get_facecolor()):
        if to_rgba(face)[3] > 0.5:
            return to_rgba(face)[:3]
    return (1.0, 1.0, 1.0) if luminance(ink(ax)) < 0.5 else (0.0, 0.0, 0.0)


def mixed(colour: Any, other: Any, share: float) -> Any:
    """`share` of the first colour, the rest of the other."""
    from matplotlib.colors import to_rgb

    return tuple(share * a + (1.0 - share) * b for a, b in zip(to_rgb(colour), to_rgb(other), strict=True))


def luminance(colour: Any) -> float:
    """Relative luminance from 0 (black) to 1 (white), of the sRGB colour space."""
    from matplotlib.colors import to_rgb

    parts = np.asarray(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
