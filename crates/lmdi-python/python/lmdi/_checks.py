"""Keywords, checked."""

from __future__ import annotations

from typing import Any

import numpy as np


def whole(value: Any, name: str, least: int) -> int:
    """A whole number of at least `least`."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or value < least:
        kind = ValueError if isinstance(value, (int, float, np.number)) else TypeError
        raise kind(f"{name} is {value!r}; expected a whole number of at least {least}")
    return int(value)


def number(value: Any, name: str) -> float:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {value!r}; expected a number")
    return float(value)


def flag(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; expected True or False")
    return bool(value)


def choice(value: Any, name: str, names: tuple[str, ...]) -> str:
    """One of some names."""
    if not isinstance(value, str) or value not in names:
        *others, last = (repr(one) for one in names)
        raise ValueError(f"{name} is {value!r}; expected {', '.join(others)} or {last}")
    return value
