"""Columns of a DataFrame, checked before any job starts."""

from __future__ import annotations

from typing import Any

from .._errors import listed

#: Types of Spark that trees read as numbers, or as texts of categories.
READABLE = (
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "boolean",
    "string",
    "decimal",
)


def check_columns(df: Any, wanted: list[str], what: str) -> None:
    """Raises unless a DataFrame has all columns."""
    missing = [name for name in wanted if name not in df.columns]
    if missing:
        raise ValueError(
            f"the DataFrame has no column {listed(missing)}, {what}; its columns are {listed(df.columns)}"
        )


def check_features(df: Any, features: list[str]) -> None:
    """Raises unless a DataFrame has the columns of a model, of types that it can read."""
    check_columns(df, features, "which the model reads")
    types = dict(df.dtypes)
    for name in features:
        if types[name].split("(")[0] not in READABLE:
            raise ValueError(
                f"column {name!r} is of the type {types[name]}; expected numbers, truth values or text: take "
                "the elements of a vector apart, and cast times to numbers"
            )


def quoted(name: str) -> str:
    """A name as Spark takes it, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def select(df: Any, names: list[str]) -> Any:
    """Some columns of a DataFrame."""
    return df.select(*[df[quoted(name)] for name in names])
