"""Critical differences of average ranks (Nemenyi), and the picture of them as SVG."""

from html import escape

import numpy as np
from scipy import stats

WIDTH, LEFT, RIGHT = 760, 190, 190
LINE = 22


def critical_difference(methods, data_sets, level=0.05):
    """How far average ranks must be apart for two methods to differ: q sqrt(k (k + 1) / (6 n))."""
    q = stats.studentized_range.ppf(1 - level, methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * data_sets)))


def groups(ranks, least):
    """The longest runs of methods that do not differ, as (first, last)."""
    found = []
    for first in range(len(ranks)):
        last = max(at for at in range(len(ranks)) if ranks[at] - ranks[first] < least)
        if last > first and not (found and found[-1][1] >= last):
            found.append((first, last))
    return found


def picture(charts):
    """One axis per chart: names beside their average rank, bars over methods that do not differ."""
    parts, top = [], 0
    for title, ranked, least in charts:
        part, height = _chart(title, ranked, least, top)
        parts.append(part)
        top += height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}" '
        'font-family="sans-serif" font-size="13" fill="#222">\n'
        f'<rect width="{WIDTH}" height="{top}" fill="#fff"/>\n' + "".join(parts) + "</svg>\n"
    )


def _chart(title, ranked, least, top):
    count = len(ranked)
    ranks = [rank for _, rank in ranked]
    scale = (WIDTH - LEFT - RIGHT) / (count - 1)

    def x(rank):
        return LEFT + (rank - 1) * scale

    axis = top + 62
    bars = groups(ranks, least)
    below = axis + 14 + 9 * len(bars)
    half = (count + 1) // 2
    out = [f'<text x="12" y="{top + 22}" font-weight="bold">{escape(title)}</text>']
    out.append(_line(x(1), axis, x(count), axis, 1))
    for rank in range(1, count + 1):
        out.append(_line(x(rank), axis - 5, x(rank), axis, 1))
        out.append(f'<text x="{x(rank):.1f}" y="{axis - 9}" text-anchor="middle">{rank}</text>')
    out.append(_line(x(1), top + 34, x(1 + least), top + 34, 2))
    out.append(
        f'<text x="{x(1 + least) + 6:.1f}" y="{top + 38}">critical difference {least:.2f}</text>'
    )
    for at, (first, last) in enumerate(bars):
        y = axis + 9 * (at + 1)
        out.append(_line(x(ranks[first]) - 3, y, x(ranks[last]) + 3, y, 4))
    for at, (name, rank) in enumerate(ranked):
        is_left = at < half
        y = below + LINE * ((at if is_left else count - 1 - at) + 1)
        end = LEFT - 12 if is_left else WIDTH - RIGHT + 12
        out.append(f'<polyline points="{x(rank):.1f},{axis} {x(rank):.1f},{y} {end},{y}" fill="none" stroke="#222"/>')
        anchor, place = ("end", end - 6) if is_left else ("start", end + 6)
        out.append(
            f'<text x="{place}" y="{y + 4}" text-anchor="{anchor}">{escape(name)} ({rank:.2f})</text>'
        )
    return "\n".join(out) + "\n", below + LINE * half + 24 - top


def _line(x1, y1, x2, y2, width):
    return f'<line x1="{x1:.1f}" y1="{y1}" x2="{x2:.1f}" y2="{y2}" stroke="#222" stroke-width="{width}"/>'
