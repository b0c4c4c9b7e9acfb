"""Where batches come from, and columns of them."""

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


def is_read_once(source: Any) -> bool:
    """Whether a source gives its batches a single time."""
    return isinstance(source, Iterator) or type(source).__name__ == "RecordBatchReader"


def batches_of(source: Any) -> Callable[[], Iterable[Any]]:
    """A function that returns the batches of a source, from the start at each call unless the
    source can be read only once."""
    library, name = type(source).__module__.split(".")[0], type(source).__name__
    if is_table(source):
        return lambda: [source]
    if library == "polars" and name == "LazyFrame":
        return lambda: source.collect_batches(chunk_size=ROWS, maintain_order=True)
    if library == "pyarrow" and hasattr(source, "to_batches"):
        return lambda: _dataset_batches(source)
    if callable(source):
        return lambda: _checked(source())
    if hasattr(source, "__iter__"):
        return lambda: source
    raise TypeError(
        f"batches is a {name}; expected tables in a list or a generator, a function that gives them, a "
        "pyarrow dataset or a polars LazyFrame"
    )


def _dataset_batches(dataset: Any) -> Iterator[Any]:
    """The batches of a dataset, one row group after another: Arrow would read ahead and hold the
    rows.

    Errors name the file and the row group.
    """
    try:
        files = list(dataset.get_fragments())
    except (AttributeError, ValueError):
        # A filtered dataset does not tell its files.
        yield from dataset.to_batches(batch_size=ROWS)
        return
    for file in files:
        part = str(getattr(file, "path", file))
        try:
            groups = file.split_by_row_group() if hasattr(file, "split_by_row_group") else [file]
            for at, group in enumerate(groups):
                part = f"{getattr(file, 'path', file)}, row group {at}"
                yield from group.to_batches(schema=dataset.schema, batch_size=ROWS)
        except (OSError, ValueError) as error:
            kind = OSError if isinstance(error, OSError) else ValueError
            raise kind(f"{part}: {error}") from error


def _checked(batches: Any) -> Iterable[Any]:
    if not hasattr(batches, "__iter__"):
        raise TypeError(
            f"the function gave a {type(batches).__name__}; expected something to iterate over, table by "
            "table"
        )
    return batches


def names_of(table: Any) -> list[str]:
    """The names of a table's columns."""
    frame = tables.frame_of(table)
    if frame is None or frame.names is None:
        raise TypeError(
            f"a batch is a {type(table).__name__}; expected a table with named columns, of pyarrow, polars "
            "or pandas"
        )
    return frame.names


def places(model: Any, wanted: list[str], found: list[str]) -> list[str]:
    """The columns of a table that are those that a model reads. LightGBM knows them with underscores for
    spaces."""
    if not model._columns.underscored:
        return wanted
    known = {name.replace(" ", "_"): name for name in reversed(found)}
    return [name if name in found else known.get(name.replace(" ", "_"), name) for name in wanted]


def select(table: Any, names: list[str]) -> Any:
    """Some columns of a table, by name."""
    found = names_of(table)
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"there is no column {listed(missing)}; the columns are {listed(found)}")
    repeated = [name for name in names if found.count(name) > 1]
    if repeated:
        raise ValueError(f"there is more than one column {listed(repeated)}")
    return table[names] if type(table).__module__.split(".")[0] == "pandas" else table.select(names)


def column(table: Any, name: str) -> Any:
    """The values of a column."""
    frame = tables.frame_of(table)
    names = names_of(table)
    if frame is None or name not in names:
        raise ValueError(f"there is no column {name!r}; the columns are {listed(names)}")
    return tables.column_values(frame.column(names.index(name)), name)
