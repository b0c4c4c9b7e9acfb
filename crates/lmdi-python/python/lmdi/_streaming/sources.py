"""Where batches come from. A fit reads its rows several times, so that a source must give them again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .._errors import listed
from .._input import tables

#: Rows of a batch, where the source leaves that to us.
ROWS = 1 << 16


def is_source(X: Any) -> bool:
    """Whether something gives tables in batches, and is no table itself."""
    if callable(X) or isinstance(X, Iterator):
        return True
    library, name = type(X).__module__.split(".")[0], type(X).__name__
    if library == "polars" and name == "LazyFrame":
        return True
    if library == "pyarrow" and not is_table(X):
        return name == "RecordBatchReader" or hasattr(X, "to_batches")
    return isinstance(X, (list, tuple)) and bool(X) and tables.frame_of(X[0]) is not None


def is_table(X: Any) -> bool:
    """Whether something is a table with named columns."""
    library, name = type(X).__module__.split(".")[0], type(X).__name__
    return name in ("DataFrame", "Table", "RecordBatch") and library in ("pandas", "polars", "pyarrow")


def batches_of(source: Any) -> Callable[[], Iterable[Any]]:
    """A function that gives the batches of a source from the start, each time it is called."""
    library, name = type(source).__module__.split(".")[0], type(source).__name__
    if is_table(source):
        return lambda: [source]
    if library == "polars" and name == "LazyFrame":
        return lambda: source.collect_batches(chunk_size=ROWS, maintain_order=True)
    if library == "pyarrow" and hasattr(source, "to_batches"):
        return lambda: source.to_batches(batch_size=ROWS)
    if isinstance(source, Iterator) or name == "RecordBatchReader":
        raise TypeError(
            f"batches is a {name}, which can be read once; a fit reads its rows several times. Pass a "
            "function that makes it, such as `lambda: make_batches()`, a list, a pyarrow dataset or a "
            "polars LazyFrame"
        )
    if callable(source):
        return lambda: _checked(source())
    if hasattr(source, "__iter__"):
        return lambda: source
    raise TypeError(
        f"batches is a {name}; expected tables in a list, a function that gives them, a pyarrow dataset or a "
        "polars LazyFrame"
    )


def _checked(batches: Any) -> Iterable[Any]:
    if not hasattr(batches, "__iter__"):
        raise TypeError(
            f"the function gave a {type(batches).__name__}; expected something to iterate over, table by table"
        )
    return batches


def names_of(table: Any) -> list[str]:
    """The names of a table's columns."""
    frame = tables.frame_of(table)
    if frame is None or frame.names is None:
        raise TypeError(
            f"a batch is a {type(table).__name__}; expected a table with named columns, of pyarrow, polars or "
            "pandas"
        )
    return frame.names


def select(table: Any, names: list[str]) -> Any:
    """Some columns of a table, by name."""
    found = names_of(table)
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"a batch has no column {listed(missing)}; it has {listed(found)}")
    return table[names] if type(table).__module__.split(".")[0] == "pandas" else table.select(names)


def column(table: Any, name: str) -> Any:
    """The values of a column."""
    frame = tables.frame_of(table)
    names = names_of(table)
    if frame is None or name not in names:
        raise ValueError(f"a batch has no column {name!r}; it has {listed(names)}")
    return tables.column_values(frame.column(names.index(name)), name)
