"""Tables of any kind as matrices of 32- or 64-bit numbers, without copies where possible.

A numpy array of floats is read in place, whatever its order and strides; so is a pandas frame whose
columns are one block of floats. Everything else (mixed columns, integers, polars, pyarrow, sparse
matrices) is converted once.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._errors import listed

ROWS_AT_A_TIME = 1 << 14


class Frame(NamedTuple):
    """A table with named columns, of any library."""

    #: The names of the columns; None where one of them is no text.
    names: list[str] | None
    n_rows: int
    column: Callable[[int], Any]
    n_columns: int
    #: All cells as one array if they already lie in one, else None.
    block: Callable[[], np.ndarray | None]
    #: Names that are no text, as text: numbers, or the levels of several headings joined.
    labels: list[str] | None = None

    def chosen(self, names: list[str], moments: dict[str, str] | None = None) -> Frame:
        """The columns of these names, as our own models read them: dates and the like as numbers.

        `moments` says of which kind they were in training; None if this is training.
        """
        place = {name: at for at, name in enumerate(self.names or [])}

        def column(at: int) -> Any:
            cells = self.column(place[names[at]])
            found = _numbers_in(cells)
            if found is None:
                return cells
            values, kind = found
            return (
                values
                if moments is None or kind is None
                else _as_in_training(values, kind, names[at], moments)
            )

        block = self.block if names == self.names else lambda: None
        return Frame(names, self.n_rows, column, len(names), block)

    def moments(self) -> dict[str, str]:
        """The columns of dates, times and spans, with their kind."""
        found = {name: _numbers_in(self.column(at)) for at, name in enumerate(self.names or [])}
        return {name: pair[1] for name, pair in found.items() if pair is not None and pair[1] is not None}


def is_sparse(X: Any) -> bool:
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def frame_of(X: Any) -> Frame | None:
    """The frame that `X` is, or None if it is an array or a list."""
    if isinstance(X, Frame):
        return X
    kind = type(X)
    library, name = kind.__module__.split(".")[0], kind.__name__
    if library == "pandas" and name == "DataFrame":
        names, labels = _pandas_names(X)

        def block() -> Any:
            kinds = set(X.dtypes)
            plain = len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype)
            return X.to_numpy() if plain else None

        return Frame(names, len(X), lambda at: X.iloc[:, at], X.shape[1], block, labels)
    if library == "polars" and name == "DataFrame":
        return Frame(list(X.columns), X.height, X.to_series, X.width, lambda: None)
    if library == "pyarrow" and name in ("Table", "RecordBatch"):
        return Frame(list(X.schema.names), X.num_rows, X.column, X.num_columns, lambda: None)
    if name == "LazyFrame" and library == "polars":
        raise TypeError("X is a polars LazyFrame; pass X.collect()")
    if name in ("Series", "ChunkedArray"):
        raise ValueError(
            "X has one dimension; expected a table: for one row of a frame take frame.iloc[[i]], which keeps "
            "it a frame; for one column pass X.to_frame()"
        )
    return None


def _pandas_names(X: Any) -> tuple[list[str] | None, list[str] | None]:
    """The names of the columns of a pandas frame, converted to text if they are not."""
    names = list(X.columns)
    if all(isinstance(name, str) for name in names):
        return [str(name) for name in names], None
    if names == list(range(len(names))):
        # pandas counts the columns of a table that had no names.
        return None, None
    return None, ["_".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in names]


def check_table(X: Any) -> None:
    """Raises for tables that would be misread: most code that reads arrays ignores masks."""
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError(
            "X is a masked array, and most libraries ignore the mask. Pass X.filled(numpy.nan) if masked "
            "cells are missing, or X.data if they are not"
        )
    frame = frame_of(X)
    if frame is not None and frame.n_columns == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape=({frame.n_rows}, 0)); X needs a column")


def check_names(X: Any) -> None:
    """Raises if two columns of a frame have the same name."""
    frame = frame_of(X)
    names = None if frame is None else frame.names or frame.labels
    repeated = sorted({name for name in names if names.count(name) > 1}) if names else []
    if repeated:
        raise ValueError(f"X has more than one column named {listed(repeated)}; rename or drop one of them")


def frame_with_text(X: Any) -> Frame | None:
    """The frame that `X` is, if one of its columns holds anything but numbers and booleans."""
    frame = frame_of(X)
    if frame is None or frame.names is None:
        return None
    block = frame.block()
    if block is not None and block.dtype.kind in "fbui":
        return None
    for at, name in enumerate(frame.names):
        column = frame.column(at)
        if _numbers_in(column) is not None or column_values(column, name).dtype.kind in "OUS":
            return frame
    return None


#: Seconds of a day.
DAY = 86400.0


#: How model files call the formats of dates and times, and what columns of them hold here. Spans are plain
#: numbers there.
_FORMATS = {
    "date year-month-day": "dates",
    "datetime year-month-day": "points of time",
    "time": "times of the day",
}


def formats_of(moments: dict[str, str]) -> list[tuple[str, str]]:
    """The formats of columns of these kinds, by name, for a model file."""
    names = {kind: name for name, kind in _FORMATS.items()}
    return [(column, names[kind]) for column, kind in moments.items() if kind in names]


def moments_of(formats: list[tuple[str, str]]) -> dict[str, str]:
    """The kinds of columns with these formats. Files of the command may hold dates in another order."""
    kinds = {name.split()[0]: kind for name, kind in _FORMATS.items()}
    return {column: kinds[name.split()[0]] for column, name in formats if name.split()[0] in kinds}


def _as_in_training(values: np.ndarray, kind: str, name: str, moments: dict[str, str]) -> np.ndarray:
    """Dates and times in the unit of training: a date is also the timestamp at its start."""
    trained = moments.get(name)
    if kind == trained:
        return values
    if (kind, trained) == ("dates", "points of time"):
        return values * DAY
    if (kind, trained) == ("points of time", "dates"):
        return values / DAY
    what = "numbers or text" if trained is None else trained
    raise ValueError(
        f"column {name!r} holds {kind}; the model was trained on {what}, as far as it says. Pass the column "
        "as it was in training, or as numbers (of seconds, for spans of time)"
    )


def _numbers_in(column: Any) -> tuple[np.ndarray, str | None] | None:
    """Dates as days, points of time as seconds since 1970, spans and times of the day as seconds, as in the
    command, each with its kind; numbers that are kept as objects; None for columns of something else."""
    library = type(column).__module__.split(".")[0]
    if library == "pandas":
        if column.dtype.name.startswith("period"):
            column = column.dt.to_timestamp()
        if column.dtype.name == "object":
            return _numbers_of_objects(column.to_numpy())
        if getattr(column.dtype, "kind", "O") not in "mM":
            return None
        values = column.dt.tz_convert(None) if getattr(column.dtype, "tz", None) is not None else column
        return _seconds(values.to_numpy())
    if library == "polars":
        kind = str(column.dtype).split("(")[0]
        if kind == "Time":
            return column.cast(_polars().Int64).cast(_polars().Float64).to_numpy() / 1e9, "times of the day"
        if kind == "Date":
            return column.cast(_polars().Int32).cast(_polars().Float64).to_numpy(), "dates"
        return _seconds(column.to_numpy()) if kind in ("Datetime", "Duration") else None
    if library == "pyarrow":
        from pyarrow import types

        if not types.is_temporal(column.type):
            return None
        if types.is_time(column.type):
            nanoseconds = column.cast("time64[ns]").cast("int64").cast("float64")
            return nanoseconds.to_numpy(zero_copy_only=False) / 1e9, "times of the day"
        if types.is_date(column.type):
            days = column.cast("date32").cast("int32").cast("float64")
            return days.to_numpy(zero_copy_only=False), "dates"
        return _seconds(column.to_numpy(zero_copy_only=False))
    return None


def _second_of_day(time: datetime.time) -> float:
    return time.hour * 3600.0 + time.minute * 60.0 + time.second + time.microsecond / 1e6


def _numbers_of_objects(cells: np.ndarray) -> tuple[np.ndarray, str | None] | None:
    """The numbers, or the dates, if all cells that are not missing hold them."""
    missing = np.asarray([cell is None or cell != cell for cell in map(_or_none, cells)], dtype=bool)
    found = cells[~missing]
    kinds = {type(cell) for cell in found}
    values = np.full(len(cells), np.nan)
    what = None
    if kinds == {datetime.date}:
        values[~missing], what = found.astype("datetime64[D]").astype(np.int64), "dates"
    elif kinds == {datetime.time}:
        values[~missing], what = [_second_of_day(cell) for cell in found], "times of the day"
    elif kinds and all(issubclass(kind, datetime.datetime) for kind in kinds):
        if any(cell.tzinfo is not None for cell in found):
            return None
        values[~missing], what = _seconds(found.astype("datetime64[us]"))
    elif kinds and all(_is_number_type(kind) for kind in kinds) and all(map(_is_number, found)):
        values[~missing] = found.astype(np.float64)
    else:
        return None
    return values, what


def _or_none(cell: Any) -> Any:
    """The cell, or None for the missing value of pandas, which no comparison recognises."""
    return None if type(cell).__name__ == "NAType" else cell


def _is_number_type(kind: type) -> bool:
    real = issubclass(kind, (numbers.Real, decimal.Decimal))
    return real and not issubclass(kind, (bool, np.bool_))


def _seconds(values: np.ndarray) -> tuple[np.ndarray, str]:
    """Timestamps and durations in seconds, NaN if missing, and which of the two they are."""
    unit = np.timedelta64(1, "s")
    points = values.dtype.kind == "M"
    seconds = (values - np.datetime64(0, "s") if points else values) / unit
    return np.where(np.isnat(values), np.nan, seconds), "points of time" if points else "spans of time"


def _polars() -> Any:
    import polars

    return polars


def index_of(X: Any) -> Any:
    """The labels of the rows of a pandas frame or series, else None."""
    kind = type(X)
    if kind.__module__.split(".")[0] == "pandas" and kind.__name__ in ("DataFrame", "Series"):
        return X.index
    return None


def column_values(column: Any, name: str) -> np.ndarray:
    """A column as numpy values: numbers with NaN where missing, or objects with None."""
    library = type(column).__module__.split(".")[0]
    if library == "pandas":
        if isinstance(column.dtype, np.dtype):
            return column.to_numpy()
        kind = column.dtype.name
        if kind == "category" or getattr(column.dtype, "kind", "O") not in "biuf":
            values = column.astype(object)
            return values.where(values.notna(), None).to_numpy()
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if library == "polars":
        kind = column.dtype
        if kind.is_numeric() or str(kind) in ("Boolean", "Null"):
            return column.cast(_polars_float(kind)).to_numpy()
        if str(kind).split("(")[0] in ("String", "Categorical", "Enum"):
            return np.asarray(column.to_list(), dtype=object)
        raise ValueError(f"column {name!r} holds {kind}; expected numbers, booleans or categories")
    if library == "pyarrow":
        return _arrow_values(column, name)
    return np.asarray(column)


def _arrow_values(column: Any, name: str) -> np.ndarray:
    import pyarrow
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind):
        return np.asarray(column.to_pylist(), dtype=object)
    plain = types.is_integer(kind) or types.is_floating(kind)
    if not (plain or types.is_boolean(kind) or types.is_decimal(kind) or types.is_null(kind)):
        raise ValueError(f"column {name!r} holds {kind}; expected numbers, booleans or categories")
    if column.null_count or not plain:
        column = column.cast(pyarrow.float64())
    return column.to_numpy(zero_copy_only=False) if _is_array(column) else column.to_numpy()


def category_codes(column: Any, name: str) -> np.ndarray:
    """The codes of a pandas category, NaN where missing; other columns as they are."""
    if type(column).__module__.split(".")[0] == "pandas" and column.dtype.name == "category":
        codes = column.cat.codes.to_numpy().astype(np.float64)
        return np.where(codes < 0, np.nan, codes)
    return column_values(column, name)


def _is_array(column: Any) -> bool:
    return type(column).__name__ != "ChunkedArray"


def _polars_float(kind: Any) -> Any:
    import polars

    return polars.Float32 if kind in (polars.Float32, polars.Boolean) else polars.Float64


def as_floats(values: np.ndarray, name: str) -> np.ndarray:
    """Numbers as 32- or 64-bit floats: unchanged, or the narrowest of the two that is exact."""
    kind = values.dtype
    if kind.kind == "f":
        if kind.itemsize in (4, 8) and kind.isnative:
            return values
        return values.astype(np.float32 if kind.itemsize == 2 else np.float64)
    if kind.kind in "bui":
        return values.astype(np.float32 if kind.itemsize <= 2 else np.float64)
    if kind.kind in "OUS":
        try:
            return values.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            found = next(value for value in values.ravel() if not _is_number(value))
            raise ValueError(
                f"{name} holds {found!r}; expected numbers: encode text and categories as in the "
                "training of the model"
            ) from None
    raise ValueError(f"{name} has the type {kind}; expected numbers")


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def as_array(X: Any) -> np.ndarray:
    """A table without names as an array with two dimensions."""
    if is_sparse(X):
        return as_floats(X.toarray(), "X")
    check_table(X)
    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    if array.ndim == 0 and not isinstance(X, np.ndarray):
        raise TypeError(f"X is {_what(X)}; expected a table: an array, a frame or a list of rows")
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead: X has {len(array)} entries. Reshape your data: "
            "X.reshape(1, -1) for one row, X.reshape(-1, 1) for one column"
        )
    if array.ndim != 2:
        raise ValueError(f"X has {array.ndim} dimensions; expected 2, rows and columns")
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers; expected real ones")
    return as_floats(array, "X")


def _what(X: Any) -> str:
    """A description of what a user passed instead of a table."""
    if isinstance(X, dict):
        return "a dict; pass pandas.DataFrame(X)"
    if isinstance(X, (str, bytes)) or hasattr(X, "__fspath__"):
        return f"{X!r}; read the file first, as with pandas.read_csv"
    return "None" if X is None else f"a {type(X).__name__}"


def check_cells(array: np.ndarray, names: Any) -> None:
    """Raises if a cell is infinite."""
    for first in range(0, len(array), ROWS_AT_A_TIME):
        infinite = np.isinf(array[first : first + ROWS_AT_A_TIME])
        if infinite.any():
            row, column = np.argwhere(infinite)[0]
            raise ValueError(
                f"X is infinite (inf) in row {first + row}, column {names[column]!r}; replace it by a "
                "number, or by NaN if it is missing"
            )


def order_of_columns(found: list[str], expected: list[str]) -> list[int] | None:
    """Where the expected columns are among those found; None if they are in order already."""
    if found == expected:
        return None
    repeated = (
        sorted({name for name in found if found.count(name) > 1}) if len(set(found)) < len(found) else []
    )
    if repeated:
        raise ValueError(f"X has more than one column named {listed(repeated)}")
    place = {name: at for at, name in enumerate(found)}
    missing = [name for name in expected if name not in place]
    unknown = sorted(set(found) - set(expected))
    if missing or unknown:
        parts = [f"X has no column {listed(missing)}"] if missing else []
        parts += [f"the model does not know column {listed(unknown)}"] if unknown else []
        raise ValueError(
            "The feature names should match those that were passed during fit: "
            + "; ".join(parts)
            + f". Pass the columns {listed(expected)}"
        )
    return [place[name] for name in expected]


def strided(array: np.ndarray) -> Any:
    """A matrix in the form that compiled code takes: flat memory, sizes and strides in cells."""
    item = array.itemsize
    rows, columns = array.shape
    row_step = array.strides[0] if rows > 1 else columns * item
    column_step = array.strides[1] if columns > 1 else item
    steps = (row_step, column_step)
    if not array.flags.aligned or any(step <= 0 or step % item for step in steps):
        array = np.ascontiguousarray(array)
        row_step, column_step = columns * item, item
    if array.size == 0:
        return np.empty(0, array.dtype), rows, columns, columns, 1
    span = ((rows - 1) * row_step + (columns - 1) * column_step) // item + 1
    flat = np.lib.stride_tricks.as_strided(array, (span,), (item,), writeable=False)
    return flat, rows, columns, row_step // item, column_step // item
