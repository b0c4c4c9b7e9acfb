"""Tables as text, for the terminal."""

from __future__ import annotations


def visible(name: str) -> str:
    """A name that comes from data, with letters that cannot be seen, or move the cursor, written out."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in name
    )


def counted(count: int, noun: str) -> str:
    """A number of things: 1 row, 1,200 rows."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def table(title: str, head: list[str], lines: list[list[str]]) -> str:
    """A title over columns that are as wide as their widest cell."""
    cells = [head, *([visible(cell) for cell in line] for line in lines)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(head))]
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
    return "\n".join([visible(title), *(f"  {row}" for row in rows)])
