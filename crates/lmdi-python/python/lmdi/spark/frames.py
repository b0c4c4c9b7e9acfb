"""Columns of a DataFrame, checked before any job starts."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._errors import listed
from .._streaming.sources import places

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


class Inputs(NamedTuple):
    """Where the columns that a model reads are in a DataFrame."""

    #: The column of vectors whose elements they are, if they are that.
    vector: str | None
    names: list[str]

    def columns(self, df: Any) -> list[Any]:
        """The columns, in the order of the model."""
        if self.vector is None:
            return [df[quoted(name)] for name in self.names]
        from pyspark.ml.functions import vector_to_array

        cells = vector_to_array(df[quoted(self.vector)])
        return [cells[at] for at in range(len(self.names))]


def inputs_of(df: Any, model: Any, vector: str | None, features: list[str] | str | None) -> Inputs:
    """Finds the columns of a model in a DataFrame, or raises.

    `features` are names of columns, or that of a column of vectors; `vector` is the one that the model was
    trained on, for models that know their columns by place in it.
    """
    # Columns of text become several for the trees.
    known = model._compiled.input_columns or model._columns.names
    if isinstance(features, str):
        vector, features = features, None
    elif features is None and known is not None:
        features, vector = list(known), None
        features = places(model, features, df.columns)
    elif features is not None:
        vector, features = None, list(features)
    elif vector is None:
        raise ValueError(
            "the model does not name its columns; say with features=[...] which columns it reads, in its "
            'order, or with features="NAME" which column of vectors'
        )
    count = len(known) if known is not None else model._columns.count
    if features is not None:
        check_columns(df, features, "which the model reads")
        if len(features) != count:
            raise ValueError(f"features names {len(features)} columns; the model reads {count}")
        for name in features:
            check_type(df, name)
        return Inputs(None, features)
    assert vector is not None
    check_columns(df, [vector], "the vectors that the model reads")
    kind = dict(df.dtypes)[vector]
    if kind != "vector":
        raise ValueError(f"column {vector!r} is of the type {kind}; expected vectors of Spark ML")
    return Inputs(vector, element_names(df, vector, count))


def element_names(df: Any, vector: str, count: int) -> list[str]:
    """The names of a vector's elements, which the stages that made it leave in its metadata."""
    names = [f"{vector}_{at}" for at in range(count)]
    kinds = df.schema[vector].metadata.get("ml_attr", {}).get("attrs", {})
    for attributes in kinds.values():
        for attribute in attributes:
            if "name" in attribute and 0 <= attribute.get("idx", -1) < count:
                names[attribute["idx"]] = attribute["name"]
    return names if len(set(names)) == count else [f"{vector}_{at}" for at in range(count)]


def check_columns(df: Any, wanted: list[str], what: str) -> None:
    """Raises unless a DataFrame has all columns, once each."""
    missing = [name for name in wanted if name not in df.columns]
    if missing:
        raise ValueError(
            f"the DataFrame has no column {listed(missing)}, {what}; its columns are {listed(df.columns)}"
        )
    repeated = [name for name in wanted if df.columns.count(name) > 1]
    if repeated:
        raise ValueError(f"the DataFrame has more than one column {listed(repeated)}, {what}")


def check_type(df: Any, name: str) -> None:
    """Raises unless a column is of a type that trees can read."""
    kind = dict(df.dtypes)[name]
    if kind.split("(")[0] not in READABLE:
        raise ValueError(
            f"column {name!r} is of the type {kind}; expected numbers, truth values or text: cast times to "
            "numbers, and name a column of vectors with features"
        )


def numbered(df: Any, columns: list[Any]) -> Any:
    """Columns under names that `mapInArrow` takes, which not all names are."""
    return df.select(*[column.alias(f"c{at}") for at, column in enumerate(columns)])


def quoted(name: str) -> str:
    """A name as Spark takes it, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"
