"""Plots of an explanation: one file per plot, each a function from an explanation to Axes.

They share code in `drawing`.
"""

from __future__ import annotations

from typing import Any


class Plots:
    """The plots of one explanation.

    Each draws into `ax`, or a new figure, and returns the Axes. `title` replaces the default title;
    an empty string leaves it out. Colours, fonts and lines follow the current matplotlib style.
    """

    def __init__(self, explanation: Any) -> None:
        self._explanation = explanation

    def bar(self, max_display: int = 10, ax: Any = None, title: str | None = None) -> Any:
        """Mean absolute value of each column; for a single row, its values."""
        from .bar import bar

        return bar(self._explanation, max_display, ax, title)

    def beeswarm(
        self, max_display: int = 10, output: Any = None, ax: Any = None, title: str | None = None
    ) -> Any:
        """Every row as a dot for every column, coloured by the cell."""
        from .beeswarm import beeswarm

        return beeswarm(self._explanation, max_display, output, ax, title)

    def waterfall(
        self,
        row: int = 0,
        max_display: int = 10,
        output: Any = None,
        ax: Any = None,
        title: str | None = None,
        actual: Any = None,
    ) -> Any:
        """How one prediction adds up, starting from its base value.

        `actual` is the outcome of the row, a number or a class label, or the outcomes of all rows.
        It is marked beside the prediction. For log-odds of two classes, a second axis shows
        probabilities.
        """
        from .waterfall import waterfall

        return waterfall(self._explanation, row, max_display, output, ax, title, actual)

    def decision(
        self, max_display: int = 10, output: Any = None, ax: Any = None, title: str | None = None
    ) -> Any:
        """Paths of many rows, from the base value over the columns to `explained`."""
        from .decision import decision

        return decision(self._explanation, max_display, output, ax, title)

    def compare(
        self,
        other: Any,
        labels: tuple[str, str] = ("this", "other"),
        max_display: int = 10,
        ax: Any = None,
        title: str | None = None,
    ) -> Any:
        """Importances of this and another explanation of the same columns, such as another model or
        method."""
        from .compare import compare

        return compare(self._explanation, other, labels, max_display, ax, title)

    def scatter(
        self, feature: Any, color: Any = None, output: Any = None, ax: Any = None, title: str | None = None
    ) -> Any:
        """Values of one column against its cells, coloured by another column if given; "auto" takes
        the one that interacts most with it."""
        from .scatter import scatter

        return scatter(self._explanation, feature, color, output, ax, title)

    def heatmap(
        self, max_display: int = 10, output: Any = None, ax: Any = None, title: str | None = None
    ) -> Any:
        """Values of all rows as colours, with similar rows together and columns ordered by
        importance."""
        from .heatmap import heatmap

        return heatmap(self._explanation, max_display, output, ax, title)
