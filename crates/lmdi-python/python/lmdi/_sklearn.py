"""The scikit-learn that this package works with."""

from __future__ import annotations

#: The oldest version; docs/python.md and pyproject.toml name it too.
MINIMUM = "1.6"


def require(what: str) -> None:
    """Raises if scikit-learn is missing or too old for `what`."""
    try:
        import sklearn
    except ImportError as error:
        raise ImportError(
            f"{what} needs scikit-learn {MINIMUM} or newer; install it with `pip install scikit-learn`"
        ) from error
    if _numbers(sklearn.__version__) < _numbers(MINIMUM):
        raise ImportError(
            f"{what} needs scikit-learn {MINIMUM} or newer, and {sklearn.__version__} is installed; "
            "install a newer one with `pip install -U scikit-learn`"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version."""
    first_two = version.split(".")[:2]
    return tuple(int("".join(letter for letter in part if letter.isdigit()) or 0) for part in first_two)
