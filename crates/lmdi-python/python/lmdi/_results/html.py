"""Explanations and their analyses as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from .text import counted, visible

#: Most columns of a table.
MOST_LINES = 10


def text(name: Any) -> str:
    """A name that comes from data: markup is escaped, letters that cannot be seen are written out."""
    return escape(visible(str(name)))


def explanation_table(explanation: Any) -> str:
    """The most important columns of an explanation, with bars."""
    rows, columns = explanation.values.shape[:2]
    sizes = f"{counted(rows, 'row')}, {counted(columns, 'column')}"
    title = f"lmdi.Explanation: {sizes}, scale {text(explanation.scale)}"
    if explanation.values.ndim == 3:
        title += f", {explanation.values.shape[2]:,} outputs"
    if rows == 0:
        return f"<p>{title}</p>"
    sizes = explanation._importance()
    order = np.argsort(-sizes, kind="stable")
    largest = float(sizes[order[0]]) if columns else 0.0
    lines = []
    for at in order[:MOST_LINES]:
        width = 12 * float(sizes[at]) / largest if largest > 0 else 0.0
        bar = f'<div style="background:#2e7ebb;height:0.8em;width:{width:.2f}em"></div>'
        name = text(explanation.feature_names[at])
        lines.append(
            f'<tr><td style="text-align:left">{name}</td><td>{sizes[at]:.4g}</td><td>{bar}</td></tr>'
        )
    rest = columns - len(lines)
    more = f"<p>and {rest:,} more columns</p>" if rest > 0 else ""
    head = '<tr><th style="text-align:left">column</th><th>mean |value|</th><th></th></tr>'
    words = f"<p>{text(explanation.meaning)}</p>"
    return f"<p>{title}</p><table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>{more}{words}"


def table(head: list[str], lines: list[list[str]], title: str = "") -> str:
    """A table of texts."""
    cells = "".join(f'<th style="text-align:left">{text(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{text(cell)}</td>' for cell in line) + "</tr>"
        for line in lines
    )
    above = f"<p>{text(title)}</p>" if title else ""
    return f"{above}<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
