"""Explainers of Spark DataFrames.

A fit is a few jobs, one per pass: each partition is summed up where it lies, sums are brought together by
tree, merged and solved there, and the driver gets the linear models. Spark counts the result of each
partition once, however often its task was tried. Explaining is one lazy step of the DataFrame.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._methods.lmdi_plus import LMDIPlus as LocalLMDIPlus
from .._methods.path_methods import Saabas as LocalSaabas
from .._methods.tree_shap import TreeSHAP as LocalTreeSHAP
from .._streaming.fit import MEMORY, StreamedFit, features_of
from .._streaming.sources import select as select_columns
from . import frames
from .models import spark_model

__all__ = ["LMDIPlus", "Saabas", "TreeSHAP"]


class _SparkExplainer:
    """What explainers of DataFrames share."""

    _local: Any
    _features: list[str]
    _key: str | None

    def explain(self, df: Any, *, key: str | None = None, keep: list[str] | None = None) -> Any:
        """A DataFrame with the scores of every row, lazily.

        It has the key and the columns to keep, `base`, and one column `score:NAME` per column of the model.
        With three or more classes there is one `base:LABEL` and one `score:LABEL:NAME` per class.
        """
        key = key if key is not None else self._key
        kept = [*([] if key is None else [key]), *(keep or [])]
        frames.check_features(df, self._features)
        frames.check_columns(df, kept, "which is to be kept")
        names = _score_names(self._local)
        clash = [name for name in kept if name in names]
        if clash:
            raise ValueError(f"column {clash[0]!r} is to be kept and is also a result; rename it")
        wanted = [*dict.fromkeys([*kept, *self._features])]
        kept_schema = df.select(*[df[frames.quoted(name)] for name in kept]).schema if kept else None
        schema = _schema(kept_schema, names)
        work = _Explain(pickle.dumps(self._local), self._features, kept, names)
        return frames.select(df, wanted).mapInArrow(work, schema)


class LMDIPlus(_SparkExplainer):
    """Local feature importances by LMDI+, fitted to and explaining Spark DataFrames.

    Keywords are those of `lmdi.LMDIPlus`. The result is that of `lmdi.LMDIPlus(model).fit(batches, target)`
    on the same rows, to 1e-9 of the largest score, whatever the partitions.
    """

    def __init__(self, model: Any, **choices: Any) -> None:
        self._unfitted = LocalLMDIPlus(spark_model(model), n_jobs=1, **choices)
        self._key = None

    def fit(
        self,
        df: Any,
        *,
        target: str,
        features: list[str] | None = None,
        key: str | None = None,
        sample_weight: str | None = None,
        memory: int = MEMORY,
    ) -> LMDIPlus:
        """Fits the linear model of every tree on all rows of a DataFrame.

        Parameters
        ----------
        target
            The column that the model predicts.
        features
            The columns that the model reads, in its order; default: those that it names.
        key
            A column that names rows. Folds go by it, and `explain` keeps it.
        sample_weight
            The column of weights.
        memory
            Bytes that the sums of a pass may take on a worker.
        """
        fit = StreamedFit(
            self._unfitted, target, features=features, key=key, sample_weight=sample_weight, memory=memory
        )
        frames.check_features(df, fit._features)
        frames.check_columns(df, fit.columns, "which the fit reads")
        rows = frames.select(df, fit.columns)
        while not fit.is_finished:
            there = pickle.dumps(fit)
            sums = rows.mapInArrow(_Accumulate(there), "tree bigint, sums binary")
            partitions = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
            by_tree = sums.repartition(partitions, "tree")
            solved = by_tree.mapInArrow(_Solve(there), "solved binary").collect()
            if not solved:
                raise ValueError("there is no row to fit LMDI+ on")
            fit.take([bytes(row["solved"]) for row in solved])
        self._local = fit.finish()
        self._features, self._key = fit._features, key
        return self

    @property
    def explainer(self) -> LocalLMDIPlus:
        """The fitted explainer for tables in memory, which can be saved and loaded."""
        return self._local


class _Ready(_SparkExplainer):
    """An explainer that follows from the trees."""

    _kind: Any

    def __init__(self, model: Any, *, features: list[str] | None = None) -> None:
        self._local = self._kind(spark_model(model), n_jobs=1)
        self._features = list(features) if features is not None else features_of(self._local.model_)
        self._key = None


class TreeSHAP(_Ready):
    """Shapley values of Spark DataFrames, path-dependent."""

    _kind = LocalTreeSHAP


class Saabas(_Ready):
    """Changes of node values along the path, of Spark DataFrames."""

    _kind = LocalSaabas


def _score_names(explainer: Any) -> list[str]:
    """The names of the results of a row: bases first, then scores."""
    names = explainer.model_.feature_names
    wanted = explainer.model_._compiled.input_columns
    names = names if wanted is None else wanted
    classes = explainer.model_.classes_
    if classes is None or len(classes) == 2:
        return ["base", *(f"score:{name}" for name in names)]
    labels = [str(label).replace("\\", "\\\\").replace(":", "\\:") for label in classes]
    bases = [f"base:{label}" for label in labels]
    return [*bases, *(f"score:{label}:{name}" for label in labels for name in names)]


def _schema(kept: Any, names: list[str]) -> Any:
    from pyspark.sql.types import DoubleType, StructField, StructType

    fields = [] if kept is None else list(kept.fields)
    return StructType([*fields, *(StructField(name, DoubleType()) for name in names)])


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


class _Accumulate:
    """Sums up a partition: one row of bytes per tree."""

    def __init__(self, fit: bytes) -> None:
        self._fit = fit

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for tree, sums in _ready(self._fit).accumulate_by_tree(batches):
            yield pa.RecordBatch.from_arrays(
                [pa.array([tree], pa.int64()), pa.array([sums], pa.binary())], names=["tree", "sums"]
            )


class _Solve:
    """Merges the sums of each tree, and finds its linear model."""

    def __init__(self, fit: bytes) -> None:
        self._fit = fit

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        fit = _ready(self._fit)
        merged: dict[int, Any] = {}
        for batch in batches:
            for tree, sums in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()):
                merged.setdefault(tree, []).append(sums)
                if len(merged[tree]) > 1:
                    merged[tree] = [fit.merge(merged[tree])]
        for tree in sorted(merged):
            solved = fit.solve(merged[tree])
            yield pa.RecordBatch.from_arrays([pa.array([solved], pa.binary())], names=["solved"])


class _Explain:
    """Explains the rows of a partition."""

    def __init__(self, explainer: bytes, features: list[str], kept: list[str], names: list[str]) -> None:
        self._explainer, self._features, self._kept, self._names = explainer, features, kept, names

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        explainer = _ready(self._explainer)
        for batch in batches:
            if batch.num_rows == 0:
                continue
            found = explainer.explain(select_columns(batch, self._features))
            values, base = found.values, found.base_values
            if values.ndim == 3:
                values = values.transpose(0, 2, 1).reshape(len(values), -1)
            base = base.reshape(len(values), -1)
            columns = np.concatenate([base, values], axis=1).T
            arrays = [batch.column(batch.schema.get_field_index(name)) for name in self._kept]
            arrays += [pa.array(np.ascontiguousarray(column)) for column in columns]
            yield pa.RecordBatch.from_arrays(arrays, names=[*self._kept, *self._names])
