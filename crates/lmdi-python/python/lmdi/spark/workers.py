"""What runs on workers: functions from the Arrow batches of a partition to others."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

#: Rows that are summed up at a time; Spark's own batches may be smaller.
ROWS = 1 << 14

#: Around the message of an error, so that it is found in what Spark makes of it.
START, END = "lmdi says: ", " (end of what lmdi says)"

#: What a worker process has made ready, by its bytes.
_READY: dict[int, tuple[bytes, Any]] = {}


def _ready(packed: bytes) -> Any:
    """The object of some bytes, made once per process."""
    slot = hash(packed)
    found = _READY.get(slot)
    if found is None or found[0] != packed:
        _READY.clear()
        _READY[slot] = found = (packed, pickle.loads(packed))
    return found[1]


def _gathered(batches: Iterator[Any], names: list[str]) -> Iterator[Any]:
    """Tables of about so many rows, or larger batches as they are, under their names."""
    import pyarrow as pa

    held: list[Any] = []
    n_rows = 0
    for batch in batches:
        held.append(batch)
        n_rows += batch.num_rows
        if n_rows >= ROWS:
            yield pa.Table.from_batches(held).rename_columns(names)
            held, n_rows = [], 0
    if held:
        yield pa.Table.from_batches(held).rename_columns(names)


class Accumulate:
    """Sums up a partition: one row of bytes per tree."""

    def __init__(self, fit: bytes, names: list[str]) -> None:
        self._fit, self._names = fit, names

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        try:
            sums = _ready(self._fit).accumulate_by_tree(_gathered(batches, self._names))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{START}{_partition()}{error}{END}") from error
        for tree, content in sums:
            yield pa.RecordBatch.from_arrays(
                [pa.array([tree], pa.int64()), pa.array([content], pa.binary())], names=["tree", "sums"]
            )


def _partition() -> str:
    from pyspark import TaskContext

    context = TaskContext.get()
    return "" if context is None else f"partition {context.partitionId()}, "


class Solve:
    """Merges the sums of each tree, and finds its linear model."""

    def __init__(self, fit: bytes) -> None:
        self._fit = fit

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        fit = _ready(self._fit)
        merged: dict[int, bytes] = {}
        for batch in batches:
            for tree, sums in zip(batch.column(0), batch.column(1)):
                key, content = tree.as_py(), sums.as_py()
                merged[key] = fit.merge([merged[key], content]) if key in merged else content
        for key in sorted(merged):
            solved = fit.solve([merged.pop(key)])
            yield pa.RecordBatch.from_arrays([pa.array([solved], pa.binary())], names=["solved"])


class Explain:
    """Explains the rows of a partition. The columns of the model come first, then those that are kept."""

    def __init__(self, explainer: bytes, features: list[str], kept: list[str], layout: Any) -> None:
        self._explainer, self._features = explainer, features
        self._kept, self._layout = kept, layout

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        explainer, count = _ready(self._explainer), len(self._features)
        for batch in batches:
            if batch.num_rows == 0:
                continue
            rows = pa.RecordBatch.from_arrays(batch.columns[:count], names=self._features)
            base, values = explainer._scores(rows)
            arrays = batch.columns[count:]
            arrays += self._layout.arrays(base.reshape(batch.num_rows, -1), values)
            yield pa.RecordBatch.from_arrays(arrays, names=[*self._kept, *self._layout.names])


class ColumnPerScore:
    """One column of numbers per base value and score."""

    def __init__(self, features: list[str], outputs: list[str] | None) -> None:
        if outputs is None or len(outputs) == 1:
            self.names = ["base", *(f"score:{name}" for name in features)]
            return
        labels = [label.replace("\\", "\\\\").replace(":", "\\:") for label in outputs]
        self.names = [f"base:{label}" for label in labels]
        self.names += [f"score:{label}:{name}" for label in labels for name in features]

    def fields(self) -> list[Any]:
        """The columns as Spark declares them."""
        from pyspark.sql.types import DoubleType, StructField

        return [StructField(name, DoubleType()) for name in self.names]

    def arrays(self, base: np.ndarray, values: np.ndarray) -> list[Any]:
        """The columns of some rows."""
        import pyarrow as pa

        if values.ndim == 3:
            values = values.transpose(0, 2, 1).reshape(len(values), -1)
        columns = np.concatenate([base, values], axis=1).T
        return [pa.array(np.ascontiguousarray(column)) for column in columns]


class OneArray:
    """One column with an array of base values, and one with an array of scores, output by output."""

    def __init__(self, base: str, scores: str) -> None:
        self.names = [base, scores]

    def fields(self) -> list[Any]:
        """The columns as Spark declares them."""
        from pyspark.sql.types import ArrayType, DoubleType, StructField

        return [StructField(name, ArrayType(DoubleType())) for name in self.names]

    def arrays(self, base: np.ndarray, values: np.ndarray) -> list[Any]:
        """The columns of some rows."""
        import pyarrow as pa

        if values.ndim == 3:
            values = values.transpose(0, 2, 1).reshape(len(values), -1)

        def lists(cells: np.ndarray) -> Any:
            offsets = np.arange(len(cells) + 1, dtype=np.int32) * np.int32(cells.shape[1])
            return pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.ascontiguousarray(cells).ravel()))

        return [lists(base), lists(values)]
