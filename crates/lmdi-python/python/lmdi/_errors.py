"""Exceptions and warnings."""

from __future__ import annotations

from typing import Any


class NotFittedError(ValueError, AttributeError):
    """Raised when something is used before it is fitted.

    If scikit-learn is installed, the exception is also its `NotFittedError`.
    """


def not_fitted(message: str) -> NotFittedError:
    """The exception to raise. scikit-learn is slow to import, so it is imported only here."""
    try:
        from sklearn.exceptions import NotFittedError as Theirs
    except ImportError:
        return NotFittedError(message)
    return type("NotFittedError", (NotFittedError, Theirs), {})(message)


class LmdiWarning(UserWarning):
    """A result is usable, but may not be what you expect."""


def listed(names: Any, most: int = 5, quoted: bool = True) -> str:
    """The first few names, in quotes or as Python writes them."""
    names = [repr(str(name)) if quoted else repr(name) for name in names]
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
