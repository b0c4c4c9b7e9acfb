"""The meaning of a value's sign, in words."""

from __future__ import annotations

from .text import visible


def meaning_of(scale: str, output_names: list[str] | None, of_numbers: bool) -> str:
    """What a value above and below zero raises and lowers.

    Outputs with names are classes, unless they are several targets (`of_numbers`).
    """
    if scale == "impurity":
        return "A value above 0 raises the purity of the leaves; one below 0 lowers it."
    several = output_names is not None and len(output_names) > 1
    name = visible(output_names[0]) if output_names and not several else None
    if output_names is None or of_numbers:
        of = f" of {name}" if name else " of its target" if several else ""
        return f"A value above 0 raises the prediction{of}; one below 0 lowers it."
    of = name or "its class"
    if scale in ("log_odds", "softmax"):
        return f"A value above 0 raises the odds of {of}; one below 0 lowers them."
    return f"A value above 0 raises the probability of {of}; one below 0 lowers it."
