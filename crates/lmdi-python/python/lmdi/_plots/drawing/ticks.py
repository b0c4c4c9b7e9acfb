"""Ticks at four to six round numbers, fewer where there is no room, written out for people."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.ticker import FixedLocator, Formatter, FuncFormatter, Locator, MaxNLocator

from .words import percent, short

FEWEST, MOST = 4, 6
#: Steps between ticks, the roundest first; others where these give too few or too many.
STEPS = ([1, 2, 2.5, 5, 10], [1, 2, 2.5, 4, 5, 10], [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10])
#: Probabilities that a scale of log-odds is marked with, the roundest first.
CHANCES = (0.5, 0.1, 0.9, 0.01, 0.99, 0.25, 0.75, 0.001, 0.999, 0.02, 0.98, 0.05, 0.95, 0.0001, 0.9999)


class RoundTicks(Locator):
    """Four to six round numbers within the axis, from `start` on if that is given."""

    def __init__(self, start: float = -np.inf) -> None:
        self.start = start

    def __call__(self) -> Any:
        axis: Any = self.axis
        return self.tick_values(*axis.get_view_interval())

    def tick_values(self, vmin: float, vmax: float) -> Any:
        low, high = sorted((vmin, vmax))
        axis: Any = self.axis
        most = int(np.clip(axis.get_tick_space(), 2, MOST))
        found = []
        for steps in STEPS:
            for bins in (5, 4, 6, 3, 7, 2, 8, 1):
                ticks = np.asarray(MaxNLocator(bins, steps=steps, min_n_ticks=1).tick_values(low, high))
                # Rounding of the ends must not lose a tick.
                slack = 1e-9 * (high - low)
                inside = ticks[(ticks >= max(low, self.start) - slack) & (ticks <= high + slack)]
                if min(FEWEST, most) <= len(inside) <= most:
                    return inside
                found.append(inside)
        return min(found, key=lambda ticks: (len(ticks) > most, abs(len(ticks) - most)))


class Numbers(Formatter):
    """Short numbers, with as many digits as tell neighbours apart."""

    def __call__(self, x: float, pos: Any = None) -> str:
        return short(x)

    def format_ticks(self, values: Any) -> list[str]:
        values = np.asarray(values, dtype=float)
        step = np.diff(values).min() if len(values) > 1 else 0.0
        # Ticks are multiples of their step up to rounding.
        if step > 0:
            values = np.where(np.abs(values) < 1e-6 * step, 0.0, values)
        for digits in range(3, 17):
            texts = [short(value, digits) for value in values]
            exact = [float(f"{value:.{digits}g}") for value in values]
            if len(set(texts)) == len(texts) and np.allclose(exact, values, rtol=0, atol=0.02 * step):
                return texts
        return texts


def numbers_on(axis: Any, start: float = -np.inf) -> None:
    """Round ticks and short numbers on an axis, from `start` on."""
    axis.set_major_locator(RoundTicks(start))
    axis.set_major_formatter(Numbers())


def dates_on(axis: Any) -> None:
    """Round dates on an axis that counts days since 1970."""
    from matplotlib.dates import AutoDateFormatter, AutoDateLocator

    locator = AutoDateLocator(minticks=3, maxticks=MOST)
    axis.set_major_locator(locator)
    axis.set_major_formatter(AutoDateFormatter(locator))


def chances_above(ax: Any) -> Any:
    """A second scale on top of an axis of log-odds: the probabilities that these are."""
    above = ax.secondary_xaxis("top", functions=(_chance, _log_odds))
    low, high = sorted(ax.get_xlim())
    most = int(np.clip(ax.xaxis.get_tick_space() // 2, 2, MOST))
    apart = (high - low) / 10
    places: list[float] = []
    for chance in CHANCES:
        place = _log_odds(chance)
        if low <= place <= high and len(places) < most and all(abs(place - p) > apart for p in places):
            places.append(place)
    above.xaxis.set_major_locator(FixedLocator(sorted(_chance(place) for place in places)))
    above.xaxis.set_major_formatter(FuncFormatter(lambda chance, _: percent(chance)))
    above.minorticks_off()
    above.spines["top"].set_visible(False)
    above.tick_params(length=2, labelsize="small")
    return above


def _chance(log_odds: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -700, 700)))


def _log_odds(chance: Any) -> Any:
    # The ends are infinitely far away.
    chance = np.clip(chance, 1e-300, 1.0 - 1e-16)
    return np.log(chance) - np.log1p(-chance)
