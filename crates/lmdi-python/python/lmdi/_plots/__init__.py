"""Plots of an explanation: one file a plot, each a function from an explanation to Axes."""

from __future__ import annotations


class Plots:
    """The plots of one explanation. Each draws into `ax`, or a new figure, and returns the Axes."""

    def __init__(self, explanation):
        self._explanation = explanation

    def bar(self, max_display: int = 10, ax=None):
        """Mean absolute value of each column; for a single row its values."""
        from .bar import bar

        return bar(self._explanation, max_display, ax)

    def beeswarm(self, max_display: int = 10, output=None, ax=None):
        """Every row as a dot for every column, coloured by the cell."""
        from .beeswarm import beeswarm

        return beeswarm(self._explanation, max_display, output, ax)

    def waterfall(self, row: int = 0, max_display: int = 10, output=None, ax=None):
        """How one prediction adds up from its base value."""
        from .waterfall import waterfall

        return waterfall(self._explanation, row, max_display, output, ax)

    def scatter(self, feature, color=None, output=None, ax=None):
        """Values of one column against its cells, coloured by another column if named."""
        from .scatter import scatter

        return scatter(self._explanation, feature, color, output, ax)

    def heatmap(self, max_display: int = 10, output=None, ax=None):
        """Rows side by side, similar ones together; columns by importance."""
        from .heatmap import heatmap

        return heatmap(self._explanation, max_display, output, ax)
